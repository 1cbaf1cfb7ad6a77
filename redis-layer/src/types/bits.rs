//! Strings as rows of bits, for the bitmap commands. Bit 0 is the highest bit of the first byte.

use std::ops::Range;

/// How many bits of a range are set.
#[must_use]
pub fn count_ones(text: &[u8], range: Range<usize>) -> u64 {
    let (whole, edges) = split(&range);
    let (words, rest) = text[whole].as_chunks::<8>();
    let in_words: u64 = words
        .iter()
        .map(|word| u64::from(u64::from_ne_bytes(*word).count_ones()))
        .sum();
    let in_rest: u64 = rest.iter().map(|byte| u64::from(byte.count_ones())).sum();
    let at_edges = edges.into_iter().flatten().filter(|&at| get(text, at));
    in_words + in_rest + at_edges.count() as u64
}

/// The first bit of a range that is `wanted`.
#[must_use]
pub fn position(text: &[u8], range: Range<usize>, wanted: bool) -> Option<usize> {
    let (whole, [before, behind]) = split(&range);
    // A byte of this value has no bit that equals `wanted`.
    let skipped = if wanted { 0x00 } else { 0xff };
    let first_of = |mut bits: Range<usize>| bits.find(|&at| get(text, at) == wanted);
    first_of(before)
        .or_else(|| {
            let byte = whole.start + first_other(&text[whole], skipped)?;
            first_of(byte * 8..byte * 8 + 8)
        })
        .or_else(|| first_of(behind))
}

/// Where the first byte is that differs from `skipped`. Many bytes are compared at once.
fn first_other(bytes: &[u8], skipped: u8) -> Option<usize> {
    const BLOCK: usize = 64;
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let alike = blocks
        .iter()
        .take_while(|&&block| block == [skipped; BLOCK]);
    let start = alike.count() * BLOCK;
    let in_rest = bytes[start..].iter().position(|&byte| byte != skipped)?;
    Some(start + in_rest)
}

/// A range of bits, split into its whole bytes and the bits before and after them.
fn split(range: &Range<usize>) -> (Range<usize>, [Range<usize>; 2]) {
    let first = range.start.div_ceil(8);
    let last = range.end / 8;
    if first >= last {
        return (0..0, [range.clone(), 0..0]);
    }
    (first..last, [range.start..first * 8, last * 8..range.end])
}

/// One bit. Bits past the end of the string are 0.
#[must_use]
pub fn get(text: &[u8], at: usize) -> bool {
    text.get(at / 8)
        .is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1)
}

/// Changes a bit that lies within the string.
pub fn set(text: &mut [u8], at: usize, bit: bool) {
    if let Some(byte) = text.get_mut(at / 8) {
        let mask = 0x80 >> (at % 8);
        *byte = if bit { *byte | mask } else { *byte & !mask };
    }
}

/// A number of up to 64 bits within a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Whether the first of its bits is a sign.
    pub is_signed: bool,
    /// How many bits it has: up to 64 with a sign, up to 63 without.
    pub bits: u32,
    /// The offset of its first bit.
    pub at: usize,
}

/// What to do with a number that does not fit into its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// Keep the low bits.
    Wrap,
    /// Take the nearest number that fits.
    Saturate,
    /// Change nothing.
    Fail,
}

impl Field {
    /// How many bytes a string needs to hold the field.
    #[must_use]
    pub const fn end_byte(self) -> usize {
        (self.at + self.bits as usize).div_ceil(8)
    }

    /// The number in the field.
    #[must_use]
    pub fn get(self, text: &[u8]) -> i128 {
        let bits = self.at..self.at + self.bits as usize;
        let raw = bits.fold(0, |raw, at| raw << 1 | i128::from(get(text, at)));
        self.signed(raw)
    }

    /// Writes the low bits of a number into the field.
    pub fn set(self, text: &mut [u8], number: i128) {
        for i in 0..self.bits {
            let bit = number >> (self.bits - 1 - i) & 1 == 1;
            set(text, self.at + i as usize, bit);
        }
    }

    /// The number that the field holds after this one is stored in it. `None` if the field must stay as it is.
    #[must_use]
    pub fn fit(self, number: i128, overflow: Overflow) -> Option<i128> {
        let (least, greatest) = if self.is_signed {
            let half = 1_i128 << (self.bits - 1);
            (-half, half - 1)
        } else {
            (0, (1_i128 << self.bits) - 1)
        };
        if (least..=greatest).contains(&number) {
            return Some(number);
        }
        match overflow {
            Overflow::Wrap => Some(self.signed(number & ((1_i128 << self.bits) - 1))),
            Overflow::Saturate => Some(number.clamp(least, greatest)),
            Overflow::Fail => None,
        }
    }

    /// The number that these low bits mean, with the sign extended if the field has one.
    const fn signed(self, raw: i128) -> i128 {
        if self.is_signed && raw >> (self.bits - 1) & 1 == 1 {
            raw - (1 << self.bits)
        } else {
            raw
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_count_and_find_as_bit_by_bit(
            text in proptest::collection::vec(prop_oneof![Just(0), Just(0xff), any::<u8>()], 0..40),
            zeros in 0..200_usize,
            start in 0..1930_usize,
            end in 0..1930_usize,
            wanted: bool,
        ) {
            let text = [vec![0; zeros], text].concat();
            let end = end.min(text.len() * 8);
            let range = start.min(end)..end;
            let ones = range.clone().filter(|&at| get(&text, at)).count();
            prop_assert_eq!(count_ones(&text, range.clone()), ones as u64);
            let first = range.clone().find(|&at| get(&text, at) == wanted);
            prop_assert_eq!(position(&text, range, wanted), first);
        }

        #[test]
        fn a_field_holds_what_fits(bits in 1..64_u32, is_signed: bool, at in 0..40_usize, number: i64) {
            let field = Field { is_signed, bits, at };
            let mut text = vec![0xa5; 16];
            let before = text.clone();
            let wrapped = field.fit(number.into(), Overflow::Wrap).unwrap();
            field.set(&mut text, wrapped);
            prop_assert_eq!(field.get(&text), wrapped);
            prop_assert_eq!((wrapped - i128::from(number)) % (1 << bits), 0);
            // The bits around the field have not changed.
            for i in (0..at).chain(at + bits as usize..128) {
                prop_assert_eq!(get(&text, i), get(&before, i));
            }
            let saturated = field.fit(number.into(), Overflow::Saturate).unwrap();
            let fits = saturated == i128::from(number);
            prop_assert_eq!(field.fit(number.into(), Overflow::Fail).is_some(), fits);
        }
    }
}
