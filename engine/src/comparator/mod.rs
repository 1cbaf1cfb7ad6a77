//! The order of keys: bytewise as a fast path, anything else as a trait object.
//!
//! A comparator is part of the format. Its name is stored in the manifest for every column family,
//! and a family is never opened under another name: the files are sorted, and the sort is the
//! index.
//!
//! What a comparator must be (checked by [`check_comparator_laws`]):
//!
//! 1. Total: any two keys get one answer, the same each time, and the opposite one when swapped.
//! 2. Transitive: `a < b` and `b < c` give `a < c`.
//! 3. Faithful: `Equal` only for identical bytes. The bloom filter hashes bytes, so two "equal"
//!    keys with different bytes would be lost.
//!
//! [`Compare::separator`] and [`Compare::successor`] need no such care. Their answers shorten index
//! keys, and a wrong one would lose keys, so [`Comparator`] uses an answer only after checking it,
//! and otherwise uses the key as it is.

mod laws;
mod numeric;

use crate::error::{Error, Result};
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

pub use self::laws::{BrokenLaw, Law, assert_comparator_laws, check_comparator_laws};
pub use self::numeric::NumericSuffix;

/// The name under which the bytewise order is stored.
pub const BYTEWISE_NAME: &str = "bytewise";
/// The name under which the reversed bytewise order is stored.
pub const REVERSE_BYTEWISE_NAME: &str = "reverse-bytewise";

/// An order over keys. See the module documentation for the laws.
///
/// ```
/// # fn main() -> engine::Result<()> {
/// # let vfs = std::sync::Arc::new(engine::vfs::MemoryVfs::new());
/// # let options = engine::Options { vfs, ..engine::Options::default() };
/// use std::cmp::Ordering;
/// use engine::comparator::assert_comparator_laws;
/// use engine::{Comparator, Compare, Db, FamilyOptions};
///
/// struct ShortFirst;
///
/// impl Compare for ShortFirst {
///     fn name(&self) -> &str {
///         "short first"
///     }
///     fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
///         // Equal only for equal bytes: the last word is theirs.
///         a.len().cmp(&b.len()).then(a.cmp(b))
///     }
/// }
///
/// assert_comparator_laws(&ShortFirst, &["", "a", "b", "ab"]);
/// let words = FamilyOptions {
///     comparator: Comparator::custom(ShortFirst),
///     ..FamilyOptions::default()
/// };
/// let db = Db::open("db", options.family("words", words))?;
/// let words = db.family("words")?;
/// for word in ["ant", "be", "a"] {
///     words.put(word, "")?;
/// }
/// let (first, _) = words.iter().next().expect("there are three")?;
/// assert_eq!(first, b"a");
/// # Ok(())
/// # }
/// ```
pub trait Compare: Send + Sync {
    /// The name stored with the family. It must never change once data exists. If the order
    /// changes, the name must change too.
    fn name(&self) -> &str;

    /// Compares two user keys. Called for every step of every search, so it should not allocate.
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering;

    /// A short key `s` with `a <= s < b`, for `a < b`. Returning `a` is always right.
    fn separator(&self, a: &[u8], _b: &[u8]) -> Vec<u8> {
        a.to_vec()
    }

    /// A short key `s >= a`. Returning `a` is always right.
    fn successor(&self, a: &[u8]) -> Vec<u8> {
        a.to_vec()
    }

    /// The range in which the keys that begin with `prefix` lie, if it holds no other keys in this order.
    fn prefix_range(&self, _prefix: &[u8]) -> Option<PrefixRange> {
        None
    }
}

/// The part of an order that holds all keys with one prefix and no others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefixRange {
    /// Where the range begins.
    pub start: std::ops::Bound<Vec<u8>>,
    /// Where it ends.
    pub end: std::ops::Bound<Vec<u8>>,
}

/// The order of one column family.
///
/// It is an enum and not only a trait object so that the compiler sees the usual order as a
/// `memcmp` that it can inline.
#[derive(Clone, Default)]
pub enum Comparator {
    /// Byte by byte, unsigned, a prefix before its extensions.
    #[default]
    Bytewise,
    /// Any other order.
    Custom(Arc<dyn Compare>),
}

impl Comparator {
    /// The reversed bytewise order.
    #[must_use]
    pub fn reverse_bytewise() -> Self {
        Self::Custom(Arc::new(ReverseBytewise))
    }

    /// An order of your own.
    pub fn custom(compare: impl Compare + 'static) -> Self {
        Self::Custom(Arc::new(compare))
    }

