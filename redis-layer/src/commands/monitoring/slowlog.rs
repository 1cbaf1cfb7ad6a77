//! `SLOWLOG`: the last commands that took long.

use std::collections::VecDeque;

use bytes::Bytes;
use parking_lot::Mutex;

use crate::commands::manual::help_lines;
use crate::commands::monitoring::monitor::is_secret;
use crate::commands::table::Flag;
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::number::parse_integer;

/// How many arguments of a command are kept, and how many bytes of each.
const KEPT_ARGS: usize = 32;
const KEPT_BYTES: usize = 128;

/// Slow commands, newest first.
#[derive(Debug, Default)]
pub(crate) struct SlowLog {
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    next_id: u64,
    newest_first: VecDeque<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    id: u64,
    at_s: i64,
    micros: u64,
    args: Vec<Bytes>,
    address: String,
    name: Vec<u8>,
}

impl SlowLog {
    /// Records a command that took long.
    fn add(&self, session: &Session, args: Args<'_>, micros: u64) {
        let (address, name) = sender(session);
        let most = session.server.config.live.slowlog_length();
        let mut entries = self.entries.lock();
        let id = entries.next_id;
        entries.next_id += 1;
        entries.newest_first.push_front(Entry {
            id,
            at_s: session.server.clock.now_ms() / 1000,
            micros,
            args: kept_args(args),
            address,
            name,
        });
        entries.newest_first.truncate(most);
    }

    /// Records a command if it took long enough.
    pub(crate) fn consider(&self, session: &Session, args: Args<'_>, micros: u64) {
        let limit = u64::try_from(session.server.config.live.slow_us());
        if limit.is_ok_and(|limit| micros >= limit) && !args.spec.has(Flag::SkipSlowlog) {
            self.add(session, args, micros);
        }
    }

    /// Forgets the oldest entries until at most `most` are left.
    pub(crate) fn shorten(&self, most: usize) {
        self.entries.lock().newest_first.truncate(most);
    }
}

/// How much of a client's name is kept: an entry stays when the client has gone, and a name may be of any length.
const NAME_BYTES: usize = 1024;

/// The address and the name of the client that sent a command. The client of a script has neither.
fn sender(session: &Session) -> (String, Vec<u8>) {
    if session.in_script {
        return ("?:0".to_owned(), Vec::new());
    }
    let peer = &session.peer;
    let mut name = peer.view.lock().name.clone();
    name.truncate(NAME_BYTES);
    (peer.address.clone(), name)
}

/// The arguments as they are shown: long ones are cut, and if there are many, the rest is counted.
fn kept_args(args: Args<'_>) -> Vec<Bytes> {
    let count = args.len();
    let shown = if count > KEPT_ARGS {
        KEPT_ARGS - 1
    } else {
        count
    };
    let mut kept: Vec<Bytes> = (0..shown)
        .map(|position| {
            let word = args.get(position);
            if is_secret(args, position) {
                Bytes::from_static(b"(redacted)")
            } else if word.len() > KEPT_BYTES {
                let more = format!("... ({} more bytes)", word.len() - KEPT_BYTES);
                [&word[..KEPT_BYTES], more.as_bytes()].concat().into()
            } else {
                Bytes::copy_from_slice(word)
            }
        })
        .collect();
    if shown < count {
        kept.push(format!("... ({} more arguments)", count - shown).into());
    }
    kept
}

/// `SLOWLOG GET [count]`
pub(crate) fn get(session: &mut Session, args: Args<'_>) -> Outcome {
    let count = if args.len() == 2 {
        10
    } else if args.len() == 3 {
        let count = parse_integer(args.get(2)).filter(|&count| count >= -1);
        count.ok_or(CommandError::fixed(
            "ERR count should be greater than or equal to -1",
        ))?
    } else {
        return Err(CommandError::unknown_subcommand(args.spec, args.get(1)));
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let entries = session.server.slowlog.entries.lock();
    let shown = entries.newest_first.iter().take(count).cloned();
    let replies = shown.map(|entry| {
        let args = entry.args.into_iter().map(Reply::Bulk).collect();
        Reply::Array(vec![
            Reply::count(entry.id),
            Reply::Integer(entry.at_s),
            Reply::count(entry.micros),
            Reply::Array(args),
            Reply::Bulk(entry.address.into()),
            Reply::Bulk(entry.name.into()),
        ])
    });
    Ok(Reply::Array(replies.collect()))
}

/// `SLOWLOG LEN`
pub(crate) fn len(session: &mut Session, _args: Args<'_>) -> Outcome {
    let entries = session.server.slowlog.entries.lock();
    Ok(Reply::count(entries.newest_first.len() as u64))
}

/// `SLOWLOG RESET`
pub(crate) fn reset(session: &mut Session, _args: Args<'_>) -> Outcome {
    let slowlog = &session.server.slowlog;
    slowlog.entries.lock().newest_first.clear();
    Ok(Reply::OK)
}

/// `SLOWLOG HELP`
pub(crate) fn help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("slowlog"))
}
