//! What the fuzz targets run: each decoder of the engine on arbitrary bytes.
//!
//! Compiled for tests and under `cfg(fuzzing)` only. The targets in `engine/fuzz` call these functions. The
//! tests here run them on every seed and on every input that ever failed, so that neither goes out of date.
//!
//! Each function returns how much of its input it understood. This is to check the seeds: one that
//! is no longer understood, because the format has changed, is of no use to the fuzzer.
//!
//! Random bytes do not get past a checksum. So where there are checksums, the input is tried a
//! second time with all of them corrected.
//!
//! Left out: keys. Their decoders are public, and the target shares its checks with `tests/keys`.

use crate::batch::{BatchView, WriteBatch};
use crate::comparator::Comparator;
use crate::inspect::{ExplainOptions, explain};
use crate::internal_key::ValueKind;
use crate::sstable::check_table;
use crate::sstable::fuzzing::mend as mend_table;
use crate::version::{State, TableAccess, VersionEdit, file_name, read_manifest};
use crate::vfs::{MemoryVfs, Vfs};
use std::path::Path;
use std::sync::Arc;

use crate::log::fuzzing::{NUMBER, mend};

pub use crate::log::fuzzing::log;
pub use crate::sstable::fuzzing::{block, blocks_of, table};

/// Decodes a write batch. If it is accepted, it is built again and must give the same bytes,
/// including the sequence number. Returns how many records it holds.
///
/// # Panics
/// If the bytes differ.
pub fn batch(input: &[u8]) -> usize {
    let Ok(view) = BatchView::decode(input) else {
        return 0;
    };
    let mut again = WriteBatch::new();
    let mut records = 0;
    for record in view.records() {
        let record = record.expect("all records were checked");
        match record.kind {
            ValueKind::Put => again.put(record.family, record.key, record.value),
            ValueKind::Delete => again.delete(record.family, record.key),
            ValueKind::RangeDelete => again.delete_range(record.family, record.key, record.value),
        }
        records += 1;
    }
    assert_eq!(records, view.count as usize);
    again.set_sequence(view.sequence);
    assert_eq!(again.encoded(), input, "a batch has one encoding");
    records
}

/// Reads the input as one edit, and as a whole manifest, and applies what was read. Returns how
/// many edits that was.
///
/// # Panics
/// If decoding an edit's own encoding gives another edit.
pub fn manifest(input: &[u8]) -> usize {
    let mut edits = Vec::new();
    if let Ok(edit) = VersionEdit::decode(input) {
        let again = VersionEdit::decode(&edit.encode());
        assert_eq!(again.as_ref(), Ok(&edit));
        edits.push(edit);
    }
    apply(&edits);
    let mut mended = input.to_vec();
    mend(&mut mended);
    let of_files = [input, &mended].map(|bytes| {
        let (vfs, dir) = (MemoryVfs::new(), Path::new("."));
        let file = vfs.create(&file_name::manifest(dir, NUMBER));
        file.and_then(|mut file| file.append(bytes))
            .expect("memory takes every file");
        let edits = read_manifest(&vfs, dir, NUMBER).unwrap_or_default();
        let edits: Vec<VersionEdit> = edits.into_iter().map(|(_, edit)| edit).collect();
        apply(&edits);
        edits.len()
    });
    edits.len() + of_files.iter().sum::<usize>()
}

/// The names of files that are explained. The first byte of an input chooses one.
const EXPLAINED: [&str; 5] = [
    "000007.sst",
    "000007.log",
    "MANIFEST-000007",
    "CURRENT",
    "file",
];

/// Explains a file, as it is and with corrected checksums, and checks it if it may be a table. Returns how many parts and
/// fields were explained.
///
/// # Panics
/// If what is said to be wrong lies outside the file, or more is called sound than what comes before it.
pub fn explanation(input: &[u8]) -> usize {
    let Some((kind, bytes)) = input.split_first() else {
        return 0;
    };
    let name = EXPLAINED[usize::from(*kind) % EXPLAINED.len()];
    let mut mended = bytes.to_vec();
    match name {
        "000007.log" | "MANIFEST-000007" => mend(&mut mended),
        _ => mend_table(&mut mended),
    }
    explained(name, bytes) + explained(name, &mended)
}

fn explained(name: &str, bytes: &[u8]) -> usize {
    let (vfs, path, len) = (MemoryVfs::new(), Path::new(name), bytes.len() as u64);
    let file = vfs.create(path).and_then(|mut file| file.append(bytes));
    file.expect("memory takes every file");
    let mut notes = 0;
    for limit in [2, usize::MAX] {
        let options = ExplainOptions { block: None, limit };
        if let Ok(Some(wrong)) = explain(&vfs, path, options, &mut |_| notes += 1) {
            let range = &wrong.range;
            assert!(range.start <= range.end && range.end <= len, "{wrong:?}");
            assert!(wrong.sound <= range.start, "{wrong:?}");
            let byte = wrong.byte.map(|(at, _)| at);
            assert!(byte.is_none_or(|at| range.contains(&at)), "{wrong:?}");
        }
    }
    let file = vfs.open_random(path).expect("it was just written");
    for order in [None, Some(&Comparator::Bytewise)] {
        check_table(&*file, order, &mut |_, what| assert!(!what.is_empty()));
    }
    notes
}

/// Applies edits one after another, up to the first that contradicts those before it, and then all at once.
fn apply(edits: &[VersionEdit]) {
    let vfs = Arc::new(MemoryVfs::new());
    let access = TableAccess::new(vfs, Path::new("."), Comparator::Bytewise, true);
    let access = Arc::new(access);
    let mut state = State::default();
    for edit in edits {
        match state.apply(edit, |_| Arc::clone(&access)) {
            Ok(next) => state = next,
            Err(_) => return,
        }
    }
    let at_once = State::replay(edits, |_| Arc::clone(&access));
    let at_once = at_once.expect("edits that can be applied in turn can be replayed");
    let again = State::default().apply(&state.as_edit(), |_| Arc::clone(&access));
    let again = again.expect("a state that was reached can be recorded");
    for other in [at_once, again] {
        assert_eq!(other.as_edit(), state.as_edit());
    }
}

#[cfg(test)]
mod tests;