    /// The built-in order that is stored under `name`; `None` if the engine has none of that name.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        match name {
            BYTEWISE_NAME => Some(Self::Bytewise),
            REVERSE_BYTEWISE_NAME => Some(Self::reverse_bytewise()),
            _ => None,
        }
    }

    /// Whether the engine answers for the order. One of somebody else's may contradict itself.
    pub(crate) fn is_built_in(&self) -> bool {
        Self::built_in(self.name()).is_some()
    }

    /// What may be wrong instead where keys are out of order, as the end of a sentence: nothing if the order is
    /// built in, otherwise that it contradicts itself.
    pub(crate) fn suspicion(&self) -> String {
        match self.is_built_in() {
            true => String::new(),
            false => format!(
                ", or the comparator {:?} contradicts itself: check it with assert_comparator_laws",
                self.name()
            ),
        }
    }

    /// The name that is stored and checked at open.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Bytewise => BYTEWISE_NAME,
            Self::Custom(custom) => custom.name(),
        }
    }

    /// Refuses a custom order without a name, because the name is stored and compared at every opening; and one under the
    /// name of a built-in order: if a program later opened the database without it, the built-in order would be used, and
    /// the keys would be out of order. The reversed byte order is itself a custom one, so it is recognized by its answers.
    ///
    /// # Errors
    /// `InvalidArgument`.
    pub(crate) fn check_name(&self) -> Result<()> {
        let Self::Custom(custom) = self else {
            return Ok(());
        };
        let instead = match custom.name() {
            "" => {
                return Err(Error::invalid(
                    "a comparator of your own has an empty name; give it one, because an opening \
                     compares it with the one that is stored",
                ));
            }
            BYTEWISE_NAME => "Comparator::Bytewise",
            REVERSE_BYTEWISE_NAME if !is_reversed(&**custom) => "Comparator::reverse_bytewise()",
            _ => return Ok(()),
        };
        Err(Error::invalid(format!(
            "a comparator of your own is named {:?}, as the engine's order is; give it another name, or use {instead}",
            custom.name()
        )))
    }

    /// Compares two user keys.
    #[inline]
    #[must_use]
    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Self::Bytewise => a.cmp(b),
            Self::Custom(custom) => custom.compare(a, b),
        }
    }

    /// Whether this is the plain byte order.
    #[inline]
    #[must_use]
    pub fn is_bytewise(&self) -> bool {
        matches!(self, Self::Bytewise)
    }

    /// A key `s` with `a <= s < b`, as short as the comparator can make it, for `a < b`.
    ///
    /// The comparator's proposal is taken only if it lies in `[a, b)` and is shorter than `a`;
    /// anything else gives `a` back. So a wrong comparator costs space, never a key.
    #[must_use]
    pub fn separator(&self, a: &[u8], b: &[u8]) -> Vec<u8> {
        let proposed = match self {
            Self::Bytewise => bytewise_separator(a, b),
            Self::Custom(custom) => custom.separator(a, b),
        };
        let accepted = proposed.len() < a.len()
            && self.compare(a, &proposed) != Ordering::Greater
            && self.compare(&proposed, b) == Ordering::Less;
        if accepted { proposed } else { a.to_vec() }
    }

    /// A key `s >= a`, as short as the comparator can make it; checked as in [`Comparator::separator`].
    #[must_use]
    pub fn successor(&self, a: &[u8]) -> Vec<u8> {
        let proposed = match self {
            Self::Bytewise => bytewise_successor(a),
            Self::Custom(custom) => custom.successor(a),
        };
        let accepted = proposed.len() < a.len() && self.compare(a, &proposed) != Ordering::Greater;
        if accepted { proposed } else { a.to_vec() }
    }

    /// The range of the keys that begin with `prefix`, or `None` if other keys lie among them in this order.
    #[must_use]
    pub fn prefix_range(&self, prefix: &[u8]) -> Option<PrefixRange> {
        use std::ops::Bound::{Excluded, Included, Unbounded};
        match self {
            Self::Bytewise => Some(PrefixRange {
                start: Included(prefix.to_vec()),
                end: after_prefix(prefix).map_or(Unbounded, Excluded),
            }),
            Self::Custom(custom) => custom.prefix_range(prefix),
        }
    }
}

impl Compare for Comparator {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        Self::compare(self, a, b)
    }

    fn separator(&self, a: &[u8], b: &[u8]) -> Vec<u8> {
        Self::separator(self, a, b)
    }

    fn successor(&self, a: &[u8]) -> Vec<u8> {
        Self::successor(self, a)
    }

    fn prefix_range(&self, prefix: &[u8]) -> Option<PrefixRange> {
        Self::prefix_range(self, prefix)
    }
}

