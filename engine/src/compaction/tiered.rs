//! Tiered: sorted runs that get larger with age, merged when the newer ones have together grown as
//! large as the next.
//!
//! A run is a table of level 0, or all tables of a deeper level. When level 0 is full, its tables
//! are merged, and with them each older run in turn that is at most one and a half times as large
//! as what is merged already. The result goes into the deepest level that is free.
//!
//! ```text
//!            before                    level 0 is full: 4 tables of 1
//! level 0    1 1 1 1                   4 merged; level 4 joins: 8; 16 is more than 12, so level 5 stays
//! level 4    4                         8
//! level 5    16                        16
//! level 6    40                        40
//! ```
//!
//! This counts in binary, like the logarithmic method of Bentley and Saxe (1980). The factor of one
//! and a half is there because runs are never quite equal: without it, two runs of nearly one size
//! could remain side by side. RocksDB's universal compaction has a size ratio for that. A row is
//! rewritten only when its run grows by at least two thirds, and usually when the run doubles.
//!
//! Invariant: a run below level 1 is more than one and a half times as large as the next newer one.
//! So there are few of them, and the newer ones together hold less than twice the oldest.
//!
//! All of level 0 is merged at once. So what moves down is newer than what stays below, and older
//! than what is flushed meanwhile; the invariants are the same as for leveled compaction, and
//! either strategy may continue where the other stopped.
//!
//! Left out: moving tables that overlap nothing, and more runs than there are levels. If level 1 is
//! taken, the new run is merged with it, however large it is; with a write buffer of 64 MiB that
//! happens only beyond 16 GiB.

use std::sync::Arc;

use crate::compaction::picker::{Plan, Reason, Shape};
use crate::version::{LEVELS, Version};

pub(super) fn pick(version: &Version, shape: &Shape) -> Option<Plan> {
    if shape.level0_score(version) < 1.0 {
        return None;
    }
    let mut merged = version.level_bytes(0);
    let mut taken = 0;
    let older = || (1..LEVELS).filter(|&level| !version.level(level).is_empty());
    for level in older() {
        // If level 1 is taken there is no free level above it.
        let bytes = version.level_bytes(level);
        if level > 1 && bytes.saturating_mul(2) > merged.saturating_mul(3) {
            break;
        }
        merged += bytes;
        taken = level;
    }
    let next = older().find(|&level| level > taken);
    let inputs = version.tables().filter(|(level, _)| *level <= taken);
    Some(Plan {
        inputs: inputs
            .map(|(level, table)| (level, Arc::clone(table)))
            .collect(),
        output_level: next.unwrap_or(LEVELS) - 1,
        reason: Reason::Shape,
    })
}
