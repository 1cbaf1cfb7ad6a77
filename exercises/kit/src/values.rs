//! The numbers that are put to a function: which ones, in which order, and of which classes.
//!
//! The order is the order of smallness that counterexamples are chosen by: first the numbers that a
//! reader knows by heart, then powers of two and their neighbours, then the rest by size, and last
//! numbers of every length without any pattern.

use std::cmp::Ordering;
use std::sync::LazyLock;

use crate::answer::Show;

/// Lengths of keys and texts that begin alike: one of them goes on behind the place at which an answer stops looking.
pub const LENGTHS: [usize; 6] = [20, 60, 300, 1000, 5000, 20_000];

/// Two texts for each of [`LENGTHS`], which differ in their last character alone.
pub fn long_texts() -> impl Iterator<Item = &'static str> {
    static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let of_length = |length| ["a", "b"].map(|end| "x".repeat(length) + end);
        LENGTHS.into_iter().flat_map(of_length).collect()
    });
    TEXTS.iter().map(String::as_str)
}

/// Signs that somebody may treat in a way of his own: zeros, spaces, ends of lines and of texts, what separates and quotes, the
/// ends of the digits, and signs of more than one byte. No letters: whoever takes no notice of their case does so everywhere.
const SIGNS: &str = "\0\u{1}\u{2}\u{8}\t\n\r\u{1a}\u{1b}\u{1f} !\"#$%&'*+,-./019:;=?@\\^_`{|}~\u{7f}\u{80}\u{e9}\u{ff}\u{d7ff}\u{e000}\u{ff5e}\u{1f600}\u{10ffff}";

/// Bytes that are no sign of a text.
const NO_SIGNS: [u8; 7] = [0x80, 0xbf, 0xc0, 0xf5, 0xfd, 0xfe, 0xff];

/// Two digits with a sign wherever it may be: before, behind, between, twice, many times. Whatever somebody does to the sign
/// makes two of them equal, or moves one past another. Digits, because they have no case.
fn woven(sign: &[u8]) -> [Vec<u8>; 6] {
    [
        [sign, b"35"].concat(),
        [b"35", sign].concat(),
        [b"3", sign, b"5"].concat(),
        [b"3", sign, sign, b"5"].concat(),
        [b"3", &sign.repeat(9)[..]].concat(),
        [b"3", sign, b"55"].concat(),
    ]
}

/// Six texts for each sign that somebody may treat in a way of his own. With `35` they are seven.
pub fn woven_texts() -> impl Iterator<Item = [&'static str; 6]> {
    static TEXTS: LazyLock<Vec<[String; 6]>> = LazyLock::new(|| {
        let text = |bytes| String::from_utf8(bytes).expect("digits and a sign are a text");
        let of = |sign: char| woven(String::from(sign).as_bytes()).map(text);
        SIGNS.chars().map(of).collect()
    });
    TEXTS
        .iter()
        .map(|texts| texts.each_ref().map(String::as_str))
}

/// The same as bytes, and six for each of some bytes that are no text.
pub fn woven_bytes() -> impl Iterator<Item = [Vec<u8>; 6]> {
    let texts = woven_texts().map(|texts| texts.map(|text| text.as_bytes().to_vec()));
    texts.chain(NO_SIGNS.map(|byte| woven(&[byte])))
}

/// A number that exercises can be about.
pub trait Value: Copy + Show + Send + Sync + 'static {
    /// The numbers to ask for, smallest first, each once.
    fn probes() -> Vec<Self>;

    /// The order that keys must follow.
    fn order(&self, other: &Self) -> Ordering;

    /// The classes of this number; the first one divides all numbers.
    fn classes(&self) -> Vec<&'static str>;
}

/// A number with each of its bits changed by itself.
pub fn one_bit_changed(number: u64) -> impl Iterator<Item = u64> {
    (0..u64::BITS).map(move |bit| number ^ (1 << bit))
}

