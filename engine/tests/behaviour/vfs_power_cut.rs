//! Claim: after a power cut, `MemoryVfs` keeps everything that was synced, and loses the rest in
//! every way that POSIX allows.

use engine::vfs::{Fault, FaultVfs, MemoryVfs, Vfs};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

const SEEDS: u64 = 400;

fn path(name: &str) -> &Path {
    Path::new(name)
}

fn write(vfs: &dyn Vfs, name: &str, data: &[u8]) {
    let mut file = vfs.create(path(name)).unwrap();
    file.append(data).unwrap();
    file.sync().unwrap();
}

fn contents(vfs: &dyn Vfs, name: &str) -> Option<Vec<u8>> {
    vfs.exists(path(name))
        .unwrap()
        .then(|| vfs.read(path(name)).unwrap())
}

/// What `look` sees after a power cut, over all seeds.
fn outcomes<T: Ord>(vfs: &MemoryVfs, look: impl Fn(&MemoryVfs) -> T) -> BTreeSet<T> {
    (0..SEEDS).map(|seed| look(&vfs.crash(seed))).collect()
}

#[test]
fn synced_data_under_a_synced_name_always_survives() {
    let vfs = MemoryVfs::new();
    write(&vfs, "a", b"data");
    vfs.sync_dir(path(".")).unwrap();
    assert_eq!(
        outcomes(&vfs, |vfs| contents(vfs, "a")),
        BTreeSet::from([Some(b"data".to_vec())])
    );
}

#[test]
fn a_synced_file_is_lost_with_its_unsynced_name() {
    let vfs = MemoryVfs::new();
    write(&vfs, "a", b"data");
    assert_eq!(
        outcomes(&vfs, |vfs| contents(vfs, "a")),
        BTreeSet::from([None, Some(b"data".to_vec())])
    );
}

#[test]
fn an_unsynced_tail_is_kept_cut_garbled_or_zeroed_and_the_synced_part_never() {
    let vfs = MemoryVfs::new();
    let mut file = vfs.create(path("a")).unwrap();
    vfs.sync_dir(path(".")).unwrap();
    file.append(&[1; 700]).unwrap();
    file.sync().unwrap();
    file.append(&[2; 2000]).unwrap();
    let (mut cut, mut garbled, mut zeroed, mut holed) = (0, 0, 0, 0);
    for after in outcomes(&vfs, |vfs| contents(vfs, "a").unwrap()) {
        assert_eq!(after[..700], [1; 700]);
        assert!(after.len() <= 2700);
        let tail = &after[700..];
        let right = tail.iter().take_while(|byte| **byte == 2).count();
        let rest = &tail[right..];
        let zeros_or_right = rest.iter().all(|byte| [0, 2].contains(byte));
        match rest {
            [] => cut += 1,
            _ if rest.iter().all(|byte| *byte == 0) => zeroed += 1,
            _ if zeros_or_right => {
                holed += 1;
                let steps = tail.windows(2).enumerate();
                for (at, _) in steps.filter(|(_, pair)| pair[0] != pair[1]) {
                    assert_eq!((700 + at + 1) % 512, 0, "whole sectors are lost");
                }
            }
            _ => {
                garbled += 1;
                let garbage = rest
                    .iter()
                    .rposition(|byte| *byte != 0)
                    .map_or(0, |last| last + 1);
                assert!(
                    garbage <= 512,
                    "a sector at most is garbled, not {garbage} bytes"
                );
            }
        }
    }
    assert!(
        cut > 10 && garbled > 10 && zeroed > 5 && holed > 2,
        "{cut} cut, {garbled} garbled, {zeroed} zeroed, {holed} with holes"
    );
    assert_eq!(
        contents(&vfs.crash(0), "a").unwrap(),
        [1; 700],
        "seed 0 loses what was not synced"
    );
    assert_eq!(
        contents(&vfs.crash(1), "a").unwrap().len(),
        2700,
        "seed 1 keeps everything"
    );
}

