//! Commands on parts of strings.

use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::strings::LONGEST;
use crate::types::{Class, Txn};

/// Refuses a string that would become too long.
pub(crate) fn check_length(length: usize, more: usize) -> Result<(), CommandError> {
    if length.saturating_add(more) > LONGEST {
        return Err(CommandError::fixed(
            "ERR string exceeds maximum allowed size (proto-max-bulk-len)",
        ));
    }
    Ok(())
}

/// `STRLEN key`
pub(crate) fn strlen(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    Ok(Reply::count(txn.open_text(args.get(1))?.len() as u64))
}

/// `APPEND key value`
pub(crate) fn append(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let key = args.get(1);
    let mut text = txn.open_text(key)?;
    let length = text.len();
    if !text.is_there() {
        txn.set_string(key, args.get(2), None);
    } else {
        check_length(length, args.get(2).len())?;
        text.write(txn, key, length, args.get(2))?;
        text.finish(txn, key);
    }
    txn.event(Class::String, "append", key);
    Ok(Reply::count((length + args.get(2).len()) as u64))
}

/// `SETRANGE key offset value`
pub(crate) fn setrange(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let offset = args.integer(2)?;
    let offset =
        usize::try_from(offset).map_err(|_| CommandError::fixed("ERR offset is out of range"))?;
    let (key, part) = (args.get(1), args.get(3));
    let mut text = txn.open_text(key)?;
    if part.is_empty() {
        return Ok(Reply::count(text.len() as u64));
    }
    check_length(offset, part.len())?;
    text.write(txn, key, offset, part)?;
    let length = text.len() as u64;
    text.finish(txn, key);
    txn.event(Class::String, "setrange", key);
    Ok(Reply::count(length))
}

/// `GETRANGE key start end`, both included, counted from the end if negative. `SUBSTR` is its old name.
pub(crate) fn getrange(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let (start, end) = (args.integer(2)?, args.integer(3)?);
    let text = txn.open_text(args.get(1))?;
    let part = part(text.len(), start, end);
    let part = part.map(|part| text.read(txn, part)).transpose()?;
    Ok(Reply::Bulk(part.unwrap_or_default()))
}

/// The positions of a range in a string of `length`. Both ends are included, and count from the end if negative.
/// `None` if the range is empty.
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
