//! Is the checksum a part of a read that one notices?
//!
//! ```text
//! cargo bench -p benches -- checksum/
//! ```
//!
//! The log and the tables use CRC-32, the bloom filter hashes keys with XXH3. A record of the log has about 116 bytes, a
//! block 4 KiB. Compare a block's figure with `sstable/get`: if a lookup took so much longer, checking each
//! time would hurt. The engine checks each block of a mapped table once.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use xxhash_rust::xxh3::xxh3_64;

fn checksum(c: &mut Criterion) {
    let mut group = c.benchmark_group("checksum");
    for (name, bytes) in [
        ("key-16B", 16),
        ("record-116B", 116),
        ("block-4KiB", 4 << 10),
        ("64KiB", 64 << 10),
    ] {
        let data: Vec<u8> = (0..bytes).map(|at| (at * 31) as u8).collect();
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(format!("crc32/{name}"), |b| {
            b.iter(|| crc32fast::hash(black_box(&data)));
        });
        group.bench_function(format!("xxh3/{name}"), |b| {
            b.iter(|| xxh3_64(black_box(&data)));
        });
    }
    group.finish();
}

pub(crate) fn all(c: &mut Criterion) {
    checksum(c);
}
