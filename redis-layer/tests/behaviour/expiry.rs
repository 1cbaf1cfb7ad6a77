//! Keys expire by a clock that the test moves.

use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use engine::vfs::MemoryVfs;
use redis_layer::commands::{execute, remove_expired};
use redis_layer::store::{self, Batch, Direction, KeyRange, Snapshot, Space, Store};
use redis_layer::types::Class;
use redis_layer::types::expiry::DueKeys;

use crate::common::client::{Client, Command};
use crate::common::counting::Counting;
use crate::common::hooked::{Hooked, Hooks};
use crate::common::servers::{Ours, RealRedis};
use crate::common::waiting::{DEADLINE, eventually};
use crate::common::{Direct, START_MS, StoreKind, engine_over, over_every_store, show, unescape};

/// Removes the first keys that are due, at most so many of each database. Returns how many.
fn remove_due(direct: &Direct, most: usize) -> u64 {
    remove_expired(&direct.server, &mut DueKeys::default(), most).unwrap()
}

#[test]
fn a_key_is_gone_one_millisecond_after_its_expiry() {
    over_every_store(|direct| {
        direct.expect(&[
            ("set s v px 1000", "OK"),
            ("zadd z 1 a", "1"),
            ("pexpire z 1000", "1"),
            ("pttl s", "1000"),
            ("ttl z", "1"),
        ]);
        direct.clock.advance_ms(1000);
        direct.expect(&[
            ("get s", "v"),
            ("pttl s", "0"),
            ("zcard z", "1"),
            ("dbsize", "2"),
        ]);
        direct.clock.advance_ms(1);
        direct.expect(&[
            ("get s", "nil"),
            ("ttl s", "-2"),
            ("zcard z", "0"),
            ("zrange z 0 -1", "[]"),
            ("type z", "none"),
            ("exists s z", "0"),
            ("dbsize", "0"),
            ("del s z", "0"),
            ("persist z", "0"),
            ("expire s 10", "0"),
        ]);
    });
}

#[test]
fn what_follows_an_expired_key_starts_anew() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z 1 a 2 b", "2"),
            ("expire z 1", "1"),
            ("set s v px 1", "OK"),
        ]);
        direct.clock.advance_ms(5000);
        direct.expect(&[
            ("zadd z xx 1 a", "0"),
            ("zadd z 3 c", "1"),
            ("zrange z 0 -1 withscores", "[c=3]"),
            ("ttl z", "-1"),
            ("set s w xx", "nil"),
            ("set s w nx keepttl", "OK"),
            ("ttl s", "-1"),
            (
                "zadd s 1 a",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
            ),
        ]);
    });
}

#[test]
fn an_expiry_stays_with_changes_and_goes_with_set() {
    over_every_store(|direct| {
        direct.expect(&[
            ("zadd z 1 a", "1"),
            ("expire z 100", "1"),
            ("zadd z 2 b", "1"),
            ("zpopmin z", "[a 1]"),
            ("ttl z", "100"),
            ("set s v ex 100", "OK"),
            ("set s w keepttl", "OK"),
            ("ttl s", "100"),
            ("set s w", "OK"),
            ("ttl s", "-1"),
            ("expire s 100", "1"),
            ("persist s", "1"),
            ("persist s", "0"),
            ("ttl s", "-1"),
        ]);
    });
}

#[test]
fn conditions_compare_with_the_expiry_that_is_there() {
    over_every_store(|direct| {
        direct.expect(&[
            ("set s v", "OK"),
            ("expire s 100 xx", "0"),
            ("expire s 100 gt", "0"),
            ("expire s 100 lt", "1"),
            ("expire s 100 nx", "0"),
            ("expire s 100 gt", "0"),
            ("expire s 101 gt xx", "1"),
            ("expire s 101 lt", "0"),
            ("pexpire s 100999 lt", "1"),
            ("pttl s", "100999"),
            ("ttl s", "101"),
        ]);
    });
}

