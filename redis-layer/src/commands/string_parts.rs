//! Parts of strings. Whatever changes a part writes the whole string.

use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::{Class, Txn};

/// The longest string, in bytes: Redis's `proto-max-bulk-len` unless configured.
pub(crate) const MOST_BYTES: usize = 512 * 1024 * 1024;

/// Refuses a string that would become too long.
fn check_length(length: usize, more: usize) -> Result<(), CommandError> {
    if length.saturating_add(more) > MOST_BYTES {
        return Err(CommandError::fixed(
            "ERR string exceeds maximum allowed size (proto-max-bulk-len)",
        ));
    }
    Ok(())
}

/// `STRLEN key`
pub(crate) fn strlen(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let text = txn.get_string(args.get(1))?.unwrap_or_default();
    Ok(Reply::count(text.len() as u64))
}

/// `APPEND key value`
pub(crate) fn append(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let key = args.get(1);
    let (text, expires_ms) = match txn.stored_string(key)? {
        None => (args.bytes(2), None),
        Some(stored) => {
            check_length(stored.text.len(), args.get(2).len())?;
            let text = [&*stored.text, args.get(2)].concat();
            (text.into(), stored.expires_ms)
        }
    };
    let length = text.len() as u64;
    txn.set_string(key, text, expires_ms);
    txn.event(Class::String, "append", key);
    Ok(Reply::count(length))
}

/// `SETRANGE key offset value`
pub(crate) fn setrange(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let offset = args.integer(2)?;
    let offset =
        usize::try_from(offset).map_err(|_| CommandError::fixed("ERR offset is out of range"))?;
    let (key, part) = (args.get(1), args.get(3));
    let stored = txn.stored_string(key)?.unwrap_or_default();
    if part.is_empty() {
        return Ok(Reply::count(stored.text.len() as u64));
    }
    check_length(offset, part.len())?;
    let mut text = stored.text.to_vec();
    let end = offset + part.len();
    text.resize(text.len().max(end), 0);
    text[offset..end].copy_from_slice(part);
    let length = text.len() as u64;
    txn.set_string(key, text.into(), stored.expires_ms);
    txn.event(Class::String, "setrange", key);
    Ok(Reply::count(length))
}

/// `GETRANGE key start end`, both included, counted from the end if negative. `SUBSTR` is its old name.
pub(crate) fn getrange(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let (start, end) = (args.integer(2)?, args.integer(3)?);
    let text = txn.get_string(args.get(1))?.unwrap_or_default();
    let part = part(text.len(), start, end);
    Ok(Reply::Bulk(
        part.map_or_else(Default::default, |part| text.slice(part)),
    ))
}

/// The positions of a range within so many, both ends included and counted from the end if
/// negative. `None` if it is empty.
pub(crate) fn part(length: usize, start: i64, end: i64) -> Option<std::ops::Range<usize>> {
    if start < 0 && end < 0 && start > end {
        return None;
    }
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let absolute = |position: i64| {
        if position < 0 {
            (position.saturating_add(length)).max(0)
        } else {
            position
        }
    };
    let (start, end) = (absolute(start), absolute(end).min(length - 1));
    if start > end {
        return None;
    }
    Some(usize::try_from(start).ok()?..usize::try_from(end).ok()? + 1)
}
