//! A store in memory with one family of its own order, and the orders that this chapter tries, right and wrong.

use std::cmp::Ordering;
use std::sync::Arc;

use engine::vfs::MemoryVfs;
use engine::{Background, Comparator, Compare, Db, Family, FamilyOptions, Options};

/// The function that an order is made of.
pub(crate) type CompareFn = fn(&[u8], &[u8]) -> Ordering;

// ANCHOR: compare
/// An order given by a name and a function, without the optional methods.
#[derive(Clone, Copy)]
pub(crate) struct Order(pub(crate) &'static str, pub(crate) CompareFn);

impl Compare for Order {
    fn name(&self) -> &str {
        self.0
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        (self.1)(a, b)
    }
}
// ANCHOR_END: compare

/// A database in memory whose family `items` has an order of its own.
pub(crate) struct Shop {
    pub(crate) db: Db,
    pub(crate) items: Family,
}

impl Shop {
    // ANCHOR: open
    pub(crate) fn new(order: Comparator) -> Self {
        Self::with(FamilyOptions {
            comparator: order,
            ..FamilyOptions::default()
        })
    }

    pub(crate) fn with(items: FamilyOptions) -> Self {
        let options = Options {
            vfs: Arc::new(MemoryVfs::new()),
            background: Background::Manual,
            ..Options::default()
        };
        let db = Db::open("shop", options.family("items", items)).unwrap();
        let items = db.family("items").unwrap();
        Self { db, items }
    }
    // ANCHOR_END: open

    /// Writes `rows` in this order.
    pub(crate) fn filled(self, rows: &[(&str, &str)]) -> Self {
        for (key, value) in rows {
            self.items.put(key, value).unwrap();
        }
        self
    }

    /// The keys in the order of a scan.
    pub(crate) fn keys(&self) -> Vec<String> {
        let keys = self.items.iter().map(|row| row.unwrap().0);
        keys.map(|key| text(&key)).collect()
    }

    /// The value of a key, or `-`.
    pub(crate) fn get(&self, key: &str) -> String {
        let found = self.items.get(key).unwrap();
        found.map_or_else(|| "-".to_owned(), |value| text(&value))
    }
}

// ANCHOR: trusting
/// A store that asks the comparator whether two keys are the same one, as LevelDB does: of keys that
/// compare equal, the newest hides the others.
pub(crate) struct Trusting {
    order: CompareFn,
    rows: Vec<(&'static str, &'static str)>,
}

impl Trusting {
    pub(crate) fn new(order: CompareFn, written: &[(&'static str, &'static str)]) -> Self {
        let mut rows: Vec<(&str, &str)> = Vec::new();
        for row in written {
            rows.retain(|old| order(old.0.as_bytes(), row.0.as_bytes()).is_ne());
            rows.push(*row);
        }
        rows.sort_by(|a, b| order(a.0.as_bytes(), b.0.as_bytes()));
        Self { order, rows }
    }

    pub(crate) fn get(&self, key: &str) -> &'static str {
        let same = |row: &&(&str, &str)| (self.order)(row.0.as_bytes(), key.as_bytes()).is_eq();
        self.rows.iter().find(same).map_or("-", |row| row.1)
    }
    // ANCHOR_END: trusting

    pub(crate) fn keys(&self) -> Vec<&'static str> {
        self.rows.iter().map(|row| row.0).collect()
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

// ANCHOR: atoi
/// The digits at the start, as GNU/Linux reads them in C: none is 0,
/// and what does not fit is cut.
fn atoi(text: &[u8]) -> i32 {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits.fold(0i64, |n, digit| {
        n.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
    });
    number as i32
}

/// Compares what follows the last colon.
pub(crate) fn by_atoi(a: &[u8], b: &[u8]) -> Ordering {
    let number = |key: &[u8]| {
        let colon = key.iter().rposition(|byte| *byte == b':');
        atoi(&key[colon.map_or(0, |at| at + 1)..])
    };
    number(a).cmp(&number(b))
}
// ANCHOR_END: atoi

// ANCHOR: half_numeric
/// The prefix, and the digits at the end.
pub(crate) fn split(key: &[u8]) -> (&[u8], &[u8]) {
    let not_digit = key.iter().rposition(|byte| !byte.is_ascii_digit());
    key.split_at(not_digit.map_or(0, |at| at + 1))
}

/// Numbers count only between keys with the same prefix.
pub(crate) fn half_numeric(a: &[u8], b: &[u8]) -> Ordering {
    let ((a_prefix, a_digits), (b_prefix, b_digits)) = (split(a), split(b));
    if a_prefix == b_prefix {
        let (a_len, b_len) = (a_digits.len(), b_digits.len());
        a_len.cmp(&b_len).then(a.cmp(b))
    } else {
        a.cmp(b)
    }
}
// ANCHOR_END: half_numeric

// ANCHOR: spaces
/// Spaces at the end do not count.
pub(crate) fn without_spaces(a: &[u8], b: &[u8]) -> Ordering {
    a.trim_ascii_end().cmp(b.trim_ascii_end())
}
// ANCHOR_END: spaces

// ANCHOR: subtraction
/// The difference of two numbers, as in `return a - b`.
pub(crate) fn by_subtraction(a: &[u8], b: &[u8]) -> Ordering {
    let number = |key: &[u8]| str::from_utf8(key).unwrap().parse::<i32>().unwrap();
    number(a).wrapping_sub(number(b)).cmp(&0)
}
// ANCHOR_END: subtraction
