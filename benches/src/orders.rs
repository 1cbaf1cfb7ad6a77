//! The same rows in the same order, by a comparator and by bytes that sort themselves.
//!
//! A row is a name and a number, as in `item07:12345`. Lanes differ in how the key holds them and in who knows the order.

use std::cmp::Ordering;
use std::path::Path;

use engine::comparator::NumericSuffix;
use engine::{Background, Comparator, Compare, Db, FamilyOptions};

use crate::arbitrary;

/// One way to keep the rows.
#[derive(Clone, Copy)]
pub struct Lane {
    /// The text under the bar.
    pub name: &'static str,
    /// The key of a row.
    pub key: fn(&str, u64) -> Vec<u8>,
    /// The order of the family.
    pub order: fn() -> Comparator,
}

/// The lanes. All but the first give the order by name, then by number.
pub const LANES: [Lane; 5] = [
    Lane {
        name: "plain text, bytewise (wrong order)",
        key: text,
        order: || Comparator::Bytewise,
    },
    Lane {
        name: "padded text, bytewise",
        key: |name, number| format!("{name}:{number:020}").into_bytes(),
        order: || Comparator::Bytewise,
    },
    Lane {
        name: "big-endian, bytewise",
        key: |name, number| [name.as_bytes(), b":", &number.to_be_bytes()].concat(),
        order: || Comparator::Bytewise,
    },
    Lane {
        name: "plain text, comparator on digits",
        key: text,
        order: || Comparator::custom(NumericSuffix),
    },
    Lane {
        name: "plain text, comparator that parses",
        key: text,
        order: || Comparator::custom(Parsing),
    },
];

impl Lane {
    /// The keys of `count` rows, always the same.
    #[must_use]
    pub fn keys(&self, count: usize) -> Vec<Vec<u8>> {
        let rows = rows(count, 1).into_iter();
        rows.map(|(name, number)| (self.key)(&name, number))
            .collect()
    }

    /// Opens an empty database in `dir`, in the lane's order.
    #[must_use]
    pub fn open(&self, dir: &Path) -> Db {
        let family = FamilyOptions {
            comparator: (self.order)(),
            ..FamilyOptions::default()
        };
        crate::open(dir, Background::Manual, family)
    }
}

fn text(name: &str, number: u64) -> Vec<u8> {
    format!("{name}:{number}").into_bytes()
}

/// `count` rows: few names, so that the number mostly decides; numbers of one to ten digits.
#[must_use]
pub fn rows(count: usize, seed: u64) -> Vec<(String, u64)> {
    arbitrary(count, seed)
        .into_iter()
        .map(|bits| (format!("item{:02}", bits % 16), (bits >> 30) >> (bits % 31)))
        .collect()
}

/// A comparator as it is usually written: split at the colon, parse, compare, break ties by bytes.
#[derive(Debug, Clone, Copy)]
pub struct Parsing;

impl Parsing {
    fn fields(key: &[u8]) -> Option<(&str, u64)> {
        let (name, number) = std::str::from_utf8(key).ok()?.rsplit_once(':')?;
        Some((name, number.parse().ok()?))
    }
}

impl Compare for Parsing {
    fn name(&self) -> &str {
        "parsing"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        Self::fields(a).cmp(&Self::fields(b)).then_with(|| a.cmp(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lanes_but_the_first_give_one_order() {
        let rows = rows(500, 1);
        let order = |lane: &Lane| {
            let mut sorted = rows.clone();
            let order = (lane.order)();
            let key = |(name, number): &(String, u64)| (lane.key)(name, *number);
            sorted.sort_by(|a, b| order.compare(&key(a), &key(b)));
            sorted
        };
        let mut expected = rows.clone();
        expected.sort();
        assert_ne!(order(&LANES[0]), expected);
        for lane in &LANES[1..] {
            assert_eq!(order(lane), expected, "{}", lane.name);
        }
    }
}
