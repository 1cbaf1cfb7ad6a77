//! Where the system allows no more mappings, a table is read by system calls instead.
//!
//! A single test, because it takes all mappings of the process. It does nothing where the limit is unknown or so high
//! that reaching it would take long.

use std::fs;
use std::sync::Arc;

use engine::vfs::{RandomFile, StdVfs, Vfs};

#[test]
fn a_file_for_which_no_mapping_is_left_is_read_by_system_calls() {
    let limit = fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
    let Some(limit) = limit.trim().parse().ok().filter(|limit| *limit < 200_000) else {
        println!("not tried: the limit of mappings is unknown, or too high");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("000001.sst");
    fs::write(&path, b"apple, bridge").unwrap();

    // With room for all of them ahead, so that nothing else needs a mapping.
    let mut mapped: Vec<Arc<dyn RandomFile>> = Vec::with_capacity(limit);
    let read = loop {
        assert!(mapped.len() < limit, "no file was opened without a mapping");
        let file = StdVfs.open_mapped(&path).unwrap();
        match file.contents() {
            Some(_) => mapped.push(file),
            None => break file,
        }
    };
    let bridge = read.read_at(7, 6);
    let after_the_end = read.read_at(7, 7);
    mapped.clear();
    assert_eq!(&bridge.unwrap()[..], b"bridge");
    assert!(after_the_end.is_err());
    let again = StdVfs.open_mapped(&path).unwrap();
    assert!(again.contents().is_some(), "mappings are left again");
}