impl fmt::Debug for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Comparator({})", self.name())
    }
}

/// The reversed byte order: the greatest key first, an extension before its prefix.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReverseBytewise;

impl Compare for ReverseBytewise {
    fn name(&self) -> &str {
        REVERSE_BYTEWISE_NAME
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        b.cmp(a)
    }

    /// In this order `a < b` means that `a` is the greater one in bytes. Cutting `a` one byte after
    /// the first difference makes it smaller in bytes, so later here, and still before `b`.
    fn separator(&self, a: &[u8], b: &[u8]) -> Vec<u8> {
        a[..a.len().min(common_prefix_len(a, b) + 1)].to_vec()
    }

    fn prefix_range(&self, prefix: &[u8]) -> Option<PrefixRange> {
        use std::ops::Bound::{Excluded, Included, Unbounded};
        Some(PrefixRange {
            start: after_prefix(prefix).map_or(Unbounded, Excluded),
            end: Included(prefix.to_vec()),
        })
    }
}

/// Whether an order answers as the reversed byte order does, on keys on which orders usually differ.
fn is_reversed(order: &dyn Compare) -> bool {
    let keys: [&[u8]; 12] = [
        b"", b"\0", b"1", b"10", b"2", b"A", b"a", b"aa", b"b", b"item:10", b"item:9", b"\xff",
    ];
    keys.iter()
        .all(|a| keys.iter().all(|b| order.compare(a, b) == b.cmp(a)))
}

/// The length of the longest common prefix. Cost: a few instructions for eight bytes.
#[inline]
pub(crate) fn common_prefix_len(a: &[u8], b: &[u8]) -> usize {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    for (number, (a, b)) in words.enumerate() {
        if let Some(at) = first_difference(*a, *b) {
            return 8 * number + at;
        }
    }
    match (a.last_chunk(), b.last_chunk()) {
        // These words may overlap those before, but the overlapping bytes are already known to be equal.
        (Some(a), Some(b)) => first_difference(*a, *b).map_or(len, |at| len - 8 + at),
        _ => a.iter().zip(b).take_while(|(a, b)| a == b).count(),
    }
}

/// The first byte in which two words differ: the lowest one of their little-endian difference.
#[inline]
fn first_difference(a: [u8; 8], b: [u8; 8]) -> Option<usize> {
    let difference = u64::from_le_bytes(a) ^ u64::from_le_bytes(b);
    (difference != 0).then(|| (difference.trailing_zeros() / 8) as usize)
}

/// Keeps the common prefix and raises the first differing byte, if there is room below `b`'s byte.
fn bytewise_separator(a: &[u8], b: &[u8]) -> Vec<u8> {
    let common = common_prefix_len(a, b);
    let (Some(&low), Some(&high)) = (a.get(common), b.get(common)) else {
        return a.to_vec();
    };
    if low.saturating_add(1) < high {
        let mut shortened = a[..=common].to_vec();
        shortened[common] = low + 1;
        return shortened;
    }
    // The bytes are neighbours, so no byte fits between them. But any key above the rest of `a`
    // will do, because the byte at `common` already keeps it below `b`.
    let Some(raised) = a[common + 1..].iter().position(|&byte| byte != 0xff) else {
        return a.to_vec();
    };
    let last = common + 1 + raised;
    let mut shortened = a[..=last].to_vec();
    shortened[last] += 1;
    shortened
}

/// Raises the first byte that can be raised and drops the rest.
fn bytewise_successor(a: &[u8]) -> Vec<u8> {
    match a.iter().position(|&byte| byte != 0xff) {
        Some(at) => {
            let mut shortened = a[..=at].to_vec();
            shortened[at] += 1;
            shortened
        }
        None => a.to_vec(),
    }
}

