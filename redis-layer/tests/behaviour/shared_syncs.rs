//! Who shares a sync, and who learns of a failed one: on threads that take turns, which sync themselves, and on others,
//! for which one thread syncs.

use std::io::ErrorKind::UnexpectedEof;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use redis_layer::server::{Durability, Options, SyncPolicy, thread_parks};
use redis_layer::store::{Batch, Error, Result, Store};

use crate::common::client::Client;
use crate::common::hooked::{Hooked, Hooks};
use crate::common::servers::Ours;
use crate::common::waiting::{eventually, joined};

/// A store that knows what its syncs made safe. They can be held up, and fail.
type Disk = Hooked<Syncing>;

#[derive(Default)]
struct Syncing {
    written: AtomicU64,
    safe: AtomicU64,
    syncs: AtomicU64,
    is_broken: AtomicBool,
    /// Who holds it holds up syncs.
    gate: Mutex<()>,
}

impl Syncing {
    /// Commits a batch, and answers how many there are.
    fn commit(&self) -> u64 {
        self.written.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn safe(&self) -> u64 {
        self.safe.load(Ordering::SeqCst)
    }

    fn syncs(&self) -> u64 {
        self.syncs.load(Ordering::SeqCst)
    }

    fn hold_up_syncs(&self) -> MutexGuard<'_, ()> {
        self.gate.lock()
    }

    fn set_broken(&self, is_broken: bool) {
        self.is_broken.store(is_broken, Ordering::SeqCst);
    }
}

impl Hooks for Syncing {
    fn write(&self, inner: &dyn Store, batch: Batch) -> Result<()> {
        inner.write(batch)?;
        self.commit();
        Ok(())
    }

    fn sync(&self, _inner: &dyn Store) -> Result<()> {
        let written = self.written.load(Ordering::SeqCst);
        self.syncs.fetch_add(1, Ordering::SeqCst);
        drop(self.gate.lock());
        if self.is_broken.load(Ordering::SeqCst) {
            return Err(Error::new("the disk is broken"));
        }
        // What is written from here on is not safe.
        thread::sleep(Duration::from_micros(50));
        self.safe.fetch_max(written, Ordering::SeqCst);
        Ok(())
    }
}

fn start(disk: &Arc<Disk>, policy: SyncPolicy) -> Arc<Durability> {
    let disk = Arc::<Disk>::clone(disk);
    Arc::new(Durability::start(move || disk.sync(), move || policy).unwrap())
}

/// Runs `tasks` tasks on one new thread.
fn on_one_thread<F: Future<Output = ()> + 'static>(
    takes_turns: bool,
    tasks: usize,
    task: impl Fn() -> F + Send + 'static,
) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        if takes_turns {
            thread_parks();
        }
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let local = tokio::task::LocalSet::new();
        runtime
            .enable_all()
            .build()
            .unwrap()
            .block_on(local.run_until(async {
                let tasks: Vec<_> = (0..tasks)
                    .map(|_| tokio::task::spawn_local(task()))
                    .collect();
                for task in tasks {
                    task.await.unwrap();
                }
            }));
    })
}

/// One write, and whether it was acknowledged.
fn write(disk: &Arc<Disk>, durability: &Arc<Durability>, takes_turns: bool) -> bool {
    let acknowledged = Arc::<AtomicBool>::default();
    let (disk, durability) = (Arc::clone(disk), Arc::clone(durability));
    let answer = Arc::clone(&acknowledged);
    let writing = on_one_thread(takes_turns, 1, move || {
        let (disk, durability) = (Arc::clone(&disk), Arc::clone(&durability));
        let answer = Arc::clone(&answer);
        async move {
            disk.commit();
            let number = durability.mark_written();
            let is_safe = durability.acknowledge(number).await.is_ok();
            answer.store(is_safe, Ordering::SeqCst);
        }
    });
    joined(writing);
    acknowledged.load(Ordering::SeqCst)
}

#[test]
fn who_takes_turns_shares_one_sync() {
    const ROUNDS: u64 = 10;
    let disk = Arc::<Disk>::default();
    let durability = start(&disk, SyncPolicy::Always);
    let shared = Arc::clone(&disk);
    let all = on_one_thread(true, 50, move || {
        let (disk, durability) = (Arc::clone(&shared), Arc::clone(&durability));
        async move {
            for _ in 0..ROUNDS {
                disk.commit();
                let number = durability.mark_written();
                durability.acknowledge(number).await.unwrap();
            }
        }
    });
    joined(all);
    assert_eq!(disk.syncs(), ROUNDS, "for 50 tasks in {ROUNDS} rounds");
}

#[test]
fn no_answer_comes_before_a_sync_that_began_after_its_write() {
    let disk = Arc::<Disk>::default();
    let durability = start(&disk, SyncPolicy::Always);
    let threads = [true, true, false, false].map(|takes_turns| {
        let (disk, durability) = (Arc::clone(&disk), Arc::clone(&durability));
        on_one_thread(takes_turns, 5, move || {
            let (disk, durability) = (Arc::clone(&disk), Arc::clone(&durability));
            async move {
                for _ in 0..100 {
                    let written = disk.commit();
                    let number = durability.mark_written();
                    durability.acknowledge(number).await.unwrap();
                    assert!(disk.safe() >= written, "{} < {written}", disk.safe());
                }
            }
        })
    });
    for thread in threads {
        joined(thread);
    }
    assert!(disk.syncs() < 2000, "nobody shared a sync");
}

