//! `COMMAND`: the command table, as clients ask for it.

use bytes::Bytes;

use crate::commands::args::glob;
use crate::commands::manual::help_lines;
use crate::commands::table::{
    COMMANDS, Flag, Key, Place, Spec, Use, categories, find, find_full_name, note, tips,
};
use crate::commands::{Args, CommandError, Outcome, Reply, Session};

/// `COMMAND`
pub(crate) fn command(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::Array(
        COMMANDS.iter().copied().map(describe).collect(),
    ))
}

/// `COMMAND COUNT`
pub(crate) fn count(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::count(COMMANDS.len() as u64))
}

/// The names of the commands that a client asks about. An answer is a thousand times as long as a name, so a request
/// of allowed length could take all memory: the number of names is limited.
///
/// # Errors
/// There are more names than any client has reason to send.
pub(crate) fn names(args: Args<'_>) -> Result<&[Bytes], CommandError> {
    const MOST: usize = 1024;
    let names = args.from(2);
    if names.len() > MOST {
        return Err(CommandError::fixed("ERR too many names of commands"));
    }
    Ok(names)
}

/// `COMMAND INFO [name ...]`
pub(crate) fn info(session: &mut Session, args: Args<'_>) -> Outcome {
    if args.len() == 2 {
        return command(session, args);
    }
    let entries = names(args)?
        .iter()
        .map(|name| find_full_name(name).map_or(Reply::Null, describe));
    Ok(Reply::Array(entries.collect()))
}

/// `COMMAND LIST [FILTERBY MODULE name | ACLCAT category | PATTERN pattern]`
pub(crate) fn list(_session: &mut Session, args: Args<'_>) -> Outcome {
    let filter = args.get(4);
    let keep: &dyn Fn(&Spec) -> bool = if args.len() == 2 {
        &|_| true
    } else if args.len() != 5 || !args.is(2, "FILTERBY") {
        return Err(CommandError::SYNTAX);
    } else if args.is(3, "MODULE") {
        &|_| false
    } else if args.is(3, "ACLCAT") {
        &|spec| categories(spec).any(|name| filter.eq_ignore_ascii_case(&name.as_bytes()[1..]))
    } else if args.is(3, "PATTERN") {
        &|spec| glob::matches(filter, spec.full_name.as_bytes(), glob::Case::Any)
    } else {
        return Err(CommandError::SYNTAX);
    };
    let mut names = Vec::new();
    for &spec in COMMANDS.iter() {
        let family = std::iter::once(spec).chain(spec.subcommands);
        names.extend(
            family
                .filter(|spec| keep(spec))
                .map(|spec| Reply::text(spec.full_name)),
        );
    }
    Ok(Reply::Array(names))
}

/// `COMMAND GETKEYS command [argument ...]`
pub(crate) fn getkeys(_session: &mut Session, args: Args<'_>) -> Outcome {
    let keys = used_keys(args)?;
    let keys = keys.into_iter().map(|(key, _)| Reply::Bulk(key.clone()));
    Ok(Reply::Array(keys.collect()))
}

/// `COMMAND GETKEYSANDFLAGS command [argument ...]`
pub(crate) fn getkeysandflags(_session: &mut Session, args: Args<'_>) -> Outcome {
    let keys = used_keys(args)?;
    let pairs = keys.into_iter().map(|(key, usage)| {
        let words = usage.words().iter().copied().map(Reply::Status);
        Reply::Array(vec![Reply::Bulk(key.clone()), Reply::Set(words.collect())])
    });
    Ok(Reply::Array(pairs.collect()))
}

/// The keys of the command given after `COMMAND GETKEYS`, and what it does with them.
fn used_keys(args: Args<'_>) -> Result<Vec<(&Bytes, Use)>, CommandError> {
    let inner = args.from(2);
    let spec = find(&inner[0]).and_then(|spec| match inner.get(1) {
        Some(name) if !spec.subcommands.is_empty() => spec.subcommand(name),
        _ => Some(spec),
    });
    let spec = spec.ok_or(CommandError::fixed("ERR Invalid command specified"))?;
    if spec.keys.is_none() {
        return Err(CommandError::fixed("ERR The command has no key arguments"));
    }
    if !spec.accepts(inner.len()) {
        return Err(CommandError::fixed(
            "ERR Invalid number of arguments specified for command",
        ));
    }
    // If a number of keys is wrong, it is unclear which arguments are keys.
    let mut keys = Vec::new();
    if spec.keys.counts_fit(inner) {
        let used = spec.key_uses(inner);
        keys.extend(used.map(|(at, usage)| (&inner[at], usage)));
    }
    if keys.is_empty() && !spec.has(Flag::NoMandatoryKeys) {
        return Err(CommandError::fixed(
            "ERR Invalid arguments specified for command",
        ));
    }
    Ok(keys)
}