/// The first byte string after everything that begins with `prefix`; `None` if nothing follows.
///
/// This repeats the rule of `keys::prefix_successor`, because `keys` is independent of the engine: no
/// lower layer uses it.
fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xff)?;
    let mut after = prefix[..=last].to_vec();
    after[last] += 1;
    Some(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::ops::{Bound, RangeBounds};

    #[test]
    fn common_prefixes_are_found_at_every_length() {
        let a: Vec<u8> = (0..40).collect();
        for len in 0..=40 {
            let mut b = a.clone();
            assert_eq!(common_prefix_len(&a, &b[..len]), len);
            if len < 40 {
                b[len] ^= 0x80;
                assert_eq!(common_prefix_len(&a, &b), len);
            }
        }
    }

    /// Proposes whatever it is told to, right or wrong.
    struct Careless(Vec<u8>);

    impl Compare for Careless {
        fn name(&self) -> &str {
            "careless"
        }
        fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
            a.cmp(b)
        }
        fn separator(&self, _: &[u8], _: &[u8]) -> Vec<u8> {
            self.0.clone()
        }
        fn successor(&self, _: &[u8]) -> Vec<u8> {
            self.0.clone()
        }
    }

    fn short_key() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(
            prop::sample::select(vec![0u8, 1, b'a', b'b', 0xfe, 0xff]),
            0..6,
        )
    }

    fn contains(range: &PrefixRange, order: &Comparator, key: &[u8]) -> bool {
        let after_start = match range.start_bound() {
            Bound::Included(start) => order.compare(start, key) != Ordering::Greater,
            Bound::Excluded(start) => order.compare(start, key) == Ordering::Less,
            Bound::Unbounded => true,
        };
        let before_end = match range.end_bound() {
            Bound::Included(end) => order.compare(key, end) != Ordering::Greater,
            Bound::Excluded(end) => order.compare(key, end) == Ordering::Less,
            Bound::Unbounded => true,
        };
        after_start && before_end
    }

    impl RangeBounds<Vec<u8>> for PrefixRange {
        fn start_bound(&self) -> Bound<&Vec<u8>> {
            self.start.as_ref()
        }
        fn end_bound(&self) -> Bound<&Vec<u8>> {
            self.end.as_ref()
        }
    }

    #[test]
    fn separator_shortens() {
        let order = Comparator::Bytewise;
        assert_eq!(order.separator(b"abcdef", b"abzz"), b"abd");
        assert_eq!(order.separator(b"abc1234", b"abd"), b"abc2");
        assert_eq!(order.separator(b"abc", b"abcd"), b"abc");
        assert_eq!(order.successor(b"\xff\xffab"), b"\xff\xffb");
        assert_eq!(order.successor(b"\xff\xff"), b"\xff\xff");
        let reverse = Comparator::reverse_bytewise();
        assert_eq!(reverse.separator(b"user:999", b"user:123"), b"user:9");
    }

    #[test]
    fn only_an_order_of_somebody_elses_is_suspected() {
        assert_eq!(Comparator::Bytewise.suspicion(), "");
        assert_eq!(Comparator::reverse_bytewise().suspicion(), "");
        let custom = Comparator::custom(Careless(Vec::new()));
        assert!(custom.suspicion().contains("assert_comparator_laws"));
    }

    #[test]
    fn a_wrong_proposal_is_refused() {
        let (a, b) = (b"bbbb".as_slice(), b"cccc".as_slice());
        for (proposal, accepted) in [
            ("bz", true),     // inside and shorter
            ("a", false),     // before a
            ("cccc", false),  // b itself
            ("d", false),     // after b
            ("bbbbb", false), // not shorter
            ("", false),
        ] {
            let order = Comparator::custom(Careless(proposal.as_bytes().to_vec()));
            let expected = if accepted { proposal.as_bytes() } else { a };
            assert_eq!(order.separator(a, b), expected, "separator {proposal:?}");
        }
        let order = Comparator::custom(Careless(b"a".to_vec()));
        assert_eq!(order.successor(b"bb"), b"bb");
        let order = Comparator::custom(Careless(b"c".to_vec()));
        assert_eq!(order.successor(b"bb"), b"c");
    }

    proptest! {
        #[test]
        fn separators_lie_between(a in short_key(), b in short_key()) {
            for order in [Comparator::Bytewise, Comparator::reverse_bytewise()] {
                if order.compare(&a, &b) == Ordering::Less {
                    // The proposals themselves, so that the check does not hide a mistake in them.
                    let raw = match &order {
                        Comparator::Bytewise => bytewise_separator(&a, &b),
                        Comparator::Custom(custom) => custom.separator(&a, &b),
                    };
                    prop_assert!(order.compare(&a, &raw) != Ordering::Greater);
                    prop_assert!(order.compare(&raw, &b) == Ordering::Less);
                }
            }
            prop_assert!(bytewise_successor(&a) >= a);
        }

        #[test]
        fn a_prefix_range_holds_exactly_the_prefix(prefix in short_key(), key in short_key()) {
            for order in [Comparator::Bytewise, Comparator::reverse_bytewise()] {
                let range = order.prefix_range(&prefix).unwrap();
                prop_assert_eq!(contains(&range, &order, &key), key.starts_with(&prefix));
            }
        }
    }
}
