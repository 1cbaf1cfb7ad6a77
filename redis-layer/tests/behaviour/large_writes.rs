//! What a command writes that takes long to write: others go on meanwhile, and nobody sees a part of it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use engine::vfs::MemoryVfs;
use parking_lot::Mutex;
use redis_layer::commands::Server;
use redis_layer::server::Options;
use redis_layer::store::{Batch, Error, Result, Store};
use redis_layer::types::{check, sweep};

use crate::common::client::{Client, Command, encode};
use crate::common::hooked::{Hooked, Hooks, Sizes};
use crate::common::random::Random;
use crate::common::servers::Ours;
use crate::common::waiting::{DEADLINE, eventually};
use crate::common::{Direct, StoreKind, engine_over, over_every_store};

/// How many elements the large collections have.
const MANY: usize = 20_000;
/// More rows than this are not written at a time if others need not see all of them at once.
const ROWS_MOST: usize = 4_096;

fn words(before: &[&str], after: impl Iterator<Item = String>) -> Command {
    let before = before.iter().map(|word| (*word).to_owned());
    before.chain(after).map(Into::into).collect()
}

fn numbers() -> impl Iterator<Item = String> {
    (0..MANY).map(|n| format!("member-{n}"))
}

/// A set `s`, a sorted set `z`, a hash `h`, a list `l` and places `g`.
fn fill(direct: &mut Direct) {
    let scored = |n: usize| [n.to_string(), format!("member-{n}")];
    let fields = numbers().flat_map(|name| [name, "value".to_owned()]);
    let places = (0..MANY).flat_map(|n| ["1".to_owned(), "2".to_owned(), format!("place-{n}")]);
    for command in [
        words(&["sadd", "s"], numbers()),
        words(&["zadd", "z"], (0..MANY).flat_map(scored)),
        words(&["hset", "h"], fields),
        words(&["geoadd", "g"], places),
    ] {
        direct.run_args(&command);
    }
    // Each in a row of its own.
    for n in 0..MANY {
        direct.run(&format!("rpush l {n}"));
    }
}

/// Commands that make a large collection `d`, what must be there before, and what then tells that it is whole.
const MAKE_LARGE: [(&str, &str); 8] = [
    ("sunionstore d s", "scard d"),
    ("zunionstore d 1 z", "zcard d"),
    ("zrangestore d z 0 -1", "zcard d"),
    ("geosearchstore d g fromlonlat 1 2 byradius 9 km", "zcard d"),
    ("copy s d replace", "scard d"),
    ("copy z d replace", "zcard d"),
    ("copy h d replace", "hlen d"),
    ("copy l d replace", "llen d"),
];

#[test]
fn others_have_their_turn_between_the_parts_of_a_new_collection() {
    let sizes = Arc::<Hooked<Sizes>>::default();
    let mut direct = Direct::over(Arc::clone(&sizes) as Arc<dyn Store>);
    fill(&mut direct);
    for (line, count) in MAKE_LARGE {
        sizes.0.lock().clear();
        direct.run(line);
        let written = std::mem::take(&mut *sizes.0.lock());
        let most = written.iter().copied().max();
        assert!(
            most.is_some_and(|most| most <= ROWS_MOST),
            "{line}: {written:?}"
        );
        assert!(
            written.last().is_some_and(|last| *last <= 2),
            "{line}: {written:?}"
        );
        assert_eq!(direct.show(count), MANY.to_string(), "{line}");
        direct.check();
    }
    // What others see changes at once.
    sizes.0.lock().clear();
    direct.run_args(&words(&["srem", "d"], numbers().take(1)));
    direct.run_args(&words(
        &["sadd", "s"],
        (0..MANY).map(|n| format!("more-{n}")),
    ));
    assert!(sizes.0.lock().iter().any(|rows| *rows > MANY));
}

/// The size of the largest row that was written, in bytes.
#[derive(Default)]
struct Largest(AtomicUsize);

impl Hooks for Largest {
    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        let rows = batch.changes().filter_map(|(_, row)| row.value.as_ref());
        let largest = rows.map(Bytes::len).max().unwrap_or(0);
        self.0.fetch_max(largest, Ordering::SeqCst);
        inner.write(batch)
    }
}

