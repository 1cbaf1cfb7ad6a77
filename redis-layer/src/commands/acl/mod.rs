//! `ACL`: users, what each may do, and what was refused to them.
//!
//! A connection begins as the user `default`, who may do everything. Every command is checked before it runs, by
//! [`Account::check`]; so are the commands of a script, and once more those of a transaction. Users are not kept when
//! the server ends, as in a Redis without a file for them.
//!
//! ```text
//! users    who there is
//! user     one user: passwords, and what each selector allows
//! check    whether a user may run a command
//! log      ACL LOG: what was refused
//! ```

mod check;
mod log;
mod user;
mod users;

pub(crate) use check::Denied;
pub(crate) use log::{AclLog, Context, log};
pub(crate) use users::{Account, Users};

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;

use crate::commands::dispatch::named;
use crate::commands::error::{QUOTED_BYTES, quoted};
use crate::commands::manual::help_lines;
use crate::commands::monitoring::statistics::ALL;
use crate::commands::table::categories;
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::number::c_text;
use user::Selector;

/// The categories that Redis has, in its order.
const CATEGORIES: [&str; 21] = [
    "keyspace",
    "read",
    "write",
    "set",
    "sortedset",
    "list",
    "hash",
    "string",
    "bitmap",
    "hyperloglog",
    "geo",
    "stream",
    "pubsub",
    "admin",
    "fast",
    "slow",
    "blocking",
    "dangerous",
    "connection",
    "transaction",
    "scripting",
];

const NO_FILE: CommandError = CommandError::fixed(
    "ERR This Redis instance is not configured to use an ACL file. You may want to specify users \
     via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis \
     configuration file set) in order to store users in the Redis configuration.",
);

/// `ACL WHOAMI`
pub(crate) fn whoami(session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::Bulk(session.account.name.clone()))
}

/// `ACL USERS`
pub(crate) fn users(session: &mut Session, _args: Args<'_>) -> Outcome {
    let accounts = session.server.users.all();
    let names = accounts
        .iter()
        .map(|account| Reply::Bulk(account.name.clone()));
    Ok(Reply::Array(names.collect()))
}

/// `ACL LIST`
pub(crate) fn list(session: &mut Session, _args: Args<'_>) -> Outcome {
    let accounts = session.server.users.all();
    let lines = accounts.iter().map(|account| {
        let rules = account.user().rules();
        Reply::Bulk([&b"user "[..], &account.name, b" ", &rules].concat().into())
    });
    Ok(Reply::Array(lines.collect()))
}

/// `ACL CAT [category]`
pub(crate) fn cat(_session: &mut Session, args: Args<'_>) -> Outcome {
    if args.len() > 3 {
        return Err(CommandError::unknown_subcommand(args.spec, args.get(1)));
    }
    if args.len() == 2 {
        let names = CATEGORIES.into_iter().map(Reply::text);
        return Ok(Reply::Array(names.collect()));
    }
    let wanted = CATEGORIES.into_iter().find(|name| args.is(2, name));
    let wanted = wanted.ok_or_else(|| {
        let name = quoted(args.get(2), QUOTED_BYTES);
        CommandError::quoting(&[b"ERR Unknown category '", name, b"'"])
    })?;
    let of_category = ALL
        .iter()
        .filter(|spec| categories(spec).any(|name| name[1..] == *wanted));
    let names = of_category.map(|spec| Reply::text(spec.full_name));
    Ok(Reply::Array(names.collect()))
}

/// `ACL GETUSER name`
pub(crate) fn getuser(session: &mut Session, args: Args<'_>) -> Outcome {
    let Some(account) = session.server.users.get(args.get(2)) else {
        return Ok(Reply::Null);
    };
    let user = account.user();
    let flags = user.flags().into_iter().map(Reply::text);
    let passwords = user.passwords.iter();
    let passwords = passwords.map(|digest| Reply::Bulk(digest.clone().into()));
    let entry = |name, value| (Reply::text(name), value);
    let rights = |selector: &Selector| {
        let text = |rules: Vec<u8>| Reply::Bulk(rules.into());
        [
            entry("commands", text(selector.command_rules())),
            entry("keys", text(selector.key_rules())),
            entry("channels", text(selector.channel_rules())),
        ]
    };
    let mut fields = vec![
        entry("flags", Reply::Set(flags.collect())),
        entry("passwords", Reply::Array(passwords.collect())),
    ];
    fields.extend(user.selectors.first().into_iter().flat_map(rights));
    let others = user.selectors.iter().skip(1);
    let others = others.map(|selector| Reply::Map(rights(selector).into()));
    fields.push(entry("selectors", Reply::Array(others.collect())));
    Ok(Reply::Map(fields))
}

