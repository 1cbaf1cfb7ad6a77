//! `SAVE`, `BGSAVE`, `SHUTDOWN` and what `DEBUG` says about the data, with the program itself.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

use bytes::Bytes;
use engine::vfs::{MemoryVfs, Vfs};
use redis_layer::commands::execute;
use redis_layer::store::{EngineStore, Store};

use crate::common::client::Client;
use crate::common::program::{Running, end_of};
use crate::common::servers::Ours;
use crate::common::waiting::{DEADLINE, eventually};
use crate::common::{self, Direct, StoreKind, engine_over};

fn checkpoints(parent: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(parent).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.contains(".save-")).collect();
    names.sort();
    names
}

#[test]
fn a_checkpoint_holds_the_keys_of_its_moment_and_replaces_the_one_before() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let running = Running::over(&data, &[]);
    let mut client = Client::connect(running.address);
    client.call(&["zadd", "z", "1", "a", "2", "b"]);
    assert_eq!(client.call(&["save"]), "+OK\\r\\n");
    assert_eq!(checkpoints(dir.path()), ["data.save-000001"]);
    client.call(&["zadd", "z", "3", "c"]);
    assert!(
        client
            .call(&["info", "persistence"])
            .contains("rdb_changes_since_last_save:1")
    );
    assert_eq!(client.call(&["bgsave"]), "+Background saving started\\r\\n");
    let mut info = || client.call(&["info", "persistence"]);
    eventually(|| info().contains("rdb_saves:2"));
    assert_eq!(checkpoints(dir.path()), ["data.save-000002"]);
    client.call(&["zadd", "z", "4", "d"]);
    assert!(
        client
            .call(&["info", "persistence"])
            .contains("rdb_last_bgsave_status:ok")
    );

    let copy = Running::over(&dir.path().join("data.save-000002"), &[]);
    let mut client = Client::connect(copy.address);
    assert_eq!(client.call(&["zcard", "z"]), ":3\\r\\n");
}

#[test]
fn the_checkpoint_that_a_transaction_asks_for_holds_what_it_changes() {
    let dir = tempfile::tempdir().unwrap();
    let running = Running::over(&dir.path().join("data"), &[]);
    let mut client = Client::connect(running.address);
    client
        .send(b"multi\r\nset a 1\r\nbgsave\r\nbgrewriteaof\r\nbgsave\r\nset b 2\r\nexec\r\n")
        .unwrap();
    let replies = [(); 7].map(|()| client.reply().unwrap());
    let scheduled = "+Background saving scheduled\\r\\n";
    let rewriting = "+Background append only file rewriting scheduled\\r\\n";
    assert_eq!(
        replies[6].escape_ascii().to_string(),
        format!("*5\\r\\n+OK\\r\\n{scheduled}{rewriting}{scheduled}+OK\\r\\n")
    );
    let mut info = || client.call(&["info", "persistence"]);
    eventually(|| info().contains("rdb_saves:1"));
    let copy = Running::over(&dir.path().join("data.save-000001"), &[]);
    let mut client = Client::connect(copy.address);
    let both = "*2\\r\\n$1\\r\\n1\\r\\n$1\\r\\n2\\r\\n";
    assert_eq!(client.call(&["mget", "a", "b"]), both);
}

/// The names of the checkpoints of `/data`.
fn saved(disk: &MemoryVfs) -> Vec<String> {
    let names = disk.list(Path::new("/")).unwrap();
    let names = names.into_iter().map(|name| name.into_string().unwrap());
    names.filter(|name| name.contains(".save-")).collect()
}

#[test]
fn checkpoints_do_not_pile_up_over_restarts() {
    let disk = MemoryVfs::new();
    for run in 1..=3 {
        let store = engine_over(&disk);
        store.checkpoint().unwrap();
        store.close().unwrap();
        assert_eq!(saved(&disk), [format!("data.save-{run:06}")]);
    }
}

#[test]
fn a_checkpoint_that_is_open_or_holds_something_else_is_not_removed() {
    let disk = MemoryVfs::new();
    let store = engine_over(&disk);
    store.checkpoint().unwrap();
    let options = engine::Options {
        vfs: Arc::new(disk.clone()),
        ..engine::Options::default()
    };
    let first = "/data.save-000001";
    let open = EngineStore::open_with(first, options).unwrap();
    store.checkpoint().unwrap();
    let note = Path::new("/data.save-000002/note.txt");
    drop(disk.create(note).unwrap());
    disk.create_dir_all(Path::new("/data.save-mine")).unwrap();
    disk.create_dir_all(Path::new("/other.save-000001"))
        .unwrap();
    store.checkpoint().unwrap();
    let stay = [
        "data.save-000001",
        "data.save-000002",
        "data.save-000003",
        "data.save-mine",
        "other.save-000001",
    ];
    assert_eq!(saved(&disk), stay);
    open.close().unwrap();
    drop(open);
    disk.remove(note).unwrap();
    store.checkpoint().unwrap();
    assert_eq!(
        saved(&disk),
        ["data.save-000004", "data.save-mine", "other.save-000001"]
    );
}

