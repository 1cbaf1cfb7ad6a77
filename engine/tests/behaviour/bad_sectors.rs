//! A disk that cannot read a sector: `repair` and `verify` go as far as the file can be read, say where that ends, and
//! kill no process. A file that only this process cannot read is left as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::vfs::{FaultVfs, MemoryVfs, Vfs};
use engine::{
    Comparator, Db, Error, FamilyOptions, Finding, Options, RepairReport, repair, verify,
};

use crate::support::hooked::Hooked;
use crate::support::{files, manual, roomy, scan, tiny};

const SECTOR: usize = 512;
/// A family without a row: only the manifest has its name.
const IDLE: &str = "idle";

type Content = BTreeMap<String, Vec<(Vec<u8>, Vec<u8>)>>;

fn options_on(vfs: Arc<dyn Vfs>) -> Options {
    let reverse = FamilyOptions {
        comparator: Comparator::reverse_bytewise(),
        ..tiny()
    };
    let options = manual(&MemoryVfs::new()).family("default", tiny());
    Options { vfs, ..options }.family(IDLE, reverse)
}

fn options(vfs: &MemoryVfs) -> Options {
    options_on(Arc::new(vfs.clone()))
}

fn content(db: &Db) -> Content {
    let names = db.families().into_iter();
    names.map(|name| (name.clone(), scan(db, &name))).collect()
}

/// A closed database: a manifest of several sectors, tables in two levels, and rows that are only in a log.
fn database() -> (MemoryVfs, Content) {
    let vfs = MemoryVfs::new();
    let db = Db::open("db", roomy(options(&vfs))).unwrap();
    for round in 0..60u32 {
        for key in 0..10u32 {
            db.put(format!("key:{key}"), format!("{round} {key}"))
                .unwrap();
        }
        db.flush().unwrap();
        if round == 10 {
            db.compact().unwrap();
        }
    }
    for key in 0..60u32 {
        db.put(format!("log:{key:02}"), [b'v'; 40]).unwrap();
    }
    let rows = content(&db);
    drop(db);
    (vfs, rows)
}

fn repaired(vfs: &MemoryVfs, bad: &FaultVfs) -> (RepairReport, Content) {
    let report = repair("db", &options_on(Arc::new(bad.clone()))).unwrap();
    assert!(verify("db", &options(vfs)).unwrap().is_clean());
    let db = Db::open("db", options(vfs)).unwrap();
    (report, content(&db))
}

/// The disk of `vfs` with a byte that cannot be read.
fn bad_at(vfs: &MemoryVfs, path: &Path, at: usize) -> FaultVfs {
    let bad = FaultVfs::new(Arc::new(vfs.clone()));
    bad.break_byte(path, at as u64);
    bad
}

#[track_caller]
fn assert_named(lost: &[Finding], path: &Path, at: usize) {
    let is_it = |finding: &Finding| finding.file == path && finding.offset == at as u64;
    assert!(lost.iter().any(is_it), "{at} is not in {lost:#?}");
}

#[test]
fn a_manifest_that_the_disk_cannot_read_costs_no_row() {
    let (vfs, rows) = database();
    let manifest = files(&vfs, "MANIFEST").remove(0);
    let len = vfs.read(&manifest).unwrap().len();
    assert!(len > 3 * SECTOR, "{len}");
    for sector in (0..len).step_by(SECTOR) {
        let disk = vfs.crash(1);
        let (report, mut found) = repaired(
            &disk,
            &bad_at(&disk, &manifest, sector + (len - sector).min(100) - 1),
        );
        assert!(report.rebuilt);
        assert_named(&report.lost, &manifest, sector);
        // The first record is in the first sector. Without it, nothing tells that there was this family.
        let is_known = report.families.iter().any(|name| name == IDLE);
        assert_eq!(is_known, sector > 0, "{:?}", report.families);
        found.entry(IDLE.to_owned()).or_default();
        assert_eq!(found, rows, "sector at {sector}: {report:#?}");
    }
}

#[test]
fn a_current_that_the_disk_cannot_read_is_written_anew() {
    let (vfs, rows) = database();
    let bad = bad_at(&vfs, Path::new("db/CURRENT"), 0);
    let (report, found) = repaired(&vfs, &bad);
    assert!(!report.rebuilt, "the manifest is still there, and believed");
    assert_named(&report.lost, Path::new("db/CURRENT"), 0);
    assert_eq!(found, rows);
}

#[test]
fn a_log_is_read_up_to_the_sector_that_the_disk_cannot_read() {
    let (vfs, _) = database();
    let log = files(&vfs, ".log").pop().unwrap();
    let len = vfs.read(&log).unwrap().len();
    let mut before = 0;
    for sector in (0..len).step_by(SECTOR) {
        let disk = vfs.crash(1);
        let (report, found) = repaired(&disk, &bad_at(&disk, &log, sector));
        assert!(!report.rebuilt);
        assert_named(&report.lost, &log, sector);
        let of_log = found["default"].iter().skip(10);
        let keys: Vec<_> = of_log.map(|(key, _)| key.clone()).collect();
        let expected = (0..keys.len()).map(|at| format!("log:{at:02}").into_bytes());
        assert!(keys.iter().cloned().eq(expected), "{keys:?}");
        assert!(sector == 0 || keys.len() > before, "sector at {sector}");
        before = keys.len();
    }
    assert!(before > 50, "{before}");
}

#[test]
fn what_the_manifest_says_before_the_bad_sector_is_verified() {
    let (vfs, _) = database();
    let manifest = files(&vfs, "MANIFEST").remove(0);
    let bad = bad_at(&vfs, &manifest, 3 * SECTOR);
    let report = verify("db", &options_on(Arc::new(bad))).unwrap();
    assert_named(&report.findings, &manifest, 3 * SECTOR);
    let names: Vec<_> = report.families.iter().map(|of| of.name.as_str()).collect();
    assert_eq!(names, ["default", IDLE]);
}

/// What was put aside would be removed by an opening that gives it back, and missing to all others.
#[test]
fn a_file_that_this_user_may_not_read_is_left_alone() {
    let (vfs, rows) = database();
    let mut denied: Vec<PathBuf> = vec!["db/CURRENT".into()];
    for part in ["MANIFEST", ".log", ".sst"] {
        denied.extend(files(&vfs, part).pop());
    }
    for path in denied {
        let disk = vfs.crash(1);
        let faulty = FaultVfs::new(Arc::new(disk.clone()));
        faulty.deny(&path);
        let before = disk.list(Path::new("db")).unwrap();
        let error = repair("db", &options_on(Arc::new(faulty.clone()))).unwrap_err();
        assert!(matches!(&error, Error::Io { path: of, .. } if *of == path));
        assert_eq!(disk.list(Path::new("db")).unwrap(), before);
        faulty.heal();
        let (report, found) = repaired(&disk, &faulty);
        assert_eq!((report.lost, found), (Vec::new(), rows.clone()));
    }
}

/// A disk that fails under a mapping ends the process with a signal, and nothing is repaired.
#[test]
fn repair_maps_no_file() {
    let (vfs, rows) = database();
    for path in files(&vfs, "MANIFEST") {
        vfs.remove(&path).unwrap();
    }
    let unmapped = Hooked::new(&vfs, |operation, path| {
        assert_ne!(operation, "open_mapped", "{}", path.display());
    });
    let report = repair("db", &options_on(Arc::new(unmapped))).unwrap();
    assert!(report.merged > 1, "{report:#?}");
    let db = Db::open("db", options(&vfs)).unwrap();
    assert_eq!(scan(&db, "default"), rows["default"]);
}