#[test]
fn absolute_times_and_the_limits_of_numbers() {
    const SET: &str = "ERR invalid expire time in 'set' command";
    const EXPIRE: &str = "ERR invalid expire time in 'expire' command";
    over_every_store(|direct| {
        let in_a_minute = START_MS / 1000 + 60;
        direct.expect(&[
            (&format!("set s v exat {in_a_minute}"), "OK"),
            ("ttl s", "60"),
            (&format!("set s v pxat {in_a_minute}000"), "OK"),
            ("pttl s", "60000"),
            (&format!("expireat s {}", in_a_minute + 60), "1"),
            ("ttl s", "120"),
            ("set s v ex 9223372036854775807", SET),
            ("set s v px 9223372036854775807", SET),
            ("set s v ex 0", SET),
            ("expire s 9223372036854775807", EXPIRE),
            ("pexpireat s 9223372036854775807", "1"),
            ("pttl s", &(i64::MAX - START_MS).to_string()),
            ("pexpiretime s", "9223372036854775807"),
            ("expiretime s", "9223372036854776"),
            ("set s v exat 1", "OK"),
            ("exists s", "0"),
            ("set s v", "OK"),
            ("expire s -1", "1"),
            ("exists s", "0"),
            ("dbsize", "0"),
        ]);
    });
}

fn rows(direct: &Direct, space: Space) -> usize {
    let snapshot = direct.store.snapshot().unwrap();
    let all = KeyRange::all();
    let mut cursor = snapshot.scan(space, &all, Direction::Forward).unwrap();
    let mut rows = 0;
    while cursor.row().is_some() {
        rows += 1;
        cursor.advance().unwrap();
    }
    rows
}

/// Nobody reads them, and they go all the same: first those whose time was over first.
#[test]
fn expired_keys_are_removed_in_the_order_of_their_time() {
    over_every_store(|direct| {
        direct.server.shared.set_wanted(Class::Expired.bit());
        direct.expect(&[
            ("set late v px 3000", "OK"),
            ("set early v px 1000", "OK"),
            ("rpush list a", "1"),
            ("pexpire list 2000", "1"),
            ("set other v px 1000", "OK"),
            ("persist other", "1"),
            ("set again v px 1000", "OK"),
            ("set again v", "OK"),
            ("select 3", "OK"),
            ("set far v px 1500", "OK"),
            ("select 0", "OK"),
        ]);
        assert_eq!(rows(direct, Space::Expiry), 4);
        assert_eq!(remove_due(direct, 10), 0);
        direct.clock.advance_ms(2001);
        assert_eq!(direct.show("dbsize"), "3", "late, other, again");
        assert_eq!(remove_due(direct, 1), 2, "one of each");
        assert_eq!(rows(direct, Space::Metadata), 4);
        assert_eq!(direct.show("dbsize"), "3");
        assert_eq!(remove_due(direct, 10), 1);
        assert_eq!(rows(direct, Space::Metadata), 3);
        assert_eq!(rows(direct, Space::Expiry), 1);
        direct.expect(&[
            ("exists late other again early list", "3"),
            ("ttl late", "1"),
        ]);
    });
}

/// A store that keeps tombstones makes every look from the beginning step over all that was removed before.
#[test]
fn many_keys_that_expire_together_are_stepped_over_once() {
    let (store, counters) = Counting::with_tombstones(StoreKind::BTree.open());
    let mut direct = Direct::over(store);
    for key in 0..1000 {
        direct.run(&format!("set {key} v px 1000"));
    }
    direct.clock.advance_ms(2000);
    counters.steps();
    let mut due = DueKeys::default();
    let mut removed = 0;
    while removed < 1000 {
        removed += remove_expired(&direct.server, &mut due, 10).unwrap();
    }
    let steps = counters.steps();
    assert!(steps < 10_000, "{steps}");
    // What comes in front of them is found from the beginning.
    direct.run(&format!("set passed v pxat {}", START_MS + 1));
    assert_eq!(remove_expired(&direct.server, &mut due, 10).unwrap(), 0);
    due.restart();
    assert_eq!(remove_expired(&direct.server, &mut due, 10).unwrap(), 1);
    direct.expect(&[("dbsize", "0")]);
}

