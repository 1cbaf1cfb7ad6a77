//! A disk without space: writes are refused in words, reads go on, and when there is space again all goes on by itself.

mod common;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use common::client::Client;
use common::servers::Ours;
use engine::vfs::{Fault, FaultVfs, MemoryVfs};
use redis_layer::server::Options;
use redis_layer::store::EngineStore;

const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn when_space_returns_writes_succeed_and_expired_keys_are_removed() {
    let disk = FaultVfs::new(Arc::new(MemoryVfs::new()));
    let engine = engine::Options {
        vfs: Arc::new(disk.clone()),
        ..engine::Options::default()
    };
    let store = EngineStore::open_with("/data", engine).unwrap();
    let ours = Ours::start_with(Arc::new(store), Options::default());
    let mut client = Client::connect(ours.address);
    for n in 0..100 {
        let key = format!("short{n}");
        assert_eq!(client.call(&["set", &key, "v", "px", "400"]), "+OK\\r\\n");
    }
    client.call(&["set", "kept", "before"]);

    disk.fail_nth(1, Fault::NoSpace);
    // What has been reserved of the log can still be written, down to the last bytes.
    let mut refused = String::new();
    for length in [100_000, 1_000, 10] {
        let value = "v".repeat(length);
        let full = until(|| {
            refused = client.call(&["set", "kept", &value]);
            refused != "+OK\\r\\n"
        });
        assert!(full, "the disk is full");
    }
    assert!(refused.starts_with("-ERR the store failed: "), "{refused}");
    assert!(refused.contains("Free some space on the disk"), "{refused}");
    // They expire now, and cannot be removed.
    thread::sleep(Duration::from_millis(1_500));
    assert_eq!(client.call(&["get", "short1"]), "$-1\\r\\n");
    assert_eq!(removed(&mut client), 0);
    assert_eq!(client.call(&["exists", "kept"]), ":1\\r\\n");

    disk.heal();
    let written = until(|| client.call(&["set", "kept", "after"]) == "+OK\\r\\n");
    assert!(written, "a write still fails");
    assert!(
        until(|| removed(&mut client) == 100),
        "they are still there"
    );
    assert_eq!(client.call(&["dbsize"]), ":1\\r\\n");
    assert_eq!(client.call(&["get", "kept"]), "$5\\r\\nafter\\r\\n");
}

/// How many keys the server has removed because they had expired.
fn removed(client: &mut Client) -> u64 {
    let info = client.call(&["info", "stats"]);
    let (_, rest) = info.split_once("expired_keys:").unwrap();
    let digits = rest.split('\\').next().unwrap();
    digits.parse().unwrap()
}

fn until(mut is_so: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if is_so() {
            return true;
        }
    }
    false
}
