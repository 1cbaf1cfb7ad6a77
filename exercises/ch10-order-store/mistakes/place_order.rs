//! What goes wrong when an order is placed.

use engine::Db;
use engine::WriteBatch;
use engine::WriteOptions;
use engine::keys::{Desc, OrderedKey as _};
use kit::{Mistake, Quirk, compose};

use crate::mistakes::place_order_keys::{
    APART as KEYS_APART, QUIRKS as KEY_QUIRKS, Step as KeyStep, build,
};
use crate::order::{Order, Status};
use crate::place_order::Placing;
use crate::solutions::place_order::keys;

const BYTES: &str = "the-bytes-of-a-row";
const CUT: &str = "without-a-batch";
const SYNC: &str = "sync-and-what-is-acknowledged";
const ROWS: &str = "four-rows";
const WRONG: &str = "wrong-answers-and-what-each-breaks";

/// Steps of `place` that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    FourWrites,
    OrderFirst,
    IndexesFirst,
    Unsynced,
    Overwrites,
    OverwritesAndRefuses,
    TakenIsAnError,
    SameUserRefused,
    SmallerRefused,
    AlwaysTrue,
    AnswersExchanged,
    NoUserRow,
    NoTimeRow,
    NoStatusRow,
    OnlyTheOrder,
    ValuesEverywhere,
    IdsInIndexes,
    NoValue,
}
use Step::{
    AlwaysTrue, AnswersExchanged, FourWrites, IdsInIndexes, IndexesFirst, NoStatusRow, NoTimeRow,
    NoUserRow, NoValue, OnlyTheOrder, OrderFirst, Overwrites, OverwritesAndRefuses,
    SameUserRefused, SmallerRefused, TakenIsAnError, Unsynced, ValuesEverywhere,
};

const APART: [&[Step]; 3] = [
    &[FourWrites, OrderFirst, IndexesFirst],
    &[
        Overwrites,
        OverwritesAndRefuses,
        TakenIsAnError,
        SameUserRefused,
        SmallerRefused,
        AlwaysTrue,
        AnswersExchanged,
    ],
    &[
        NoUserRow,
        NoTimeRow,
        NoStatusRow,
        OnlyTheOrder,
        ValuesEverywhere,
        IdsInIndexes,
        NoValue,
    ],
];

fn rows(steps: &[Step], keys: [Vec<u8>; 4], order: &Order) -> Vec<(Vec<u8>, Vec<u8>)> {
    let has = |step| steps.contains(&step);
    let [own, user, time, status] = keys;
    let value = if has(NoValue) {
        Vec::new()
    } else {
        order.value()
    };
    let of_index = if has(ValuesEverywhere) {
        order.value()
    } else if has(IdsInIndexes) {
        order.id.to_be_bytes().to_vec()
    } else {
        Vec::new()
    };
    let mut rows = vec![(own, value)];
    for (key, left_out) in [(user, NoUserRow), (time, NoTimeRow), (status, NoStatusRow)] {
        if !has(left_out) && !has(OnlyTheOrder) {
            rows.push((key, of_index.clone()));
        }
    }
    rows
}