/// What a test does once, when the store has done its part and the caller does not know it yet.
type Meanwhile = Mutex<Option<Box<dyn FnOnce() + Send>>>;

#[derive(Default)]
struct Between {
    snapshot: Meanwhile,
    write: Meanwhile,
}

fn meanwhile(step: &Meanwhile) {
    let step = step.lock().unwrap().take();
    if let Some(step) = step {
        step();
    }
}

impl Hooks for Between {
    fn snapshot(&self, inner: &dyn Store) -> store::Result<Box<dyn Snapshot>> {
        let snapshot = inner.snapshot();
        meanwhile(&self.snapshot);
        snapshot
    }

    fn write(&self, inner: &dyn Store, batch: Batch) -> store::Result<()> {
        inner.write(batch)?;
        meanwhile(&self.write);
        Ok(())
    }
}

/// Whoever counts the keys while expired ones are removed counts those that have not expired, no fewer and no more.
#[test]
fn the_number_of_keys_is_right_while_expired_ones_are_removed() {
    let store = Arc::new(Hooked::<Between>::default());
    let mut direct = Direct::over(Arc::clone(&store) as Arc<dyn Store>);
    direct.run("set stays v");
    for key in 0..3 {
        direct.run(&format!("set {key} v px 1000"));
    }
    direct.clock.advance_ms(1001);
    let server = Arc::clone(&direct.server);
    *store.snapshot.lock().unwrap() = Some(Box::new(move || {
        let removed = remove_expired(&server, &mut DueKeys::default(), 2);
        assert_eq!(removed.unwrap(), 2);
    }));
    assert_eq!(direct.show("dbsize"), "1");
    let server = Arc::clone(&direct.server);
    let (answer, answers) = mpsc::channel();
    *store.write.lock().unwrap() = Some(Box::new(move || {
        thread::spawn(move || {
            let mut session = server.connect("other".into(), "other".into());
            let executed = execute(&mut session, &["dbsize".into()]);
            answer.send(show(&executed.reply)).unwrap();
        });
        // Long enough for an answer that does not wait for the end of the write.
        thread::sleep(Duration::from_millis(50));
    }));
    assert_eq!(remove_due(&direct, 2), 1);
    assert_eq!(answers.recv_timeout(DEADLINE).as_deref(), Ok("1"));
}

/// What is left of removed rows is not stepped over again for each question, nor for each look from the beginning.
#[test]
fn questions_do_not_step_over_keys_that_were_removed() {
    let (store, counters) = Counting::with_tombstones(StoreKind::BTree.open());
    let mut direct = Direct::over(store);
    direct.run("set stays v");
    for key in 0..1000 {
        direct.run(&format!("set {key} v px 1000"));
    }
    direct.clock.advance_ms(2000);
    let mut due = DueKeys::default();
    while remove_expired(&direct.server, &mut due, 100).unwrap() > 0 {}
    due.restart();
    assert_eq!(remove_expired(&direct.server, &mut due, 100).unwrap(), 0);
    counters.steps();
    assert_eq!(direct.show("dbsize"), "1");
    direct.run("set late v px 10");
    assert!(direct.show("info keyspace").contains("db0:keys=2"));
    due.restart();
    assert_eq!(remove_expired(&direct.server, &mut due, 100).unwrap(), 0);
    let steps = counters.steps();
    assert!(steps < 100, "{steps}");
}

