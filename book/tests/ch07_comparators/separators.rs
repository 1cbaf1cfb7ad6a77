//! Keys between two blocks: what a comparator proposes, what the engine takes, and what it would cost to trust.

use book::output;
use engine::comparator::{NumericSuffix, check_comparator_laws};
use engine::vfs::{MemoryVfs, Vfs};
use engine::{Background, Comparator, Compare, Db, FamilyOptions, Options};
use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;

use crate::shop::text;

// ANCHOR: borrowed
/// The numeric order with the separators of the bytewise order: each is right, together they are not.
struct Borrowed;

impl Compare for Borrowed {
    fn name(&self) -> &str {
        "borrowed"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        NumericSuffix.compare(a, b)
    }

    fn separator(&self, a: &[u8], b: &[u8]) -> Vec<u8> {
        let common = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let mut cut = a[..(common + 1).min(a.len())].to_vec();
        if let (Some(last), Some(&high)) = (cut.get_mut(common), b.get(common))
            && *last + 1 < high
        {
            *last += 1;
            return cut;
        }
        a.to_vec()
    }
}
// ANCHOR_END: borrowed

// ANCHOR: guard
#[test]
fn the_engine_takes_a_separator_only_after_looking() {
    let pairs = [
        ("bytewise", "item:10", "item:5000"),
        ("numeric-suffix", "item:123", "user:1"),
        ("numeric-suffix", "item:123", "item:124"),
        ("borrowed", "item:177", "item:300"),
    ];
    let mut table = format!(
        "{:<16}{:<10}{:<11}{:<10}{}\n",
        "order", "a", "b", "proposed", "in the index"
    );
    let mut refused = 0;
    for (name, a, b) in pairs {
        let (a, b) = (a.as_bytes(), b.as_bytes());
        let (proposed, order) = match name {
            "bytewise" => (Comparator::Bytewise.separator(a, b), Comparator::Bytewise),
            "borrowed" => (Borrowed.separator(a, b), Comparator::custom(Borrowed)),
            _ => (
                NumericSuffix.separator(a, b),
                Comparator::custom(NumericSuffix),
            ),
        };
        let taken = order.separator(a, b);
        assert!(order.compare(a, &taken).is_le() && order.compare(&taken, b).is_lt());
        refused += usize::from(taken != proposed);
        table += &format!(
            "{name:<16}{:<10}{:<11}{:<10}{}\n",
            text(a),
            text(b),
            text(&proposed),
            text(&taken)
        );
    }
    output::check("07-comparators/outputs/separators.txt", &table);
    assert_eq!(refused, 1);
    let samples = ["item:177", "item:300"];
    assert!(check_comparator_laws(&Borrowed, &samples).is_err());
}
// ANCHOR_END: guard

// ANCHOR: unguarded
/// An index over blocks of two keys: each entry is at or after its block and before the next one.
fn index_of(keys: &[&'static str], separate: impl Fn(&[u8], &[u8]) -> Vec<u8>) -> Vec<Vec<u8>> {
    let blocks: Vec<&[&str]> = keys.chunks(2).collect();
    let between = blocks.windows(2).map(|pair| {
        let (last, first) = (pair[0][pair[0].len() - 1], pair[1][0]);
        separate(last.as_bytes(), first.as_bytes())
    });
    let end = keys.last().map(|key| key.as_bytes().to_vec());
    between.chain(end).collect()
}

/// Looks in the first block whose entry is not before the key, and nowhere else.
fn found(keys: &[&'static str], index: &[Vec<u8>], key: &str) -> bool {
    let before = |entry: &&Vec<u8>| NumericSuffix.compare(entry, key.as_bytes()).is_lt();
    let block = index.iter().take_while(before).count();
    keys.chunks(2)
        .nth(block)
        .is_some_and(|keys| keys.contains(&key))
}

#[test]
fn an_index_that_trusts_its_comparator_loses_keys() {
    let keys = ["item:1", "item:177", "item:300", "item:301"];
    let lost = |index: &[Vec<u8>]| -> Vec<&str> {
        let lost = keys.iter().filter(|key| !found(&keys, index, key));
        lost.copied().collect()
    };
    let trusting = index_of(&keys, |a, b| Borrowed.separator(a, b));
    let guarded = index_of(&keys, |a, b| Comparator::custom(Borrowed).separator(a, b));
    let line = |name: &str, index: &[Vec<u8>]| {
        let lost = lost(index);
        let lost = if lost.is_empty() {
            "nothing".to_owned()
        } else {
            lost.join(" ")
        };
        format!("{name:<10}{:<12}not found: {lost}\n", text(&index[0]))
    };
    output::check(
        "07-comparators/outputs/unguarded.txt",
        &(line("trusted", &trusting) + &line("guarded", &guarded)),
    );
    assert_eq!(lost(&trusting), ["item:177"]);
    assert!(lost(&guarded).is_empty());
}
// ANCHOR_END: unguarded

/// The bytewise order as a comparator of one's own, with separators or without.
struct Own {
    separates: bool,
}

impl Compare for Own {
    fn name(&self) -> &str {
        "own"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.cmp(b)
    }

    fn separator(&self, a: &[u8], b: &[u8]) -> Vec<u8> {
        if self.separates {
            Comparator::Bytewise.separator(a, b)
        } else {
            a.to_vec()
        }
    }
}

// ANCHOR: index_bytes
#[test]
fn a_comparator_without_separators_has_a_longer_index() {
    let table_bytes = |separates: bool| {
        let vfs = MemoryVfs::new();
        let options = Options {
            vfs: Arc::new(vfs.clone()),
            background: Background::Manual,
            ..Options::default()
        };
        let family = FamilyOptions {
            comparator: Comparator::custom(Own { separates }),
            ..FamilyOptions::default()
        };
        let db = Db::open("shop", options.family("default", family)).unwrap();
        for n in 0..20_000u32 {
            let key = format!(
                "{:08x}/a/path/that/is/long/and/the/same/in/every/key",
                n.wrapping_mul(0x9e37_79b9)
            );
            db.put(key, "v").unwrap();
        }
        db.compact().unwrap();
        let files = vfs.list(Path::new("shop")).unwrap();
        let tables = files
            .iter()
            .filter(|name| name.to_string_lossy().ends_with(".sst"));
        tables
            .map(|name| {
                vfs.open_random(&Path::new("shop").join(name))
                    .unwrap()
                    .len()
            })
            .sum::<u64>()
    };
    let (short, long) = (table_bytes(true), table_bytes(false));
    output::check(
        "07-comparators/outputs/index-bytes.txt",
        &format!(
            "with separators     {short} bytes of tables\nwithout separators  {long}, {} more\n",
            long - short
        ),
    );
    assert!(short < long);
}
// ANCHOR_END: index_bytes