/// `ACL SETUSER name [rule ...]`
pub(crate) fn setuser(session: &mut Session, args: Args<'_>) -> Outcome {
    let name = args.get(2);
    if name.iter().any(|c| c.is_ascii_whitespace() || *c == 0) {
        return Err(CommandError::fixed(
            "ERR Usernames can't contain spaces or null characters",
        ));
    }
    let rules = join_selectors(args.from(3)).map_err(|start| {
        let parts: [&[u8]; 3] = [
            b"ERR Unmatched parenthesis in acl selector starting at '",
            c_text(start),
            b"'.",
        ];
        CommandError::quoting(&parts)
    })?;
    let server = &session.server;
    let changed = server.users.change(server, name, &rules);
    changed.map_err(|(rule, why)| {
        let rule = c_text(rule);
        let before: &[u8] = b"ERR Error in ACL SETUSER modifier '";
        CommandError::quoting(&[before, rule, b"': ", why.as_bytes()])
    })?;
    Ok(Reply::OK)
}

/// Joins the arguments of which a selector in parentheses consists. One that is opened before the last one is closed takes
/// its place, as in Redis. The error is the argument that opens one which is not closed.
fn join_selectors(args: &[Bytes]) -> Result<Vec<Bytes>, &[u8]> {
    let mut rules = Vec::with_capacity(args.len());
    let mut open: Option<(&[u8], Vec<u8>)> = None;
    for arg in args {
        let opens = arg.starts_with(b"(") && !arg.ends_with(b")");
        let (start, text) = match open.take().filter(|_| !opens) {
            Some((start, mut text)) => {
                text.push(b' ');
                text.extend_from_slice(arg);
                (start, text)
            }
            None if arg.starts_with(b"(") => (&arg[..], arg.to_vec()),
            None => {
                rules.push(arg.clone());
                continue;
            }
        };
        if arg.ends_with(b")") {
            rules.push(text.into());
        } else {
            open = Some((start, text));
        }
    }
    match open {
        Some((start, _)) => Err(start),
        None => Ok(rules),
    }
}

/// `ACL DELUSER name [name ...]`: all of them, or none if one is `default`.
pub(crate) fn deluser(session: &mut Session, args: Args<'_>) -> Outcome {
    let names = args.from(2);
    if names.iter().any(|name| name == "default") {
        return Err(CommandError::fixed(
            "ERR The 'default' user cannot be removed",
        ));
    }
    let server = Arc::clone(&session.server);
    let mut removed = 0;
    for name in names {
        removed += i64::from(server.users.remove(session, name));
    }
    Ok(Reply::Integer(removed))
}

/// `ACL DRYRUN user command [argument ...]`
pub(crate) fn dryrun(session: &mut Session, args: Args<'_>) -> Outcome {
    let Some(account) = session.server.users.get(args.get(2)) else {
        let parts = [b"ERR User '", c_text(args.get(2)), b"' not found"];
        return Err(CommandError::quoting(&parts));
    };
    let command = args.from(3);
    let Some(spec) = named(command) else {
        let parts = [b"ERR Command '", c_text(args.get(3)), b"' not found"];
        return Err(CommandError::quoting(&parts));
    };
    if !spec.accepts(command.len()) {
        return Err(CommandError::arity(spec.full_name));
    }
    let tried = Args::new(command, spec);
    let Err(denied) = account.check(tried) else {
        return Ok(Reply::OK);
    };
    let object = denied.object(tried);
    let parts: [&[u8]; 3] = match denied {
        Denied::Command => [b"run the '", object, b"' command"],
        Denied::Key(_) => [b"access the '", object, b"' key"],
        Denied::Channel(_) => [b"access the '", object, b"' channel"],
    };
    let text = [&b"This user has no permissions to "[..], &parts.concat()].concat();
    Ok(Reply::Bulk(text.into()))
}

/// `ACL GENPASS [bits]`
pub(crate) fn genpass(_session: &mut Session, args: Args<'_>) -> Outcome {
    let bits = match args.len() {
        2 => Some(256),
        3 => Some(args.integer(2)?).filter(|bits| (1..=4096).contains(bits)),
        _ => return Err(CommandError::unknown_subcommand(args.spec, args.get(1))),
    };
    let bits = bits.and_then(|bits| usize::try_from(bits).ok());
    let digits = bits.ok_or(CommandError::fixed(
        "ERR ACL GENPASS argument must be the number of bits for the output password, a positive \
         number up to 4096",
    ))?;
    let digits = digits.div_ceil(4);
    let mut random = vec![0; digits.div_ceil(2)];
    let source = File::open("/dev/urandom");
    source
        .and_then(|mut source| source.read_exact(&mut random))
        .map_err(|_| CommandError::fixed("ERR the system gives no random bytes"))?;
    let text: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Reply::Bulk(text[..digits].to_owned().into()))
}

/// `ACL LOAD`
pub(crate) fn load(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Err(NO_FILE)
}

/// `ACL SAVE`
pub(crate) fn save(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Err(NO_FILE)
}

/// `ACL HELP`
pub(crate) fn help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("acl"))
}