/// The clock goes back, and keys are written that expire before all that was looked at.
#[test]
fn keys_that_expire_before_the_last_look_are_counted_and_removed() {
    over_every_store(|direct| {
        direct.clock.advance_ms(10_000);
        assert_eq!(remove_due(direct, 10), 0);
        direct.clock.advance_ms(-10_000);
        direct.expect(&[
            ("set early v px 1000", "OK"),
            ("select 3", "OK"),
            ("set other v px 2000", "OK"),
            ("select 0", "OK"),
        ]);
        direct.clock.advance_ms(1500);
        direct.expect(&[("dbsize", "0")]);
        assert_eq!(remove_due(direct, 10), 1);
        assert_eq!(rows(direct, Space::Expiry), 1);
        direct.clock.advance_ms(1000);
        assert_eq!(remove_due(direct, 10), 1);
        assert_eq!(rows(direct, Space::Expiry), 0);
    });
}

#[test]
fn the_number_of_keys_is_exact_at_every_moment() {
    over_every_store(|direct| {
        direct.expect(&[
            ("set a 1", "OK"),
            ("set a 2", "OK"),
            ("set b 1 px 100", "OK"),
            ("zadd z 1 m", "1"),
            ("dbsize", "3"),
            ("multi", "OK"),
            ("del a nope", "QUEUED"),
            ("dbsize", "QUEUED"),
            ("rpush l a b", "QUEUED"),
            ("set b 2", "QUEUED"),
            ("dbsize", "QUEUED"),
            ("exec", "[1 2 2 OK 3]"),
            ("dbsize", "3"),
            ("lpop l 2", "[a b]"),
            ("dbsize", "2"),
            ("set gone v exat 1", "OK"),
            ("dbsize", "2"),
            ("expire z 100", "1"),
        ]);
        assert!(
            direct
                .show("info keyspace")
                .contains("db0:keys=2,expires=1")
        );
        direct.clock.advance_ms(100_001);
        direct.expect(&[("dbsize", "1"), ("zadd z 1 new", "1"), ("dbsize", "2")]);
        assert!(
            direct
                .show("info keyspace")
                .contains("db0:keys=2,expires=0")
        );
        direct.expect(&[
            ("select 1", "OK"),
            ("set x 1", "OK"),
            ("flushdb", "OK"),
            ("dbsize", "0"),
            ("select 0", "OK"),
            ("dbsize", "2"),
            ("flushall", "OK"),
            ("dbsize", "0"),
        ]);
    });
}

/// `INFO` tells how long the keys that expire have to live, on average. A key that has expired counts no more, removed or not.
#[test]
fn the_mean_time_to_live_is_that_of_the_keys_that_exist() {
    over_every_store(|direct| {
        let tells = |direct: &mut Direct, expected: &str| {
            let text = direct.show("info keyspace");
            assert!(text.contains(expected), "{expected}: {text}");
        };
        direct.expect(&[
            ("set a 1 px 1000", "OK"),
            ("set b 1 px 3000", "OK"),
            ("set c 1", "OK"),
        ]);
        tells(direct, "db0:keys=3,expires=2,avg_ttl=2000\r");
        direct.expect(&[
            ("multi", "OK"),
            ("pexpire a 2000", "QUEUED"),
            ("set b 2 px 9000", "QUEUED"),
            ("rpush c x", "QUEUED"),
            ("pexpire b 8000", "QUEUED"),
            (
                "exec",
                "[1 OK WRONGTYPE Operation against a key holding the wrong kind of value 1]",
            ),
        ]);
        tells(direct, "db0:keys=3,expires=2,avg_ttl=5000\r");
        direct.clock.advance_ms(2500);
        tells(direct, "db0:keys=2,expires=1,avg_ttl=5500\r");
        assert_eq!(remove_due(direct, 10), 1);
        tells(direct, "db0:keys=2,expires=1,avg_ttl=5500\r");
        direct.expect(&[("swapdb 0 1", "OK")]);
        tells(direct, "db1:keys=2,expires=1,avg_ttl=5500\r");
        direct.expect(&[("swapdb 0 1", "OK"), ("persist b", "1")]);
        tells(direct, "db0:keys=2,expires=0,avg_ttl=0\r");
        // More than a sum of 64 bits holds.
        for key in ["x", "y", "z"] {
            direct.run(&format!("set {key} 1 pxat {}", i64::MAX));
        }
        let left = i64::MAX - START_MS - 2500;
        tells(direct, &format!("db0:keys=5,expires=3,avg_ttl={left}\r"));
        direct.run("flushall");
        direct.run("set a 1 px 1000");
        tells(direct, "db0:keys=1,expires=1,avg_ttl=1000\r");
    });
}

