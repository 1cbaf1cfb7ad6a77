//! Changes by the rows that they leave, and by what a power cut leaves of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::Db;
use kit::exercise::Part;
use kit::values::long_texts;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, Telling, check};

use crate::order::Change;
use crate::order::Status::{self, New, Paid, Shipped};
use crate::store::{
    BITS, Line, changes, cuts, disk, divided, names, only_one_kind, rows, rows_in, rows_of, shown,
    store,
};
use crate::{mistakes, solutions, stubs};
use ch10_order_store::change_status as learner;

/// Somebody's `change_status`.
pub(crate) type Changing = Arc<dyn Fn(&Db, u32, Status) -> engine::Result<Change> + Send + Sync>;

const STORES: [&[Line]; 7] = [
    &[(7, "ann", 500, New)],
    &[
        (7, "ann", 500, New),
        (8, "ann", 500, New),
        (9, "bob", 400, Paid),
        (258, "bob", 300, Shipped),
        (6, "zoe", 700, Paid),
    ],
    &[],
    // A value and keys that are taken apart or made wrongly by hand.
    &[(70_000, "a\0\0b\0", (1 << 53) + 1, New)],
    // The ends of every type.
    &[(0, "", 0, New), (u32::MAX, "ann", u64::MAX, Shipped)],
    // Ids that end in the same byte, or in the same two.
    &[
        (7, "ann", 500, New),
        (263, "ann", 500, New),
        (65_543, "bob", 400, Paid),
    ],
    // A user whom a text function would change: small letters, ASCII, no blanks at the ends.
    &[(9, " Zo\u{eb} B.\n", 300, Paid)],
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Arc::new(learner::change_status)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Changing) -> Exercise<Changing> {
    let cast: Cast<Changing> = Cast {
        learner,
        stub: Arc::new(stubs::change_status::change_status),
        solution: Arc::new(solutions::change_status::change_status),
    };
    let mut part = PartOf::new("change_status", "list").says(which_rows);
    for orders in STORES {
        for id in [7, 9, 258, 8, 70_000, 70, 0, u32::MAX] {
            let before = orders.iter().find(|line| line.0 == id).map(|line| line.3);
            if before.is_none() && id != 70 {
                continue;
            }
            for to in Status::ALL {
                part = probe(part, orders, id, before, to);
            }
        }
    }
    for user in long_texts() {
        let orders: &[Line] = vec![(9, user, 300, Paid)].leak();
        part = probe(part, orders, 9, Some(Paid), Shipped);
    }
    part = twice(part);
    part = each(part);
    // Dearer than all others together, and so the last ones.
    for (orders, id, to) in [
        (STORES[0], 7, Paid),
        (STORES[1], 258, New),
        (STORES[1], 9, Paid),
        (STORES[1], 70, Paid),
    ] {
        part = cut(part, orders, id, to);
    }
    Exercise::new("change-status", "10-order-store", cast)
        .rests_on("place-order")
        .part(part)
        .check(check::answers(
            "change_status",
            "rows",
            "The right rows, and no other; whole and durable, whenever the power fails.",
        ))
        .mistakes(mistakes::change_status::all())
}

/// What the wrong answers have in common.
fn which_rows(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let mut kinds = BTreeSet::new();
    for (probe, outcome) in part.probes.iter().zip(outcomes) {
        let (Some(right), Some(given)) = (&probe.expected, outcome.answer()) else {
            return Vec::new();
        };
        let (right, given) = (rows_in(right), rows_in(given));
        let differing = right.symmetric_difference(&given);
        kinds.extend(differing.filter_map(|(_, row)| row.split(' ').next()));
    }
    let mut said = divided(part, outcomes);
    said.extend(only_one_kind(&kinds));
    said
}

fn said(change: &engine::Result<Change>, telling: Telling) -> String {
    match change {
        Ok(said) => format!("{said:?}"),
        Err(error) => telling.error(error),
    }
}

fn called(orders: &[Line], id: u32, to: Status) -> String {
    let lines: Vec<String> = orders.iter().map(shown).collect();
    format!("change_status({{{}}}, {id}, {to:?})", lines.join(", "))
}

