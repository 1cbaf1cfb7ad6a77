//! Strings as numbers: `INCR` and similar commands.

use bytes::Bytes;

use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::number::{LongDouble, parse_integer};
use crate::types::{Class, Txn};

/// The result does not fit into an i64.
pub(crate) const OVERFLOW: CommandError =
    CommandError::fixed("ERR increment or decrement would overflow");
/// The result is not a finite number.
pub(crate) const NOT_FINITE: CommandError =
    CommandError::fixed("ERR increment would produce NaN or Infinity");

/// Reads the increment of `INCRBYFLOAT` and `HINCRBYFLOAT`, or the number that it is added to.
pub(crate) fn long_double(text: &[u8]) -> Result<LongDouble, CommandError> {
    LongDouble::parse(text).ok_or(CommandError::NOT_A_FLOAT)
}

/// `INCR key`
pub(crate) fn incr(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    add(txn, args, 1)
}

/// `DECR key`
pub(crate) fn decr(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    add(txn, args, -1)
}

/// `INCRBY key increment`
pub(crate) fn incrby(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    add(txn, args, args.integer(2)?)
}

/// `DECRBY key decrement`
pub(crate) fn decrby(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let decrement = args.integer(2)?;
    let increment = decrement
        .checked_neg()
        .ok_or(CommandError::fixed("ERR decrement would overflow"))?;
    add(txn, args, increment)
}

fn add(txn: &mut Txn<'_>, args: Args<'_>, increment: i64) -> Outcome {
    let key = args.get(1);
    let (value, expires_ms) = match txn.stored_string(key)? {
        None => (0, None),
        Some(stored) => {
            let value = parse_integer(&stored.text).ok_or(CommandError::NOT_AN_INTEGER)?;
            (value, stored.expires_ms)
        }
    };
    let sum = value.checked_add(increment).ok_or(OVERFLOW)?;
    txn.set_string(key, itoa::Buffer::new().format(sum).as_bytes(), expires_ms);
    txn.event(Class::String, "incrby", key);
    Ok(Reply::Integer(sum))
}

/// `INCRBYFLOAT key increment`
pub(crate) fn incrbyfloat(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let key = args.get(1);
    let stored = txn.stored_string(key)?;
    let value = match &stored {
        None => long_double(b"0")?,
        Some(stored) => long_double(&stored.text)?,
    };
    let sum = value.checked_add(long_double(args.get(2))?);
    let sum = Bytes::from(sum.ok_or(NOT_FINITE)?.to_string());
    let expires_ms = stored.and_then(|stored| stored.expires_ms);
    txn.set_string(key, &sum, expires_ms);
    txn.event(Class::String, "incrbyfloat", key);
    Ok(Reply::Bulk(sum))
}
