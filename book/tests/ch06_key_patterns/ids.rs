//! Ids: which of them sort by the time at which they were made, and what their order costs a store.

use std::sync::Arc;

use book::output;
use engine::keys::{OrderedKey as _, hex};
use engine::vfs::MemoryVfs;
use engine::{Background, DEFAULT_FAMILY, Db, FamilyOptions, Options};

/// Any bits, and the same ones in each run.
fn random(seed: u64) -> u64 {
    let mut bits = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// A UUID: 4 bits say which version it is, and 2 which layout.
fn uuid(version: u128, bits: u128) -> u128 {
    const VERSION: u128 = 0xf << 76;
    const LAYOUT: u128 = 0b11 << 62;
    bits & !VERSION & !LAYOUT | version << 76 | 0b10 << 62
}

fn random_bits(seed: u64) -> u128 {
    u128::from(random(seed)) << 64 | u128::from(random(!seed))
}

/// Makes an id of a time and of random bits.
type Version = fn(u64, u64) -> u128;
/// The id of the row with this number, of the rows as they come.
type Ids = fn(u64) -> u128;

// ANCHOR: uuids
/// Version 1: steps of 100 ns since 1582. Their lowest 32 bits stand in front.
fn version_1(ms: u64, seed: u64) -> u128 {
    let ticks = u128::from(ms) * 10_000 + 0x01b2_1dd2_1381_4000;
    let (low, middle, high) = (ticks & 0xffff_ffff, ticks >> 32 & 0xffff, ticks >> 48);
    uuid(
        1,
        low << 96 | middle << 80 | high << 64 | u128::from(random(seed)),
    )
}

/// Version 4: random.
fn version_4(seed: u64) -> u128 {
    uuid(4, random_bits(seed))
}

/// Version 7: the milliseconds since 1970 in 48 bits, then random.
fn version_7(ms: u64, seed: u64) -> u128 {
    uuid(7, u128::from(ms) << 80 | random_bits(seed) >> 48)
}
// ANCHOR_END: uuids

/// The id as people write it.
fn written(id: u128) -> String {
    let digits = hex(&id.to_key());
    let [a, b, c, d, e] = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    format!("{a}-{b}-{c}-{d}-{e}")
}

#[test]
fn only_version_7_sorts_by_time() {
    const START: u64 = 1_571_819_021_259;
    let versions: [(&str, Version); 3] = [
        ("1", version_1),
        ("4", |_, seed| version_4(seed)),
        ("7", version_7),
    ];
    let mut table = String::from("version  order  id\n");
    for (name, make) in versions {
        // An order every five minutes.
        let ids = (1..=4).map(|order| (make(START + order * 300_000, order), order));
        let mut ids: Vec<_> = ids.collect();
        ids.sort_by_key(|(id, _)| id.to_key());
        for (id, order) in &ids {
            table += &format!("{name:<9}{order:<7}{}\n", written(*id));
        }
        assert_eq!(
            ids.is_sorted_by_key(|(_, order)| *order),
            name == "7",
            "{name}"
        );
    }
    output::check("06-key-patterns/outputs/uuids.txt", &table);
}

#[test]
fn the_examples_of_the_standard() {
    // RFC 9562, appendix A: 2022-02-22 14:22:22 in the zone -05:00.
    const MS: u64 = 1_645_557_742_000;
    assert!(written(version_1(MS, 0)).starts_with("c232ab00-9414-11ec-"));
    assert!(written(version_7(MS, 0)).starts_with("017f22e2-79b0-7"));
    assert_eq!(&written(version_4(0))[14..15], "4");
}

/// A small store whose background work is done here, so that each run is the same.
fn small_store() -> Db {
    let family = FamilyOptions {
        write_buffer_bytes: 64 << 10,
        target_file_bytes: 64 << 10,
        level_base_bytes: 256 << 10,
        ..FamilyOptions::default()
    };
    let options = Options {
        vfs: Arc::new(MemoryVfs::new()),
        background: Background::Manual,
        families: vec![(DEFAULT_FAMILY.to_owned(), family)],
        ..Options::default()
    };
    Db::open("ids", options).unwrap()
}

// ANCHOR: arrival
#[test]
fn rows_that_come_in_order_are_not_rewritten() {
    const ROWS: u64 = 30_000;
    let arrivals: [(&str, Ids); 2] = [
        ("version 7", |row| version_7(row, row)),
        ("version 4", version_4),
    ];
    let mut table = String::from("ids        tables moved  rows written, times\n");
    let mut moved = Vec::new();
    for (name, id) in arrivals {
        let db = small_store();
        for row in 0..ROWS {
            db.put(id(row).to_key(), [0; 84]).unwrap();
            while db.step().unwrap() {}
        }
        let family = &db.statistics().families[0];
        let times = family.write_amplification();
        table += &format!("{name:<11}{:>12}  {times:>19.1}\n", family.trivial_moves);
        moved.push((family.trivial_moves, times));
    }
    output::check("06-key-patterns/outputs/arrival.txt", &table);
    assert!(moved[0].0 > 0 && moved[0].1 < moved[1].1);
}
// ANCHOR_END: arrival

#[test]
fn a_hash_in_front_spreads_what_comes_in_order() {
    let shard = |id: u64| (random(id) % 16) as u8;
    let key = |id: u64| (shard(id), id).to_key();
    // A thousand new rows fall into all sixteen parts.
    let mut rows = [0; 16];
    for id in 0..1000 {
        rows[usize::from(shard(id))] += 1;
    }
    assert!(rows.iter().all(|&rows| rows > 30), "{rows:?}");
    // A window is sixteen ranges, and only together are they the window.
    let mut keys: Vec<_> = (0..1000).map(key).collect();
    keys.sort();
    let in_range = |part: u8| {
        let (low, high) = ((part, 100_u64).to_key(), (part, 200_u64).to_key());
        keys.iter()
            .filter(|key| **key >= low && **key < high)
            .count()
    };
    assert_eq!((0..16).map(in_range).sum::<usize>(), 100);
    assert!(in_range(0) < 100);
}