/// `COMMAND HELP`
pub(crate) fn help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("command"))
}

/// The ten fields of one command.
fn describe(spec: &Spec) -> Reply {
    let flags = spec.flags.iter().map(|flag| Reply::Status(flag.name()));
    let categories = categories(spec).map(Reply::Status);
    let (first, last, step) = spec.keys.range();
    Reply::Array(vec![
        Reply::text(spec.full_name),
        Reply::Integer(spec.arity),
        Reply::Set(flags.collect()),
        Reply::count(first as u64),
        Reply::Integer(last),
        Reply::count(step as u64),
        Reply::Set(categories.collect()),
        Reply::Set(tips(spec).map(Reply::text).collect()),
        Reply::Set(key_specifications(spec).collect()),
        Reply::Set(spec.subcommands.iter().map(describe).collect()),
    ])
}

/// The description of a command's keys.
fn key_specifications(spec: &Spec) -> impl Iterator<Item = Reply> {
    spec.keys.0.iter().map(|key| {
        let note = note(spec, key).map(|note| (Reply::text("notes"), Reply::text(note)));
        Reply::Map(note.into_iter().chain(key_specification(key)).collect())
    })
}

/// Where some of the keys are, and what is done with them.
fn key_specification(key: &Key) -> [(Reply, Reply); 3] {
    let words = key.usage.words().iter().copied().map(Reply::Status);
    [
        (Reply::text("flags"), Reply::Set(words.collect())),
        (Reply::text("begin_search"), begin_search(&key.place)),
        (Reply::text("find_keys"), find_keys(&key.place)),
    ]
}

/// Where the search for keys begins.
fn begin_search(place: &Place) -> Reply {
    match *place {
        Place::Between { first: at, .. } | Place::Counted { at } => {
            step("index", vec![number("index", at)])
        }
        Place::Behind {
            word,
            from,
            is_told: true,
            ..
        } => {
            let word = Reply::Bulk(word.to_ascii_uppercase().into());
            step(
                "keyword",
                vec![("keyword", word), number("startfrom", from)],
            )
        }
        Place::Behind { .. } | Place::Unknown => step("unknown", Vec::new()),
    }
}

/// Which arguments are keys, counted from where the search begins.
fn find_keys(place: &Place) -> Reply {
    let range = |last, every| {
        let last = ("lastkey", Reply::Integer(last));
        step(
            "range",
            vec![last, number("keystep", every), number("limit", 0)],
        )
    };
    match *place {
        Place::Between { first, last, step } if last >= 0 => {
            range(i64::try_from(first).map_or(0, |first| last - first), step)
        }
        Place::Between { last, step, .. } => range(last, step),
        Place::Counted { .. } => {
            let fields = [("keynumidx", 0), ("firstkey", 1), ("keystep", 1)];
            step(
                "keynum",
                fields.map(|(name, value)| number(name, value)).into(),
            )
        }
        Place::Behind { is_told: true, .. } => range(0, 1),
        Place::Behind { .. } | Place::Unknown => step("unknown", Vec::new()),
    }
}

/// One step of a search: its kind, and what it needs to know.
fn step(kind: &'static str, fields: Vec<(&'static str, Reply)>) -> Reply {
    let fields = fields
        .into_iter()
        .map(|(name, value)| (Reply::text(name), value));
    Reply::Map(vec![
        (Reply::text("type"), Reply::text(kind)),
        (Reply::text("spec"), Reply::Map(fields.collect())),
    ])
}

fn number(name: &'static str, number: usize) -> (&'static str, Reply) {
    (name, Reply::count(number as u64))
}
