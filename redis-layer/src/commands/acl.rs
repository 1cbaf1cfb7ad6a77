//! `ACL`, as far as that makes sense with the one user `default`, who may do everything.
//!
//! `ACL SETUSER default` handles passwords: `>word`, `<word`, `nopass` and `resetpass` set `requirepass`. Rules that
//! would take rights away are refused, and so are other users: a rule that is accepted but not enforced would be
//! worse than none.

mod log;

pub(crate) use log::{AclLog, log};

use std::fs::File;
use std::io::Read;

use crate::commands::config::{NO_PASSWORD, can_be_password};
use crate::commands::dispatch::named;
use crate::commands::manual::help_lines;
use crate::commands::statistics::ALL;
use crate::commands::table::categories;
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::number::c_text;

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
pub(crate) fn whoami(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::text("default"))
}

/// `ACL USERS`
pub(crate) fn users(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::Array(vec![Reply::text("default")]))
}

/// `ACL LIST`
pub(crate) fn list(session: &mut Session, _args: Args<'_>) -> Outcome {
    let password = if session.server.config.live.has_password() {
        // Redis shows a hash here. But the hash of a short password gives the password away.
        "#(hidden)"
    } else {
        "nopass"
    };
    let line = format!("user default on {password} ~* &* +@all");
    Ok(Reply::Array(vec![Reply::Bulk(line.into())]))
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
        CommandError::quoting(&[b"ERR Unknown category '", c_text(args.get(2)), b"'"])
    })?;
    let of_category = ALL
        .iter()
        .filter(|spec| categories(spec).any(|name| name[1..] == *wanted));
    let names = of_category.map(|spec| Reply::text(spec.full_name));
    Ok(Reply::Array(names.collect()))
}

/// `ACL GETUSER name`
pub(crate) fn getuser(session: &mut Session, args: Args<'_>) -> Outcome {
    if args.get(2) != b"default" {
        return Ok(Reply::Null);
    }
    let has_password = session.server.config.live.has_password();
    let mut flags = vec![Reply::text("on")];
    if !has_password {
        flags.push(Reply::text("nopass"));
    }
    let passwords = has_password.then(|| Reply::text("(hidden)"));
    let entry = |name, value| (Reply::text(name), value);
    Ok(Reply::Map(vec![
        entry("flags", Reply::Set(flags)),
        entry("passwords", Reply::Array(passwords.into_iter().collect())),
        entry("commands", Reply::text("+@all")),
        entry("keys", Reply::text("~*")),
        entry("channels", Reply::text("&*")),
        entry("selectors", Reply::Array(Vec::new())),
    ]))
}

/// `ACL SETUSER name [rule ...]`
pub(crate) fn setuser(session: &mut Session, args: Args<'_>) -> Outcome {
    if args.get(2) != b"default" {
        return Err(CommandError::fixed(
            "ERR This server knows the user 'default' only",
        ));
    }
    let config = &session.server.config;
    let mut password = config.get("requirepass");
    for rule in args.from(3) {
        let text = String::from_utf8_lossy(rule);
        match text.split_at_checked(1) {
            Some((">", _)) if !can_be_password(rule) => return Err(rule_error(rule, NO_PASSWORD)),
            Some((">", word)) => word.clone_into(&mut password),
            Some(("<", word)) if word == password => password.clear(),
            Some(("<", _)) => {
                return Err(rule_error(
                    rule,
                    "The password you are trying to remove from the user \
                                             does not exist",
                ));
            }
            _ if is_harmless(&text) => {}
            _ if matches!(
                &*text.to_ascii_lowercase(),
                "nopass" | "reset" | "resetpass"
            ) =>
            {
                password.clear();
            }
            _ => return Err(rule_error(rule, "Syntax error")),
        }
    }
    config.set(&[("requirepass", &password)])?;
    Ok(Reply::OK)
}

/// Whether a rule only grants what the user may do anyway.
fn is_harmless(rule: &str) -> bool {
    let rules = [
        "on",
        "~*",
        "%rw~*",
        "&*",
        "+@all",
        "allkeys",
        "allchannels",
        "allcommands",
        "sanitize-payload",
        "skip-sanitize-payload",
        "clearselectors",
    ];
    rules.contains(&&*rule.to_ascii_lowercase())
}

fn rule_error(rule: &[u8], why: &str) -> CommandError {
    let rule = c_text(rule);
    let parts = [
        b"ERR Error in ACL SETUSER modifier '",
        rule,
        b"': ",
        why.as_bytes(),
    ];
    CommandError::quoting(&parts)
}

/// `ACL DELUSER name [name ...]`
pub(crate) fn deluser(_session: &mut Session, args: Args<'_>) -> Outcome {
    if args.from(2).iter().any(|name| name == "default") {
        return Err(CommandError::fixed(
            "ERR The 'default' user cannot be removed",
        ));
    }
    Ok(Reply::Integer(0))
}

/// `ACL DRYRUN user command [argument ...]`
pub(crate) fn dryrun(_session: &mut Session, args: Args<'_>) -> Outcome {
    if args.get(2) != b"default" {
        let parts = [b"ERR User '", c_text(args.get(2)), b"' not found"];
        return Err(CommandError::quoting(&parts));
    }
    let command = args.from(3);
    let Some(spec) = named(command) else {
        let parts = [b"ERR Command '", c_text(args.get(3)), b"' not found"];
        return Err(CommandError::quoting(&parts));
    };
    if !spec.accepts(command.len()) {
        return Err(CommandError::arity(spec.full_name));
    }
    Ok(Reply::OK)
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
