//! The command table against the table of a real server.

use redis_layer::commands::table::{Argument, COMMANDS, Kind, Repeats, Spec, Type};

use crate::common::client::Client;
use crate::common::servers::{Ours, RealRedis};
use crate::common::tree::Node;
use crate::common::{self, Direct, StoreKind};

fn all() -> impl Iterator<Item = &'static Spec> {
    COMMANDS
        .iter()
        .flat_map(|spec| std::iter::once(*spec).chain(spec.subcommands))
}

/// A real server and ours, and a connection to ours and to the real one.
fn both() -> Option<(RealRedis, Ours, Client, Client)> {
    let real = RealRedis::start()?;
    let ours = Ours::start(StoreKind::BTree.open());
    let clients = (Client::connect(ours.address), Client::connect(real.address));
    Some((real, ours, clients.0, clients.1))
}

/// All but the last of the ten fields of `COMMAND INFO` for one command: name, arity, flags, key positions, categories, tips,
/// key specifications.
fn fields(client: &mut Client, name: &str) -> Vec<Node> {
    let mut entries = Node::of(client, &["command", "info", name]).nodes();
    let mut fields = entries.remove(0).nodes();
    assert_eq!(fields.len(), 10, "{name}");
    fields.truncate(9);
    fields
}

#[test]
fn entries_are_those_of_a_real_server() {
    let Some((_real, _ours, mut ours, mut real)) = both() else {
        return;
    };
    for protocol in ["2", "3"] {
        ours.call(&["hello", protocol]);
        real.call(&["hello", protocol]);
        for spec in all() {
            let name = spec.full_name;
            assert_eq!(fields(&mut ours, name), fields(&mut real, name), "{name}");
        }
    }
}

/// Which of a command's arguments a line of it has.
#[derive(Clone, Copy)]
struct Form {
    /// Those that may be missing too.
    optional: bool,
    /// So many of those that may be there often.
    repeats: usize,
    /// Which of several.
    choice: usize,
}

/// Adds to a line what the table says of a command's arguments.
fn fill(line: &mut Vec<String>, arguments: &[Argument], form: Form) {
    for argument in arguments {
        let times = match argument.repeats {
            _ if argument.is_optional && !form.optional => 0,
            Repeats::No => 1,
            Repeats::Alone | Repeats::WithToken => form.repeats,
        };
        for time in 0..times {
            if time == 0 || argument.repeats == Repeats::WithToken {
                line.extend(argument.token.map(str::to_owned));
            }
            match &argument.kind {
                Kind::Token => {}
                Kind::Block(parts) => fill(line, parts, form),
                Kind::OneOf(parts) => {
                    let chosen = form.choice % parts.len();
                    fill(line, &parts[chosen..=chosen], form);
                }
                Kind::Value(_) if argument.name == "numkeys" => line.push(form.repeats.to_string()),
                Kind::Value(Type::Integer | Type::Double | Type::UnixTime) => {
                    line.push("7".to_owned());
                }
                Kind::Value(_) => line.push(format!("{}-{}", argument.name, line.len())),
            }
        }
    }
}

/// Lines of a command: in several forms, cut, and with numbers that are wrong.
fn lines(spec: &Spec) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    let arguments = spec.arguments();
    for optional in [false, true] {
        for repeats in 1..4 {
            for choice in 0..4 {
                let mut line = spec.full_name.split('|').map(str::to_owned).collect();
                let form = Form {
                    optional,
                    repeats,
                    choice,
                };
                fill(&mut line, &arguments, form);
                lines.push(line);
            }
        }
    }
    lines.dedup();
    let whole = lines.clone();
    for line in whole {
        lines.push(line[..line.len() - 1].to_vec());
        lines.push([&line[..], &["more".to_owned()]].concat());
        for wrong in ["0", "-1", "4", "99", "x"] {
            let number_to_wrong = |word: &String| match word.parse::<i64>() {
                Ok(_) => wrong.to_owned(),
                Err(_) => word.clone(),
            };
            let changed: Vec<String> = line.iter().map(number_to_wrong).collect();
            if changed != line {
                lines.push(changed);
            }
        }
    }
    lines
}

