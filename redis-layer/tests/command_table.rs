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

/// A reply in RESP2, as a tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Leaf(String),
    Branch(Vec<Node>),
}

impl Node {
    /// Reads a tree from the lines of a reply.
    fn read<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Self {
        let line = lines.next().unwrap();
        match line.as_bytes()[0] {
            b'*' => {
                let count = line[1..].parse::<usize>().unwrap();
                Self::Branch((0..count).map(|_| Self::read(lines)).collect())
            }
            b'$' => Self::Leaf(lines.next().unwrap().to_owned()),
            _ => Self::Leaf(line[1..].to_owned()),
        }
    }

    fn of(client: &mut Client, words: &[&str]) -> Self {
        Self::read(&mut client.call(words).split("\\r\\n"))
    }

    fn nodes(self) -> Vec<Self> {
        match self {
            Self::Branch(nodes) => nodes,
            Self::Leaf(text) => panic!("{text} is no array"),
        }
    }

    fn is(&self, expected: &str) -> bool {
        matches!(self, Self::Leaf(text) if text == expected)
    }
}

/// All but the last of the ten fields of `COMMAND INFO` for one command: name, arity, flags, key positions, categories, tips,
/// key specifications. Tips have no order. What Redis notes beside a key for people is left out.
fn fields(client: &mut Client, name: &str) -> Vec<Node> {
    let mut entries = Node::of(client, &["command", "info", name]).nodes();
    let mut fields = entries.remove(0).nodes();
    assert_eq!(fields.len(), 10, "{name}");
    fields.truncate(9);
    let specifications = fields.pop().unwrap().nodes().into_iter().map(|one| {
        let pairs = one.nodes();
        let kept = pairs.chunks(2).filter(|pair| !pair[0].is("notes"));
        Node::Branch(kept.flatten().cloned().collect())
    });
    let specifications = Node::Branch(specifications.collect());
    let mut tips = fields.pop().unwrap().nodes();
    tips.sort();
    fields.extend([Node::Branch(tips), specifications]);
    fields
}

#[test]
fn entries_are_those_of_a_real_server() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let (mut real, mut ours) = (Client::connect(real.address), Client::connect(ours.address));
    for spec in all() {
        let name = spec.full_name;
        assert_eq!(fields(&mut ours, name), fields(&mut real, name), "{name}");
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

/// `COMMAND GETKEYS` and `GETKEYSANDFLAGS`, also where the use of a key depends on the other arguments.
#[test]
fn keys_and_what_is_done_with_them_are_those_of_a_real_server() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let (mut real, mut ours) = (Client::connect(real.address), Client::connect(ours.address));
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
