//! Stores with rows too many and rows too few: what is found in them, and what a rebuild leaves.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::Db;
use kit::exercise::Part;
use kit::values::long_texts;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, Telling, check};

use crate::order::Fault;
use crate::order::Status::{New, Paid, Shipped};
use crate::solutions::place_order::keys;
use crate::store::{
    BITS, Line, Row, changes, cuts, disk, key_name, names, only_one_kind, open, order, rows,
    rows_in, rows_of,
};
use crate::{mistakes, solutions, stubs};
use ch10_order_store::check_store as learner;

pub(crate) type Found = Vec<Fault>;
pub(crate) type Faults = Arc<dyn Fn(&Db) -> engine::Result<Found> + Send + Sync>;
pub(crate) type Rebuild = Arc<dyn Fn(&Db) -> engine::Result<()> + Send + Sync>;

/// Somebody's two functions.
#[derive(Clone)]
pub(crate) struct Checker {
    pub(crate) faults: Faults,
    pub(crate) rebuild: Rebuild,
}

impl Checker {
    pub(crate) fn new(
        faults: impl Fn(&Db) -> engine::Result<Found> + Send + Sync + 'static,
        rebuild: impl Fn(&Db) -> engine::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            faults: Arc::new(faults),
            rebuild: Arc::new(rebuild),
        }
    }
}

const ORDERS: [Line; 4] = [
    (7, "ann", 500, Paid),
    (8, "bob", 600, New),
    (258, "ann", 300, Shipped),
    (3, "zoe", 600, New),
];

/// A store: what is wrong with it, in words, and its rows.
struct Case {
    what: &'static str,
    class: &'static str,
    rows: Vec<Row>,
}

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Checker::new(learner::faults, learner::rebuild)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Checker) -> Exercise<Checker> {
    let cast = Cast {
        learner,
        stub: Checker::new(stubs::check_store::faults, stubs::check_store::rebuild),
        solution: solution(),
    };
    Exercise::new("check-store", "10-order-store", cast)
        .rests_on("place-order")
        .part(found())
        .part(rebuilt())
        .check(check::answers(
            "faults",
            "faults",
            "Every ghost and every missing row, in the order of the keys.",
        ))
        .check(check::answers(
            "rebuild",
            "rebuilt",
            "The rows that the orders ask for, all other rows as before, and no half of it after a power cut.",
        ))
        .mistakes(mistakes::check_store::all())
}

pub(crate) fn solution() -> Checker {
    Checker::new(
        solutions::check_store::faults,
        solutions::check_store::rebuild,
    )
}

const GHOSTS: &str = "stores with ghosts";
const MISSING: &str = "stores with missing rows";
const BOTH: &str = "stores with ghosts and missing rows";
const RIGHT: &str = "stores in which nothing is wrong";
/// What is asked there is whether a half is left, and not which rows.
const CUTS: &str = "checks for half a rebuild after a power cut";

/// More rows to be made than a large batch holds, if somebody makes them in batches.
const MANY_MISSING: &str = "400 orders without any index row";

/// The rows of [`ORDERS`] without some of them, and with more.
fn altered(
    what: &'static str,
    class: &'static str,
    without: &[(usize, usize)],
    with: &[Row],
) -> Case {
    let mut rows = rows_of(&ORDERS);
    for &(of, place) in without {
        let key = &keys(&order(&ORDERS[of]))[place];
        rows.retain(|(other, _)| other != key);
    }
    rows.extend(with.iter().cloned());
    rows.sort();
    Case { what, class, rows }
}

/// The index row of an order that is not (or no longer) so.
fn index(line: Line, place: usize) -> Row {
    (keys(&order(&line))[place].clone(), Vec::new())
}

fn bytes(key: &[u8]) -> Row {
    (key.to_vec(), Vec::new())
}

