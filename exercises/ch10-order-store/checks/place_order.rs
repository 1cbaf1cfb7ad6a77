//! Keys byte by byte; placements by the rows that they leave, and by what a power cut leaves of them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use engine::Db;
use kit::values::{bit_by_bit, long_texts};
use kit::{Answer, Cast, Exercise, Judged, PartOf, Show as _, check};

use crate::order::Order;
use crate::order::Status::{New, Paid, Shipped};
use crate::solutions::place_order::keys as right_keys;
use crate::store::{Cut, Line, Row, cuts, disk, divided, name, open, order, rows, shown};
use crate::{mistakes, solutions, stubs};
use ch10_order_store::place_order as learner;

pub(crate) type Keys = dyn Fn(&Order) -> [Vec<u8>; 4] + Send + Sync;
pub(crate) type Place = dyn Fn(&Db, &Order) -> engine::Result<bool> + Send + Sync;

/// Somebody's two functions.
#[derive(Clone)]
pub(crate) struct Placing {
    pub(crate) keys: Arc<Keys>,
    pub(crate) place: Arc<Place>,
}

impl Placing {
    pub(crate) fn new(
        keys: impl Fn(&Order) -> [Vec<u8>; 4] + Send + Sync + 'static,
        place: impl Fn(&Db, &Order) -> engine::Result<bool> + Send + Sync + 'static,
    ) -> Self {
        Self {
            keys: Arc::new(keys),
            place: Arc::new(place),
        }
    }
}

const ORDERS: [Line; 19] = [
    (7, "ann", 500, New),
    (258, "anna", 300, Paid),
    (8, "ann", 500, Shipped),
    (1, "", 0, New),
    (256, "bob:7", 1_571_819_021_259, Shipped),
    (58, "a:b", 58, Paid),
    (2, "a\0b", 1, New),
    (u32::MAX, "zoë", u64::MAX, Shipped),
    (10, "o", 256, New),
    (9, "ann\u{1}", 1 << 63, Paid),
    (3, "Ann", 500, New),
    (4, " ann", 500, New),
    (5, "ann ", 500, New),
    (
        6,
        "a long name, longer than most buffers are, and one",
        500,
        New,
    ),
    (11, "ÉVA", 500, New),
    (13, "a\0\0b", 500, New),
    (14, "two\nlines", 500, New),
    // A double has no room for it.
    (12, "ann", (1 << 53) + 1, Paid),
    // Nor has a float of 32 bits for this id, or a number of 16.
    ((1 << 24) + 1, "ann", 500, New),
];

/// What `keys` returns, in its order.
const KINDS: [(&str, &str); 4] = [
    ("order", "rows of orders"),
    ("user", "rows by user"),
    ("time", "rows by time"),
    ("status", "rows by status"),
];

/// Orders that are placed one after another. Of the last placement the power is cut, where that is asked.
const PLACEMENTS: [&[Line]; 11] = [
    &[(7, "ann", 500, New)],
    &[(7, "ann", 500, New), (8, "ann", 500, New)],
    &[(7, "ann", 500, New), (7, "ann", 500, New)],
    &[(7, "ann", 500, New), (7, "ann", 500, Paid)],
    &[(7, "ann", 500, New), (7, "bob", 600, Paid)],
    // Another order, and three of its four keys are there already.
    &[(7, "ann", 500, New), (7, "bob", 500, New)],
    &[
        (1, "ann", 500, Shipped),
        (2, "bob", 400, New),
        (3, "ann", 300, Paid),
    ],
    &[(8, "ann", 500, New), (7, "ann", 500, New)],
    &[(7, "", 500, New), (8, "ann", 500, New)],
    // Fields that are written wrongly by hand.
    &[(258, "a\0b", (1 << 53) + 1, Shipped), (0, "ann", 500, New)],
    // A user whom a text function would change: small letters, ASCII, no blanks at the ends.
    &[(5, " Zo\u{eb} B.\n", 500, New)],
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Placing::new(learner::keys, learner::place)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Placing) -> Exercise<Placing> {
    let cast = Cast {
        learner,
        stub: Placing::new(stubs::place_order::keys, stubs::place_order::place),
        solution: Placing::new(solutions::place_order::keys, solutions::place_order::place),
    };
    Exercise::new("place-order", "10-order-store", cast)
        .part(four_keys())
        .part(placements())
        .check(check::answers("keys", "bytes", "The keys of the table."))
        .check(check::answers(
            "place",
            "rows",
            "Four rows and `true`, or nothing and `false`; whole and durable, whenever the power fails.",
        ))
        .mistakes(mistakes::place_order::all())
}

fn four_keys() -> PartOf<Placing> {
    let mut part = PartOf::new("keys", "key");
    let long = long_texts()
        .zip(20..)
        .map(|(user, id)| (id, user, 500, New));
    for line in ORDERS.into_iter().chain(long).chain(bits()) {
        for (place, (_, class)) in KINDS.into_iter().enumerate() {
            let call = format!("keys({})[{place}]", shown(&line));
            part = part.probe(
                call,
                Answer::text(shown(&line)),
                &[class],
                move |placing: &Placing| (placing.keys)(&order(&line))[place].show(),
            );
        }
    }
    part
}