/// Redis estimates that time from the keys that its cleaning happens to look at.
#[test]
fn the_mean_time_to_live_is_near_the_estimate_of_redis() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    for address in [real.address, ours.address] {
        let mut client = Client::connect(address);
        // All at once, or Redis might look between two of them.
        let lines = [
            "multi",
            "set a v ex 1000",
            "set b v ex 2000",
            "set c v ex 3000",
            "exec",
        ];
        let command = |line: &str| line.split(' ').map(unescape).collect::<Command>();
        client.pipeline(&lines.map(command));
        let mut mean = 0;
        // Before it looks at any, Redis says 0.
        eventually(|| {
            let text = client.call(&["info", "keyspace"]);
            let text = text.split("avg_ttl=").nth(1).unwrap();
            mean = text.trim_end_matches("\\r\\n").parse().unwrap();
            mean > 0
        });
        assert!((1_900_000..=2_000_000).contains(&mean), "{mean}");
    }
}

/// After a clean close the numbers stand in a row; after a crash there is none, and a walk finds the same.
#[test]
fn the_number_of_keys_survives_a_restart() {
    for clean in [true, false] {
        let disk = MemoryVfs::new();
        let store: Arc<dyn Store> = Arc::new(engine_over(&disk));
        let mut direct = Direct::over(Arc::clone(&store));
        direct.run("set a 1");
        direct.run("set b 1 px 5000");
        direct.run("select 5");
        direct.run("rpush l a");
        if clean {
            direct.server.shared.close(&*store).unwrap();
        }
        store.close().unwrap();
        drop((direct, store));
        for round in 0..2 {
            let store: Arc<dyn Store> = Arc::new(engine_over(&disk));
            let mut direct = Direct::over(Arc::clone(&store));
            direct.expect(&[("select 5", "OK"), ("dbsize", "1"), ("select 0", "OK")]);
            let keys = 2 + round;
            assert_eq!(direct.show("dbsize"), keys.to_string());
            let text = direct.show("info keyspace");
            let expected = format!("db0:keys={keys},expires=1,avg_ttl=5000\r");
            assert!(text.contains(&expected), "{text}");
            // The row is gone, so a crash now leaves no old numbers behind.
            direct.run(&format!("set new{round} v"));
            drop(direct);
            store.close().unwrap();
        }
    }
}

/// An earlier version kept fewer numbers for each database. They are not trusted, and the row goes.
#[test]
fn a_shorter_row_of_numbers_is_read_as_none() {
    over_every_store(|direct| {
        direct.run("set a 1 px 5000");
        let row = b"key-counts";
        let mut batch = Batch::default();
        batch.put(Space::System, row.to_vec(), vec![0; 16 * 2 * 8].into());
        direct.store.write(batch).unwrap();
        let mut later = Direct::over(Arc::clone(&direct.store));
        assert_eq!(later.show("dbsize"), "1");
        let text = later.show("info keyspace");
        assert!(text.contains("expires=1,avg_ttl=5000\r"), "{text}");
        let snapshot = direct.store.snapshot().unwrap();
        assert_eq!(snapshot.get(Space::System, row).unwrap(), None);
    });
}