/// `place` with wrong steps, for keys that may be wrong themselves.
fn placed(steps: &[Step], keys: [Vec<u8>; 4], db: &Db, order: &Order) -> engine::Result<bool> {
    let has = |step| steps.contains(&step);
    let behind = || {
        let mut from = db.default_family().range(keys[0].clone()..b"p".to_vec());
        from.next().is_some()
    };
    let taken = match db.get(&keys[0])? {
        None => has(SmallerRefused) && behind(),
        Some(value) if has(SameUserRefused) => *value == order.value(),
        Some(_) => true,
    };
    if taken && (has(AlwaysTrue) || has(AnswersExchanged)) {
        return Ok(true);
    }
    assert!(!(taken && has(TakenIsAnError)), "the id is taken");
    if taken && !has(Overwrites) && !has(OverwritesAndRefuses) {
        return Ok(false);
    }
    let rows = rows(steps, keys, order);
    let first = match () {
        () if has(OrderFirst) => 1,
        () if has(IndexesFirst) => rows.len() - 1,
        () => rows.len(),
    };
    let mut rows = rows;
    if has(IndexesFirst) {
        rows.rotate_left(1);
    }
    let batches: Vec<&[(Vec<u8>, Vec<u8>)]> = if has(FourWrites) {
        rows.chunks(1).collect()
    } else {
        let (one, other) = rows.split_at(first);
        [one, other].into_iter().filter(|b| !b.is_empty()).collect()
    };
    for rows in batches {
        let mut batch = WriteBatch::new();
        for (key, value) in rows {
            batch.put(&db.default_family(), key, value);
        }
        let sync = !has(Unsynced);
        db.write(batch, WriteOptions { sync })?;
    }
    Ok(!(has(AnswersExchanged) || taken && has(OverwritesAndRefuses)))
}

const QUIRKS: [Quirk<Step>; 18] = [
    Quirk::of(
        FourWrites,
        "four_writes",
        "rows",
        "four writes, one for each row",
        "Between two of them the power can fail. Then the order is there and an index does not know it. A \
         `WriteBatch` is whole or not at all.",
        CUT,
    ),
    Quirk::of(
        OrderFirst,
        "order_then_indexes",
        "rows",
        "one write for the order and a second one for the indexes",
        "Two batches are two moments. If the power fails between them, the order has no index row, and no query finds \
         it.",
        CUT,
    ),
    Quirk::of(
        IndexesFirst,
        "indexes_then_order",
        "rows",
        "one write for the indexes and a second one for the order",
        "Two batches are two moments. If the power fails between them, three index rows lead to an order that is not \
         there.",
        CUT,
    ),
    Quirk::of(
        Unsynced,
        "not_synced",
        "rows",
        "a write without `sync`",
        "The batch is whole, and it may be lost: until it is synced, it lies in memory. `place` has said yes to an \
         order that a power cut takes away.",
        SYNC,
    ),
    Quirk::of(
        Overwrites,
        "id_not_looked_up",
        "rows",
        "placing an order under an id that is taken",
        "The old order's row is overwritten, its index rows are not: they are ghosts now. Read the row first, and \
         refuse.",
        WRONG,
    ),
    Quirk::of(
        OverwritesAndRefuses,
        "refused_too_late",
        "rows",
        "`false` for an id that is taken, after the rows were written",
        "Refuse before the write. An order that was refused must not be in the store.",
        WRONG,
    ),
    Quirk::of(
        TakenIsAnError,
        "panics_if_taken",
        "returns",
        "a panic for an id that is taken",
        "That an id is taken is an answer, `Ok(false)`, and no fault of the program.",
        "place-order",
    ),
    Quirk::of(
        SameUserRefused,
        "only_the_same_order_refused",
        "rows",
        "a refusal of the very same order alone",
        "The id alone decides. Another order under a taken id overwrites the row and leaves the index rows of the first \
         as ghosts.",
        WRONG,
    ),
    Quirk::of(
        SmallerRefused,
        "smaller_ids_refused",
        "rows",
        "a refusal of every id below one that is there",
        "The first row at or after a key need not be its own: a scan that begins there finds the next id as well. And ids need \
         not come in order. Ask for the very key: `db.get`.",
        "place-order",
    ),
    Quirk::of(
        AlwaysTrue,
        "taken_reported_as_placed",
        "rows",
        "`true` for an id that is taken",
        "Nothing was written, and the caller believes that it was. That answer is `false`.",
        "place-order",
    ),
    Quirk::of(
        AnswersExchanged,
        "answers_exchanged",
        "rows",
        "the right rows, with `true` for an id that is taken and `false` for one that is not",
        "`place` says whether it has stored the order: `true` after the write, `false` for an id that is taken. If you return what \
         `is_some` said of the old row, it is the other way round.",
        "place-order",
    ).says_beside("`true` for an id that is taken and `false` for one that is not"),
    Quirk::of(
        NoUserRow,
        "no_row_by_user",
        "rows",
        "three rows, without the one by user",
        "The order is there, and its user does not find it. Each index is a row of its own.",
        ROWS,
    ),
    Quirk::of(
        NoTimeRow,
        "no_row_by_time",
        "rows",
        "three rows, without the one by time",
        "The order is there, and no range of times finds it. Each index is a row of its own.",
        ROWS,
    ),
    Quirk::of(
        NoStatusRow,
        "no_row_by_status",
        "rows",
        "three rows, without the one by status",
        "The order is there, and nobody who looks for new orders finds it. Each index is a row of its own.",
        ROWS,
    ),
    Quirk::of(
        OnlyTheOrder,
        "no_index_rows",
        "rows",
        "the order's own row alone",
        "It answers one question: the order with this id. For the others, three more rows are needed.",
        ROWS,
    ),
    Quirk::of(
        ValuesEverywhere,
        "value_in_every_row",
        "rows",
        "the order's value in all four rows",
        "A query then needs no second lookup, and a change has to write all four rows again. The task keeps the value in \
         one place: the other rows are empty.",
        ROWS,
    ),
    Quirk::of(
        IdsInIndexes,
        "ids_as_values",
        "rows",
        "the id as the value of every index row",
        "Some systems do that. Here the id is at the end of each key, where a scan reads it. The task asks for empty values.",
        ROWS,
    ),
    Quirk::of(
        NoValue,
        "no_value",
        "rows",
        "an empty value in the order's row",
        "The keys lead to the order, and there is nothing there: `order.value()` belongs into its row.",
        ROWS,
    ),
];

