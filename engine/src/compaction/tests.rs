//! What the tests of compaction share: versions given as text, and a set of snapshots.

mod picking;
mod rewriting;

use std::path::Path;
use std::sync::Arc;

use super::{Shape, Snapshots, Strategy};
use crate::batch::FamilyId;
use crate::comparator::Comparator;
use crate::internal_key::{self, ValueKind};
use crate::version::{FamilyRecord, FileMeta, State, TableAccess, Version, VersionEdit};
use crate::vfs::MemoryVfs;

const FAMILY: FamilyId = FamilyId(0);

/// A version with tables given as (level, number, first key, last key, bytes). Nothing is on disk.
fn version(tables: &[(usize, u64, &str, &str, u64)]) -> Arc<Version> {
    let file = |&(level, number, first, last, bytes): &(usize, u64, &str, &str, u64)| {
        let key = |key: &str| internal_key::encode(key.as_bytes(), 1, ValueKind::Put);
        let meta = FileMeta {
            number,
            bytes,
            entries: 2,
            range_deletes: 0,
            smallest: key(first),
            largest: key(last),
        };
        (level, meta)
    };
    version_of(&MemoryVfs::new(), tables.iter().map(file))
}

/// A version with these tables, each given with its level.
fn version_of(vfs: &MemoryVfs, tables: impl Iterator<Item = (usize, FileMeta)>) -> Arc<Version> {
    let access = Arc::new(TableAccess::new(
        Arc::new(vfs.clone()),
        Path::new("db"),
        Comparator::Bytewise,
        true,
    ));
    let record = FamilyRecord {
        id: FAMILY,
        name: "f".into(),
        comparator: "bytewise".into(),
    };
    let edit = VersionEdit {
        families_added: vec![record],
        next_family: Some(FAMILY.0 + 1),
        files_added: tables.map(|(level, meta)| (FAMILY, level, meta)).collect(),
        ..VersionEdit::default()
    };
    let state = State::default().apply(&edit, |_| Arc::clone(&access));
    Arc::clone(&state.unwrap().families[&FAMILY].version)
}

const SHAPE: Shape = Shape {
    strategy: Strategy::Leveled,
    level0_trigger: 4,
    level_base_bytes: 1000,
    level_multiplier: 10,
    target_file_bytes: 500,
};

struct Held(Vec<u64>);

impl Snapshots for Held {
    fn ascending(&self) -> Vec<u64> {
        self.0.clone()
    }
    fn newest(&self) -> Option<u64> {
        self.0.last().copied()
    }
}
