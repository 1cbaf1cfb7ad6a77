//! Commands about replicas. There are none: this server has no copies, and is none.

use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::Txn;
use crate::types::number::{c_text, parse_integer};
use crate::types::words::split_words;

/// `ROLE`
pub(crate) fn role(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::Array(vec![
        Reply::text("master"),
        Reply::Integer(0),
        Reply::Array(Vec::new()),
    ]))
}

/// `REPLICAOF host port | NO ONE`: this server is not a replica, and cannot become one.
pub(crate) fn replicaof(_session: &mut Session, args: Args<'_>) -> Outcome {
    if args.is(1, "no") && args.is(2, "one") {
        return Ok(Reply::OK);
    }
    if !args
        .integer(2)
        .is_ok_and(|port| (0..=65535).contains(&port))
    {
        return Err(CommandError::fixed("ERR Invalid master port"));
    }
    Err(CommandError::fixed(
        "ERR REPLICAOF is not supported: this server does not replicate",
    ))
}

/// `REPLCONF [option value ...]`: what a replica says of itself before it asks for the data. The options are checked,
/// and then forgotten: this server has no replicas.
pub(crate) fn replconf(_session: &mut Session, args: Args<'_>) -> Outcome {
    if args.len().is_multiple_of(2) {
        return Err(CommandError::SYNTAX);
    }
    for at in (1..args.len()).step_by(2) {
        let value = args.get(at + 1);
        if args.is(at, "listening-port") {
            args.integer(at + 1)?;
        } else if args.is(at, "ip-address") {
            if value.len() >= ADDRESS_BYTES {
                let length = value.len().to_string();
                return Err(CommandError::quoting(&[
                    b"ERR REPLCONF ip-address provided by replica instance is too long: ",
                    length.as_bytes(),
                    b" bytes",
                ]));
            }
        } else if args.is(at, "ack") || args.is(at, "getack") {
            // These belong to a stream that is already under way, and are never answered.
            return Ok(Reply::Silence);
        } else if args.is(at, "rdb-only") {
            if !(0..=1).contains(&args.integer(at + 1)?) {
                return Err(CommandError::fixed(
                    "ERR value is out of range, value must between 0 and 1",
                ));
            }
        } else if args.is(at, "rdb-filter-only") {
            check_filter(value)?;
        } else if !args.is(at, "capa") {
            return Err(CommandError::quoting(&[
                b"ERR Unrecognized REPLCONF option: ",
                c_text(args.get(at)),
            ]));
        }
    }
    Ok(Reply::OK)
}

/// An address must be shorter than this.
const ADDRESS_BYTES: usize = 256;

/// Checks which parts of the data a replica wants: words as in a configuration file.
fn check_filter(words: &[u8]) -> Result<(), CommandError> {
    let words =
        split_words(words).ok_or(CommandError::fixed("ERR Missing rdb-filter-only values"))?;
    let unknown = words
        .iter()
        .find(|word| !word.eq_ignore_ascii_case(b"functions"));
    unknown.map_or(Ok(()), |word| {
        Err(CommandError::quoting(&[
            b"ERR Unsupported rdb-filter-only option: ",
            c_text(word),
        ]))
    })
}

/// `FAILOVER [TO host port [FORCE]] [ABORT] [TIMEOUT milliseconds]`, each at most once. There is no replica to take
/// over.
pub(crate) fn failover(_session: &mut Session, args: Args<'_>) -> Outcome {
    if args.len() == 2 && args.is(1, "ABORT") {
        return Err(CommandError::fixed("ERR No failover in progress."));
    }
    let (mut has_timeout, mut has_target, mut has_force) = (false, false, false);
    let mut at = 1;
    while at < args.len() {
        if args.is(at, "TIMEOUT") && at + 1 < args.len() && !has_timeout {
            if args.integer(at + 1)? <= 0 {
                return Err(CommandError::fixed(
                    "ERR FAILOVER timeout must be greater than 0",
                ));
            }
            has_timeout = true;
            at += 2;
        } else if args.is(at, "TO") && at + 2 < args.len() && !has_target {
            args.integer(at + 2)?;
            has_target = true;
            at += 3;
        } else if args.is(at, "FORCE") && !has_force {
            has_force = true;
            at += 1;
        } else {
            return Err(CommandError::SYNTAX);
        }
    }
    Err(CommandError::fixed(
        "ERR FAILOVER requires connected replicas.",
    ))
}

/// `WAIT numreplicas timeout`: there are no replicas, so a client that asks for some waits until the time is over.
pub(crate) fn wait(_txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let wanted = args.integer(1)?;
    let timeout = parse_integer(args.get(2)).ok_or(CommandError::fixed(
        "ERR timeout is not an integer or out of range",
    ))?;
    let timeout_ms =
        u64::try_from(timeout).map_err(|_| CommandError::fixed("ERR timeout is negative"))?;
    if wanted <= 0 {
        return Ok(Reply::Integer(0));
    }
    Ok(Reply::Wait {
        timeout_ms,
        on_timeout: Box::new(Reply::Integer(0)),
    })
}