#[test]
fn a_long_result_of_bits_is_no_large_row() {
    let largest = Arc::<Hooked<Largest>>::default();
    let mut direct = Direct::over(Arc::clone(&largest) as Arc<dyn Store>);
    direct.run("setbit a 40000000 1");
    direct.run("setbit b 64000007 1");
    direct.run("hset d field value");
    for (line, ones) in [
        ("bitop or d a b", 2),
        ("bitop not d a", 40_000_007),
        ("bitop xor d d b", 40_000_008),
        ("bitop and a a d", 0),
        ("bitop not d d", 64_000_008 - 40_000_008),
    ] {
        direct.run(line);
        let to = line.split(' ').nth(2).unwrap();
        assert_eq!(
            direct.show(&format!("bitcount {to}")),
            ones.to_string(),
            "{line}"
        );
        direct.check();
    }
    assert!(largest.0.load(Ordering::SeqCst) < 64 << 10);
}

#[test]
fn what_one_transaction_makes_and_changes_is_right_in_parts_too() {
    for kind in StoreKind::ALL {
        let mut direct = Direct::new(kind);
        fill(&mut direct);
        direct.run("set text before");
        direct.run("multi");
        for line in [
            "sunionstore d s",
            "srem d member-7 member-8",
            "sadd s another",
            "copy z e",
            "zadd e 5 member-0",
            "del e",
            "copy z e",
            "zremrangebyrank e 0 9",
            "rename d f",
            "copy l m",
            "ltrim m 0 9999",
            "set text after",
        ] {
            direct.run(line);
        }
        // Some of what comes after a range was removed lies in that range.
        let elements = (0..6_000).map(|n| format!("{n:0>300}"));
        direct.run_args(&words(&["rpush", "k"], elements));
        direct.run("ltrim k 5000 -1");
        direct.run_args(&words(&["lpush", "k"], (0..500).map(|n| n.to_string())));
        direct.run_args(&words(&["rpush", "m"], (0..500).map(|n| n.to_string())));
        direct.run("exec");
        direct.expect(&[
            ("llen k", "1500"),
            ("lrange k 0 2", "[499 498 497]"),
            ("scard f", "19998"),
            ("sismember f member-7", "0"),
            ("scard s", "20001"),
            ("zcard e", "19990"),
            ("zrange e 0 0", "[member-10]"),
            ("zrank e member-15000", "14990"),
            ("exists d", "0"),
            ("llen m", "10500"),
            ("lrange m -501 -500", "[9999 0]"),
            ("lrange m -2 -1", "[498 499]"),
            ("get text", "after"),
        ]);
        sweep(&*direct.store, &direct.server.shared).unwrap();
        direct.expect(&[("scard f", "19998"), ("zcount e -inf +inf", "19990")]);
        assert_eq!(check(&*direct.store).unwrap().orphans, 0);
    }
}

/// Does something before each write.
struct Before<F>(F);

impl<F: Fn(&dyn Store) -> Result<()> + Send + Sync> Hooks for Before<F> {
    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        (self.0)(inner)?;
        inner.write(batch)
    }
}

