//! Commands on single bits of strings. `BITFIELD` is in [`bitfield`](super::bitfield).

use std::ops::Range;

use bytes::Bytes;

use crate::commands::strings::parts::part;
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::number::parse_integer;
use crate::types::strings::{LONGEST, Text};
use crate::types::{self, Class, Txn, bits};

/// How much of a string in pieces is in memory at a time.
const WINDOW_BYTES: usize = 1 << 20;
const WINDOW_BITS: usize = WINDOW_BYTES * 8;
/// The longest result of `BITOP` that is written in one row. Pieces are slower to count, and a row like this is written in a
/// few milliseconds.
const WHOLE_RESULT_MAX: usize = 4 << 20;

const BAD_OFFSET: CommandError =
    CommandError::fixed("ERR bit offset is not an integer or out of range");

/// The position of a bit. With `width`, a number after `#` counts fields of `width` bits.
pub(crate) fn bit_offset(text: &[u8], width: Option<u32>) -> Result<usize, CommandError> {
    let (digits, scale) = match (text, width) {
        ([b'#', digits @ ..], Some(width)) => (digits, i64::from(width)),
        (digits, _) => (digits, 1),
    };
    parse_integer(digits)
        .and_then(|number| number.checked_mul(scale))
        .and_then(|offset| usize::try_from(offset).ok())
        .filter(|offset| offset / 8 < LONGEST)
        .ok_or(BAD_OFFSET)
}

/// `SETBIT key offset bit`
pub(crate) fn setbit(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let at = bit_offset(args.get(2), None)?;
    let bit = match parse_integer(args.get(3)) {
        Some(0) => false,
        Some(1) => true,
        _ => {
            return Err(CommandError::fixed(
                "ERR bit is not an integer or out of range",
            ));
        }
    };
    let key = args.get(1);
    let mut text = txn.open_text(key)?;
    let (byte, within) = (at / 8, at % 8);
    let mut of_bit = [text
        .read(txn, byte..byte + 1)?
        .first()
        .copied()
        .unwrap_or(0)];
    let old = bits::get(&of_bit, within);
    // Setting a bit to the value that it has is no change: nothing is written, and nobody is notified.
    if old != bit || byte >= text.len() {
        bits::set(&mut of_bit, within, bit);
        text.write(txn, key, byte, &of_bit)?;
        text.finish(txn, key);
        txn.event(Class::String, "setbit", key);
    }
    Ok(Reply::yes_or_no(old))
}

/// `GETBIT key offset`
pub(crate) fn getbit(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let at = bit_offset(args.get(2), None)?;
    let of_bit = txn.open_text(args.get(1))?.read(txn, at / 8..at / 8 + 1)?;
    Ok(Reply::yes_or_no(bits::get(&of_bit, at % 8)))
}

/// Whether the positions of a range count bits, which the word after them says.
fn counts_bits(args: Args<'_>, position: usize) -> Result<bool, CommandError> {
    if args.len() <= position || args.is(position, "BYTE") {
        return Ok(false);
    }
    if args.is(position, "BIT") {
        return Ok(true);
    }
    Err(CommandError::SYNTAX)
}

/// The bits of a range that is given in bytes or in bits.
fn bit_range(text: &Text, start: i64, end: i64, in_bits: bool) -> Option<Range<usize>> {
    if in_bits {
        return part(text.len() * 8, start, end);
    }
    part(text.len(), start, end).map(|bytes| bytes.start * 8..bytes.end * 8)
}

/// How many bits of a range are set.
fn count_ones(txn: &Txn<'_>, text: &Text, range: Range<usize>) -> types::Result<u64> {
    let mut count = 0;
    for window in windows(range) {
        let (at, part) = bytes_of(txn, text, &window)?;
        count += bits::count_ones(&part, window.start - at..window.end - at);
    }
    Ok(count)
}

/// The first bit of a range that is `wanted`.
fn position(
    txn: &Txn<'_>,
    text: &Text,
    range: Range<usize>,
    wanted: bool,
) -> types::Result<Option<usize>> {
    for window in windows(range) {
        let (at, part) = bytes_of(txn, text, &window)?;
        let found = bits::position(&part, window.start - at..window.end - at, wanted);
        if let Some(found) = found {
            return Ok(Some(at + found));
        }
    }
    Ok(None)
}

/// A range of bits in parts, each of which ends at the end of a window of the string, or of the range.
fn windows(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut start = range.start;
    std::iter::from_fn(move || {
        let end = (start / WINDOW_BITS + 1)
            .saturating_mul(WINDOW_BITS)
            .min(range.end);
        let window = start..end;
        start = end;
        (!window.is_empty()).then_some(window)
    })
}

/// The bytes that contain a range of bits, and the number of their first bit.
fn bytes_of(txn: &Txn<'_>, text: &Text, bits: &Range<usize>) -> types::Result<(usize, Bytes)> {
    let bytes = bits.start / 8..bits.end.div_ceil(8);
    Ok((bytes.start * 8, text.read(txn, bytes)?))
}

/// `BITCOUNT key [start end [BYTE | BIT]]`
pub(crate) fn bitcount(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let text = txn.open_text(args.get(1))?;
    if !text.is_there() {
        return Ok(Reply::Integer(0));
    }
    if args.len() == 2 {
        return Ok(Reply::count(count_ones(txn, &text, 0..text.len() * 8)?));
    }
    if args.len() != 4 && args.len() != 5 {
        return Err(CommandError::SYNTAX);
    }
    let (start, end) = (args.integer(2)?, args.integer(3)?);
    if start < 0 && end < 0 && start > end {
        return Ok(Reply::Integer(0));
    }
    let range = bit_range(&text, start, end, counts_bits(args, 4)?);
    let count = range.map_or(Ok(0), |range| count_ones(txn, &text, range))?;
    Ok(Reply::count(count))
}

