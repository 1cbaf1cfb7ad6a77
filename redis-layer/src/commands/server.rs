//! Small commands about the server: the time, replication, a picture.

use crate::commands::{Args, CommandError, Outcome, REDIS_VERSION, Reply, Session};
use crate::types::number::parse_integer;

/// `TIME`
pub(crate) fn time(session: &mut Session, _args: Args<'_>) -> Outcome {
    let now_ms = session.server.clock.now_ms();
    let part = |number: i64| Reply::Bulk(number.to_string().into());
    Ok(Reply::Array(vec![
        part(now_ms / 1000),
        part(now_ms % 1000 * 1000),
    ]))
}

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

/// `MODULE LIST`
pub(crate) fn module_list(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::Array(Vec::new()))
}

/// `MODULE HELP`
pub(crate) fn module_help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(crate::commands::manual::help_lines("module"))
}

/// The default width and height of the picture of `LOLWUT`.
const PICTURE: (i64, i64) = (64, 8);

/// `LOLWUT [VERSION version] [width [height]]`: numbers as keys. Each column is a number, from the
/// least on the left to the greatest on the right, and each row a bit of its key, the first bit on
/// top. From left to right the keys count upwards: that is why every key sorts.
pub(crate) fn lolwut(_session: &mut Session, args: Args<'_>) -> Outcome {
    let version = format!("Redis ver. {REDIS_VERSION}\n");
    if args.len() == 2 && args.is(1, "VERSION") {
        return Ok(Reply::Text(version));
    }
    let mut numbers = args.from(1);
    if args.len() > 2 && args.is(1, "VERSION") {
        args.integer(2)?;
        numbers = args.from(3);
    }
    let number = |at: usize, otherwise: i64, most: i64| match numbers.get(at) {
        None => Ok(otherwise),
        Some(word) => parse_integer(word)
            .map(|number| number.clamp(1, most))
            .ok_or(CommandError::NOT_AN_INTEGER),
    };
    let (width, height) = (number(0, PICTURE.0, 160)?, number(1, PICTURE.1, 16)?);
    let mut picture = String::new();
    for bit in (0..height).rev() {
        for column in 0..width {
            // The columns are numbers from negative to positive, with the sign bit flipped: the keys of the book.
            let key = (column << height) / width;
            picture.push(if key >> bit & 1 == 1 { '#' } else { '.' });
        }
        picture.push('\n');
    }
    picture.push_str("\nKeys in order: every column is a key, and every key sorts. ");
    picture.push_str(&version);
    Ok(Reply::Text(picture))
}
