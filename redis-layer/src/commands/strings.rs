//! Commands on strings.

use crate::commands::generic::expiry_error;
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::Txn;
use crate::types::number::LongDouble;

/// `GET key`
pub(crate) fn get(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    Ok(Reply::bulk_or_null(txn.get_string(args.get(1))?))
}

/// What stands behind the value of a `SET`.
#[derive(Debug, Default)]
struct SetOptions {
    only_new: bool,
    only_existing: bool,
    answer_old: bool,
    keep_expiry: bool,
    expiry: Option<Expiry>,
}

/// An expiry as it was given: which option, and where its number stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Expiry {
    unit: ExpiryUnit,
    position: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpiryUnit {
    SecondsFromNow,
    MillisFromNow,
    UnixSeconds,
    UnixMillis,
}

impl ExpiryUnit {
    fn parse(args: Args<'_>, position: usize) -> Option<Self> {
        [
            ("EX", Self::SecondsFromNow),
            ("PX", Self::MillisFromNow),
            ("EXAT", Self::UnixSeconds),
            ("PXAT", Self::UnixMillis),
        ]
        .into_iter()
        .find_map(|(word, unit)| args.is(position, word).then_some(unit))
    }
}

impl SetOptions {
    fn parse(args: Args<'_>) -> Result<Self, CommandError> {
        let mut options = Self::default();
        let mut position = 3;
        while position < args.len() {
            if args.is(position, "NX") && !options.only_existing {
                options.only_new = true;
            } else if args.is(position, "XX") && !options.only_new {
                options.only_existing = true;
            } else if args.is(position, "GET") {
                options.answer_old = true;
            } else if args.is(position, "KEEPTTL") && options.expiry.is_none() {
                options.keep_expiry = true;
            } else {
                position += 1;
                options.add_expiry(args, position)?;
            }
            position += 1;
        }
        Ok(options)
    }

    /// Takes an expiry whose number stands at `position`. The same unit may come again, and the
    /// last one counts; two units may not.
    fn add_expiry(&mut self, args: Args<'_>, position: usize) -> Result<(), CommandError> {
        let unit = ExpiryUnit::parse(args, position - 1).ok_or(CommandError::SYNTAX)?;
        let is_other = self.expiry.is_some_and(|expiry| expiry.unit != unit);
        if is_other || self.keep_expiry || position >= args.len() {
            return Err(CommandError::SYNTAX);
        }
        self.expiry = Some(Expiry { unit, position });
        Ok(())
    }

    fn expires_ms(&self, args: Args<'_>, now_ms: i64) -> Result<Option<i64>, CommandError> {
        let Some(Expiry { unit, position }) = self.expiry else {
            return Ok(None);
        };
        let number = args.integer(position)?;
        let millis = match unit {
            ExpiryUnit::SecondsFromNow | ExpiryUnit::UnixSeconds => number.checked_mul(1000),
            ExpiryUnit::MillisFromNow | ExpiryUnit::UnixMillis => Some(number),
        };
        let base_ms = match unit {
            ExpiryUnit::SecondsFromNow | ExpiryUnit::MillisFromNow => now_ms,
            ExpiryUnit::UnixSeconds | ExpiryUnit::UnixMillis => 0,
        };
        millis
            .filter(|&millis| millis > 0)
            .and_then(|millis| millis.checked_add(base_ms))
            .map(Some)
            .ok_or_else(|| expiry_error(args))
    }
}

/// `SET key value [NX | XX] [GET] [EX s | PX ms | EXAT s | PXAT ms | KEEPTTL]`
pub(crate) fn set(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let options = SetOptions::parse(args)?;
    let mut expires_ms = options.expires_ms(args, txn.now_ms())?;
    let key = args.get(1);
    let answer = if options.answer_old {
        Some(Reply::bulk_or_null(txn.get_string(key)?))
    } else {
        None
    };
    if options.only_new || options.only_existing || options.keep_expiry {
        let old = txn.lookup(key)?;
        if (options.only_new && old.is_some()) || (options.only_existing && old.is_none()) {
            return Ok(answer.unwrap_or(Reply::Null));
        }
        if options.keep_expiry {
            expires_ms = old.and_then(|old| old.expires_ms);
        }
    }
    txn.set_string(key, args.bytes(2), expires_ms);
    Ok(answer.unwrap_or(Reply::OK))
}

/// `ERR increment or decrement would overflow`
pub(crate) const OVERFLOW: CommandError =
    CommandError::fixed("ERR increment or decrement would overflow");

/// The increment of `INCRBYFLOAT` and `HINCRBYFLOAT`.
pub(crate) fn parse_increment(text: &[u8]) -> Result<LongDouble, CommandError> {
    LongDouble::parse(text).ok_or(CommandError::NOT_A_FLOAT)
}

/// `ERR increment would produce NaN or Infinity`
pub(crate) fn not_finite() -> CommandError {
    CommandError::fixed("ERR increment would produce NaN or Infinity")
}