/// `BITPOS key bit [start [end [BYTE | BIT]]]`
pub(crate) fn bitpos(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let wanted = match args.integer(2)? {
        0 => false,
        1 => true,
        _ => {
            return Err(CommandError::fixed("ERR The bit argument must be 1 or 0."));
        }
    };
    let text = txn.open_text(args.get(1))?;
    if !text.is_there() {
        return Ok(Reply::Integer(if wanted { -1 } else { 0 }));
    }
    if args.len() > 6 {
        return Err(CommandError::SYNTAX);
    }
    let start = if args.len() > 3 { args.integer(3)? } else { 0 };
    let in_bits = counts_bits(args, 5)?;
    let has_end = args.len() > 4;
    let end = if has_end { args.integer(4)? } else { -1 };
    let length = if in_bits { text.len() * 8 } else { text.len() };
    // `bit_range` does not fit here: it returns an empty range for a start after the end even before negative
    // positions are counted from the end.
    let absolute = |position: i64| {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        if position < 0 {
            position.saturating_add(length).max(0)
        } else {
            position
        }
    };
    let range = bit_range(&text, absolute(start), absolute(end), in_bits);
    let found = range.map(|range| position(txn, &text, range, wanted));
    let found = found.transpose()?;
    Ok(match found {
        Some(Some(at)) => Reply::count(at as u64),
        // If no end is given, the string counts as followed by zeros.
        Some(None) if !wanted && !has_end => Reply::count(text.len() as u64 * 8),
        Some(None) | None => Reply::Integer(-1),
    })
}

/// How `BITOP` combines the bits of its strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BitOperation {
    And,
    Or,
    Xor,
    /// The opposite of each bit of a single string.
    Not,
}

impl BitOperation {
    fn parse(args: Args<'_>) -> Result<Self, CommandError> {
        let operation = if args.is(1, "AND") {
            Self::And
        } else if args.is(1, "OR") {
            Self::Or
        } else if args.is(1, "XOR") {
            Self::Xor
        } else if args.is(1, "NOT") {
            Self::Not
        } else {
            return Err(CommandError::SYNTAX);
        };
        if operation == Self::Not && args.len() != 4 {
            return Err(CommandError::fixed(
                "ERR BITOP NOT must be called with a single source key.",
            ));
        }
        Ok(operation)
    }

    /// Combines the bytes so far with another string, which counts as padded with zeros if it is shorter. Each operation
    /// has a loop of its own, so that the compiler can use instructions that work on many bytes.
    fn combine(self, bytes: &mut [u8], other: &[u8]) {
        let (both, rest) = bytes.split_at_mut(other.len());
        let pairs = both.iter_mut().zip(other);
        match self {
            Self::And => {
                pairs.for_each(|(byte, other)| *byte &= other);
                rest.fill(0);
            }
            Self::Or => pairs.for_each(|(byte, other)| *byte |= other),
            Self::Xor => pairs.for_each(|(byte, other)| *byte ^= other),
            Self::Not => unreachable!("NOT has one string"),
        }
    }
}

/// `BITOP AND | OR | XOR | NOT destination key [key ...]`
pub(crate) fn bitop(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let operation = BitOperation::parse(args)?;
    let texts = args.from(3).iter().map(|key| txn.open_text(key));
    let texts: types::Result<Vec<_>> = texts.collect();
    txn.count_reads();
    let texts = texts?;
    let length = texts.iter().map(Text::len).max().unwrap_or(0);
    let target = args.get(2);
    if length > 0 {
        write_combined(txn, target, operation, &texts, length)?;
        txn.event(Class::String, "set", target);
    } else if txn.discard_key(target)? {
        txn.event(Class::Generic, "del", target);
    }
    Ok(Reply::count(length as u64))
}

/// Writes what an operation makes of strings, of which the longest has `length` bytes. A long result is
/// written in pieces: nobody sees them before they are all there, so they hold up the writes of others for less long than
/// one large row.
fn write_combined(
    txn: &mut Txn<'_>,
    target: &[u8],
    operation: BitOperation,
    texts: &[Text],
    length: usize,
) -> types::Result<()> {
    if length <= WHOLE_RESULT_MAX {
        let result = combined(txn, operation, texts, 0..length)?;
        txn.set_string(target, &result, None);
        return Ok(());
    }
    let mut result = Text::default();
    result.grow(txn, target, length)?;
    for start in (0..length).step_by(WINDOW_BYTES) {
        let end = length.min(start + WINDOW_BYTES);
        let window = combined(txn, operation, texts, start..end)?;
        result.write(txn, target, start, &window)?;
    }
    result.finish(txn, target);
    Ok(())
}

/// What an operation makes of a range of bytes of strings. Shorter strings count as padded with zeros.
fn combined(
    txn: &Txn<'_>,
    operation: BitOperation,
    texts: &[Text],
    range: Range<usize>,
) -> types::Result<Vec<u8>> {
    let mut result = vec![0; range.len()];
    for (number, text) in texts.iter().enumerate() {
        let part = text.read(txn, range.clone())?;
        if number == 0 {
            result[..part.len()].copy_from_slice(&part);
        } else {
            operation.combine(&mut result, &part);
        }
    }
    if operation == BitOperation::Not {
        result.iter_mut().for_each(|byte| *byte = !*byte);
    }
    Ok(result)
}