/// Orders with large ids and at large times, of which every bit counts.
fn bits() -> impl Iterator<Item = Line> {
    let ids = bit_by_bit(u32::MAX.into()).into_iter();
    let ids = ids.filter_map(|id| u32::try_from(id).ok());
    let by_id = ids.map(|id| (id, "ann", 500, New));
    let times = bit_by_bit(u64::MAX).into_iter();
    by_id.chain(times.map(|at| (7, "ann", at, New)))
}

fn placements() -> PartOf<Placing> {
    let mut part = PartOf::new("place", "list").after("keys").says(divided);
    for lines in PLACEMENTS {
        let taken = lines[..lines.len() - 1]
            .iter()
            .any(|l| l.0 == lines[lines.len() - 1].0);
        let class = if taken {
            "placements under an id that is taken"
        } else {
            "placements under a new id"
        };
        let calls: Vec<String> = lines
            .iter()
            .map(|l| format!("place({})", shown(l)))
            .collect();
        let call = calls.join(", ");
        part = part.probe(
            call.clone(),
            Answer::text(call),
            &[class],
            |placing: &Placing| {
                let db = open(&disk(&[]));
                let placed = |line| (placing.place)(&db, &order(line));
                let said: Vec<engine::Result<bool>> = lines.iter().map(placed).collect();
                let left = named(placing, lines, &rows(&db));
                Answer::told(|telling| {
                    let said: Vec<String> = said
                        .iter()
                        .map(|said| match said {
                            Ok(placed) => placed.to_string(),
                            Err(error) => telling.error(error),
                        })
                        .collect();
                    format!("{} and the rows {left}", said.join(", "))
                })
            },
        );
    }
    // Dearer than all others together, and so the last ones.
    for lines in [PLACEMENTS[0], PLACEMENTS[1], PLACEMENTS[4]] {
        let calls: Vec<String> = lines
            .iter()
            .map(|l| format!("place({})", shown(l)))
            .collect();
        let call = format!("{}, with power cuts in the last one", calls.join(", "));
        let class = "placements whose power is cut";
        part = part.probe(
            call.clone(),
            Answer::text(call),
            &[class],
            |placing: &Placing| survived(placing, lines),
        );
    }
    part
}

/// Cuts the power after each file operation of the last placement.
fn survived(placing: &Placing, lines: &'static [Line]) -> Answer {
    let (last, first) = lines.split_last().expect("something is placed");
    let base = disk(&[]);
    {
        let db = open(&base);
        for line in first {
            _ = (placing.place)(&db, &order(line));
        }
        // Whatever `place` left to chance before is durable here: only the last call is judged.
        db.flush().expect("a store in memory is flushed");
    }
    let mut before = Vec::new();
    let (after, cuts) = cuts(&base, |db| {
        before = rows(db);
        _ = (placing.place)(db, &order(last));
        rows(db)
    });
    let is_half = |cut: &&Cut| cut.rows != before && cut.rows != after;
    if let Some(cut) = cuts.iter().find(is_half) {
        let halves: BTreeSet<&Vec<Row>> =
            cuts.iter().filter(is_half).map(|cut| &cut.rows).collect();
        let others = match halves.len() - 1 {
            0 => String::new(),
            1 => ", and one other half later".to_owned(),
            others => format!(", and {others} other halves later"),
        };
        return Answer::text(format!(
            "half an order, {}, when the power fails after file operation {} of {}{others}",
            named(placing, lines, &cut.rows),
            cut.operation,
            cut.of
        ));
    }
    let lost = cuts.last().is_some_and(|cut| cut.rows != after);
    Answer::text(if lost {
        "a whole order or none, but none if the power fails when `place` has returned"
    } else {
        "a whole order or none, and a whole one once `place` has returned"
    })
}

/// The rows by what `keys` calls them, so that wrong keys are not held against `place`, nor right ones that it makes itself.
fn named(placing: &Placing, lines: &[Line], rows: &[Row]) -> String {
    let mut text = Vec::new();
    for row @ (key, value) in rows {
        let own = lines.iter().find_map(|line| {
            let order = order(line);
            let keys = [(placing.keys)(&order), right_keys(&order)].concat();
            let at = keys.iter().position(|own| own == key)? % KINDS.len();
            let (kind, _) = KINDS[at];
            let mut name = format!("{kind} of {}", order.id);
            let expected = if at == 0 { order.value() } else { Vec::new() };
            if *value != expected {
                let other = lines
                    .iter()
                    .find(|l| crate::store::order(l).value() == *value);
                _ = match other {
                    Some(other) => write!(name, " with the value of {}", shown(other)),
                    None => write!(name, " with the value {}", kit::answer::hex(value)),
                };
            }
            Some(name)
        });
        text.push(own.unwrap_or_else(|| name(row)));
    }
    // Wrong keys may be in another order.
    text.sort();
    format!("[{}]", text.join(", "))
}
