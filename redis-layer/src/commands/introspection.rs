//! `COMMAND`: the command table, as clients ask for it.

use bytes::Bytes;

use crate::commands::args::is_word;
use crate::commands::table::{
    COMMANDS, Key, Place, Spec, Use, categories, find, find_full_name, tips,
};
use crate::commands::{Args, CommandError, Outcome, Reply, Session, glob};

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

/// `COMMAND INFO [name ...]`
pub(crate) fn info(session: &mut Session, args: Args<'_>) -> Outcome {
    if args.len() == 2 {
        return command(session, args);
    }
    let entries = args
        .from(2)
        .iter()
        .map(|name| find_full_name(name).map_or(Reply::Null, describe));
    Ok(Reply::Array(entries.collect()))
}

/// `COMMAND DOCS [name ...]`
pub(crate) fn docs(_session: &mut Session, args: Args<'_>) -> Outcome {
    let wanted: Vec<&Spec> = if args.len() == 2 {
        COMMANDS.to_vec()
    } else {
        args.from(2)
            .iter()
            .filter_map(|name| find_full_name(name))
            .collect()
    };
    Ok(Reply::Map(wanted.into_iter().map(document).collect()))
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

/// The keys of the command that stands behind the words `COMMAND GETKEYS`, and what it does with them.
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
    let keys = spec.keys.used(inner);
    Ok(keys
        .map(|(key, usage)| (key, in_these(spec, inner, usage)))
        .collect())
}

/// What a command does with a key when its arguments are these.
fn in_these(spec: &Spec, args: &[Bytes], usage: Use) -> Use {
    if usage != Use::MayChange {
        return usage;
    }
    let has_word = |from: usize, word: &str| {
        let words = args.iter().skip(from);
        words.into_iter().any(|arg| is_word(arg, word))
    };
    match spec.full_name {
        "set" if !has_word(3, "get") => Use::Overwrite,
        "bitfield" if !has_word(2, "set") && !has_word(2, "incrby") => Use::Read,
        _ => Use::ReadAndChange,
    }
}

/// `COMMAND HELP`
pub(crate) fn help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("command"))
}

/// What the subcommands of a command do, one line each.
pub(crate) fn help_lines(container: &str) -> Reply {
    let spec = find_full_name(container.as_bytes());
    let subcommands = spec.map_or(&[][..], |spec| spec.subcommands);
    let title = format!(
        "{} <subcommand> [<arg> ...]. Subcommands are:",
        container.to_uppercase()
    );
    let mut lines = vec![title];
    for subcommand in subcommands {
        lines.push(subcommand.name.to_uppercase());
        lines.push(format!("    {}", subcommand.summary));
    }
    Reply::Array(
        lines
            .into_iter()
            .map(|line| Reply::Bulk(line.into()))
            .collect(),
    )
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
        Reply::Set(spec.keys.0.iter().map(key_specification).collect()),
        Reply::Set(spec.subcommands.iter().map(describe).collect()),
    ])
}

/// Where some of the keys stand, and what is done with them.
fn key_specification(key: &Key) -> Reply {
    let number = |name, number: usize| (name, Reply::count(number as u64));
    let one_behind = || {
        (
            "range",
            vec![
                number("lastkey", 0),
                number("keystep", 1),
                number("limit", 0),
            ],
        )
    };
    let (begin, find) = match key.place {
        Place::Between { first, last, step } => {
            let behind_first = i64::try_from(first).map_or(0, |first| last - first);
            let last = if last < 0 { last } else { behind_first };
            let last = ("lastkey", Reply::Integer(last));
            let find = vec![last, number("keystep", step), number("limit", 0)];
            (("index", vec![number("index", first)]), ("range", find))
        }
        Place::Counted { at } => {
            let find = vec![
                number("keynumidx", 0),
                number("firstkey", 1),
                number("keystep", 1),
            ];
            (("index", vec![number("index", at)]), ("keynum", find))
        }
        Place::Behind {
            word,
            from,
            is_told: true,
            ..
        } => {
            let word = ("keyword", Reply::Bulk(word.to_ascii_uppercase().into()));
            (
                ("keyword", vec![word, number("startfrom", from)]),
                one_behind(),
            )
        }
        Place::Behind { .. } | Place::Unknown => (("unknown", Vec::new()), ("unknown", Vec::new())),
    };
    let step = |(kind, fields): (&'static str, Vec<(&'static str, Reply)>)| {
        let fields = fields
            .into_iter()
            .map(|(name, value)| (Reply::text(name), value));
        Reply::Map(vec![
            (Reply::text("type"), Reply::text(kind)),
            (Reply::text("spec"), Reply::Map(fields.collect())),
        ])
    };
    let words = key.usage.words().iter().copied().map(Reply::Status);
    Reply::Map(vec![
        (Reply::text("flags"), Reply::Set(words.collect())),
        (Reply::text("begin_search"), step(begin)),
        (Reply::text("find_keys"), step(find)),
    ])
}

/// The name of a command and what `COMMAND DOCS` says about it.
fn document(spec: &Spec) -> (Reply, Reply) {
    let mut fields = vec![
        (Reply::text("summary"), Reply::text(spec.summary)),
        (Reply::text("since"), Reply::text(spec.since)),
        (Reply::text("group"), Reply::text(spec.group.name())),
    ];
    if !spec.subcommands.is_empty() {
        let subcommands = spec.subcommands.iter().map(document).collect();
        fields.push((Reply::text("subcommands"), Reply::Map(subcommands)));
    }
    (
        Reply::Bulk(Bytes::from_static(spec.full_name.as_bytes())),
        Reply::Map(fields),
    )
}