#[test]
fn after_a_failed_sync_nobody_is_acknowledged_whoever_made_it() {
    for fails_in_turn in [true, false] {
        let disk = Arc::<Disk>::default();
        let durability = start(&disk, SyncPolicy::Always);
        for takes_turns in [true, false] {
            assert!(write(&disk, &durability, takes_turns));
        }
        disk.set_broken(true);
        assert!(!write(&disk, &durability, fails_in_turn));
        let syncs = disk.syncs();
        disk.set_broken(false);
        for takes_turns in [true, false, true] {
            assert!(!write(&disk, &durability, takes_turns));
        }
        assert_eq!(disk.syncs(), syncs, "it was tried again");
    }
}

#[test]
fn after_a_stop_nobody_is_acknowledged() {
    let disk = Arc::<Disk>::default();
    let durability = start(&disk, SyncPolicy::Always);
    durability.stop();
    for takes_turns in [true, false] {
        assert!(!write(&disk, &durability, takes_turns));
    }
    assert_eq!(disk.syncs(), 0);
}

#[test]
fn the_policy_may_change_while_the_server_runs() {
    let disk = Arc::<Disk>::default();
    let always = Arc::<AtomicBool>::default();
    let policy = {
        let always = Arc::clone(&always);
        move || match always.load(Ordering::SeqCst) {
            true => SyncPolicy::Always,
            false => SyncPolicy::No,
        }
    };
    let syncing = Arc::clone(&disk);
    let durability = Durability::start(move || syncing.sync(), policy);
    let durability = Arc::new(durability.unwrap());
    for takes_turns in [true, false] {
        assert!(write(&disk, &durability, takes_turns));
        assert_eq!(disk.syncs(), 0);
    }
    always.store(true, Ordering::SeqCst);
    for (syncs, takes_turns) in [(1, true), (2, false)] {
        assert!(write(&disk, &durability, takes_turns));
        assert_eq!((disk.syncs(), disk.safe()), (syncs, 2 + syncs));
    }
    always.store(false, Ordering::SeqCst);
    assert!(write(&disk, &durability, true));
    assert_eq!(disk.syncs(), 2);
}

fn server(disk: &Arc<Disk>, sync: SyncPolicy) -> Ours {
    let options = Options {
        sync,
        ..Options::default()
    };
    Ours::start_with(Arc::<Disk>::clone(disk), options)
}

/// Commands that write, each in its way: alone, in a transaction, in a script on its thread, and one that was waited for.
const WRITES: [&[u8]; 4] = [
    b"SET s v\r\n",
    b"MULTI\r\nSET s v\r\nEXEC\r\n",
    b"EVAL \"return redis.call('SET', 's', 'v')\" 0\r\n",
    b"BLPOP queue 0\r\n",
];

/// The last of them waits until somebody else pushes, who is not acknowledged either.
fn send(write: &[u8], ours: &Ours) -> (Client, Option<Client>) {
    let mut client = Client::connect(ours.address);
    client.send(write).unwrap();
    if !write.starts_with(b"BLPOP") {
        return (client, None);
    }
    let mut pushing = Client::connect(ours.address);
    let mut clients = || pushing.call(&["info", "clients"]);
    eventually(|| clients().contains("blocked_clients:1"));
    pushing.send(b"RPUSH queue a\r\n").unwrap();
    (client, Some(pushing))
}

#[test]
fn a_write_is_answered_when_its_sync_has_ended() {
    for write in WRITES {
        let disk = Arc::<Disk>::default();
        let ours = server(&disk, SyncPolicy::Always);
        let held_up = disk.hold_up_syncs();
        let (mut client, _pushing) = send(write, &ours);
        let (answered, _) = client.rest(Duration::from_millis(200));
        assert_eq!(answered, b"", "{}", write.escape_ascii());
        drop(held_up);
        client.reply().unwrap();
        assert_ne!(disk.syncs(), 0);
    }
}

#[test]
fn who_wrote_before_a_failed_sync_gets_no_answer_and_readers_go_on() {
    for write in WRITES {
        let disk = Arc::<Disk>::default();
        let ours = server(&disk, SyncPolicy::Always);
        let mut reader = Client::connect(ours.address);
        reader.call(&["set", "t", "safe"]);
        disk.set_broken(true);
        let (mut client, _pushing) = send(write, &ours);
        assert_eq!(client.reply().unwrap_err().kind(), UnexpectedEof);
        disk.set_broken(false);
        let syncs = disk.syncs();
        let (mut later, _pushing) = send(b"SET s w\r\n", &ours);
        assert_eq!(later.reply().unwrap_err().kind(), UnexpectedEof);
        assert_eq!(disk.syncs(), syncs, "it was tried again");
        assert_eq!(reader.call(&["get", "t"]), "$4\\r\\nsafe\\r\\n");
    }
}

/// As in Redis: nobody waits for this sync, and nothing is written after it.
#[test]
fn a_failed_sync_in_the_background_is_seen_without_another_write() {
    let disk = Arc::<Disk>::default();
    let ours = server(&disk, SyncPolicy::EverySecond);
    let mut client = Client::connect(ours.address);
    let mut says = |status: &str| {
        let info = client.call(&["info", "persistence"]);
        info.contains(&format!("aof_last_write_status:{status}\\r"))
    };
    let mut writer = Client::connect(ours.address);
    writer.call(&["set", "s", "v"]);
    // One that has only begun could still fail.
    eventually(|| disk.safe() > 0);
    assert!(says("ok"));
    disk.set_broken(true);
    writer.call(&["set", "s", "w"]);
    eventually(|| says("err"));
    disk.set_broken(false);
    // That the store takes a write again says nothing of what the disk has lost.
    assert_eq!(writer.call(&["set", "s", "x"]), "+OK\\r\\n");
    assert!(says("err"));
}