/// `COMMAND GETKEYS` and `GETKEYSANDFLAGS` for every command, with arguments that are right and wrong.
#[test]
fn keys_in_lines_of_every_command_are_those_of_a_real_server() {
    let Some((_real, _ours, mut ours, mut real)) = both() else {
        return;
    };
    let mut differences = Vec::new();
    // CLUSTER has no subcommands here: all of it is refused.
    for spec in all().filter(|spec| spec.full_name != "cluster") {
        let lines = lines(spec).into_iter().filter(|line| !line.is_empty());
        let asked: Vec<(&str, Vec<String>)> = lines
            .flat_map(|line| [("getkeys", line.clone()), ("getkeysandflags", line)])
            .collect();
        let commands: Vec<_> = asked
            .iter()
            .map(|(form, line)| {
                let words = ["command", form]
                    .into_iter()
                    .chain(line.iter().map(String::as_str));
                words.map(common::unescape).collect()
            })
            .collect();
        let replies = [&mut ours, &mut real].map(|client| client.pipeline(&commands));
        for (asked, replies) in asked.iter().zip(replies[0].iter().zip(&replies[1])) {
            if replies.0 != replies.1 {
                let [here, there] =
                    [replies.0, replies.1].map(|reply| reply.escape_ascii().to_string());
                let (form, line) = (asked.0, asked.1.join(" "));
                differences.push(format!(
                    "{form} {line}\n  here     {here}\n  in Redis {there}"
                ));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// `COMMAND LIST` names those of our commands that a real server names, whatever the filter.
#[test]
fn filters_find_the_commands_that_a_real_server_finds() {
    let Some((_real, _ours, mut ours, mut real)) = both() else {
        return;
    };
    let known: Vec<&str> = all().map(|spec| spec.full_name).collect();
    let categories = Node::of(&mut real, &["acl", "cat"]).nodes();
    let categories = categories.iter().map(|name| ["aclcat", name.text()]);
    let patterns = [
        "*", "z*", "Z*", "?et", "[a-c]*", "client|*", "client", "", "*|h*",
    ];
    let patterns = patterns.into_iter().map(|pattern| ["pattern", pattern]);
    let others = [
        ["module", "none"],
        ["aclcat", "nope"],
        ["nope", "x"],
        ["PATTERN", "set"],
    ];
    for filter in categories.chain(patterns).chain(others) {
        let words = ["command", "list", "filterby", filter[0], filter[1]];
        let found = |client: &mut Client| {
            let reply = Node::of(client, &words);
            let Node::Branch(_, names) = reply else {
                return vec![reply.text().to_owned()];
            };
            let names = names.iter().map(|name| name.text().to_owned());
            let mut names: Vec<String> = names
                .filter(|name| known.contains(&name.as_str()))
                .collect();
            names.sort();
            names
        };
        assert_eq!(found(&mut ours), found(&mut real), "{filter:?}");
    }
}

/// `COMMAND GETKEYS` and `GETKEYSANDFLAGS`, also where the use of a key depends on the other arguments.
#[test]
fn keys_and_what_is_done_with_them_are_those_of_a_real_server() {
    let Some((_real, _ours, mut ours, mut real)) = both() else {
        return;
    };
    for line in [
        "lmove a b left right",
        "set k v",
        "set k v get",
        "set k v ex 9 GET",
        "bitfield k get u8 0",
        "bitfield k get u8 0 set u8 0 1",
        "bitfield k incrby u8 0 1",
        "sort a store x store y",
        "sort a by x get store limit store 1 store b",
        "georadius k 1 1 1 m storedist b",
        "georadiusbymember k m 1 m store b",
        "mset a 1 b 2",
        "zunionstore d 2 a b weights 1 2",
        "eval text 2 a b c",
        "blpop a b 0",
        "bitop and d a b",
        "memory usage k",
        "memory nope k",
        "memory",
        "object encoding k",
        "spublish c m",
        "ping",
        "zscore k",
    ] {
        for form in ["getkeys", "getkeysandflags"] {
            let mut words = vec!["command", form];
            words.extend(line.split(' '));
            assert_eq!(ours.call(&words), real.call(&words), "{form} {line}");
        }
    }
}

#[test]
fn an_unknown_name_has_no_entry() {
    let mut direct = Direct::new(StoreKind::BTree);
    direct.expect(&[
        ("command info nope", "[nil]"),
        ("command docs nope", "[]"),
        ("command list filterby module nope", "[]"),
        ("command list filterby pattern zpop*", "[zpopmax zpopmin]"),
        (
            "command list filterby aclcat bitmap",
            "[bitcount bitfield bitfield_ro bitop bitpos getbit setbit]",
        ),
        (
            "command list filterby pattern client|get*",
            "[client|getname client|getredir]",
        ),
        ("command list x", "ERR syntax error"),
        ("command getkeys zadd k 1 a", "[k]"),
        ("command getkeys del a b", "[a b]"),
        ("command getkeys nope x", "ERR Invalid command specified"),
        (
            "command getkeys ping x",
            "ERR The command has no key arguments",
        ),
        (
            "command getkeys zscore k",
            "ERR Invalid number of arguments specified for command",
        ),
    ]);
    // Unlike the count, the list names subcommands too.
    let names = direct.show("command list");
    assert!(
        names.contains("client|list") && names.contains("zadd"),
        "{names}"
    );
    let count = direct.show("command count");
    assert_eq!(count, COMMANDS.len().to_string());
}

/// Every entry is reachable, and its arity is checked before anything else happens.
#[test]
fn every_command_checks_its_arity() {
    let mut direct = Direct::new(StoreKind::BTree);
    for spec in all() {
        let wanted = usize::try_from(spec.arity.unsigned_abs()).unwrap();
        let count = if spec.arity > 0 {
            wanted + 1
        } else {
            wanted - 1
        };
        let mut words: Vec<String> = spec.full_name.split('|').map(str::to_uppercase).collect();
        if count < words.len() {
            continue;
        }
        words.resize(count, "x".to_owned());
        // A refused EXEC ends its transaction, and says so.
        let code = match spec.full_name {
            "exec" => "EXECABORT Transaction discarded because of:",
            _ => "ERR",
        };
        let expected = format!(
            "{code} wrong number of arguments for '{}' command",
            spec.full_name
        );
        assert_eq!(direct.show(&words.join(" ")), expected);
    }
}
