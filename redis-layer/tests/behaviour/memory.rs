//! What the server holds in memory does not grow with the number of keys: a key is rows, and rows go to tables. And what was
//! needed to write many of them goes back to the system.
//!
//! Counted is the memory that no file stands behind. Of tables, which are mapped, the system may drop any page.

use std::time::{Duration, Instant};
use std::{fs, thread};

use bytes::Bytes;

use crate::common::client::Client;
use crate::common::model::words;
use crate::common::program::{Running, command};
use crate::common::waiting::eventually;

/// Keys of the small data set. The large one has eight times as many.
const FEW: usize = 50_000;
const MANY: usize = 8 * FEW;
/// How many bytes each further key may take: fewer than its name is long, which any table of keys would hold. What is measured
/// differs by some megabytes from one moment to the next, as flushes and compactions begin and end.
const BYTES_EACH: usize = 24;
const ROUNDS: usize = 30;

fn arguments(line: &str, key: &str) -> Vec<Bytes> {
    let words = words(line, key).into_iter();
    words.map(|word| word.to_owned().into()).collect()
}

/// Adds keys of all types, a fifth of them with an expiry time. Each is looked up too: that its use is noted must take no memory
/// either.
fn fill(client: &mut Client, numbers: std::ops::Range<usize>) {
    let numbers: Vec<usize> = numbers.collect();
    for numbers in numbers.chunks(250) {
        let commands = numbers.iter().flat_map(|n| {
            let key = format!("a-key-with-a-long-name:{n:08}");
            assert!(key.len() > BYTES_EACH);
            let (write, read) = [
                ("set value-of-a-string", "get"),
                ("hset field value", "hget field"),
                ("rpush element", "llen"),
                ("sadd member", "sismember member"),
                ("zadd 1 member", "zscore member"),
            ][n % 5];
            let expires = (n % 10 < 2).then_some("pexpireat 4102444800000");
            let lines = [Some(write), expires, Some(read)];
            let lines = lines.into_iter().flatten();
            let commands = lines.map(|line| arguments(line, &key));
            commands.collect::<Vec<_>>()
        });
        for reply in client.pipeline(&commands.collect::<Vec<_>>()) {
            assert_ne!(reply[0], b'-', "{}", reply.escape_ascii());
        }
    }
}

/// What the program holds after some keys were written once more: what the many writes before have freed is given back bit
/// by bit, while others follow.
fn held(program: &Running, client: &mut Client, keys: usize) -> usize {
    fill(client, keys - FEW / 10..keys);
    thread::sleep(Duration::from_millis(20));
    program.bytes_of("RssAnon")
}

#[test]
fn eight_times_as_many_keys_take_no_more_memory() {
    let dir = tempfile::tempdir().unwrap();
    // What was written last is in memory: little of it here, so that few keys fill it. And what is freed goes back to
    // the system at once, so that it is not counted.
    let options = ["--sync", "no", "--write-buffer", "1mb"];
    let mut command = command();
    command.arg("--dir").arg(dir.path()).args(options);
    let program = Running::spawn(command.env("MIMALLOC_PURGE_DELAY", "0"));
    let mut client = Client::connect(program.address);
    fill(&mut client, 0..FEW);
    let few = (0..ROUNDS).map(|_| held(&program, &mut client, FEW));
    let few = few.min().unwrap();
    fill(&mut client, FEW..MANY);
    let allowed = few + BYTES_EACH * (MANY - FEW);
    eventually(|| {
        let many = held(&program, &mut client, MANY);
        eprintln!("{few} bytes with {FEW} keys, {many} with {MANY}");
        many <= allowed
    });
    assert_eq!(client.call(&["dbsize"]), format!(":{MANY}\\r\\n"));
}

/// Members of a sorted set, and how many bytes each may take when the set is in tables and nobody uses it: a tenth of
/// what Redis takes.
const MEMBERS: usize = 250_000;
const BYTES_A_MEMBER: usize = 12;
/// What a server that has worked keeps beyond an empty one, however large the set is. Its program is read in parts, as
/// they are needed.
const FIXED_BYTES: usize = 6 << 20;
const PROGRAM_BYTES: usize = 8 << 20;

/// Waits until the program holds at most so much memory of a kind. It gives back what it does not need after a second or two.
fn wait_for_at_most(program: &Running, kind: &str, allowed: usize) {
    let begin = Instant::now();
    eventually(|| {
        let (held, later) = (program.bytes_of(kind), begin.elapsed());
        eprintln!("{kind}: {held} bytes after {later:?}, allowed are {allowed}");
        thread::sleep(Duration::from_millis(500));
        held <= allowed
    });
}

#[test]
fn what_a_large_set_took_while_it_was_written_and_read_goes_back_when_the_server_is_quiet() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = command();
    // The checkpoint is beside the data.
    command
        .arg("--dir")
        .arg(dir.path().join("data"))
        .args(["--sync", "no"]);
    let program = Running::spawn(&mut command);
    let mut client = Client::connect(program.address);
    client.call(&["ping"]);
    let [empty, of_files] = ["RssAnon", "RssFile"].map(|kind| program.bytes_of(kind));
    let allowed = empty + FIXED_BYTES + BYTES_A_MEMBER * MEMBERS;
    let numbers: Vec<usize> = (0..MEMBERS).collect();
    let mut each = |line: &dyn Fn(usize) -> String| {
        for numbers in numbers.chunks(1000) {
            let commands = numbers.iter().map(|n| arguments(&line(*n), "board"));
            for reply in client.pipeline(&commands.collect::<Vec<_>>()) {
                assert_eq!(reply[0], b':', "{}", reply.escape_ascii());
            }
        }
    };
    // In no order, as scores are.
    each(&|n| format!("zadd {} player:{n:08}", (n * 7_919) % 1_000_003));
    assert_eq!(
        Client::connect(program.address).call(&["save"]),
        "+OK\\r\\n"
    );
    wait_for_at_most(&program, "RssAnon", allowed);
    // That maps the tables.
    each(&|n| format!("zrank player:{n:08}"));
    wait_for_at_most(&program, "RssAnon", allowed);
    wait_for_at_most(&program, "RssFile", of_files + PROGRAM_BYTES);
}

fn threads_of(program: &Running) -> usize {
    let threads = format!("/proc/{}/task", program.process.id());
    fs::read_dir(threads).unwrap().count()
}

/// Each thread keeps memory that others have freed. One that waits to be needed is woken again and again as long as some
/// commands hold up others, in turn with all that wait.
#[test]
fn threads_that_were_needed_for_a_while_end_also_if_a_few_are_needed_all_the_time() {
    const MANY: usize = 60;
    let program = Running::in_memory(&[]);
    let mut sleepers: Vec<_> = (0..MANY)
        .map(|_| Client::connect(program.address))
        .collect();
    for sleeper in &mut sleepers {
        sleeper.send(b"debug sleep 2\r\n").unwrap();
    }
    eventually(|| threads_of(&program) >= MANY);
    for sleeper in &mut sleepers {
        assert_eq!(sleeper.reply().unwrap(), b"+OK\r\n");
    }
    eventually(|| {
        thread::sleep(Duration::from_millis(100));
        sleepers[0].call(&["debug", "sleep", "0"]);
        threads_of(&program) < MANY / 2
    });
}
