//! What the engine does, a module for each behaviour, in one program: so the tests are linked once, and one that waits
//! does not hold up the others.
//!
//! ```text
//! cargo test -p engine --test behaviour                 all of them
//! cargo test -p engine --test behaviour snapshots::     those of one module, and of any whose name ends like it
//! ```
//!
//! Beside this folder stand the tests that need a process of their own: they take all its descriptors or mappings, change
//! its directory, measure its memory or its processor time, kill it, or mount disks.

mod after_snapshots;
mod bad_sectors;
mod block_cache;
mod checkpoint;
mod churn;
mod closing;
mod compact_as_it_is;
mod compact_range;
mod compaction_filter;
mod comparators;
mod concurrency;
mod covered;
mod crafted_logs;
mod crafted_manifests;
mod crafted_tables;
mod crossed;
mod damage;
mod delete_range;
mod disk_full;
mod disk_full_tables;
mod docs_index;
mod events;
mod exchanged_tables;
mod failing_family;
mod failing_operations;
mod families;
mod family_options;
mod foreign_handles;
mod formats;
mod group_commit;
mod hot_keys;
mod listener_calls;
mod log_recovery;
mod lost_directory;
mod model;
mod multi_get;
mod obsolete_files;
mod opening_cost;
mod opening_refusals;
mod options_page;
mod panics;
mod poison;
mod power_cut;
mod prefixes;
mod range_sizes;
mod ranges;
mod read_compaction;
mod read_only;
mod recovery_modes;
mod repair;
mod repair_rebuilt;
mod retries;
mod rotation;
mod settled;
mod snapshots;
mod stalls;
mod statistics;
mod sync_beside_writers;
mod table_allocations;
mod table_corruption;
mod table_model;
mod table_pieces;
#[cfg(target_os = "linux")]
mod tables_on_disk;
mod tiered;
mod verify;
mod vfs_files;
mod vfs_power_cut;

#[path = "../support/mod.rs"]
mod support;

use support::counting::Counting;

/// Modules ask it what their own thread allocated.
#[global_allocator]
static COUNTING: Counting = Counting;