#[test]
fn the_sweeper_leaves_the_parts_of_a_collection_that_comes_into_being() {
    let server: Arc<OnceLock<Arc<Server>>> = Arc::default();
    let swept = Arc::new(AtomicUsize::new(0));
    let before = {
        let (server, swept) = (Arc::clone(&server), Arc::clone(&swept));
        move |store: &dyn Store| {
            if let Some(server) = server.get() {
                sweep(store, &server.shared).unwrap();
                swept.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        }
    };
    let store = Hooked::over(StoreKind::BTree.open(), Before(before));
    let mut direct = Direct::over(store);
    fill(&mut direct);
    assert!(server.set(Arc::clone(&direct.server)).is_ok());
    for (line, count) in MAKE_LARGE {
        swept.store(0, Ordering::Relaxed);
        direct.run(line);
        assert!(
            swept.load(Ordering::Relaxed) > 2,
            "{line} is written at once"
        );
        assert_eq!(direct.show(count), MANY.to_string(), "{line}");
        direct.check();
    }
    direct.run("del d");
    sweep(&*direct.store, &direct.server.shared).unwrap();
    assert_eq!(check(&*direct.store).unwrap().orphans, 0);
}

#[test]
fn a_power_cut_between_the_parts_leaves_all_or_nothing() {
    let disk = MemoryVfs::new();
    let cuts: Arc<Mutex<Vec<MemoryVfs>>> = Arc::default();
    let is_on = Arc::new(AtomicBool::new(false));
    let before = {
        let (disk, cuts, is_on) = (disk.clone(), Arc::clone(&cuts), Arc::clone(&is_on));
        move |_: &dyn Store| {
            if is_on.load(Ordering::Relaxed) {
                let mut cuts = cuts.lock();
                let seed = cuts.len() as u64;
                cuts.push(disk.crash(seed));
            }
            Ok(())
        }
    };
    let store = Hooked::over(Arc::new(engine_over(&disk)), Before(before));
    let mut direct = Direct::over(store);
    fill(&mut direct);
    direct.run("sadd d before");
    direct.store.sync().unwrap();
    is_on.store(true, Ordering::Relaxed);
    direct.run("sunionstore d s");
    is_on.store(false, Ordering::Relaxed);
    let mut cuts = std::mem::take(&mut *cuts.lock());
    assert!(cuts.len() > 3, "written at once");
    cuts.extend((0..20).map(|seed| disk.crash(seed)));
    let (mut with, mut without) = (0, 0);
    for cut in cuts {
        let mut after = Direct::over(Arc::new(engine_over(&cut)));
        after.check();
        match after.show("scard d").as_str() {
            "1" => without += 1,
            count => {
                assert_eq!(count, MANY.to_string());
                assert_eq!(after.show("sdiff s d"), "[]");
                with += 1;
            }
        }
        sweep(&*after.store, &after.server.shared).unwrap();
        after.check();
        assert_eq!(check(&*after.store).unwrap().orphans, 0);
    }
    assert!(with > 0 && without > 3, "{with} with it, {without} without");
}

#[test]
fn a_part_that_cannot_be_written_leaves_the_key_as_it_was() {
    let writes = Arc::new(AtomicUsize::new(usize::MAX));
    let before = {
        let writes = Arc::clone(&writes);
        move |_: &dyn Store| {
            let left = writes.load(Ordering::Relaxed);
            // Only one fails.
            writes.store(left.wrapping_sub(1), Ordering::Relaxed);
            match left {
                0 => Err(Error::new("no space")),
                _ => Ok(()),
            }
        }
    };
    let mut direct = Direct::over(Hooked::over(StoreKind::BTree.open(), Before(before)));
    fill(&mut direct);
    direct.run("sadd d before");
    for left in 0..4 {
        writes.store(left, Ordering::Relaxed);
        let refused = direct.show("sunionstore d s");
        writes.store(usize::MAX, Ordering::Relaxed);
        assert!(refused.starts_with("MISCONF"), "{left}: {refused}");
        assert_eq!(direct.show("smembers d"), "[before]");
        direct.check();
        sweep(&*direct.store, &direct.server.shared).unwrap();
        assert_eq!(check(&*direct.store).unwrap().orphans, 0);
    }
    assert_eq!(direct.show("sunionstore d s"), MANY.to_string());
}

/// How many changes a command writes, and its reply.
fn changes_of(direct: &mut Direct, sizes: &Sizes, line: &str) -> (String, usize) {
    sizes.0.lock().clear();
    let reply = direct.show(line);
    direct.check();
    (reply, sizes.0.lock().iter().sum())
}

/// What is left of a row stays together.
#[test]
fn a_list_loses_elements_here_and_there_with_a_few_changes_of_each_row() {
    let sizes = Arc::<Hooked<Sizes>>::default();
    let mut direct = Direct::over(Arc::clone(&sizes) as Arc<dyn Store>);
    let elements = (0..MANY).map(|n| format!("e{}", n % 100));
    direct.run_args(&words(&["rpush", "l"], elements));
    let rows = MANY / 64;
    let (removed, written) = changes_of(&mut direct, &sizes, "lrem l 0 e7");
    assert_eq!(removed, (MANY / 100).to_string());
    assert!(written < 4 * rows, "{written} changes");
}

/// Their rows are removed as a range.
#[test]
fn a_list_loses_many_elements_at_an_end_with_few_changes() {
    let sizes = Arc::<Hooked<Sizes>>::default();
    let mut direct = Direct::over(Arc::clone(&sizes) as Arc<dyn Store>);
    fill(&mut direct);
    direct.run("linsert l before 19000 x");
    for (line, left) in [
        ("ltrim l 0 15000", 15_001),
        ("lpop l 5000", 10_001),
        ("ltrim l 4990 5009", 20),
    ] {
        let (_, written) = changes_of(&mut direct, &sizes, line);
        assert!(written < 10, "{line}: {written} changes");
        assert_eq!(direct.show("llen l"), left.to_string());
    }
}

/// Removals of many rows at once, between all other changes, alone and in one transaction with them.
#[test]
fn a_list_from_which_many_elements_are_removed_at_once_is_right() {
    over_every_store(|direct| {
        for seed in 0..3 {
            let mut random = Random::new(seed);
            let mut model: VecDeque<String> = VecDeque::new();
            direct.run("del l");
            let mut in_transaction = false;
            for step in 0..60 {
                if random.once_in(4) {
                    direct.run(if in_transaction { "exec" } else { "multi" });
                    in_transaction = !in_transaction;
                }
                change_at_random(direct, &mut random, &mut model);
                if !in_transaction {
                    let whole = direct.show("lrange l 0 -1");
                    let expected = model.iter().map(String::as_str).collect::<Vec<_>>();
                    assert!(
                        whole == format!("[{}]", expected.join(" ")),
                        "seed {seed}, step {step}"
                    );
                    let at = random.below(model.len().max(1));
                    let there = model.get(at).map_or("nil", String::as_str);
                    assert_eq!(direct.show(&format!("lindex l {at}")), there);
                    direct.check();
                }
            }
            direct.run("exec");
        }
    });
}

fn change_at_random(direct: &mut Direct, random: &mut Random, model: &mut VecDeque<String>) {
    let some = |random: &mut Random| format!("e{}", random.below(50));
    let size = model.len();
    match random.below(9) {
        0..=2 => {
            let count = if random.once_in(3) { 9_000 } else { 40 };
            let new: Vec<String> = (0..count).map(|_| some(random)).collect();
            let side = random.pick(&["rpush", "lpush"]);
            for element in &new {
                match side {
                    "rpush" => model.push_back(element.clone()),
                    _ => model.push_front(element.clone()),
                }
            }
            direct.run_args(&words(&[side, "l"], new.into_iter()));
        }
        3 => {
            let (element, most) = (some(random), 1 + random.below(200));
            direct.run(&format!("lrem l {most} {element}"));
            let mut left = most;
            model.retain(|other| {
                let goes = *other == element && left > 0;
                left -= usize::from(goes);
                !goes
            });
        }
        4 => {
            let (pivot, new) = (some(random), some(random));
            direct.run(&format!("linsert l before {pivot} {new}"));
            if let Some(at) = model.iter().position(|other| *other == pivot) {
                model.insert(at, new);
            }
        }
        5 if size > 0 => {
            let at = random.below(size);
            direct.run(&format!("lset l {at} changed"));
            model[at] = "changed".to_owned();
        }
        6 => {
            let count = random.below(size / 2 + 2);
            direct.run(&format!("lpop l {count}"));
            model.drain(..count.min(size));
        }
        7 => {
            let count = random.below(size / 2 + 2);
            direct.run(&format!("rpop l {count}"));
            model.truncate(size - count.min(size));
        }
        _ => {
            let start = random.below(size / 2 + 1);
            let stop = start + random.below(size.max(1));
            direct.run(&format!("ltrim l {start} {stop}"));
            model.truncate(stop + 1);
            model.drain(..start.min(model.len()));
        }
    }
}

/// Writes one batch after the other, and keeps those of many changes until it is told to go on.
#[derive(Default)]
struct OneByOne {
    writing: Mutex<()>,
    is_shut: AtomicBool,
    is_reached: AtomicBool,
}

impl Hooks for OneByOne {
    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        let _alone = self.writing.lock();
        while self.is_shut.load(Ordering::SeqCst) && batch.changes().nth(1_000).is_some() {
            self.is_reached.store(true, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(1));
        }
        inner.write(batch)
    }
}

