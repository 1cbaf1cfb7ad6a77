//! All benchmarks in one program: it is built once, and a name on the command line picks among all of them.
//!
//! Each module opens with its question.

mod checksum;
mod compaction;
mod comparators;
mod db;
mod fixed_keys;
mod keys;
mod log;
mod memtable;
mod merge;
mod sstable;

use criterion::{criterion_group, criterion_main};

criterion_group! {
    name = all;
    config = benches::short();
    targets = keys::all, fixed_keys::all, checksum::all, memtable::all, log::all, sstable::all, merge::all, db::all, compaction::all, comparators::all
}
criterion_main!(all);