fn placing(steps: &[Step]) -> Option<Placing> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Placing::new(keys, move |db, order| {
        placed(&steps, keys(order), db, order)
    }))
}

/// A `place` with this one wrong step.
pub(crate) fn named(name: &str) -> Option<Placing> {
    let quirk = QUIRKS.iter().find(|quirk| quirk.name == name)?;
    placing(&[quirk.id])
}

/// Keys that are wrong as a whole.
fn other_keys() -> Vec<Mistake<Placing>> {
    let other = |name, keys: fn(&Order) -> [Vec<u8>; 4]| {
        let place = move |db: &Db, order: &Order| placed(&[], keys(order), db, order);
        Mistake::new(name, "keys", "bytes", Placing::new(keys, place))
    };
    vec![
        other("letters_as_text", |order| {
            let (user, at, id) = (order.user.as_str(), order.at, order.id);
            [
                ("o", id).to_key(),
                ("u", user, Desc(at), id).to_key(),
                ("t", at, id).to_key(),
                ("s", order.status.byte(), at, id).to_key(),
            ]
        })
        .says("tuples whose letter is a text")
        .why("A text in a tuple gets its end, `00 01`, so these letters take three bytes. `b'o'` is a `u8`, and takes one.")
        .link(BYTES),
        other("user_in_small_letters", |order| {
            keys(&Order { user: order.user.to_lowercase(), ..order.clone() })
        })
        .says("the user in small letters")
        .why("`Ann` and `ann` are two users, and here they share a prefix: each finds the orders of the other. A text is compared as the bytes it is.")
        .link(BYTES),
        other("user_ends_in_a_colon", |order| {
            let [own, _, time, status] = keys(order);
            let rest = (Desc(order.at), order.id).to_key();
            [own, [b"u", order.user.as_bytes(), b":", &rest].concat(), time, status]
        })
        .says("a colon where the user ends")
        .why(
            "A name may hold a colon, and what continues one by less comes before it: `ann!` before `ann`. The tuple ends a text by `00 01` and escapes \
             zero bytes, so that no name does either.",
        )
        .link(BYTES),
        other("time_before_user", |order| {
            let [own, _, time, status] = keys(order);
            [own, (b'u', Desc(order.at), order.user.as_str(), order.id).to_key(), time, status]
        })
        .says("rows by user with the time in front of the user")
        .why("The orders of one user are to be next to each other, so the user comes first. Sorted by the time, they are scattered among those of all others.")
        .link(ROWS),
        other("user_in_the_row_by_time", |order| {
            let [own, user, _, status] = keys(order);
            [own, user, (b't', order.at, order.user.as_str(), order.id).to_key(), status]
        })
        .says("a row by time with the user in it")
        .why("The id tells which order it is. With the user before it, orders of one millisecond come by user and not by id.")
        .link(ROWS),
        other("user_trimmed", |order| {
            keys(&Order { user: order.user.trim().to_owned(), ..order.clone() })
        })
        .says("the user without the spaces around the name")
        .why("A space is a character like any other: `ann` and `ann ` are two users. Clean up what people type before it is stored, not in the key.")
        .link(BYTES),
        other("user_id_turned_for_the_time", |order| {
            let [own, _, time, status] = keys(order);
            let user = (b'u', order.user.as_str(), order.at, Desc(order.id)).to_key();
            [own, user, time, status]
        })
        .says("rows by user with the id turned round, and not the time")
        .why("Newest first is about the time: `Desc(at)`. The id after it stays as it is, for orders of one millisecond come by id, upwards.")
        .link(ROWS),
        other("no_time_by_status", |order| {
            let [own, user, time, _] = keys(order);
            [own, user, time, (b's', order.status.byte(), order.id).to_key()]
        })
        .says("a row by status without the time")
        .why(
            "The orders of a status are asked for oldest first, and without the time in front of the id they come by id. The time is a field of each index.",
        )
        .link(ROWS),
        other("time_by_id", |order| {
            let [own, user, _, status] = keys(order);
            [own, user, (b't', order.id, order.at).to_key(), status]
        })
        .says("the id in front of the time in the row by time")
        .why(
            "No two orders share an id, so nothing after it ever decides: the rows sort by id. The time comes first, and the id parts orders of one millisecond.",
        )
        .link(ROWS),
        other("times_cut_to_32_bits", |order| {
            keys(&Order { at: u64::from(order.at as u32), ..order.clone() })
        })
        .says("times cut by `as u32`")
        .why("Milliseconds since 1970 need 41 bits today. `as u32` keeps 32, so after 49 days the times begin anew, among the old ones.")
        .link(BYTES),
        other("times_of_four_bytes", |order| {
            let at = order.at as u32;
            let [own, ..] = keys(order);
            [
                own,
                (b'u', order.user.as_str(), Desc(at), order.id).to_key(),
                (b't', at, order.id).to_key(),
                (b's', order.status.byte(), at, order.id).to_key(),
            ]
        })
        .says("times of four bytes, as `as u32` makes them")
        .why("Milliseconds since 1970 need 41 bits today. `as u32` keeps 32, so after 49 days the times begin anew, among the old ones. The tables have eight bytes.")
        .link(BYTES),
        other("times_through_a_double", |order| {
            keys(&Order { at: order.at as f64 as u64, ..order.clone() })
        })
        .says("times that were `f64` on their way")
        .why("A double holds whole numbers exactly up to 2^53. Above, neighbours fall together, and times in nanoseconds are above.")
        .link(BYTES),
        other("newest_first_by_time", |order| {
            let [own, by_user, _, by_status] = keys(order);
            [own, by_user, (b't', Desc(order.at), order.id).to_key(), by_status]
        })
        .says("the newest order first in the rows by time")
        .why("Only the rows by user have the newest first. The question by time asks for the oldest first, and a scan goes upwards.")
        .link(BYTES),
        other("newest_first_by_status", |order| {
            let [own, by_user, by_time, _] = keys(order);
            let by_status = (b's', order.status.byte(), Desc(order.at), order.id).to_key();
            [own, by_user, by_time, by_status]
        })
        .says("the newest order first in the rows by status")
        .why("Only the rows by user have the newest first. Whoever works off a status begins with the oldest order.")
        .link(BYTES),
        other("capital_letters", |order| {
            keys(order).map(|mut key| {
                key[0] = key[0].to_ascii_uppercase();
                key
            })
        })
        .says("capital letters in front")
        .why("`O` is 4f and `o` is 6f. A letter is a byte like the others, and all programs of a store have to write the same one.")
        .link(BYTES),
        other("status_digit_as_text", |order| {
            let [own, user, time, _] = keys(order);
            let status = order.status.byte().to_string();
            [own, user, time, (b's', status, order.at, order.id).to_key()]
        })
        .says("the status as a text of one digit")
        .why(
            "A text in a tuple gets its end, `00 01`, so this status takes three bytes: 30 00 01. The table has one, 00: `status.byte()`, \
             a `u8`.",
        )
        .link(BYTES),
        other("status_name_as_text", |order| {
            let [own, user, time, _] = keys(order);
            let status = format!("{:?}", order.status).to_lowercase();
            [own, user, time, (b's', status, order.at, order.id).to_key()]
        })
        .or({
            let named = |order: &Order| {
                let [own, user, time, _] = keys(order);
                let status = format!("{:?}", order.status);
                [own, user, time, (b's', status, order.at, order.id).to_key()]
            };
            Placing::new(named, move |db, order| placed(&[], named(order), db, order))
        })
        .says("the name of the status as a text that ends by itself")
        .why("It can be read and it ends, and it is longer than the byte of the table: `status.byte()`. The names of these three happen to sort as their bytes do, and the name of a fourth need not.")
        .link(BYTES),
        other("status_of_four_bytes", |order| {
            let [own, user, time, _] = keys(order);
            let status = u32::from(order.status.byte());
            let status = (b's', status, order.at, order.id).to_key();
            [own, user, time, status]
        })
        .says("a status of four bytes, as `as u32` makes it")
        .why("The order is the same. But the status is one byte in the rows by status: `status.byte()`, a `u8`.")
        .link(BYTES),
        other("padded_text_joined_by_colons", |order| {
            let Order { id, user, at, status } = order;
            let turned = u64::MAX - at;
            let status = status.byte();
            [
                format!("o:{id:010}"),
                format!("u:{user}:{turned:020}:{id:010}"),
                format!("t:{at:020}:{id:010}"),
                format!("s:{status}:{at:020}:{id:010}"),
            ]
            .map(String::into_bytes)
        })
        .says("text joined by colons, with zeros in front of its numbers")
        .why(
            "Numbers of one width sort. But a user may hold a colon, so no colon says where the name ends. The table shows bytes: a tuple of \
             `engine::keys` makes them, and each of its fields ends by itself.",
        )
        .link(WRONG),
        other("text_joined_by_colons", |order| {
            let Order {
                id,
                user,
                at,
                status,
            } = order;
            let turned = u64::MAX - at;
            let status = status.byte();
            [
                format!("o:{id}"),
                format!("u:{user}:{turned}:{id}"),
                format!("t:{at}:{id}"),
                format!("s:{status}:{at}:{id}"),
            ]
            .map(String::into_bytes)
        })
        .says("text joined by colons")
        .why(
            "As text 10 comes before 9, and a user may hold a colon. The table shows bytes: a tuple of `engine::keys` makes them, and \
             each of its fields ends by itself.",
        )
        .link(WRONG),
    ]
}