#[test]
fn of_reserved_space_any_sectors_may_be_lost_and_what_was_synced_never() {
    let vfs = MemoryVfs::new();
    let mut file = vfs.create(path("a")).unwrap();
    vfs.sync_dir(path(".")).unwrap();
    file.reserve(10_000).unwrap();
    file.append(&[1; 700]).unwrap();
    file.sync().unwrap();
    file.append(&[2; 6000]).unwrap();
    assert_eq!((file.len(), file.room()), (6700, 10_000 - 6700));
    let seen = outcomes(&vfs, |vfs| contents(vfs, "a").unwrap());
    for after in &seen {
        assert_eq!(after[..700], [1; 700]);
        assert_eq!(after.len(), 10_000, "the length was synced");
        assert!(after[6700..].iter().all(|byte| *byte == 0));
    }
    let page_lost = |after: &&Vec<u8>| after[1000] == 0 && after[4096..6700] == [2; 2604];
    let sector_lost = |after: &&Vec<u8>| after[1000] == 2 && after[1024] == 0 && after[1536] == 2;
    assert!(seen.iter().any(|after| page_lost(&after)));
    assert!(seen.iter().any(|after| sector_lost(&after)));
    file.trim().unwrap();
    assert_eq!(contents(&vfs, "a").unwrap().len(), 6700);
}

#[test]
fn a_rename_shows_the_old_file_or_the_new_one() {
    let vfs = MemoryVfs::new();
    write(&vfs, "CURRENT", b"old");
    write(&vfs, "temp", b"new");
    vfs.sync_dir(path(".")).unwrap();
    vfs.rename(path("temp"), path("CURRENT")).unwrap();
    let seen = outcomes(&vfs, |vfs| {
        (contents(vfs, "CURRENT").unwrap(), contents(vfs, "temp"))
    });
    let old = (b"old".to_vec(), Some(b"new".to_vec()));
    let new = (b"new".to_vec(), None);
    assert_eq!(seen, BTreeSet::from([old, new.clone()]));
    vfs.sync_dir(path(".")).unwrap();
    let seen = outcomes(&vfs, |vfs| {
        (contents(vfs, "CURRENT").unwrap(), contents(vfs, "temp"))
    });
    assert_eq!(seen, BTreeSet::from([new]));
}

#[test]
fn a_removed_file_may_come_back_until_its_directory_is_synced() {
    let vfs = MemoryVfs::new();
    write(&vfs, "a", b"data");
    vfs.sync_dir(path(".")).unwrap();
    vfs.remove(path("a")).unwrap();
    assert_eq!(contents(&vfs, "a"), None);
    assert_eq!(
        outcomes(&vfs, |vfs| contents(vfs, "a")),
        BTreeSet::from([None, Some(b"data".to_vec())])
    );
    vfs.sync_dir(path(".")).unwrap();
    assert_eq!(
        outcomes(&vfs, |vfs| contents(vfs, "a")),
        BTreeSet::from([None])
    );
}

#[test]
fn of_two_unsynced_names_any_one_may_survive() {
    let vfs = MemoryVfs::new();
    write(&vfs, "first", b"");
    write(&vfs, "second", b"");
    let names = |vfs: &MemoryVfs| vfs.list(path(".")).unwrap();
    assert_eq!(outcomes(&vfs, names).len(), 4, "none, both, and each alone");
}

#[test]
fn a_directory_is_a_name_in_the_one_above() {
    let vfs = MemoryVfs::new();
    vfs.create_dir_all(path("data/db")).unwrap();
    write(&vfs, "data/db/a", b"data");
    vfs.sync_dir(path("data/db")).unwrap();
    let survives = |vfs: &MemoryVfs| contents(vfs, "data/db/a").is_some();
    assert_eq!(
        outcomes(&vfs, survives),
        BTreeSet::from([false, true]),
        "its directory may be lost"
    );
    vfs.sync_dir(path("data")).unwrap();
    assert_eq!(
        outcomes(&vfs, survives),
        BTreeSet::from([false, true]),
        "the one above may be lost"
    );
    vfs.sync_dir(path(".")).unwrap();
    assert_eq!(outcomes(&vfs, survives), BTreeSet::from([true]));
}

