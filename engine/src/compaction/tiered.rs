//! Tiered: sorted runs of falling age and rising size, merged when the newer ones have grown as large as the next.
//!
//! A run is a table of level 0, or all tables of a deeper level. When level 0 is full, its tables are merged, and with
//! them every older run in turn that is at most half as large again as what is merged already. The result goes as deep
//! as it can.
//!
//! ```text
//!            before                    level 0 is full: 4 tables of 1
//! level 0    1 1 1 1                   4 merged; level 4 joins: 8; 16 is more than 12, so level 5 stays
//! level 4    4                         8
//! level 5    16                        16
//! level 6    40                        40
//! ```
//!
//! It counts in binary, as the logarithmic method of Bentley and Saxe (1980) does. The half is there because runs are never
//! quite equal: without it, two of nearly one size could stay side by side. RocksDB's universal compaction has a size
//! ratio for it. A row is rewritten only when the run that it lies in grows by two thirds, and mostly doubles.
//!
//! Invariant: a run below level 1 is more than half as large again as the next newer one. So there are few of them,
//! and the newer ones together hold less than twice the oldest.
//!
//! All of level 0 goes at once. So what goes down is newer than what stays below, and older than what is flushed
//! meanwhile; the same invariants hold as for leveled compaction, and either may go on where the other stopped.
//!
//! Left out: moving tables that meet nothing, and more runs than there are levels. A run that finds level 1 taken is
//! merged with it, however large it is; with a write buffer of 64 MiB that is beyond 16 GiB.

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
        // With level 1 taken there is no room above it.
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
