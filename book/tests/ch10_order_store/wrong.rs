//! Keys and bounds that people choose first, and what each breaks.

use book::output;
use engine::keys::{Desc, OrderedKey as _, encode_bytes, prefix_successor};

use crate::orders::empty;

/// Rows, the bounds of a scan, and what it should find.
struct Case {
    what: &'static str,
    question: &'static str,
    rows: Vec<(Vec<u8>, &'static str)>,
    from: Vec<u8>,
    to: Vec<u8>,
    right: &'static str,
}

// ANCHOR: wrong_rows
fn little_endian() -> Case {
    let key = |at: u64, id: u32| [b"t", &at.to_le_bytes()[..], &id.to_be_bytes()].concat();
    Case {
        what: "times little-endian",
        question: "from 200 on, before 300",
        rows: vec![(key(255, 1), "1"), (key(256, 2), "2")],
        from: key(200, 0),
        to: key(300, 0),
        right: "1, 2",
    }
}

fn text_times() -> Case {
    let key = |at: u64| format!("time:{at}").into_bytes();
    Case {
        what: "times as text, not padded",
        question: "from 900 on, before 1100",
        rows: vec![(key(950), "1"), (key(1000), "2")],
        from: key(900),
        to: key(1100),
        right: "1, 2",
    }
}

fn no_id() -> Case {
    let key = |at: u64| (b't', at).to_key();
    Case {
        what: "no id in the key",
        question: "from 500 on, before 501",
        rows: vec![(key(500), "1"), (key(500), "2")],
        from: key(500),
        to: key(501),
        right: "1, 2",
    }
}

fn id_before_time() -> Case {
    let key = |at: u64, id: u32| (b't', id, at).to_key();
    Case {
        what: "the id before the time",
        question: "from 100 on, before 200",
        rows: vec![(key(150, 3), "3"), (key(160, 4), "4")],
        from: key(100, 0),
        to: key(200, 0),
        right: "3, 4",
    }
}

fn bare_name() -> Case {
    let prefix = |user: &str| [b"u", user.as_bytes()].concat();
    let key = |user: &str, at: u64| [prefix(user), Desc(at).to_key()].concat();
    Case {
        what: "a name without an end",
        question: "the orders of ann",
        rows: vec![(key("ann", 500), "1"), (key("anna", 300), "2")],
        from: prefix("ann"),
        to: prefix_successor(&prefix("ann")).unwrap(),
        right: "1",
    }
}

fn one_ff() -> Case {
    let prefix = |user: &str| [b"u", &encode_bytes(user.as_bytes())[..]].concat();
    let key = |user: &str, at: u64| [prefix(user), Desc(at).to_key()].concat();
    Case {
        what: "an end of one byte ff",
        question: "the orders of ann",
        rows: vec![(key("ann", 500), "1"), (key("ann", 300), "2")],
        from: prefix("ann"),
        to: [prefix("ann"), vec![0xff]].concat(),
        right: "1, 2",
    }
}

fn end_and_ff() -> Case {
    let key = |at: u64, id: u32| (b't', at, id).to_key();
    Case {
        what: "the end of a time, and ff",
        question: "from 500 on, before 600",
        rows: vec![(key(500, 1), "1"), (key(600, 2), "2")],
        from: (b't', 500_u64).to_key(),
        to: [(b't', 600_u64).to_key(), vec![0xff]].concat(),
        right: "1",
    }
}

fn no_end() -> Case {
    let key = |status: u8, id: u32| (b's', status, id).to_key();
    Case {
        what: "no end at all",
        question: "the new orders",
        rows: vec![(key(0, 1), "1"), (key(1, 2), "2")],
        from: (b's', 0_u8).to_key(),
        to: vec![0xff],
        right: "1",
    }
}
// ANCHOR_END: wrong_rows

// ANCHOR: wrong_answers
#[test]
fn each_wrong_answer_breaks_a_query() {
    let mut table = format!("{:<27}{:<27}{:<8}found\n", "wrong", "question", "right");
    for case in [
        little_endian(),
        text_times(),
        no_id(),
        id_before_time(),
        bare_name(),
        one_ff(),
        end_and_ff(),
        no_end(),
    ] {
        let db = empty();
        for (key, id) in &case.rows {
            db.put(key, id).unwrap();
        }
        // Crossed bounds are no range: a scan of them finds nothing.
        let found: Vec<String> = if case.from < case.to {
            let rows = db.default_family().range(case.from..case.to);
            rows.map(|row| String::from_utf8(row.unwrap().1).unwrap())
                .collect()
        } else {
            Vec::new()
        };
        let found = found.join(", ");
        assert_ne!(found, case.right, "{}", case.what);
        let shown = if found.is_empty() { "nothing" } else { &found };
        table += &format!(
            "{:<27}{:<27}{:<8}{shown}\n",
            case.what, case.question, case.right
        );
    }
    output::check("10-order-store/outputs/wrong-answers.txt", &table);
}
// ANCHOR_END: wrong_answers