#[test]
fn readers_are_served_while_a_writer_waits_for_a_large_batch() {
    let store = Hooked::over(StoreKind::BTree.open(), OneByOne::default());
    let ours = Ours::start_on(1, Arc::clone(&store) as Arc<dyn Store>, Options::default());
    let [mut large, mut reader] = [(); 2].map(|()| Client::connect(ours.address));
    let mut writers: Vec<Client> = (0..20).map(|_| Client::connect(ours.address)).collect();
    for client in writers.iter_mut().chain([&mut large, &mut reader]) {
        client.call(&["ping"]);
    }
    large.call(&["sadd", "s", "one"]);
    store.is_shut.store(true, Ordering::SeqCst);
    let many = words(&["sadd", "s"], numbers());
    large.send(&encode(&many)).unwrap();
    eventually(|| store.is_reached.load(Ordering::SeqCst));
    // Each writer becomes ready together with the reader, who must not run with it.
    let answers: Vec<bool> = (writers.iter_mut().enumerate())
        .map(|(n, writer)| {
            let set = format!("set key{n} value\r\n");
            writer.send(set.as_bytes()).unwrap();
            reader.send(b"get another\r\n").unwrap();
            reader.reply_within(DEADLINE / 12).is_some()
        })
        .take_while(|answered| *answered)
        .collect();
    store.is_shut.store(false, Ordering::SeqCst);
    assert_eq!(answers.len(), 20, "a reader waits for the large batch");
    assert!(large.reply_within(DEADLINE).is_some());
    for writer in &mut writers {
        assert!(writer.reply_within(DEADLINE).is_some());
    }
}
