//! Descriptions of commands for people: `COMMAND DOCS`, from which clients make help texts and hints, and the `HELP`
//! of commands that have subcommands.

use crate::commands::manual::command;
use crate::commands::table::{
    Argument, COMMANDS, Key, Kind, Place, Repeats, Spec, Type, find_full_name,
};
use crate::commands::{Args, Outcome, Reply, Session};

/// `COMMAND DOCS [name ...]`
pub(crate) fn docs(_session: &mut Session, args: Args<'_>) -> Outcome {
    let wanted: Vec<&Spec> = if args.len() == 2 {
        COMMANDS.to_vec()
    } else {
        let names = command::names(args)?.iter();
        names.filter_map(|name| find_full_name(name)).collect()
    };
    Ok(Reply::Map(wanted.into_iter().map(document).collect()))
}

/// The name of a command and its description. Fields that would be empty are left out.
fn document(spec: &Spec) -> (Reply, Reply) {
    let mut fields = Fields::default();
    fields.text("summary", spec.summary);
    fields.text("since", spec.since);
    fields.text("group", spec.group.name());
    fields.text("complexity", spec.cost);
    let flags = [
        ("deprecated", spec.replaced.is_some()),
        // It is for Redis's own tools; programs should not use it.
        ("syscmd", ["debug", "replconf"].contains(&spec.full_name)),
    ];
    fields.flags("doc_flags", &flags);
    if let Some((version, replacement)) = spec.replaced {
        fields.text("deprecated_since", version);
        fields.text("replaced_by", replacement);
    }
    if !spec.history.is_empty() {
        let changes = spec.history.iter().map(|&(version, change)| {
            Reply::Array(vec![Reply::text(version), Reply::text(change)])
        });
        fields.add("history", Reply::Set(changes.collect()));
    }
    let arguments = spec.arguments();
    if !arguments.is_empty() {
        let mut places = KeyPlaces::of(spec.keys.0);
        fields.add(
            "arguments",
            Reply::Array(describe_all(&arguments, &mut places)),
        );
    }
    if !spec.subcommands.is_empty() {
        let subcommands = spec.subcommands.iter().map(document);
        fields.add("subcommands", Reply::Map(subcommands.collect()));
    }
    (Reply::text(spec.full_name), Reply::Map(fields.0))
}

fn describe_all(arguments: &[Argument], places: &mut KeyPlaces) -> Vec<Reply> {
    let described = arguments.iter().map(|argument| describe(argument, places));
    described.collect()
}

fn describe(argument: &Argument, places: &mut KeyPlaces) -> Reply {
    let mut fields = Fields::default();
    fields.add("name", Reply::Bulk(argument.name.clone().into()));
    fields.text("type", argument.kind.name());
    if let Some(place) = places.next(&argument.kind) {
        fields.add("key_spec_index", Reply::count(place as u64));
    }
    fields.text("token", argument.token.unwrap_or_default());
    fields.text("since", argument.since.unwrap_or_default());
    fields.text(
        "deprecated_since",
        argument.deprecated_since.unwrap_or_default(),
    );
    let flags = [
        ("optional", argument.is_optional),
        ("multiple", argument.repeats != Repeats::No),
        ("multiple_token", argument.repeats == Repeats::WithToken),
    ];
    fields.flags("flags", &flags);
    if let parts @ [_, ..] = argument.kind.parts() {
        fields.add("arguments", Reply::Array(describe_all(parts, places)));
    }
    Reply::Map(fields.0)
}

/// Named fields, in Redis's order.
#[derive(Default)]
struct Fields(Vec<(Reply, Reply)>);

impl Fields {
    fn add(&mut self, name: &'static str, value: Reply) {
        self.0.push((Reply::text(name), value));
    }

    /// Adds a text, unless it is empty.
    fn text(&mut self, name: &'static str, value: &'static str) {
        if !value.is_empty() {
            self.add(name, Reply::text(value));
        }
    }

    /// Adds the names of the flags that are set, unless none is.
    fn flags(&mut self, name: &'static str, flags: &[(&'static str, bool)]) {
        let set = flags.iter().filter(|(_, is_set)| *is_set);
        let set: Vec<Reply> = set.map(|(flag, _)| Reply::Status(flag)).collect();
        if !set.is_empty() {
            self.add(name, Reply::Set(set));
        }
    }
}

/// Assigns the arguments of a command to its key specifications: the first key to the first specification, and so on;
/// all further keys to the last one. Keys that are made from a pattern have a specification of their own.
struct KeyPlaces {
    known: Vec<usize>,
    unknown: Option<usize>,
    seen: usize,
}

impl KeyPlaces {
    fn of(keys: &[Key]) -> Self {
        let is_known = |at: &usize| keys[*at].place != Place::Unknown;
        let (known, unknown): (Vec<_>, Vec<_>) = (0..keys.len()).partition(is_known);
        Self {
            known,
            unknown: unknown.first().copied(),
            seen: 0,
        }
    }

    fn next(&mut self, kind: &Kind) -> Option<usize> {
        match kind {
            Kind::Value(Type::Key) => {
                let place = self.known.get(self.seen).or(self.known.last());
                self.seen += 1;
                place.copied()
            }
            Kind::Value(Type::Pattern) => self.unknown,
            _ => None,
        }
    }
}

/// The help text of a command: two lines for each subcommand.
pub(crate) fn help_lines(container: &str) -> Reply {
    let spec = find_full_name(container.as_bytes());
    let subcommands = spec.map_or(&[][..], |spec| spec.subcommands);
    let (help, others): (Vec<&Spec>, Vec<_>) =
        subcommands.iter().partition(|spec| spec.name == "help");
    let container = container.to_uppercase();
    let title = format!("{container} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
    let lines = others.into_iter().chain(help).flat_map(|spec| {
        let usage = usage(spec);
        let behind_container = usage[container.len()..].trim_start().to_owned();
        [behind_container, format!("    {}", spec.summary)]
    });
    let lines = std::iter::once(title).chain(lines);
    Reply::Array(lines.map(|line| Reply::Line(line.into())).collect())
}

/// A command with its arguments, in the notation of manuals: `ZRANK key member`.
pub(crate) fn usage(spec: &Spec) -> String {
    let mut usage = spec.full_name.to_uppercase().replace('|', " ");
    for argument in spec.arguments() {
        usage.push(' ');
        usage.push_str(&usage_of(&argument));
    }
    usage
}

/// The same for one argument, without the names of groups and without types.
fn usage_of(argument: &Argument) -> String {
    let parts: Vec<String> = argument.kind.parts().iter().map(usage_of).collect();
    let body = match &argument.kind {
        Kind::Token => String::new(),
        Kind::Value(_) => argument.name.clone(),
        Kind::Block(_) => parts.join(" "),
        Kind::OneOf(_) if argument.is_optional => parts.join(" | "),
        Kind::OneOf(_) => format!("<{}>", parts.join(" | ")),
    };
    let behind_token = |body: &str| {
        let words = argument.token.into_iter().chain([body]);
        words
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let once = behind_token(&body);
    let usage = match argument.repeats {
        Repeats::No => once,
        Repeats::Alone => format!("{once} [{body} ...]"),
        Repeats::WithToken => format!("{once} [{once} ...]"),
    };
    if argument.is_optional {
        format!("[{usage}]")
    } else {
        usage
    }
}
