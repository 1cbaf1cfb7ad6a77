//! The command table against the table of a real server.

mod common;

use common::client::Client;
use common::servers::{Ours, RealRedis};
use common::{Direct, StoreKind};
use redis_layer::commands::table::{COMMANDS, Spec};

fn all() -> impl Iterator<Item = &'static Spec> {
    COMMANDS
        .iter()
        .flat_map(|spec| std::iter::once(*spec).chain(spec.subcommands))
}

/// The first seven fields of `COMMAND INFO` for one command: name, arity, flags, key positions,
/// categories. The rest (hints and key specifications) is shorter here.
fn first_fields(client: &mut Client, name: &str) -> String {
    let reply = client.call(&["command", "info", name]);
    let lines: Vec<&str> = reply.split("\\r\\n").skip(2).collect();
    let categories = lines
        .iter()
        .position(|line| line.starts_with("+@"))
        .unwrap();
    let count = lines[categories..]
        .iter()
        .take_while(|line| line.starts_with("+@"))
        .count();
    lines[..categories + count].join(" ")
}

#[test]
fn names_arities_flags_keys_and_categories_are_those_of_a_real_server() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let (mut real, mut ours) = (Client::connect(real.address), Client::connect(ours.address));
    for spec in all() {
        let name = spec.full_name;
        assert_eq!(
            first_fields(&mut ours, name),
            first_fields(&mut real, name),
            "{name}"
        );
        let fact = |client: &mut Client, fact: &str| {
            let docs = client.call(&["command", "docs", name]);
            let mut lines = docs.split("\\r\\n").skip_while(|line| *line != fact);
            lines.nth(2).map(str::to_owned)
        };
        for about in ["since", "group"] {
            assert_eq!(
                fact(&mut ours, about),
                fact(&mut real, about),
                "{name} {about}"
            );
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
        let expected = format!(
            "ERR wrong number of arguments for '{}' command",
            spec.full_name
        );
        assert_eq!(direct.show(&words.join(" ")), expected);
    }
}