/// Large numbers up to `max` of which every bit counts: 2^40, the greatest power of two and `max`, each with itself and with every
/// one of its bits changed. A bit that is lost, set or turned round, in all numbers or in large ones alone, makes two of them one
/// or changes their order. Where `max` allows, none is below 2^40: a number that is cut to ten digits, or to fewer, stays one fault.
pub fn bit_by_bit(max: u64) -> Vec<u64> {
    let greatest = 1_u64 << max.checked_ilog2().unwrap_or(0);
    let least = greatest.min(1 << 40);
    let all = [least, greatest, max].map(|n| std::iter::once(n).chain(one_bit_changed(n)));
    let fitting = all.into_iter().flatten();
    without_repeats(fitting.filter(|n| (least..=max).contains(n)), |n| n)
}

/// A sequence without a pattern, the same on every machine (SplitMix64).
fn scrambled(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    })
}

/// Candidates as 64-bit patterns, to be cut to a type's width.
fn magnitudes(bits: u32) -> Vec<u64> {
    let mut found: Vec<u64> = vec![0, 1, 2, 255, 256, 257, 3, 4, 5, 7, 8, 9, 10, 100, 127, 128];
    for power in 0..bits {
        let one = 1_u64 << power;
        found.extend([one, one - 1, one.wrapping_add(1)]);
    }
    found.extend([200, 300, 1000, 65535, 65536, 0xffff_0000]);
    found.extend(0..=1030);
    for byte in 0..bits / 8 {
        found.extend([0x12, 0x7f, 0x80, 0xfe, 0xff].map(|b: u64| b << (8 * byte)));
    }
    for (random, width) in scrambled(7).zip((1..=bits).cycle()).take(900) {
        found.push(random >> (64 - width));
    }
    found
}

fn without_repeats<T: Copy, K: std::hash::Hash + Eq>(
    values: impl IntoIterator<Item = T>,
    key: impl Fn(T) -> K,
) -> Vec<T> {
    let mut seen = std::collections::HashSet::new();
    values
        .into_iter()
        .filter(|&v| seen.insert(key(v)))
        .collect()
}

macro_rules! unsigned {
    ($($t:ty)*) => {$(
        impl Value for $t {
            fn probes() -> Vec<Self> {
                let fitting = magnitudes(Self::BITS)
                    .into_iter()
                    .filter_map(|m| Self::try_from(m).ok());
                without_repeats(fitting.chain([Self::MAX]), |v| v)
            }

            fn order(&self, other: &Self) -> Ordering {
                self.cmp(other)
            }

            fn classes(&self) -> Vec<&'static str> {
                let bits = Self::BITS - self.leading_zeros();
                let size = match bits {
                    0..=8 => "numbers of one byte",
                    9..=16 => "numbers of two bytes",
                    17..=32 => "numbers of three and four bytes",
                    _ => "numbers of more than four bytes",
                };
                vec!["numbers", size]
            }
        }
    )*};
}
unsigned!(u32 u64);

impl Value for i64 {
    fn probes() -> Vec<Self> {
        let fitting = magnitudes(Self::BITS)
            .into_iter()
            .filter_map(|m| Self::try_from(m).ok())
            .flat_map(|m| [m, -m]);
        without_repeats(fitting.chain([Self::MAX, -Self::MAX, Self::MIN]), |v| v)
    }

    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }

    fn classes(&self) -> Vec<&'static str> {
        let mut classes = vec![if *self < 0 {
            "negative numbers"
        } else {
            "non-negative numbers"
        }];
        if self.unsigned_abs() <= 300 {
            classes.push("numbers near zero");
        }
        if self.unsigned_abs() >= 1 << 31 {
            classes.push("numbers that need more than 32 bits");
        }
        if [Self::MIN, Self::MAX].contains(self) {
            classes.push("limits of the type");
        }
        classes
    }
}

