//! Tests of the notation: what it means, what it refuses, and that every line of the table follows it.

use super::*;
use crate::commands::table::{COMMANDS, Spec, Use};

fn every_row() -> impl Iterator<Item = &'static Spec> {
    let rows = COMMANDS.iter();
    rows.flat_map(|spec| std::iter::once(*spec).chain(spec.subcommands))
}

/// Writes arguments as the line from which they are parsed.
fn written(arguments: &[Argument], between: &str) -> String {
    let lines: Vec<String> = arguments.iter().map(written_one).collect();
    lines.join(between)
}

fn written_one(argument: &Argument) -> String {
    let name = &argument.name;
    let parts = argument.kind.parts();
    let body = match &argument.kind {
        Kind::Token => String::new(),
        Kind::Value(of) if *of == Type::implied_by(name) && !name.contains(':') => name.clone(),
        Kind::Value(of) => format!("{name}:{}", of.name()),
        Kind::OneOf(_) => format!("{name}: {}", written(parts, " | ")),
        Kind::Block(_) => format!("{name}: {}", written(parts, " ")),
    };
    let mut line = match argument.token {
        None => body,
        Some(token) if !body.is_empty() => format!("{token} {body}"),
        Some(token) if token.to_ascii_lowercase() == *name => token.to_owned(),
        Some(token) => format!("{name}={token}"),
    };
    let alone = argument.repeats == Repeats::Alone;
    let with_token = argument.repeats == Repeats::WithToken;
    let is_optional = argument.is_optional;
    if (!parts.is_empty() && (!is_optional || alone)) || (with_token && !is_optional) {
        line = format!("({line})");
    }
    line.push_str(if alone { "..." } else { "" });
    if is_optional {
        line = format!("[{line}]");
    }
    line.push_str(if with_token { "..." } else { "" });
    for (sign, version) in [("@", argument.since), ("~", argument.deprecated_since)] {
        line.extend(version.into_iter().flat_map(|version| [sign, version]));
    }
    line
}

#[test]
fn every_line_of_the_table_is_read_and_nothing_of_it_is_lost() {
    for spec in every_row() {
        let name = spec.full_name;
        let arguments = Argument::parse(spec.syntax);
        let arguments = arguments.unwrap_or_else(|error| panic!("{name}: {error}"));
        let words: Vec<&str> = spec.syntax.split_whitespace().collect();
        assert_eq!(written(&arguments, " "), words.join(" "), "{name}");
    }
}

#[test]
fn a_line_is_read_as_a_tree() {
    let simple = |name: &str, kind| Argument::new(name, kind, None);
    let token = |word: &'static str| Argument::new(word.to_lowercase(), Kind::Token, Some(word));
    let key = || simple("key", Kind::Value(Type::Key));
    let value = || simple("value", Kind::Value(Type::String));
    for (line, expected) in [
        ("", vec![]),
        (" key\n value ", vec![key(), value()]),
        (
            "[key]@6.2.0~7.0.0",
            vec![Argument {
                is_optional: true,
                since: Some("6.2.0"),
                deprecated_since: Some("7.0.0"),
                ..key()
            }],
        ),
        (
            "(which: NX | change=CH | EX seconds:integer)",
            vec![simple(
                "which",
                Kind::OneOf(vec![
                    token("NX"),
                    Argument::new("change", Kind::Token, Some("CH")),
                    Argument::new("seconds", Kind::Value(Type::Integer), Some("EX")),
                ]),
            )],
        ),
        (
            "[GET value]... [ID value...]",
            [Repeats::WithToken, Repeats::Alone]
                .into_iter()
                .zip(["GET", "ID"])
                .map(|(repeats, token)| Argument {
                    is_optional: true,
                    token: Some(token),
                    repeats,
                    ..value()
                })
                .collect(),
        ),
        (
            "[(pair: key value)...]",
            vec![Argument {
                is_optional: true,
                repeats: Repeats::Alone,
                ..simple("pair", Kind::Block(vec![key(), value()]))
            }],
        ),
        (
            "(no: NO ONE)",
            vec![simple("no", Kind::Block(vec![token("NO"), token("ONE")]))],
        ),
    ] {
        assert_eq!(Argument::parse(line).unwrap(), expected, "{line}");
    }
}

#[test]
fn a_line_that_makes_no_sense_is_refused() {
    for (line, expected, rest) in [
        ("key | value", "an argument", "| value"),
        ("[key", "]", ""),
        ("(key]", ")", "]"),
        ("key)", "an argument", ")"),
        ("[]", "an argument", "]"),
        ("[NX | XX]", "]", "| XX]"),
        ("(a: NX | XX YY)", "| or the end of the group", "YY)"),
        ("(a: NX |)", "an argument", ")"),
        ("(a: NX", "an argument", ""),
        ("(a:)", "an argument", ")"),
        ("count:number", "a type", "count:number"),
        ("[key value]", "]", "value]"),
        ("key@", "a version", ""),
        ("... key", "an argument", "... key"),
    ] {
        let error = Argument::parse(line).expect_err(line);
        assert_eq!(error, SyntaxError { expected, rest }, "{line}");
    }
}

/// The least number of words that an argument takes, and whether it can take more.
fn words(argument: &Argument) -> (usize, bool) {
    let parts = || argument.kind.parts().iter().map(words);
    let (least, varies) = match argument.kind {
        Kind::Token => (0, false),
        Kind::Value(_) => (1, false),
        Kind::Block(_) => parts().fold((0, false), |a, b| (a.0 + b.0, a.1 || b.1)),
        Kind::OneOf(_) => {
            let least = parts().map(|(least, _)| least).min().unwrap_or(0);
            let differs = |(count, varies)| varies || count != least;
            (least, parts().any(differs))
        }
    };
    let least = least + usize::from(argument.token.is_some());
    match argument.is_optional {
        true => (0, true),
        false => (least, varies || argument.repeats != Repeats::No),
    }
}

/// The line of a row agrees with its arity, except for a few commands where Redis's own description differs, too.
#[test]
fn lines_take_as_many_words_as_the_arity_says() {
    let differ = every_row().filter(|spec| {
        let own_words = spec.full_name.split('|').count();
        let counts = Argument::parse(spec.syntax).unwrap();
        let counts = counts.iter().map(words);
        let (least, varies) = counts.fold((own_words, false), |a, b| (a.0 + b.0, a.1 || b.1));
        (least as u64, varies) != (spec.arity.unsigned_abs(), spec.arity < 0)
    });
    let differ = differ.filter(|spec| spec.subcommands.is_empty());
    let names: Vec<&str> = differ.map(|spec| spec.full_name).collect();
    let expected = [
        // Redis allows them without a member but documents one as required.
        "geohash",
        "geopos",
        // Without a filter it is refused later.
        "client|kill",
        // It takes any arguments but documents none.
        "quit",
        // They take a whole command but document nothing of it.
        "command|getkeys",
        "command|getkeysandflags",
        "debug",
        "replconf",
        "cluster",
    ];
    assert_eq!(names, expected);
}

/// A line names a key if and only if the row has keys.
#[test]
fn lines_name_keys_where_the_row_has_keys() {
    fn has_key(arguments: &[Argument]) -> bool {
        let is_key = |one: &Argument| one.kind == Kind::Value(Type::Key);
        arguments
            .iter()
            .any(|one| is_key(one) || has_key(one.kind.parts()))
    }
    for spec in every_row() {
        let keys = spec.keys.0.iter().any(|key| key.usage != Use::Channel);
        assert_eq!(has_key(&spec.arguments()), keys, "{}", spec.full_name);
    }
}