#[test]
fn a_second_name_keeps_a_file_whose_first_is_gone() {
    let vfs = MemoryVfs::new();
    write(&vfs, "a", b"data");
    vfs.hard_link(path("a"), path("b")).unwrap();
    vfs.remove(path("a")).unwrap();
    vfs.sync_dir(path(".")).unwrap();
    let seen = outcomes(&vfs, |vfs| (contents(vfs, "a"), contents(vfs, "b")));
    assert_eq!(seen, BTreeSet::from([(None, Some(b"data".to_vec()))]));
}

/// Does one of every operation; returns the tree after each, beginning with the empty one.
fn script(vfs: &MemoryVfs) -> Vec<String> {
    let mut trees = vec![vfs.tree()];
    let mut saw = |vfs: &MemoryVfs| trees.push(vfs.tree());
    vfs.create_dir_all(path("db")).unwrap();
    saw(vfs);
    let mut file = vfs.create(path("db/a")).unwrap();
    saw(vfs);
    file.append(b"one").unwrap();
    saw(vfs);
    file.sync().unwrap();
    saw(vfs);
    file.append(b"two").unwrap();
    saw(vfs);
    vfs.hard_link(path("db/a"), path("db/b")).unwrap();
    saw(vfs);
    vfs.sync_dir(path("db")).unwrap();
    saw(vfs);
    vfs.rename(path("db/a"), path("db/c")).unwrap();
    saw(vfs);
    vfs.remove(path("db/b")).unwrap();
    saw(vfs);
    let _lock = vfs.lock(path("db/LOCK")).unwrap();
    saw(vfs);
    trees
}

#[test]
fn a_recording_shows_the_state_after_every_operation() {
    let vfs = MemoryVfs::new().recording();
    let trees = script(&vfs);
    assert_eq!(vfs.operations() as usize + 1, trees.len());
    for (n, tree) in trees.iter().enumerate() {
        assert_eq!(
            &vfs.state_after(n as u64).tree(),
            tree,
            "after {n} operations"
        );
    }
    let last = "db/, name not durable
db/LOCK: 0 bytes, 0 durable, name not durable
db/c: 6 bytes, 3 durable, name not durable
";
    assert_eq!(trees.last().unwrap(), last);
}

#[test]
fn a_state_is_a_copy_that_can_be_recorded_again() {
    let vfs = MemoryVfs::new().recording();
    write(&vfs, "a", b"first");
    vfs.sync_dir(path(".")).unwrap();
    let after = vfs.crash(0).recording();
    assert_eq!(after.operations(), 0);
    write(&after, "b", b"second");
    assert_eq!(
        contents(&vfs, "b"),
        None,
        "the original does not see the copy's files"
    );
    let second = after.state_after(2).crash(1);
    assert_eq!(contents(&second, "a"), Some(b"first".to_vec()));
    assert_eq!(contents(&second, "b"), Some(b"second".to_vec()));
}

#[test]
fn a_power_cut_releases_locks() {
    let vfs = MemoryVfs::new();
    let held = vfs.lock(path("LOCK")).unwrap();
    assert!(
        vfs.lock(path("LOCK"))
            .unwrap_err()
            .to_string()
            .contains("open in another process")
    );
    vfs.crash(1).lock(path("LOCK")).unwrap();
    drop(held);
    vfs.lock(path("LOCK")).unwrap();
}

