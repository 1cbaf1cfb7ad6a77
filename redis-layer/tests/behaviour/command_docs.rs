//! `COMMAND DOCS` beside that of a real server: for every command and subcommand of ours, every field.

use redis_layer::commands::table::{COMMANDS, Spec};

use crate::common::StoreKind;
use crate::common::client::Client;
use crate::common::servers::{Ours, RealRedis};
use crate::common::tree::Node;

fn all() -> impl Iterator<Item = &'static Spec> {
    COMMANDS
        .iter()
        .flat_map(|spec| std::iter::once(*spec).chain(spec.subcommands))
}

/// A real server and ours, and a connection to each that speaks this protocol.
fn both(protocol: &str) -> Option<(RealRedis, Ours, [Client; 2])> {
    let real = RealRedis::start()?;
    let ours = Ours::start(StoreKind::BTree.open());
    let mut clients = [ours.address, real.address].map(Client::connect);
    for client in &mut clients {
        client.call(&["hello", protocol]);
    }
    Some((real, ours, clients))
}

/// What is in our own words: that a command has a line of text and a cost is compared, not what they say, and of its history
/// the versions. Subcommands are compared one by one, by their full names.
fn comparable(facts: Vec<String>) -> Vec<String> {
    let own_words = |way: &str| {
        matches!(way, "/summary" | "/complexity")
            || (way.starts_with("/history/") && way.ends_with("/1"))
    };
    let kept = facts.into_iter().filter_map(|fact| {
        let (way, _) = fact.split_once(" = ").unwrap();
        match way {
            _ if way.starts_with("/subcommands") => None,
            _ if own_words(way) => Some(way.to_owned()),
            _ => Some(fact),
        }
    });
    kept.collect()
}

/// What `COMMAND DOCS` says of one command: its fields, with their names, in their order.
fn docs(client: &mut Client, name: &str) -> Node {
    let mut entry = Node::of(client, &["command", "docs", name]).nodes();
    assert_eq!(entry.len(), 2, "{name}");
    assert!(entry[0].is(name), "{entry:?}");
    entry.remove(1)
}

/// Besides our own words there is one difference on purpose: Redis's table seems to have a typing error here.
const DIFFERENCES: [&str; 2] = [
    "getset: only here /replaced_by = `SET` with the `GET` argument",
    "getset: only in Redis /replaced_by = `SET` with the `!GET` argument",
];

#[test]
fn every_field_of_every_command_is_that_of_a_real_server() {
    let Some((_real, _ours, [mut ours, mut real])) = both("3") else {
        return;
    };
    let mut differences = Vec::new();
    for spec in all() {
        let name = spec.full_name;
        let [here, there] =
            [&mut ours, &mut real].map(|client| comparable(docs(client, name).facts()));
        let mut note = |which, facts: &[String], others: &[String]| {
            let lonely = facts.iter().filter(|fact| !others.contains(fact));
            differences.extend(lonely.map(|fact| format!("{name}: only {which} {fact}")));
        };
        note("here", &here, &there);
        note("in Redis", &there, &here);
        if here.len() == there.len()
            && here.iter().all(|fact| there.contains(fact))
            && here != there
        {
            differences.push(format!("{name}: another order of fields"));
        }
    }
    assert_eq!(differences, DIFFERENCES, "{differences:#?}");
}

/// The replies to HELP have the form of Redis: lines of text, of which the first is the same.
#[test]
fn help_has_the_form_of_a_real_server() {
    let Some((_real, _ours, clients)) = both("2") else {
        return;
    };
    let containers = COMMANDS.iter().filter(|spec| !spec.subcommands.is_empty());
    let names: Vec<&str> = containers.map(|spec| spec.name).collect();
    let [here, there] = clients.map(|mut client| {
        let mut first_line = |name: &&str| {
            let help = client.call(&[name, "help"]);
            let mut lines = help.trim_end_matches("\\r\\n").split("\\r\\n").skip(1);
            assert!(lines.clone().all(|line| line.starts_with('+')), "{help}");
            lines.next().unwrap().to_owned()
        };
        names.iter().map(&mut first_line).collect::<Vec<_>>()
    });
    assert_eq!(here, there);
    assert!(here.len() > 10, "{here:?}");
}

/// Asked for all commands, the reply has one entry for each, the same that it has alone, with the subcommands in it.
#[test]
fn the_reply_for_all_commands_is_made_of_those_for_each() {
    let ours = Ours::start(StoreKind::BTree.open());
    for protocol in ["2", "3"] {
        let mut client = Client::connect(ours.address);
        client.call(&["hello", protocol]);
        let whole = Node::of(&mut client, &["command", "docs"]).nodes();
        assert_eq!(whole.len(), COMMANDS.len() * 2);
        for (pair, spec) in whole.chunks(2).zip(COMMANDS.iter()) {
            assert!(pair[0].is(spec.name));
            assert_eq!(pair[1], docs(&mut client, spec.name), "{}", spec.name);
            let mut fields = pair[1].clone().nodes();
            let at = fields.iter().position(|field| field.is("subcommands"));
            let subcommands = at.map_or(Vec::new(), |at| fields.swap_remove(at + 1).nodes());
            let names = subcommands.chunks(2).map(|pair| pair[0].text());
            let expected = spec.subcommands.iter().map(|sub| sub.full_name);
            assert!(names.eq(expected), "{}", spec.name);
        }
    }
}
