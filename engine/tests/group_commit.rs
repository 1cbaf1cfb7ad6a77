//! Writers that come together share the log's operations; each learns its own outcome.

mod support;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::vfs::{LockGuard, MemoryVfs, RandomFile, Vfs, WritableFile};
use engine::{Db, Options, Result, WriteBatch, WriteOptions};

/// Counts syncs of logs and makes each take a moment, as a disk does.
#[derive(Debug, Clone)]
struct SlowSyncs {
    inner: MemoryVfs,
    syncs: Arc<AtomicU64>,
}

#[derive(Debug)]
struct SlowFile {
    inner: Box<dyn WritableFile>,
    syncs: Arc<AtomicU64>,
}

impl WritableFile for SlowFile {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        self.inner.append(data)
    }
    fn sync(&mut self) -> Result<()> {
        std::thread::sleep(Duration::from_millis(3));
        self.syncs.fetch_add(1, Ordering::Relaxed);
        self.inner.sync()
    }
    fn len(&self) -> u64 {
        self.inner.len()
    }
    fn path(&self) -> &Path {
        self.inner.path()
    }
}

impl Vfs for SlowSyncs {
    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        let inner = self.inner.create(path)?;
        if path.extension().is_none_or(|extension| extension != "log") {
            return Ok(inner);
        }
        Ok(Box::new(SlowFile {
            inner,
            syncs: Arc::clone(&self.syncs),
        }))
    }
    fn open_append(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        self.inner.open_append(path)
    }
    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        self.inner.open_random(path)
    }
    fn open_mapped(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        self.inner.open_mapped(path)
    }
    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        self.inner.read(path)
    }
    fn exists(&self, path: &Path) -> Result<bool> {
        self.inner.exists(path)
    }
    fn len(&self, path: &Path) -> Result<u64> {
        self.inner.len(path)
    }
    fn list(&self, dir: &Path) -> Result<Vec<OsString>> {
        self.inner.list(dir)
    }
    fn create_dir_all(&self, dir: &Path) -> Result<()> {
        self.inner.create_dir_all(dir)
    }
    fn remove(&self, path: &Path) -> Result<()> {
        self.inner.remove(path)
    }
    fn remove_dir(&self, dir: &Path) -> Result<()> {
        self.inner.remove_dir(dir)
    }
    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.inner.rename(from, to)
    }
    fn hard_link(&self, from: &Path, to: &Path) -> Result<()> {
        self.inner.hard_link(from, to)
    }
    fn sync_dir(&self, dir: &Path) -> Result<()> {
        self.inner.sync_dir(dir)
    }
    fn lock(&self, path: &Path) -> Result<Box<dyn LockGuard>> {
        self.inner.lock(path)
    }
}

const THREADS: u64 = 8;
const WRITES: u64 = 25;

fn write_from_many_threads(db: &Db, sync: impl Fn(u64) -> bool + Sync) {
    let family = db.default_family();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (family, sync) = (&family, &sync);
            scope.spawn(move || {
                for at in 0..WRITES {
                    let mut batch = WriteBatch::new();
                    batch.put(family, format!("{thread}:{at}"), at.to_be_bytes());
                    db.write(batch, WriteOptions { sync: sync(thread) })
                        .unwrap();
                    // A writer sees its own write at once.
                    let seen = family.get(format!("{thread}:{at}")).unwrap().unwrap();
                    assert_eq!(&*seen, at.to_be_bytes());
                }
            });
        }
    });
}

#[test]
fn writers_share_syncs_and_lose_nothing() {
    let memory = MemoryVfs::new();
    let vfs = SlowSyncs {
        inner: memory.clone(),
        syncs: Arc::default(),
    };
    let syncs = Arc::clone(&vfs.syncs);
    let db = Db::open(
        "db",
        Options {
            vfs: Arc::new(vfs),
            ..Options::default()
        },
    )
    .unwrap();
    write_from_many_threads(&db, |_| true);
    let made = syncs.load(Ordering::Relaxed);
    assert!(
        made >= WRITES,
        "every write of one thread needs a sync after it began: {made}"
    );
    assert!(
        made <= THREADS * WRITES / 2,
        "{made} syncs for {} writes",
        THREADS * WRITES
    );

    // Everything was acknowledged as synced, so the harshest power cut takes nothing.
    let survived = memory.crash(0);
    drop(db);
    let db = Db::open(
        "db",
        Options {
            vfs: Arc::new(survived),
            ..Options::default()
        },
    )
    .unwrap();
    assert_eq!(db.default_family().iter().count() as u64, THREADS * WRITES);
}

#[test]
fn synced_and_unsynced_writers_get_along() {
    let memory = MemoryVfs::new();
    let vfs = SlowSyncs {
        inner: memory.clone(),
        syncs: Arc::default(),
    };
    let syncs = Arc::clone(&vfs.syncs);
    let db = Db::open(
        "db",
        Options {
            vfs: Arc::new(vfs),
            ..Options::default()
        },
    )
    .unwrap();
    write_from_many_threads(&db, |thread| thread == 0);
    let made = syncs.load(Ordering::Relaxed);
    assert!(
        (1..=WRITES).contains(&made),
        "only the first thread asks for syncs: {made}"
    );
    assert_eq!(db.default_family().iter().count() as u64, THREADS * WRITES);
}
