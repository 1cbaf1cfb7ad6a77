//! Small commands about the server: the time, replication, a picture.

use crate::commands::{Args, CommandError, Outcome, REDIS_VERSION, Reply, Session};
use crate::types::number::{c_text, parse_integer};
use crate::types::words::split_words;

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

/// `REPLCONF [option value ...]`: what a replica says of itself before it asks for the data. The options are checked, and
/// then forgotten: this server has no replicas.
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
