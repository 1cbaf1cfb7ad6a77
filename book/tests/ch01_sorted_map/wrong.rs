//! Wrong answers to chapter 1's tasks, each with a question that gives it away.

use std::fmt::Write as _;
use std::ops::Bound::Excluded;

use book::output;

use crate::{Key, Store};

/// One wrong way to bound a scan, what was asked of it, and what it gave.
struct Wrong {
    name: &'static str,
    does: &'static str,
    asked: &'static str,
    gives: Vec<Key>,
    right: Vec<Key>,
}

/// Four wrong answers to "the keys in `[lo, hi)`", each with a question that gives it away.
fn wrong_ranges() -> [Wrong; 4] {
    let store = Store::with(["a", "b", "c"]);
    let everything = store.all();
    let starting_at = |lo: &str| store.scan(lo..);
    let right = |lo: &str, hi: &str| store.scan(lo..hi);
    [
        Wrong {
            name: "closed end",
            does: "takes `hi` too",
            asked: "from `a` up to `b`",
            gives: store.scan("a"..="b"),
            right: right("a", "b"),
        },
        Wrong {
            name: "open start",
            does: "leaves `lo` out",
            asked: "from `a` up to `c`",
            gives: store.scan::<&str>((Excluded("a"), Excluded("c"))),
            right: right("a", "c"),
        },
        Wrong {
            name: "start must exist",
            does: "looks `lo` up, and gives up when no such key is there",
            asked: "from `aa` up to `c`",
            gives: if everything.contains(&b"aa".to_vec()) {
                starting_at("aa")
            } else {
                Vec::new()
            },
            right: right("aa", "c"),
        },
        Wrong {
            name: "end must exist",
            does: "walks until it meets `hi` itself",
            asked: "from `a` up to `bb`",
            gives: starting_at("a")
                .into_iter()
                .take_while(|key| key != b"bb")
                .collect(),
            right: right("a", "bb"),
        },
    ]
}

/// Four wrong answers to "the keys that start with `p`".
fn wrong_prefixes() -> [Wrong; 4] {
    let store = Store::with([&b"user:1"[..], b"user:1\xff\x00", b"user:10", b"user:2"]);
    let starts_with = |prefix: &[u8]| {
        let mut keys = store.all();
        keys.retain(|key| key.starts_with(prefix));
        keys
    };
    [
        Wrong {
            name: "no end",
            does: "starts at the prefix and runs to the end of the store",
            asked: "prefix `user:1`",
            gives: store.scan("user:1"..),
            right: starts_with(b"user:1"),
        },
        Wrong {
            name: "only the prefix",
            does: "looks for the prefix itself",
            asked: "prefix `user:1`",
            gives: store.scan("user:1"..="user:1"),
            right: starts_with(b"user:1"),
        },
        Wrong {
            name: "one ff",
            does: "ends at the prefix followed by one byte ff",
            asked: "prefix `user:1`",
            gives: store.scan(&b"user:1"[..]..=b"user:1\xff"),
            right: starts_with(b"user:1"),
        },
        Wrong {
            name: "open field",
            does: "is right about bytes, asked with a field that does not end",
            asked: "user 1, by prefix `user:1`",
            gives: starts_with(b"user:1"),
            right: vec![b"user:1".to_vec(), b"user:1\xff\x00".to_vec()],
        },
    ]
}

/// Each wrong answer differs from the right one; the table is what the chapter shows.
#[test]
fn each_wrong_answer_has_a_counterexample() {
    for (file, wrongs) in [
        ("wrong-ranges.md", wrong_ranges()),
        ("wrong-prefixes.md", wrong_prefixes()),
    ] {
        let mut table = String::from(
            "| wrong answer | what it does | asked | gives | right |\n|---|---|---|---|---|\n",
        );
        for wrong in wrongs {
            assert_ne!(wrong.gives, wrong.right, "{} is not wrong", wrong.name);
            let _ = writeln!(
                table,
                "| **{}** | {} | {} | {} | {} |",
                wrong.name,
                wrong.does,
                wrong.asked,
                code_list(&wrong.gives),
                code_list(&wrong.right),
            );
        }
        output::check(&format!("01-sorted-map/outputs/{file}"), &table);
    }
}

fn code_list(keys: &[Key]) -> String {
    if keys.is_empty() {
        return "nothing".to_owned();
    }
    let keys: Vec<String> = keys
        .iter()
        .map(|k| format!("`{}`", k.escape_ascii()))
        .collect();
    keys.join(" ")
}
