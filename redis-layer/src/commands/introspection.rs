//! `COMMAND`: the command table, as clients ask for it.

use bytes::Bytes;

use crate::commands::table::{COMMANDS, Flag, Spec, categories, find, find_full_name};
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
        // Unfiltered, the list names no subcommands; a filter looks at them too.
        let family = family.take(if args.len() == 2 { 1 } else { usize::MAX });
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
    let inner = args.from(2);
    let name = &inner[0];
    let spec = find(name).ok_or(CommandError::fixed("ERR Invalid command specified"))?;
    if spec.keys.is_none() {
        return Err(CommandError::fixed("ERR The command has no key arguments"));
    }
    if !spec.accepts(inner.len()) {
        return Err(CommandError::fixed(
            "ERR Invalid number of arguments specified for command",
        ));
    }
    Ok(Reply::Array(
        spec.keys.of(inner).cloned().map(Reply::Bulk).collect(),
    ))
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
    Reply::Array(vec![
        Reply::text(spec.full_name),
        Reply::Integer(spec.arity),
        Reply::Set(flags.collect()),
        Reply::Integer(spec.keys.first),
        Reply::Integer(spec.keys.last),
        Reply::Integer(spec.keys.step),
        Reply::Set(categories.collect()),
        Reply::Set(Vec::new()),
        Reply::Set(key_specifications(spec)),
        Reply::Set(spec.subcommands.iter().map(describe).collect()),
    ])
}

/// Where the keys stand, in the newer and wordier form.
fn key_specifications(spec: &Spec) -> Vec<Reply> {
    if spec.keys.is_none() {
        return Vec::new();
    }
    let access = if spec.has(Flag::Write) { "RW" } else { "RO" };
    let entry = |name, value| (Reply::text(name), value);
    let last = if spec.keys.last < 0 {
        spec.keys.last
    } else {
        spec.keys.last - spec.keys.first
    };
    vec![Reply::Map(vec![
        entry("flags", Reply::Set(vec![Reply::Status(access)])),
        entry(
            "begin_search",
            Reply::Map(vec![
                entry("type", Reply::text("index")),
                entry(
                    "spec",
                    Reply::Map(vec![entry("index", Reply::Integer(spec.keys.first))]),
                ),
            ]),
        ),
        entry(
            "find_keys",
            Reply::Map(vec![
                entry("type", Reply::text("range")),
                entry(
                    "spec",
                    Reply::Map(vec![
                        entry("lastkey", Reply::Integer(last)),
                        entry("keystep", Reply::Integer(spec.keys.step)),
                        entry("limit", Reply::Integer(0)),
                    ]),
                ),
            ]),
        ),
    ])]
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

/// `COMMAND GETKEYSANDFLAGS command [argument ...]`
pub(crate) fn getkeysandflags(session: &mut Session, args: Args<'_>) -> Outcome {
    let Reply::Array(keys) = getkeys(session, args)? else {
        return Ok(Reply::Array(Vec::new()));
    };
    // The table does not say what a command does with each of its keys, only what it may do.
    let writes = find(args.get(2)).is_some_and(|spec| spec.has(Flag::Write));
    let flags: &[&str] = if writes {
        &["RW", "access", "update"]
    } else {
        &["RO", "access"]
    };
    let pairs = keys.into_iter().map(|key| {
        let flags = flags.iter().copied().map(Reply::Status).collect();
        Reply::Array(vec![key, Reply::Set(flags)])
    });
    Ok(Reply::Array(pairs.collect()))
}
