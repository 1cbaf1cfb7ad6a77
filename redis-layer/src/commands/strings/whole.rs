//! Commands that read and store whole strings. Parts of strings are in [`parts`](super::parts), numbers in
//! [`counters`](super::counters).

use crate::commands::keys::time_to_live::expiry_error;
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::{self, Class, Txn};

/// `GET key`
pub(crate) fn get(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    Ok(Reply::bulk_or_null(txn.get_string(args.get(1))?))
}

/// The options after the value of a `SET`, or after the key of a `GETEX`.
#[derive(Debug, Default)]
struct Options {
    only_new: bool,
    only_existing: bool,
    answer_old: bool,
    keep_expiry: bool,
    persist: bool,
    expiry: Option<Expiry>,
}

/// An expiry as it was given: which option, and the position of its number.
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

impl Expiry {
    /// The time in milliseconds since 1970.
    fn at_ms(self, args: Args<'_>, now_ms: i64) -> Result<i64, CommandError> {
        let number = args.integer(self.position)?;
        let millis = match self.unit {
            ExpiryUnit::SecondsFromNow | ExpiryUnit::UnixSeconds => number.checked_mul(1000),
            ExpiryUnit::MillisFromNow | ExpiryUnit::UnixMillis => Some(number),
        };
        let base_ms = match self.unit {
            ExpiryUnit::SecondsFromNow | ExpiryUnit::MillisFromNow => now_ms,
            ExpiryUnit::UnixSeconds | ExpiryUnit::UnixMillis => 0,
        };
        millis
            .filter(|&millis| millis > 0)
            .and_then(|millis| millis.checked_add(base_ms))
            .ok_or_else(|| expiry_error(args))
    }
}

