//! Commands about when a key expires.

use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::number::c_text;
use crate::types::{Class, Txn};

/// The unit of an expiry, and the time from which it is counted.
#[derive(Debug, Clone, Copy)]
struct Scale {
    unit_ms: i64,
    from_now: bool,
}

/// `EXPIRE key seconds [NX | XX | GT | LT]`
pub(crate) fn expire(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    expire_at(
        txn,
        args,
        Scale {
            unit_ms: 1000,
            from_now: true,
        },
    )
}

/// `PEXPIRE key milliseconds [NX | XX | GT | LT]`
pub(crate) fn pexpire(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    expire_at(
        txn,
        args,
        Scale {
            unit_ms: 1,
            from_now: true,
        },
    )
}

/// `EXPIREAT key unix-seconds [NX | XX | GT | LT]`
pub(crate) fn expireat(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    expire_at(
        txn,
        args,
        Scale {
            unit_ms: 1000,
            from_now: false,
        },
    )
}

/// `PEXPIREAT key unix-milliseconds [NX | XX | GT | LT]`
pub(crate) fn pexpireat(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    expire_at(
        txn,
        args,
        Scale {
            unit_ms: 1,
            from_now: false,
        },
    )
}

fn expire_at(txn: &mut Txn<'_>, args: Args<'_>, scale: Scale) -> Outcome {
    let condition = ExpireCondition::parse(args)?;
    let base_ms = if scale.from_now { txn.now_ms() } else { 0 };
    let expires_ms = args
        .integer(2)?
        .checked_mul(scale.unit_ms)
        .and_then(|millis| millis.checked_add(base_ms))
        .ok_or_else(|| expiry_error(args))?;
    let key = args.get(1);
    let Some(metadata) = txn.lookup(key)? else {
        return Ok(Reply::Integer(0));
    };
    if !condition.allows(metadata.expires_ms, expires_ms) {
        return Ok(Reply::Integer(0));
    }
    if expires_ms <= txn.now_ms() {
        txn.remove_key(key)?;
        txn.event(Class::Generic, "del", key);
    } else {
        txn.set_expiry(key, Some(expires_ms))?;
        txn.event(Class::Generic, "expire", key);
    }
    Ok(Reply::Integer(1))
}

/// `ERR invalid expire time in '...' command`
pub(crate) fn expiry_error(args: Args<'_>) -> CommandError {
    let name = args.spec.full_name.as_bytes();
    CommandError::quoting(&[b"ERR invalid expire time in '", name, b"' command"])
}

/// The conditions under which an expiry may be changed.
#[derive(Debug, Clone, Copy, Default)]
struct ExpireCondition {
    only_without: bool,
    only_with: bool,
    only_later: bool,
    only_sooner: bool,
}

impl ExpireCondition {
    fn parse(args: Args<'_>) -> Result<Self, CommandError> {
        let mut condition = Self::default();
        for position in 3..args.len() {
            let flag = if args.is(position, "NX") {
                &mut condition.only_without
            } else if args.is(position, "XX") {
                &mut condition.only_with
            } else if args.is(position, "GT") {
                &mut condition.only_later
            } else if args.is(position, "LT") {
                &mut condition.only_sooner
            } else {
                let option = c_text(args.get(position));
                return Err(CommandError::quoting(&[b"ERR Unsupported option ", option]));
            };
            *flag = true;
        }
        let Self {
            only_without,
            only_with,
            only_later,
            only_sooner,
        } = condition;
        if only_without && (only_with || only_later || only_sooner) {
            return Err(CommandError::fixed(
                "ERR NX and XX, GT or LT options at the same time are not compatible",
            ));
        }
        if only_later && only_sooner {
            return Err(CommandError::fixed(
                "ERR GT and LT options at the same time are not compatible",
            ));
        }
        Ok(condition)
    }

    /// A key without an expiry counts as one that expires after every other.
    fn allows(self, current_ms: Option<i64>, new_ms: i64) -> bool {
        let refused = (self.only_without && current_ms.is_some())
            || (self.only_with && current_ms.is_none())
            || (self.only_later && current_ms.is_none_or(|current_ms| new_ms <= current_ms))
            || (self.only_sooner && current_ms.is_some_and(|current_ms| new_ms >= current_ms));
        !refused
    }
}

/// `TTL key`, rounded to the nearest second.
pub(crate) fn ttl(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    time_to_live(txn, args, |left_ms| left_ms.saturating_add(500) / 1000)
}

/// `PTTL key`
pub(crate) fn pttl(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    time_to_live(txn, args, |left_ms| left_ms)
}

fn time_to_live(txn: &Txn<'_>, args: Args<'_>, scale: fn(i64) -> i64) -> Outcome {
    let answer = match txn.peek(args.get(1))? {
        None => -2,
        Some(metadata) => metadata.expires_ms.map_or(-1, |expires_ms| {
            scale(expires_ms.saturating_sub(txn.now_ms()).max(0))
        }),
    };
    Ok(Reply::Integer(answer))
}

/// `EXPIRETIME key`, rounded to the nearest second.
pub(crate) fn expiretime(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    // Rounded so that the greatest time does not overflow.
    expiry_of(txn, args, |at_ms| {
        at_ms / 1000 + i64::from(at_ms % 1000 >= 500)
    })
}

/// `PEXPIRETIME key`
pub(crate) fn pexpiretime(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    expiry_of(txn, args, |at_ms| at_ms)
}

fn expiry_of(txn: &Txn<'_>, args: Args<'_>, scale: fn(i64) -> i64) -> Outcome {
    let answer = match txn.peek(args.get(1))? {
        None => -2,
        Some(metadata) => metadata.expires_ms.map_or(-1, scale),
    };
    Ok(Reply::Integer(answer))
}

/// `PERSIST key`
pub(crate) fn persist(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let key = args.get(1);
    let expires = txn
        .lookup(key)?
        .is_some_and(|metadata| metadata.expires_ms.is_some());
    if expires {
        txn.set_expiry(key, None)?;
        txn.event(Class::Generic, "persist", key);
    }
    Ok(Reply::yes_or_no(expires))
}
