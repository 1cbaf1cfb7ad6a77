//! `DEBUG`: helpers for tests and for people who look for faults.
//!
//! Who may use it is decided when the server starts: nobody, clients on this machine, or everybody. Subcommands that
//! would crash the server, or that show the insides of Redis's memory, are left out and get Redis's error for an
//! unknown subcommand.
//!
//! ```text
//! digest      DEBUG DIGEST: a number for all keys and values
//! protocol    DEBUG PROTOCOL: an example of each type of the protocol
//! ```

mod digest;
mod protocol;

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::commands::config::value::parse_bytes;
use crate::commands::error::{QUOTED_BYTES, quoted};
use crate::commands::keys::object::encoding_of;
use crate::commands::strings::parts::check_length;
use crate::commands::{Args, CommandError, DATABASES, Outcome, Reply, Session, run_blocking};
use crate::types::number::{number_prefix, parse_double};
use crate::types::{DbNumber, Txn, check};

/// `DEBUG subcommand [argument ...]`
pub(crate) fn debug(session: &mut Session, args: Args<'_>) -> Outcome {
    allow(session)?;
    let count = args.len();
    match args.get(1).to_ascii_lowercase().as_slice() {
        b"sleep" if count == 3 => sleep(session, args),
        b"object" if count == 3 => object(session, args),
        b"set-active-expire" if count == 3 => {
            session.server.shared.set_active_expiry(is_on(args.get(2)));
            Ok(Reply::OK)
        }
        b"set-disable-deny-scripts" if count == 3 => {
            let allowed = &session.server.debugs_in_scripts;
            allowed.store(is_on(args.get(2)), Ordering::Relaxed);
            Ok(Reply::OK)
        }
        b"reload" => check_options(args).and_then(|()| reload(session)),
        b"loadaof" => reload(session),
        b"change-repl-id" if count == 2 => Ok(Reply::OK),
        b"log" if count == 3 => {
            tracing::warn!(message = %args.get(2).escape_ascii(), "DEBUG LOG");
            Ok(Reply::OK)
        }
        // Not a failure of the command itself, which would be counted as one.
        b"error" if count == 3 => Ok(Reply::Error(CommandError::quoting(&[args.get(2)]))),
        b"protocol" if count == 3 => protocol::example(session.protocol, args.get(2)),
        b"populate" if (3..=5).contains(&count) => populate(session, args),
        b"digest" if count == 2 => digest::of_everything(session),
        b"digest-value" if count >= 2 => digest::of_values(session, args),
        // These subcommands adjust Redis's memory and timers, which have no counterpart here.
        b"pause-cron" if count == 3 => Ok(Reply::OK),
        b"quicklist-packed-threshold" if count == 3 => packed_threshold(args),
        b"replybuffer" if count == 4 => reply_buffer(args),
        b"htstats" if count == 3 => hash_tables(args),
        b"help" if count == 2 => Ok(help()),
        _ => Err(unknown(args)),
    }
}

fn unknown(args: Args<'_>) -> CommandError {
    CommandError::quoting(&[
        b"ERR unknown subcommand or wrong number of arguments for '",
        quoted(args.get(1), QUOTED_BYTES),
        b"'. Try DEBUG HELP.",
    ])
}

/// Whether this client may use the command.
fn allow(session: &Session) -> Result<(), CommandError> {
    let is_local = || {
        let address = session.peer.address.parse::<SocketAddr>();
        // A session without a socket address belongs to this process.
        address.map_or(true, |address| address.ip().is_loopback())
    };
    match session.server.config.get("enable-debug-command").as_str() {
        "yes" => Ok(()),
        "local" if is_local() => Ok(()),
        _ => Err(CommandError::fixed(
            "ERR DEBUG command not allowed. If the enable-debug-command option is set to \
             \"local\", you can run it from a local connection, otherwise you need to set this \
             option in the configuration file, and then restart the server.",
        )),
    }
}

/// `DEBUG SLEEP seconds`: only this connection sleeps. The end of the server wakes it.
fn sleep(session: &Session, args: Args<'_>) -> Outcome {
    const LONGEST_S: f64 = 3600.0;
    const SLICE: Duration = Duration::from_millis(50);
    // Redis reads a text that is not a number as 0.
    let seconds = parse_double(args.get(2)).unwrap_or(0.0);
    let seconds = seconds.clamp(0.0, LONGEST_S);
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let is_over = &session.server.shutdown.is_over;
    run_blocking(|| {
        while !is_over.load(Ordering::Acquire) {
            match until.saturating_duration_since(Instant::now()) {
                Duration::ZERO => break,
                left => std::thread::sleep(left.min(SLICE)),
            }
        }
    });
    Ok(Reply::OK)
}

/// `DEBUG OBJECT key`: the fields that tests look at. Shows a key even if it has expired and is not removed yet.
fn object(session: &Session, args: Args<'_>) -> Outcome {
    let server = &session.server;
    let idle_s = server.begin(session.db)?.idle_s(args.get(2));
    // At the earliest possible time, nothing has expired yet.
    let mut txn = Txn::begin(&*server.store, &server.shared, session.db, i64::MIN)?;
    let metadata = txn.peek(args.get(2))?;
    let metadata = metadata.ok_or(CommandError::fixed("ERR no such key"))?;
    let length = metadata.encode().len();
    let lru = (session.server.clock.now_ms() / 1000) & 0xff_ffff;
    let encoding = encoding_of(&session.server.config, &mut txn, args.get(2))?.unwrap_or("none");
    let line = format!(
        "Value at:0x0 refcount:1 encoding:{encoding} serializedlength:{length} lru:{lru} \
         lru_seconds_idle:{idle_s}"
    );
    Ok(Reply::Line(line.into()))
}