fn probe(
    part: PartOf<Changing>,
    orders: &'static [Line],
    id: u32,
    before: Option<Status>,
    to: Status,
) -> PartOf<Changing> {
    let call = called(orders, id, to);
    let class = match before {
        None => "changes of an order that is not there",
        Some(before) if before == to => "changes to the status that the order has",
        Some(before) if before > to => "changes to an earlier status",
        Some(_) => "changes to a later status",
    };
    part.probe(
        call.clone(),
        Answer::text(call),
        &[class],
        move |change: &Changing| {
            let db = store(orders);
            let before = db.snapshot().sequence();
            let change = change(&db, id, to);
            let is_told = matches!(change, Ok(Change::Changed));
            let in_silence = !is_told && db.snapshot().sequence() != before;
            let wrote = if in_silence { ", a write," } else { "" };
            let rows = names(&rows(&db));
            Answer::told(|telling| format!("{}{wrote} and the rows {rows}", said(&change, telling)))
        },
    )
}

/// A change after each of whose file operations the power fails.
fn cut(part: PartOf<Changing>, orders: &'static [Line], id: u32, to: Status) -> PartOf<Changing> {
    let call = format!("{}, with power cuts", called(orders, id, to));
    part.probe(
        call.clone(),
        Answer::text(call),
        &["changes whose power is cut"],
        move |change: &Changing| survived(change, orders, id, to),
    )
}

/// An order goes on and comes back: every row is as before.
fn twice(part: PartOf<Changing>) -> PartOf<Changing> {
    let call = format!("{}, then back to New", called(STORES[0], 7, Shipped));
    part.probe(
        call.clone(),
        Answer::text(call),
        &["changes to and fro"],
        |change: &Changing| {
            let db = store(STORES[0]);
            let there = change(&db, 7, Shipped);
            let back = change(&db, 7, New);
            let rows = names(&rows(&db));
            Answer::told(|telling| {
                let (there, back) = (said(&there, telling), said(&back, telling));
                format!("{there}, {back} and the rows {rows}")
            })
        },
    )
}

/// Every order of a store is changed. Every bit of their times and ids counts.
fn each(part: PartOf<Changing>) -> PartOf<Changing> {
    let count = BITS.len();
    let call =
        format!("change_status of {count} orders with large ids, at large times, each to Shipped");
    part.probe(
        call.clone(),
        Answer::text(call),
        &["changes of many orders"],
        |change: &Changing| {
            let db = store(&BITS);
            for (id, ..) in BITS.iter() {
                let change = change(&db, *id, Shipped);
                if !matches!(change, Ok(Change::Changed)) {
                    return Answer::told(|telling| format!("{} for {id}", said(&change, telling)));
                }
            }
            let shipped = |(id, user, at, _): &Line| (*id, *user, *at, Shipped);
            let right: Vec<Line> = BITS.iter().map(shipped).collect();
            let (right, left) = (rows_of(&right), rows(&db));
            Answer::text(if left == right {
                "all Changed, and the right rows".to_owned()
            } else {
                let difference = changes(&right, &left);
                format!("all Changed, and the right rows but for this: {difference}")
            })
        },
    )
}

/// Cuts the power after each file operation.
fn survived(change: &Changing, orders: &[Line], id: u32, to: Status) -> Answer {
    let before = rows_of(orders);
    let (after, cuts) = cuts(&disk(&before), |db| {
        _ = change(db, id, to);
        rows(db)
    });
    for cut in &cuts {
        if cut.rows != before && cut.rows != after {
            return Answer::text(format!(
                "half a change, {}, when the power fails after file operation {} of {}",
                names(&cut.rows),
                cut.operation,
                cut.of
            ));
        }
    }
    let lost = cuts.last().is_some_and(|cut| cut.rows != after);
    Answer::text(if lost {
        "a whole change or none, but none if the power fails when the call has returned"
    } else {
        "a whole change or none, and a whole one once the call has returned"
    })
}