fn cases() -> Vec<Case> {
    let was_new = index((7, "ann", 500, New), 3);
    let stranger = (9, "kim", 550, New);
    vec![
        altered("four orders, nothing wrong", RIGHT, &[], &[]),
        altered(
            "7 is under New as well",
            GHOSTS,
            &[],
            std::slice::from_ref(&was_new),
        ),
        altered("8 lacks its row by status", MISSING, &[(1, 3)], &[]),
        altered("8 lacks its row by user", MISSING, &[(1, 1)], &[]),
        altered("8 lacks its row by time", MISSING, &[(1, 2)], &[]),
        altered(
            "7 is under New and not under Paid",
            BOTH,
            &[(0, 3)],
            std::slice::from_ref(&was_new),
        ),
        altered(
            "9 has index rows and no row of its own",
            GHOSTS,
            &[],
            &[index(stranger, 1), index(stranger, 2), index(stranger, 3)],
        ),
        altered(
            "7 is under another user as well",
            GHOSTS,
            &[],
            &[index((7, "bob", 500, Paid), 1)],
        ),
        altered(
            "7 is at another time as well",
            GHOSTS,
            &[],
            &[index((7, "ann", 501, Paid), 2)],
        ),
        altered(
            "7 is under Paid at another time as well",
            GHOSTS,
            &[],
            &[index((7, "ann", 501, Paid), 3)],
        ),
        altered(
            "7 is under its user at another time as well",
            GHOSTS,
            &[],
            &[index((7, "ann", 501, Paid), 1)],
        ),
        altered(
            "8 lacks its row by user, and 9 has one by user and none of its own",
            BOTH,
            &[(1, 1)],
            &[index(stranger, 1)],
        ),
        altered(
            "7 lacks its rows by user and by status, 258 that by time",
            MISSING,
            &[(0, 1), (0, 3), (2, 2)],
            &[],
        ),
        altered(
            "index rows that cannot be read",
            GHOSTS,
            &[],
            &[
                bytes(b"s"),
                bytes(b"t\x00"),
                bytes(b"u\xff\xff"),
                bytes(b"s\x07too long for a row by status"),
            ],
        ),
        altered(
            "an index row with one byte too many",
            GHOSTS,
            &[],
            &[bytes(&[&keys(&order(&ORDERS[1]))[3][..], b"\x00"].concat())],
        ),
        altered(
            "rows with other letters",
            RIGHT,
            &[],
            &[bytes(b"a config"), bytes(b"v"), bytes(b"p\x00\x01")],
        ),
        altered("a row whose key is empty", RIGHT, &[], &[bytes(b"")]),
        // It is the first row of all, and the others come after it.
        altered(
            "a row whose key is empty, and 8 without its row by user",
            MISSING,
            &[(1, 1)],
            &[bytes(b"")],
        ),
        altered(
            "rows with other letters, and 7 under New as well",
            GHOSTS,
            &[],
            &[bytes(b"r"), bytes(b"w"), was_new],
        ),
        Case {
            what: "an order with a zero byte in its user's name, nothing wrong",
            class: RIGHT,
            rows: rows_of(&[(70_000, "a\0b", (1 << 53) + 1, Paid)]),
        },
        many("400 orders, nothing wrong", RIGHT, |_| true),
        many(MANY_MISSING, MISSING, |key| key.starts_with(b"o")),
        Case {
            what: "users of any letters and of any length, nothing wrong",
            class: RIGHT,
            rows: rows_of(&of_many_users()),
        },
        Case {
            what: "orders with large ids, at large times, nothing wrong",
            class: RIGHT,
            rows: rows_of(&BITS),
        },
        Case {
            what: "no row at all",
            class: RIGHT,
            rows: Vec::new(),
        },
        Case {
            what: "orders without any index row",
            class: MISSING,
            rows: rows_of(&ORDERS)
                .into_iter()
                .filter(|(key, _)| key.starts_with(b"o"))
                .collect(),
        },
        Case {
            what: "index rows without any order",
            class: GHOSTS,
            rows: rows_of(&ORDERS)
                .into_iter()
                .filter(|(key, _)| !key.starts_with(b"o"))
                .collect(),
        },
    ]
}

/// Orders of users whom a text function would change: small letters, ASCII, no blanks at the ends, not too long.
fn of_many_users() -> Vec<Line> {
    let users = [" Zo\u{eb} B.\n", "ann", "ANN", "a\0\0b\0"];
    let users = users.into_iter().chain(long_texts());
    (1..)
        .zip(users)
        .map(|(id, user)| (id, user, 500, New))
        .collect()
}

/// The same keys as ever, and a value where there should be none: `faults` compares keys alone.
fn with_a_value() -> Case {
    let mut rows = rows_of(&ORDERS);
    for (key, value) in &mut rows {
        if *key == keys(&order(&ORDERS[1]))[2] {
            *value = b"left over".to_vec();
        }
    }
    Case {
        what: "8 has a value in its row by time",
        class: RIGHT,
        rows,
    }
}

/// More orders than anybody looks at by hand, with some of their rows.
fn many(what: &'static str, class: &'static str, kept: fn(&[u8]) -> bool) -> Case {
    let orders: Vec<Line> = (0..400)
        .map(|id| (id, "ann", 500 + u64::from(id), New))
        .collect();
    let mut rows = rows_of(&orders);
    rows.retain(|(key, _)| kept(key));
    Case { what, class, rows }
}