impl Options {
    fn of_set(args: Args<'_>) -> Result<Self, CommandError> {
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

    fn of_getex(args: Args<'_>) -> Result<Self, CommandError> {
        let mut options = Self::default();
        let mut position = 2;
        while position < args.len() {
            if args.is(position, "PERSIST") && options.expiry.is_none() {
                options.persist = true;
            } else {
                position += 1;
                options.add_expiry(args, position)?;
            }
            position += 1;
        }
        Ok(options)
    }

    /// Accepts an expiry whose number is at `position`. The same unit may be given again, and the last one counts;
    /// two different units may not.
    fn add_expiry(&mut self, args: Args<'_>, position: usize) -> Result<(), CommandError> {
        let unit = ExpiryUnit::parse(args, position - 1).ok_or(CommandError::SYNTAX)?;
        let is_other = self.expiry.is_some_and(|expiry| expiry.unit != unit);
        if is_other || self.keep_expiry || self.persist || position >= args.len() {
            return Err(CommandError::SYNTAX);
        }
        self.expiry = Some(Expiry { unit, position });
        Ok(())
    }

    fn expires_ms(&self, args: Args<'_>, now_ms: i64) -> Result<Option<i64>, CommandError> {
        let expiry = self.expiry.map(|expiry| expiry.at_ms(args, now_ms));
        expiry.transpose()
    }
}

/// Stores a string, with its event.
pub(crate) fn store(txn: &mut Txn<'_>, key: &[u8], text: &[u8], expires_ms: Option<i64>) {
    txn.set_string(key, text, expires_ms);
    txn.event(Class::String, "set", key);
}

/// `SET key value [NX | XX] [GET] [EX s | PX ms | EXAT s | PXAT ms | KEEPTTL]`
pub(crate) fn set(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let options = Options::of_set(args)?;
    let mut expires_ms = options.expires_ms(args, txn.now_ms())?;
    let key = args.get(1);
    let answer = if options.answer_old {
        let old = txn.get_string(key)?;
        txn.count_reads();
        Some(Reply::bulk_or_null(old))
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
    store(txn, key, args.get(2), expires_ms);
    if options.expiry.is_some() {
        txn.event(Class::Generic, "expire", key);
    }
    Ok(answer.unwrap_or(Reply::OK))
}

/// `SETNX key value`
pub(crate) fn setnx(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let key = args.get(1);
    let is_new = txn.lookup(key)?.is_none();
    if is_new {
        store(txn, key, args.get(2), None);
    }
    Ok(Reply::yes_or_no(is_new))
}

/// `SETEX key seconds value`
pub(crate) fn setex(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    set_for_a_while(txn, args, ExpiryUnit::SecondsFromNow)
}

/// `PSETEX key milliseconds value`
pub(crate) fn psetex(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    set_for_a_while(txn, args, ExpiryUnit::MillisFromNow)
}

fn set_for_a_while(txn: &mut Txn<'_>, args: Args<'_>, unit: ExpiryUnit) -> Outcome {
    let expiry = Expiry { unit, position: 2 };
    let expires_ms = expiry.at_ms(args, txn.now_ms())?;
    let key = args.get(1);
    store(txn, key, args.get(3), Some(expires_ms));
    txn.event(Class::Generic, "expire", key);
    Ok(Reply::OK)
}

/// `GETSET key value`
pub(crate) fn getset(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let key = args.get(1);
    let old = txn.get_string(key)?;
    txn.count_reads();
    store(txn, key, args.get(2), None);
    Ok(Reply::bulk_or_null(old))
}

/// `GETDEL key`
pub(crate) fn getdel(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let key = args.get(1);
    let old = txn.get_string(key)?;
    txn.count_reads();
    if old.is_some() {
        txn.remove_key(key)?;
        txn.event(Class::Generic, "del", key);
    }
    Ok(Reply::bulk_or_null(old))
}

/// `GETEX key [EX s | PX ms | EXAT s | PXAT ms | PERSIST]`
pub(crate) fn getex(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let options = Options::of_getex(args)?;
    let key = args.get(1);
    let stored = txn.stored_string(key)?;
    txn.count_reads();
    let Some(stored) = stored else {
        return Ok(Reply::Null);
    };
    match options.expires_ms(args, txn.now_ms())? {
        Some(expires_ms) if expires_ms <= txn.now_ms() => {
            txn.remove_key(key)?;
            txn.event(Class::Generic, "del", key);
        }
        Some(expires_ms) => {
            txn.set_expiry(key, Some(expires_ms))?;
            txn.event(Class::Generic, "expire", key);
        }
        None if options.persist && stored.expires_ms.is_some() => {
            txn.set_expiry(key, None)?;
            txn.event(Class::Generic, "persist", key);
        }
        None => {}
    }
    Ok(Reply::Bulk(stored.text))
}

/// `MGET key [key ...]`: null for a key that holds no string.
pub(crate) fn mget(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let mut values = Vec::with_capacity(args.len() - 1);
    for key in args.from(1) {
        let text = match txn.get_string(key) {
            Err(types::Error::WrongType) => None,
            text => text?,
        };
        values.push(Reply::bulk_or_null(text));
    }
    Ok(Reply::Array(values))
}

fn store_pairs(txn: &mut Txn<'_>, args: Args<'_>) {
    for pair in args.from(1).chunks_exact(2) {
        store(txn, &pair[0], &pair[1], None);
    }
}

fn check_pairs(args: Args<'_>) -> Result<(), CommandError> {
    if args.len().is_multiple_of(2) {
        return Err(CommandError::arity(args.spec.full_name));
    }
    Ok(())
}

/// `MSET key value [key value ...]`
pub(crate) fn mset(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    check_pairs(args)?;
    store_pairs(txn, args);
    Ok(Reply::OK)
}

/// `MSETNX key value [key value ...]`: all of them or none.
pub(crate) fn msetnx(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    check_pairs(args)?;
    for key in args.from(1).iter().step_by(2) {
        if txn.lookup(key)?.is_some() {
            return Ok(Reply::Integer(0));
        }
    }
    store_pairs(txn, args);
    Ok(Reply::Integer(1))
}
