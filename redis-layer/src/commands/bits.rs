//! Commands on strings bit by bit. `BITFIELD` is in `bitfield`.

use bytes::Bytes;

use crate::commands::string_parts::{MOST_BYTES, part};
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::number::parse_integer;
use crate::types::{Class, Txn, bits};

const BAD_OFFSET: CommandError =
    CommandError::fixed("ERR bit offset is not an integer or out of range");

/// The place of a bit. With `width`, a `#` before the number counts fields of so many bits.
pub(crate) fn bit_offset(text: &[u8], width: Option<u32>) -> Result<usize, CommandError> {
    let (digits, scale) = match (text, width) {
        ([b'#', digits @ ..], Some(width)) => (digits, i64::from(width)),
        (digits, _) => (digits, 1),
    };
    parse_integer(digits)
        .and_then(|number| number.checked_mul(scale))
        .and_then(|offset| usize::try_from(offset).ok())
        .filter(|offset| offset / 8 < MOST_BYTES)
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
    let stored = txn.stored_string(key)?.unwrap_or_default();
    let mut text = stored.text.to_vec();
    let length = text.len();
    text.resize(length.max(at / 8 + 1), 0);
    let old = bits::get(&text, at);
    // Who sets what is there changes nothing, and nobody hears of it.
    if old != bit || text.len() > length {
        bits::set(&mut text, at, bit);
        txn.set_string(key, text.into(), stored.expires_ms);
        txn.event(Class::String, "setbit", key);
    }
    Ok(Reply::yes_or_no(old))
}

/// `GETBIT key offset`
pub(crate) fn getbit(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let at = bit_offset(args.get(2), None)?;
    let text = txn.get_string(args.get(1))?.unwrap_or_default();
    Ok(Reply::yes_or_no(bits::get(&text, at)))
}

/// Whether the positions of a range are those of bits, by the word behind them.
fn counts_bits(args: Args<'_>, position: usize) -> Result<bool, CommandError> {
    if args.len() <= position || args.is(position, "BYTE") {
        return Ok(false);
    }
    if args.is(position, "BIT") {
        return Ok(true);
    }
    Err(CommandError::SYNTAX)
}

/// The bits of a range of bytes, or of bits.
fn bit_range(text: &[u8], start: i64, end: i64, in_bits: bool) -> Option<std::ops::Range<usize>> {
    if in_bits {
        return part(text.len() * 8, start, end);
    }
    part(text.len(), start, end).map(|bytes| bytes.start * 8..bytes.end * 8)
}

/// `BITCOUNT key [start end [BYTE | BIT]]`
pub(crate) fn bitcount(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let Some(text) = txn.get_string(args.get(1))? else {
        return Ok(Reply::Integer(0));
    };
    if args.len() == 2 {
        return Ok(Reply::count(bits::count_ones(&text, 0..text.len() * 8)));
    }
    if args.len() != 4 && args.len() != 5 {
        return Err(CommandError::SYNTAX);
    }
    let (start, end) = (args.integer(2)?, args.integer(3)?);
    if start < 0 && end < 0 && start > end {
        return Ok(Reply::Integer(0));
    }
    let range = bit_range(&text, start, end, counts_bits(args, 4)?);
    let count = range.map_or(0, |range| bits::count_ones(&text, range));
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
    let Some(text) = txn.get_string(args.get(1))? else {
        return Ok(Reply::Integer(if wanted { -1 } else { 0 }));
    };
    if args.len() > 6 {
        return Err(CommandError::SYNTAX);
    }
    let start = if args.len() > 3 { args.integer(3)? } else { 0 };
    let in_bits = counts_bits(args, 5)?;
    let has_end = args.len() > 4;
    let end = if has_end { args.integer(4)? } else { -1 };
    let length = if in_bits { text.len() * 8 } else { text.len() };
    // Not `bit_range`, which takes a start behind an end for nothing before it counts from the end.
    let absolute = |position: i64| {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        if position < 0 {
            position.saturating_add(length).max(0)
        } else {
            position
        }
    };
    let range = bit_range(&text, absolute(start), absolute(end), in_bits);
    let found = range.map(|range| bits::position(&text, range, wanted));
    Ok(match found {
        Some(Some(at)) => Reply::count(at as u64),
        // Behind a string without an end stand zeros.
        Some(None) if !wanted && !has_end => Reply::count(text.len() as u64 * 8),
        Some(None) | None => Reply::Integer(-1),
    })
}

/// `BITOP AND | OR | XOR | NOT destination key [key ...]`
pub(crate) fn bitop(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let is_not = args.is(1, "NOT");
    let combine: fn(u8, u8) -> u8 = if args.is(1, "AND") {
        |a, b| a & b
    } else if args.is(1, "OR") {
        |a, b| a | b
    } else if args.is(1, "XOR") || is_not {
        |a, b| a ^ b
    } else {
        return Err(CommandError::SYNTAX);
    };
    if is_not && args.len() != 4 {
        return Err(CommandError::fixed(
            "ERR BITOP NOT must be called with a single source key.",
        ));
    }
    let mut texts = Vec::with_capacity(args.len() - 3);
    for key in args.from(3) {
        texts.push(txn.get_string(key)?.unwrap_or_default());
    }
    txn.count_reads();
    let length = texts.iter().map(Bytes::len).max().unwrap_or(0);
    let mut result = texts.first().map_or_else(Vec::new, |text| text.to_vec());
    result.resize(length, 0);
    for text in &texts[1..] {
        let (both, alone) = result.split_at_mut(text.len());
        for (byte, other) in both.iter_mut().zip(text) {
            *byte = combine(*byte, *other);
        }
        // The shorter string goes on with zeros.
        alone.iter_mut().for_each(|byte| *byte = combine(*byte, 0));
    }
    if is_not {
        result.iter_mut().for_each(|byte| *byte = !*byte);
    }
    let target = args.get(2);
    if length > 0 {
        txn.set_string(target, result.into(), None);
        txn.event(Class::String, "set", target);
    } else if txn.remove_key(target)? {
        txn.event(Class::Generic, "del", target);
    }
    Ok(Reply::count(length as u64))
}