fn found() -> PartOf<Checker> {
    let mut part = PartOf::new("faults", "list").says(which_rows);
    for case in cases().into_iter().chain([with_a_value()]) {
        let disk = disk(&case.rows);
        part = part.probe(
            format!("faults({})", case.what),
            Answer::text(names(&case.rows)),
            &[case.class],
            move |checker: &Checker| told((checker.faults)(&open(&disk.crash(0)))),
        );
    }
    part
}

/// What the wrong answers have in common: rows of one index alone, orders that were changed, values in an index.
fn which_rows(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let mut kinds = BTreeSet::new();
    let (mut orders, mut values) = (false, false);
    for (probe, outcome) in part.probes.iter().zip(outcomes) {
        let (Some(right), Some(given)) = (&probe.expected, outcome.answer()) else {
            return Vec::new();
        };
        if right == given {
            continue;
        }
        if probe.classes.contains(&CUTS) || given.text.starts_with("Err(") {
            return Vec::new();
        }
        let (right, given) = (rows_in(right), rows_in(given));
        let written = |row: &(&str, &str)| row.0.starts_with("rows ");
        orders |= given
            .iter()
            .any(|row| written(row) && row.1.starts_with("o "));
        values |= given
            .iter()
            .any(|row| row.0 == "rows added" && row.1.contains(" = "));
        let differing = right.symmetric_difference(&given);
        kinds.extend(differing.filter_map(|(_, row)| row.split(' ').next()));
    }
    let mut said = Vec::new();
    if orders {
        said.push("It changes rows that begin with `o`, and those are the truth.".to_owned());
    } else if values {
        said.push("It writes index rows with a value, and theirs is empty.".to_owned());
    }
    said.extend(only_one_kind(&kinds));
    said
}

fn told(found: engine::Result<Found>) -> Answer {
    let found = match found {
        Ok(found) => found,
        Err(error) => return Answer::told(|telling| telling.error(&error)),
    };
    let faults: Vec<String> = found
        .iter()
        .map(|fault| match fault {
            Fault::Ghost(key) => format!("ghost {}", key_name(key)),
            Fault::Missing(key) => format!("missing {}", key_name(key)),
        })
        .collect();
    Answer::text(format!("[{}]", faults.join(", ")))
}

fn rebuilt() -> PartOf<Checker> {
    let mut part = PartOf::new("rebuild", "list")
        .after("faults")
        .says(which_rows);
    for case in cases() {
        let disk = disk(&case.rows);
        let call = format!("rebuild({})", case.what);
        let before = case.rows.clone();
        part = part.probe(
            call.clone(),
            Answer::text(names(&case.rows)),
            &[case.class],
            move |checker: &Checker| after(checker, &open(&disk.crash(0)), &before),
        );
    }
    let is_cut = |case: &Case| case.class == BOTH || case.what == MANY_MISSING;
    for case in cases().into_iter().filter(is_cut) {
        let call = format!("rebuild({}), with power cuts", case.what);
        let before = case.rows;
        part = part.probe(
            call,
            Answer::text(names(&before)),
            &[CUTS],
            move |checker: &Checker| survived(checker, &before),
        );
    }
    part
}

fn after(checker: &Checker, db: &Db, before: &[Row]) -> Answer {
    match (checker.rebuild)(db) {
        Ok(()) => Answer::text(changes(before, &rows(db))),
        Err(error) => Answer::told(|telling| telling.error(&error)),
    }
}

fn survived(checker: &Checker, before: &[Row]) -> Answer {
    let (after, cuts) = cuts(&disk(before), |db| {
        _ = (checker.rebuild)(db);
        rows(db)
    });
    let half = cuts
        .iter()
        .find(|cut| cut.rows != before && cut.rows != after);
    let Some(cut) = half else {
        return Answer::text("a whole rebuild or none");
    };
    Answer::told(|telling| match telling {
        Telling::All => format!(
            "half a rebuild, {}, when the power fails after file operation {} of {}",
            changes(before, &cut.rows),
            cut.operation,
            cut.of
        ),
        Telling::Gist => half_of(before, &cut.rows, &after),
    })
}

/// What kind of half this is. How many rows are in it depends on the size of a batch, which anybody may choose.
fn half_of(before: &[Row], half: &[Row], after: &[Row]) -> String {
    let gone = || before.iter().filter(|row| !half.contains(row));
    let ghosts = gone().any(|row| !after.contains(row));
    let wanted = gone().any(|row| after.contains(row));
    let added = half.iter().any(|row| !before.contains(row));
    format!("half a rebuild: ghosts gone {ghosts}, wanted rows gone {wanted}, rows added {added}")
}