/// Its name is that of the data, byte for byte.
#[test]
fn a_directory_whose_name_is_no_text_has_its_checkpoint_beside_it() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let named = |name: &[u8]| dir.path().join(std::ffi::OsStr::from_bytes(name));
    let running = Running::over(&named(b"\xff\xfe data"), &[]);
    let mut client = Client::connect(running.address);
    client.call(&["set", "k", "v"]);
    assert_eq!(client.call(&["save"]), "+OK\\r\\n");
    let checkpoint = named(b"\xff\xfe data.save-000001");
    assert!(checkpoint.is_dir());
    let copy = Running::over(&checkpoint, &[]);
    let mut client = Client::connect(copy.address);
    assert_eq!(client.call(&["get", "k"]), "$1\\r\\nv\\r\\n");
}

#[test]
fn shutdown_ends_the_program_and_keeps_the_data() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    for (words, saves) in [
        (&["shutdown"][..], 0),
        (&["shutdown", "nosave", "now", "force"], 0),
        (&["shutdown", "save"], 1),
    ] {
        let mut running = Running::over(&data, &[]);
        let mut client = Client::connect(running.address);
        client.call(&["zincrby", "z", "1", "a"]);
        client
            .send(format!("{}\r\n", words.join(" ")).as_bytes())
            .unwrap();
        assert_eq!(client.until_closed(), (Vec::new(), true));
        assert_eq!(end_of(&mut running.process).code(), Some(0));
        assert_eq!(checkpoints(dir.path()).len(), saves, "{words:?}");
    }
    let running = Running::over(&data, &[]);
    let mut client = Client::connect(running.address);
    assert_eq!(client.call(&["zscore", "z", "a"]), "$1\\r\\n3\\r\\n");
}

#[test]
fn digests_tell_whether_keys_and_values_are_the_same() {
    let ours = Ours::start(StoreKind::Engine.open());
    let mut client = Client::connect(ours.address);
    let empty = client.call(&["debug", "digest"]);
    client.call(&["zadd", "z", "1", "a", "2", "b"]);
    client.call(&["set", "s", "v"]);
    let digest = client.call(&["debug", "digest"]);
    assert_ne!(digest, empty);
    let value = client.call(&["debug", "digest-value", "z", "s", "nope"]);
    assert!(
        value.ends_with(&format!("+{}\\r\\n", "0".repeat(40))),
        "{value}"
    );
    // The same set, made in another way.
    client.call(&["del", "z"]);
    assert_ne!(client.call(&["debug", "digest"]), digest);
    client.call(&["zadd", "z", "2", "b", "7", "a"]);
    assert_ne!(client.call(&["debug", "digest"]), digest);
    client.call(&["zadd", "z", "1", "a"]);
    assert_eq!(client.call(&["debug", "digest"]), digest);
    assert_eq!(
        client.call(&["debug", "digest-value", "z", "s", "nope"]),
        value
    );
    assert_eq!(client.call(&["debug", "reload"]), "+OK\\r\\n");
    assert_eq!(client.call(&["debug", "digest"]), digest);
}

#[test]
fn memory_usage_grows_with_the_value() {
    let ours = Ours::start(StoreKind::Engine.open());
    let mut client = Client::connect(ours.address);
    let mut usage = |words: &[&str]| -> u64 {
        let reply = client.call(words);
        let number = reply.trim_start_matches(':').trim_end_matches("\\r\\n");
        number.parse().unwrap_or_else(|_| panic!("{reply}"))
    };
    let small = {
        let mut client = Client::connect(ours.address);
        client.call(&["set", "s", "v"]);
        usage(&["memory", "usage", "s"])
    };
    let mut other = Client::connect(ours.address);
    other.call(&["set", "s", &"v".repeat(10_000)]);
    let large = usage(&["memory", "usage", "s"]);
    assert!(large - small >= 9_999, "{small} {large}");
    for n in 0..100 {
        other.call(&["zadd", "z", &n.to_string(), &format!("member-{n}")]);
    }
    let sampled = usage(&["memory", "usage", "z"]);
    let exact = usage(&["memory", "usage", "z", "samples", "0"]);
    assert!(exact > 100 * 2 * 8, "{exact}");
    assert!(sampled.abs_diff(exact) * 4 < exact, "{sampled} {exact}");
}

#[test]
fn the_end_of_the_server_ends_a_long_sleep() {
    let mut direct = Direct::new(StoreKind::BTree);
    let server = Arc::clone(&direct.server);
    let (ended, ends) = channel();
    thread::spawn(move || {
        let words = ["debug", "sleep", "3600"].map(Bytes::from);
        let _ = ended.send(common::show(&execute(&mut direct.session, &words).reply));
    });
    server.cut_off();
    let answer = ends.recv_timeout(DEADLINE);
    assert_eq!(answer.as_deref(), Ok("OK"));
}

/// Who may use DEBUG is decided when the server starts.
#[test]
fn debug_is_refused_if_the_server_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let running = Running::over(&dir.path().join("d"), &["--enable-debug-command", "no"]);
    let mut client = Client::connect(running.address);
    let refused = client.call(&["debug", "sleep", "0"]);
    assert!(
        refused.starts_with("-ERR DEBUG command not allowed."),
        "{refused}"
    );
    let other = Running::over(
        &dir.path().join("e"),
        &["--set", "timeout=7,slowlog-max-len=3"],
    );
    let mut client = Client::connect(other.address);
    assert_eq!(client.call(&["debug", "sleep", "0"]), "+OK\\r\\n");
    let timeout = client.call(&["config", "get", "timeout"]);
    assert!(timeout.ends_with("$1\\r\\n7\\r\\n"), "{timeout}");
}