/// `DEBUG RELOAD` and `LOADAOF`. There is nothing to load: commands read the store directly. A reload would show
/// whether all of the data can be read, so that is what this does: it syncs everything, and reads every row and
/// checks it against the others.
fn reload(session: &Session) -> Outcome {
    let store = &*session.server.store;
    let report = run_blocking(|| {
        store.sync()?;
        check(store)
    })?;
    if let Some(fault) = report.faults.first() {
        let text = format!("ERR Error trying to load the dataset: {fault:?}");
        return Err(CommandError::quoting(&[text.as_bytes()]));
    }
    Ok(Reply::OK)
}

/// Checks the options of `DEBUG RELOAD`. They say what to do with a file that is not needed here.
fn check_options(args: Args<'_>) -> Result<(), CommandError> {
    let is_known = |at| {
        let mut known = ["MERGE", "NOFLUSH", "NOSAVE"].iter();
        known.any(|word| args.is(at, word))
    };
    if (2..args.len()).all(is_known) {
        return Ok(());
    }
    Err(CommandError::fixed(
        "ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.",
    ))
}

/// A switch, as Redis reads it: a text that does not begin with a number is 0.
fn is_on(text: &[u8]) -> bool {
    number_prefix(text).0.abs() >= 1.0
}

/// `DEBUG QUICKLIST-PACKED-THRESHOLD size`: elements of lists are rows here, whatever their size.
fn packed_threshold(args: Args<'_>) -> Outcome {
    let text = std::str::from_utf8(args.get(2)).ok();
    match text.and_then(parse_bytes) {
        Some(bytes) if bytes < 1 << 32 => Ok(Reply::OK),
        _ => Err(CommandError::fixed(
            "ERR argument must be a memory value bigger than 1 and smaller than 4gb",
        )),
    }
}

/// `DEBUG REPLYBUFFER PEAK-RESET-TIME NEVER | RESET | milliseconds` and `REPLYBUFFER RESIZING 0 | 1`: accepted
/// without effect, because an idle connection has no buffer here.
fn reply_buffer(args: Args<'_>) -> Outcome {
    if args.is(2, "PEAK-RESET-TIME") && !args.is(3, "NEVER") && !args.is(3, "RESET") {
        return args.integer(3).map(|_| Reply::OK);
    }
    if args.is(2, "PEAK-RESET-TIME") || args.is(2, "RESIZING") {
        return Ok(Reply::OK);
    }
    Err(unknown(args))
}

/// `DEBUG HTSTATS database`
fn hash_tables(args: Args<'_>) -> Outcome {
    let db = args.integer(2)?;
    if DbNumber::try_from(db).is_ok_and(|db| db < DATABASES) {
        let text = "There are no hash tables: keys are kept in order.\n";
        return Ok(Reply::Text(text.to_owned()));
    }
    Err(CommandError::fixed("ERR Out of range database"))
}

/// `DEBUG POPULATE count [prefix] [size]`: creates strings `prefix:number` where no such key exists yet.
fn populate(session: &mut Session, args: Args<'_>) -> Outcome {
    if session.in_transaction {
        // Each string is set by a command of its own, which would wait for the locks that the transaction holds.
        return Err(CommandError::fixed(
            "ERR DEBUG POPULATE is not allowed in a transaction",
        ));
    }
    let not_negative = |position: usize| {
        let number = args.not_negative(position);
        number
            .and_then(|number| usize::try_from(number).ok())
            .ok_or(CommandError::NOT_POSITIVE)
    };
    let count = not_negative(2)?;
    let prefix = if args.len() > 3 { args.get(3) } else { b"key" };
    let size = if args.len() == 5 { not_negative(4)? } else { 0 };
    check_length(size, 0)?;
    for number in 0..count {
        let key: Bytes = [prefix, format!(":{number}").as_bytes()].concat().into();
        let mut value = format!("value:{number}").into_bytes();
        if size > 0 {
            value.resize(size, 0);
        }
        let words = [
            Bytes::from_static(b"set"),
            key,
            value.into(),
            Bytes::from_static(b"nx"),
        ];
        if let Reply::Error(error) = crate::commands::execute(session, &words).reply {
            return Err(error);
        }
    }
    Ok(Reply::OK)
}

fn help() -> Reply {
    let lines = [
        "DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CHANGE-REPL-ID",
        "    Accepted: nothing is replicated.",
        "DIGEST",
        "    Returns a number that is the same for the same keys and values.",
        "DIGEST-VALUE <key> [<key> ...]",
        "    Returns such a number for the value of each key.",
        "ERROR <string>",
        "    Answers with this error.",
        "LOADAOF",
        "    As RELOAD.",
        "LOG <message>",
        "    Writes a line to the log of the server.",
        "OBJECT <key>",
        "    Describes a key and its value.",
        "POPULATE <count> [<prefix>] [<size>]",
        "    Stores strings to test with.",
        "PROTOCOL <type>",
        "    Answers with an example of a type of the protocol.",
        "RELOAD",
        "    Syncs everything, reads every row and checks that all of them agree.",
        "SET-ACTIVE-EXPIRE <0|1>",
        "    Stops or resumes the cleaning of expired keys.",
        "SET-DISABLE-DENY-SCRIPTS <0|1>",
        "    Lets scripts send DEBUG, or refuses it to them.",
        "SLEEP <seconds>",
        "    Sleeps. Only this connection waits.",
        "HELP",
        "    Lists the subcommands.",
    ];
    Reply::Array(lines.into_iter().map(Reply::Status).collect())
}