#[test]
fn data_whose_sync_failed_is_lost_although_a_later_sync_succeeds() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory.clone()));
    let mut file = vfs.create(path("a")).unwrap();
    vfs.sync_dir(path(".")).unwrap();
    file.append(b"kept").unwrap();
    file.sync().unwrap();
    file.append(b" lost").unwrap();
    vfs.fail_nth(1, Fault::Io);
    file.sync().unwrap_err();
    file.append(b" too").unwrap();
    file.sync().unwrap();
    assert_eq!(
        contents(&memory, "a").unwrap(),
        b"kept lost too",
        "the process still sees it"
    );
    assert_eq!(contents(&memory.crash(0), "a").unwrap(), b"kept");
}

#[test]
fn every_operation_can_be_made_to_fail() {
    let run = |vfs: &FaultVfs| -> engine::error::Result<()> {
        vfs.create_dir_all(path("db"))?;
        let _lock = vfs.lock(path("db/LOCK"))?;
        let mut file = vfs.create(path("db/a"))?;
        file.append(b"0123456789")?;
        file.sync()?;
        drop(file);
        vfs.open_append(path("db/a"))?.append(b"more")?;
        vfs.sync_dir(path("db"))?;
        vfs.hard_link(path("db/a"), path("db/b"))?;
        vfs.rename(path("db/a"), path("db/c"))?;
        vfs.remove(path("db/b"))?;
        vfs.exists(path("db/c"))?;
        vfs.len(path("db/c"))?;
        vfs.list(path("db"))?;
        vfs.read(path("db/c"))?;
        vfs.open_mapped(path("db/c"))?;
        vfs.open_random(path("db/c"))?.read_at(0, 3)?;
        Ok(())
    };
    let healthy = FaultVfs::new(Arc::new(MemoryVfs::new()));
    run(&healthy).unwrap();
    let operations = healthy.operations();
    assert_eq!(operations, 18);
    let mut failed = BTreeSet::new();
    for n in 1..=operations {
        let vfs = FaultVfs::new(Arc::new(MemoryVfs::new()));
        vfs.fail_nth(n, Fault::Io);
        let error = run(&vfs).unwrap_err().to_string();
        assert!(error.contains("injected fault"), "{error}");
        assert_eq!(vfs.operations(), n, "the script stops where it failed");
        failed.extend(vfs.failed());
    }
    assert_eq!(failed.len(), 15, "{failed:?}");
}

#[test]
fn a_short_write_leaves_half_and_a_full_disk_nothing() {
    for (fault, left) in [
        (Fault::ShortWrite, &b"01234"[..]),
        (Fault::NoSpace, b""),
        (Fault::Io, b""),
    ] {
        let memory = MemoryVfs::new();
        let vfs = FaultVfs::new(Arc::new(memory.clone()));
        let mut file = vfs.create(path("a")).unwrap();
        vfs.fail_nth(1, fault);
        file.append(b"0123456789").unwrap_err();
        assert_eq!(contents(&memory, "a").unwrap(), left, "{fault:?}");
    }
}

#[test]
fn a_full_disk_lets_files_be_removed_and_recovers() {
    let vfs = FaultVfs::new(Arc::new(MemoryVfs::new()));
    let mut file = vfs.create(path("a")).unwrap();
    vfs.fail_nth(1, Fault::NoSpace);
    for _ in 0..3 {
        let error = file.append(b"data").unwrap_err().to_string();
        assert!(error.contains("Free some space"), "{error}");
    }
    vfs.remove(path("a")).unwrap();
    vfs.heal();
    write(&vfs, "b", b"data");
}

#[test]
fn without_power_nothing_works_any_more() {
    let memory = MemoryVfs::new();
    let vfs = FaultVfs::new(Arc::new(memory.clone()));
    write(&vfs, "a", b"data");
    let before = memory.tree();
    vfs.fail_nth(1, Fault::PowerGone);
    vfs.create(path("b")).unwrap_err();
    vfs.remove(path("a")).unwrap_err();
    vfs.read(path("a")).unwrap_err();
    assert_eq!(memory.tree(), before);
}