impl Value for f64 {
    fn probes() -> Vec<Self> {
        let mut found: Vec<Self> = vec![
            1.0, 2.0, 0.0, 0.5, 1.5, 3.0, 10.0, 100.0, 256.0, 0.1, 0.0001, 0.0002,
        ];
        found.extend((0..=300_u16).map(Self::from));
        found.extend((1..=30_u16).map(|n| Self::from(n) / 7.0));
        found.extend([
            1.0 + Self::EPSILON,
            1.0 - Self::EPSILON / 2.0,
            Self::EPSILON,
            Self::MIN_POSITIVE,
            Self::from_bits(1),
            Self::from_bits(2),
            Self::MIN_POSITIVE / 2.0,
            Self::MAX,
        ]);
        let infinity = Self::INFINITY.to_bits();
        for (random, width) in scrambled(11).zip((1..64).cycle()).take(700) {
            let bits = random >> (64 - width);
            found.push(Self::from_bits(bits % infinity));
        }
        found.push(Self::INFINITY);
        // NaNs: the usual one, one with a payload, the smallest and the largest.
        let quiet = 0x7ff8_0000_0000_0000;
        for bits in [quiet, quiet + 1, infinity + 1, u64::MAX >> 1] {
            found.push(Self::from_bits(bits));
        }
        without_repeats(found.into_iter().flat_map(|v| [v, -v]), Self::to_bits)
    }

    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }

    fn classes(&self) -> Vec<&'static str> {
        let mut classes = vec![if self.is_sign_negative() {
            "values with the sign bit"
        } else {
            "values without the sign bit"
        }];
        if self.is_nan() {
            classes.push("NaNs");
        }
        if *self == 0.0 {
            classes.push("zeros");
        }
        if self.is_infinite() {
            classes.push("infinities");
        }
        if self.is_subnormal() {
            classes.push("subnormal numbers");
        }
        if self.is_finite() && self.fract() == 0.0 && self.abs() <= 300.0 {
            classes.push("small whole numbers");
        }
        classes
    }
}

/// Each value's place in the order; values that compare equal share a place.
pub fn ranks<T>(values: &[T], order: impl Fn(&T, &T) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..values.len()).collect();
    sorted.sort_by(|&a, &b| order(&values[a], &values[b]));
    let mut ranks = vec![0; values.len()];
    let mut rank = 0;
    for pair in sorted.windows(2) {
        if order(&values[pair[0]], &values[pair[1]]) != Ordering::Equal {
            rank += 1;
        }
        ranks[pair[1]] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_begin_small_and_reach_the_limits() {
        let probes = i64::probes();
        assert_eq!(probes[..5], [0, 1, -1, 2, -2]);
        for wanted in [
            i64::MIN,
            i64::MAX,
            -i64::MAX,
            -200,
            -300,
            0xffff_0000,
            i64::from(i32::MIN),
        ] {
            assert!(probes.contains(&wanted), "{wanted}");
        }
        assert!(probes.len() > 1500, "{}", probes.len());
        assert!(u64::probes().contains(&u64::MAX));
        assert!(
            f64::probes()
                .iter()
                .any(|v| v.to_bits() == (-0.0_f64).to_bits())
        );
    }

    #[test]
    fn of_large_numbers_every_bit_counts() {
        let numbers = bit_by_bit(u64::MAX);
        let pairs = |bit: u32| {
            let pair = |n: &u64| n & 1 << bit == 0 && numbers.contains(&(n | 1 << bit));
            numbers.iter().copied().filter(pair).collect::<Vec<u64>>()
        };
        for bit in 0..64 {
            let pairs = pairs(bit);
            let first = if bit < 40 { 1 << 40 } else { 1 << 63 };
            assert!(bit == 63 || pairs.contains(&first), "{bit}: {pairs:x?}");
            assert!(pairs.contains(&(u64::MAX ^ 1 << bit)), "{bit}");
        }
        assert_eq!(bit_by_bit(6), [4, 5, 6]);
        assert!(bit_by_bit(9_999_999_999_999).iter().all(|n| *n >= 1 << 40));
    }

    #[test]
    fn equal_values_share_a_rank() {
        let numeric = |a: &f64, b: &f64| a.partial_cmp(b).unwrap_or(Ordering::Equal);
        assert_eq!(ranks(&[0.0, -0.0, 1.0, -1.0], numeric), [1, 1, 2, 0]);
        assert_eq!(ranks(&[0.0, -0.0], f64::total_cmp), [1, 0]);
    }
}
