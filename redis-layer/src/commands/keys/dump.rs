//! `DUMP` and `RESTORE`: values as strings that a real Redis understands, and the reverse. The format:
//! [`types::dump`](crate::types::dump).

use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::dump::{self, BadPayload};
use crate::types::{Class, Txn};

/// `DUMP key`
pub(crate) fn dump(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let value = txn.read_value(args.get(1))?;
    let payload = value.map(|value| dump::write(&value).into());
    Ok(Reply::bulk_or_null(payload))
}

/// The options after the payload of a `RESTORE`.
#[derive(Debug, Default)]
struct RestoreOptions {
    replace: bool,
    absolute: bool,
    idle_s: Option<i64>,
}

impl RestoreOptions {
    /// Parses the options. `FREQ` is checked but not kept: nothing here uses how often a key is used.
    fn parse(args: Args<'_>) -> Result<Self, CommandError> {
        let mut options = Self::default();
        let mut has_freq = false;
        let mut position = 4;
        while position < args.len() {
            let has_number = position + 1 < args.len();
            if args.is(position, "REPLACE") {
                options.replace = true;
            } else if args.is(position, "ABSTTL") {
                options.absolute = true;
            } else if args.is(position, "IDLETIME") && has_number && !has_freq {
                position += 1;
                let idle_s = args.integer(position)?;
                options.idle_s = Some(idle_s);
                if idle_s < 0 {
                    return Err(CommandError::fixed(
                        "ERR Invalid IDLETIME value, must be >= 0",
                    ));
                }
            } else if args.is(position, "FREQ") && has_number && options.idle_s.is_none() {
                position += 1;
                has_freq = true;
                if !(0..=255).contains(&args.integer(position)?) {
                    return Err(CommandError::fixed(
                        "ERR Invalid FREQ value, must be >= 0 and <= 255",
                    ));
                }
            } else {
                return Err(CommandError::SYNTAX);
            }
            position += 1;
        }
        Ok(options)
    }
}

/// `RESTORE key ttl serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds] [FREQ frequency]`
pub(crate) fn restore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let options = RestoreOptions::parse(args)?;
    let key = args.get(1);
    if !options.replace && txn.lookup(key)?.is_some() {
        return Err(CommandError::fixed(
            "BUSYKEY Target key name already exists.",
        ));
    }
    let ttl = args.integer(2)?;
    if ttl < 0 {
        return Err(CommandError::fixed("ERR Invalid TTL value, must be >= 0"));
    }
    let value = dump::read(args.get(3)).map_err(|bad| match bad {
        BadPayload::VersionOrChecksum => {
            CommandError::fixed("ERR DUMP payload version or checksum are wrong")
        }
        BadPayload::Format => CommandError::fixed("ERR Bad data format"),
    })?;
    let expires_ms = match ttl {
        0 => None,
        _ if options.absolute => Some(ttl),
        _ => Some(ttl.saturating_add(txn.now_ms())),
    };
    if expires_ms.is_some_and(|expires_ms| expires_ms <= txn.now_ms()) {
        if txn.discard_key(key)? {
            txn.event(Class::Generic, "del", key);
        }
        return Ok(Reply::OK);
    }
    // The old value is removed first, so that the key counts as new.
    txn.discard_key(key)?;
    txn.forget_removed();
    txn.write_value(key, value, expires_ms)?;
    if let Some(idle_s) = options.idle_s {
        txn.set_idle(key, idle_s);
    }
    txn.event(Class::Generic, "restore", key);
    Ok(Reply::OK)
}