/// A signed time that is negated: for one time there is no such number.
fn negated_as_signed() -> Mistake<Placing> {
    let keys = |order: &Order| {
        let [own, _, by_time, by_status] = keys(order);
        let at = order.at.cast_signed().checked_neg();
        let at = at.expect("attempt to negate with overflow");
        [
            own,
            (b'u', order.user.as_str(), at, order.id).to_key(),
            by_time,
            by_status,
        ]
    };
    let place = move |db: &Db, order: &Order| placed(&[], keys(order), db, order);
    Mistake::new("user_time_negated_as_signed", "keys", "returns", Placing::new(keys, place))
        .says("`-(at as i64)` in the rows by user")
        .why(
            "From 2^63 on a `u64` is a negative `i64`, and its least number has no opposite: the subtraction panics. And an `i64` in a \
             tuple has its first bit flipped, so these are other bytes. `Desc(at)` turns the `u64` round as it is.",
        )
        .link(ROWS)
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Placing>> {
    let mut mistakes = compose("keys", &KEY_QUIRKS, |steps| {
        let both = |group: &&[KeyStep]| steps.iter().filter(|s| group.contains(s)).count() > 1;
        if KEYS_APART.iter().any(both) {
            return None;
        }
        let steps = steps.to_vec();
        let own = steps.clone();
        Some(Placing::new(
            move |order| build(&steps, order),
            move |db, order| placed(&[], build(&own, order), db, order),
        ))
    });
    mistakes.extend(compose("place", &QUIRKS, placing));
    mistakes.extend(other_keys());
    mistakes.push(negated_as_signed());
    mistakes.push(
        Mistake::new(
            "error_if_taken",
            "place",
            "rows",
            Placing::new(keys, |db, order| {
                if db.get(&keys(order)[0])?.is_some() {
                    return Err(engine::Error::invalid("this id is taken"));
                }
                placed(&[], keys(order), db, order)
            }),
        )
        .says("an error for an id that is taken")
        .why(
            "An error says that the store could not do its work. Here it could: it looked, and the answer is `Ok(false)`. A caller \
             who gets an error cannot tell a taken id from a broken disk.",
        )
        .link("place-order"),
    );
    mistakes.push(
        Mistake::new(
            "same_order_again_is_true",
            "place",
            "rows",
            Placing::new(keys, |db, order| {
                match db.get(&keys(order)[0])? {
                    Some(value) => Ok(*value == order.value()),
                    None => placed(&[], keys(order), db, order),
                }
            }),
        )
        .says("`true` for the very same order again, and `false` for another one under its id")
        .why(
            "The id alone decides. The order is in the store, but it was not this call that placed it: who is told `true` twice takes it for two \
             orders.",
        )
        .link("place-order"),
    );
    mistakes.push(
        Mistake::new(
            "nobody_refused",
            "place",
            "rows",
            Placing::new(keys, |db, order| {
                if order.user.is_empty() {
                    return Ok(false);
                }
                placed(&[], keys(order), db, order)
            }),
        )
        .says("`false` and no row for an order whose user has no letter")
        .why(
            "An empty name is a text like any other, and its key ends by itself. Only an id that is taken is refused: who leaves an \
             order out without a word loses it.",
        )
        .link(ROWS),
    );
    let replacing = |is_told: bool| {
        Placing::new(keys, move |db, order| {
            let before = db.get(&keys(order)[0])?;
            let before = before.and_then(|value| Order::read(order.id, &value));
            let mut batch = WriteBatch::new();
            for key in before.iter().flat_map(keys) {
                batch.delete(&db.default_family(), key);
            }
            for (at, key) in keys(order).into_iter().enumerate() {
                let value = if at == 0 { order.value() } else { Vec::new() };
                batch.put(&db.default_family(), key, value);
            }
            db.write(batch, WriteOptions { sync: true })?;
            Ok(!is_told || before.is_none())
        })
    };
    mistakes.push(
        Mistake::new("taken_order_replaced", "place", "rows", replacing(false))
            .or(replacing(true))
            .says("an order under a taken id that takes the place of the old one")
            .why(
                "All rows are right, and an order is gone that somebody has placed. `place` is for new ones: an id that is taken is refused before \
                 anything is written.",
            )
            .link("place-order"),
    );
    mistakes.push(
        Mistake::new(
            "every_order_is_new",
            "place",
            "rows",
            Placing::new(keys, |db, order| {
                let order = Order { status: Status::New, ..order.clone() };
                placed(&[], keys(&order), db, &order)
            }),
        )
        .says("every order stored as a new one")
        .why(
            "An order has its status when `place` gets it, and it need not be new: one that comes from another store may be paid. Its value and its row by \
             status say what `order.status` says.",
        )
        .link(ROWS),
    );
    let with_values = |name, own: fn(&Order) -> Vec<u8>, of_index: fn(&Order) -> Vec<u8>| {
        let place = move |db: &Db, order: &Order| {
            let keys = keys(order);
            if db.get(&keys[0])?.is_some() {
                return Ok(false);
            }
            let mut batch = WriteBatch::new();
            for (at, key) in keys.into_iter().enumerate() {
                let value = if at == 0 { own(order) } else { of_index(order) };
                batch.put(&db.default_family(), key, value);
            }
            db.write(batch, WriteOptions { sync: true })?;
            Ok(true)
        };
        Mistake::new(name, "place", "rows", Placing::new(keys, place))
    };
    mistakes.push(
        with_values("values_exchanged", |_| Vec::new(), Order::value)
            .says("the order's value in every index row, and nothing in its own")
            .why("The keys lead to the order, and there is nothing there. The first of the four keys gets `order.value()`, the others get nothing.")
            .link(ROWS),
    );
    mistakes.push(
        with_values("own_keys_as_values", Order::value, |order| keys(order)[0].clone())
            .says("the key of the order as the value of every index row")
            .why(
                "Some systems do that, where the key of an index row does not tell. Here the id is at the end of each key, and the key of the \
                 order can be made from it. The task asks for empty values.",
            )
            .link(ROWS),
    );
    mistakes.push(
        Mistake::new(
            "four_writes_and_one_sync",
            "place",
            "rows",
            Placing::new(keys, |db, order| {
                let keys = keys(order);
                if db.get(&keys[0])?.is_some() {
                    return Ok(false);
                }
                for (at, key) in keys.into_iter().enumerate() {
                    let mut batch = WriteBatch::new();
                    let value = if at == 0 { order.value() } else { Vec::new() };
                    batch.put(&db.default_family(), key, value);
                    db.write(batch, WriteOptions { sync: at == 3 })?;
                }
                Ok(true)
            }),
        )
        .says("four writes, one for each row, of which the last one is synced")
        .why(
            "A sync makes durable what was written before it, but some of that may be on the disk already: nobody promises that an unsynced write is \
             lost. If the power fails between two of the four, a part of the order is left. A `WriteBatch` is whole or not at all.",
        )
        .link(CUT),
    );
    mistakes.push(
        Mistake::new(
            "own_row_forgotten",
            "place",
            "rows",
            Placing::new(keys, |db, order| {
                let [own, indexes @ ..] = keys(order);
                if db.get(&own)?.is_some() {
                    return Ok(false);
                }
                let mut batch = WriteBatch::new();
                for key in indexes {
                    batch.put(&db.default_family(), key, b"");
                }
                db.write(batch, WriteOptions { sync: true })?;
                Ok(true)
            }),
        )
        .says("the three index rows alone")
        .why(
            "They lead to an id, and under this id nothing is stored. The order's own row holds all that is known of it, and tells the next call \
             that the id is taken.",
        )
        .link(ROWS),
    );
    mistakes.push(
        Mistake::new(
            "refused_unless_taken",
            "place",
            "rows",
            Placing::new(keys, |db, order| {
                if db.get(&keys(order)[0])?.is_none() {
                    return Ok(false);
                }
                placed(&[Overwrites], keys(order), db, order)
            }),
        )
        .says("`false` and no row for an id that is free")
        .why(
            "If you ask `is_none` where `is_some` is meant, the free ids are refused: then no order is ever the first. `false` is for an \
             id that is taken.",
        )
        .link("place-order"),
    );
    mistakes.push(
        Mistake::new(
            "batch_not_written",
            "place",
            "rows",
            Placing::new(keys, |db, order| Ok(db.get(&keys(order)[0])?.is_none())),
        )
        .says("`true` and no row, as where a batch is filled and never written")
        .why("`put` adds to the batch, and the store knows nothing of it. `db.write` writes it, whole or not at all.")
        .link(CUT),
    );
    mistakes
}