/// A large database is emptied by giving it other rows. Its own are gone, and a reader that began before still sees them.
#[test]
fn a_large_database_is_emptied_at_once() {
    over_every_store(|direct| {
        for chunk in 0..12 {
            let pairs = (0..100).map(|i| format!("{} m{i}", chunk * 100 + i));
            direct.run(&format!(
                "zadd z{chunk} {}",
                pairs.collect::<Vec<_>>().join(" ")
            ));
        }
        for i in 0..1500 {
            direct.run(&format!("set s{i} v px {}", 1000 + i));
        }
        let before = direct.store.snapshot().unwrap();
        direct.expect(&[
            ("select 1", "OK"),
            ("set other v", "OK"),
            ("select 0", "OK"),
            ("multi", "OK"),
            ("set s1 changed", "QUEUED"),
            ("flushdb", "QUEUED"),
            ("dbsize", "QUEUED"),
            ("set new v px 5000", "QUEUED"),
            ("dbsize", "QUEUED"),
            ("exec", "[OK OK 0 OK 1]"),
            ("dbsize", "1"),
            ("get s1", "nil"),
            ("get new", "v"),
        ]);
        assert_eq!(rows(direct, Space::Metadata), 2);
        assert_eq!(rows(direct, Space::Expiry), 1);
        assert_eq!(rows(direct, Space::Data) + rows(direct, Space::Score), 0);
        let row = redis_layer::types::rows::metadata_key(0, b"s1");
        assert!(before.get(Space::Metadata, &row).unwrap().is_some());
        direct.expect(&[
            ("flushall", "OK"),
            ("dbsize", "0"),
            ("set a 1", "OK"),
            ("dbsize", "1"),
        ]);
        let again = Direct::over(Arc::clone(&direct.store));
        let mut again = again;
        again.expect(&[("get a", "1"), ("dbsize", "1")]);
    });
}

#[test]
fn the_checker_compares_the_index_with_the_keys() {
    let mut direct = Direct::new(StoreKind::BTree);
    direct.run("set a 1 px 1000");
    direct.check();
    let mut batch = Batch::default();
    let stale = redis_layer::types::rows::expiry_key(0, 5, b"b");
    batch.put(Space::Expiry, stale, bytes::Bytes::new());
    let missing = redis_layer::types::rows::expiry_key(0, START_MS + 1000, b"a");
    batch.delete(Space::Expiry, missing);
    direct.store.write(batch).unwrap();
    let report = redis_layer::types::check(&*direct.store).unwrap();
    let faults: Vec<_> = report.faults.iter().map(|f| f.what.as_str()).collect();
    assert_eq!(
        faults,
        [
            "it expires, and the index by time does not say so",
            "the index says that it expires, and it does not"
        ]
    );
}

/// As in Redis, what expires at a time of day then lives longer, and what was removed does not come back.
#[test]
fn a_clock_that_is_set_back_harms_nobody() {
    const HOUR_MS: i64 = 3_600_000;
    over_every_store(|direct| {
        direct.expect(&[
            ("set k v px 1000", "OK"),
            ("set gone v px 10", "OK"),
            ("config set slowlog-log-slower-than 0", "OK"),
            ("config set latency-monitor-threshold 1", "OK"),
        ]);
        direct.clock.advance_ms(20);
        direct.expect(&[("get gone", "nil"), ("get k", "v")]);
        direct.clock.advance_ms(-HOUR_MS);
        direct.expect(&[
            ("pttl k", "3600980"),
            ("get gone", "nil"),
            ("object idletime k", "0"),
            ("set n v ex 1", "OK"),
            ("ttl n", "1"),
            ("getex n px 500", "v"),
            ("expire k 2 lt", "1"),
            ("ttl k", "2"),
            ("dbsize", "2"),
        ]);
        for line in [
            "info everything",
            "client list",
            "slowlog get",
            "latency doctor",
            "latency latest",
            "memory doctor",
            "lastsave",
            "save",
            "acl log",
            "debug object k",
        ] {
            direct.show(line);
        }
        assert_eq!(remove_due(direct, 100), 0);
        direct.clock.advance_ms(HOUR_MS);
        assert_eq!(remove_due(direct, 100), 2);
        direct.expect(&[("dbsize", "0")]);
    });
}
