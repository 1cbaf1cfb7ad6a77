//! What goes wrong when an order gets another status.

use std::sync::Arc;

use engine::Db;
use engine::WriteBatch;
use engine::WriteOptions;
use engine::keys::OrderedKey as _;
use kit::{Mistake, Quirk, compose};

use crate::change_status::Changing;
use crate::order::{Change, Order, Status};
use crate::solutions::change_status::change_status as right;
use crate::solutions::place_order::{keys, place};

const SCAN: &str = "a-scan-goes-wrong";
const MOVES: &str = "the-row-that-moves";
const CUT: &str = "without-a-batch";
const SYNC: &str = "sync-and-what-is-acknowledged";
const TASK: &str = "change-status";

const UNKNOWN_ERROR: &str = "An error says that the store could not do its work. Here it could: it looked, and `Change` has a word for \
    each answer. Return it in `Ok`. A caller who gets an error cannot tell a wrong id from a broken disk.";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // The old row by status.
    GhostLeft,
    NewDeleted,
    WholeStatusDeleted,
    OldGuessed,
    // The new one.
    NewForgotten,
    WithoutTime,
    NewWithValue,
    // The order's own row.
    OrderForgotten,
    StatusAlone,
    // The other rows.
    OthersDeleted,
    // Writes.
    OrderFirst,
    IndexFirst,
    DeleteFirst,
    DeleteAfterwards,
    EachByItself,
    Unsynced,
    // Answers.
    UnknownPanics,
    UnknownUnchanged,
    UnknownChanged,
    SameChanged,
    SameUnknown,
    SameLosesRow,
    OnlyForwards,
    OneStepAtMost,
    LastIsFinal,
    SameWritten,
}
use Step::{
    DeleteAfterwards, DeleteFirst, EachByItself, GhostLeft, IndexFirst, LastIsFinal, NewDeleted,
    NewForgotten, NewWithValue, OldGuessed, OneStepAtMost, OnlyForwards, OrderFirst,
    OrderForgotten, OthersDeleted, SameChanged, SameLosesRow, SameUnknown, SameWritten,
    StatusAlone, UnknownChanged, UnknownPanics, UnknownUnchanged, Unsynced, WholeStatusDeleted,
    WithoutTime,
};

const APART: [&[Step]; 5] = [
    &[
        GhostLeft,
        NewDeleted,
        WholeStatusDeleted,
        OldGuessed,
        NewForgotten,
        WithoutTime,
        NewWithValue,
        OthersDeleted,
    ],
    &[OrderForgotten, StatusAlone],
    &[
        OrderFirst,
        IndexFirst,
        DeleteFirst,
        DeleteAfterwards,
        EachByItself,
    ],
    &[UnknownPanics, UnknownUnchanged, UnknownChanged],
    &[
        SameChanged,
        SameUnknown,
        SameLosesRow,
        SameWritten,
        OnlyForwards,
        OneStepAtMost,
        LastIsFinal,
    ],
];

/// One record of a batch: a key, and its value if it is put.
type Record = (Vec<u8>, Option<Vec<u8>>);

/// The records of a change: the order's own row, then the row that goes, then the one that comes.
fn records(steps: &[Step], db: &Db, before: &Order, to: Status) -> Vec<Vec<Record>> {
    let has = |step| steps.contains(&step);
    let after = Order {
        status: to,
        ..before.clone()
    };
    let [own, user, time, old] = keys(before);
    let new = if has(WithoutTime) {
        (b's', to.byte(), 0_u64, before.id).to_key()
    } else {
        keys(&after)[3].clone()
    };
    let value = if has(StatusAlone) {
        vec![to.byte()]
    } else {
        after.value()
    };
    let mut own = vec![(own, Some(value))];
    if has(OrderForgotten) {
        own.clear();
    }
    let mut goes = vec![(old, None)];
    if has(GhostLeft) {
        goes.clear();
    }
    if has(NewDeleted) {
        goes = vec![(new.clone(), None)];
    }
    if has(OldGuessed) {
        let guessed = to.byte().saturating_sub(1);
        goes = vec![((b's', guessed, before.at, before.id).to_key(), None)];
    }
    if has(WholeStatusDeleted) {
        let prefix = (b's', before.status.byte()).to_key();
        let rows = crate::store::rows(db).into_iter();
        let all = rows.filter(|(key, _)| key.starts_with(&prefix));
        goes = all.map(|(key, _)| (key, None)).collect();
    }
    if has(OthersDeleted) {
        goes.extend([(user, None), (time, None)]);
    }
    let value = if has(NewWithValue) {
        after.value()
    } else {
        Vec::new()
    };
    let mut comes = vec![(new, Some(value))];
    if has(NewForgotten) {
        comes.clear();
    }
    // After the put, for here the delete is the last word.
    let deleted_last = has(NewDeleted) || has(SameLosesRow);
    if deleted_last {
        vec![own, comes, goes]
    } else {
        vec![own, goes, comes]
    }
}

fn changed(steps: &[Step], db: &Db, id: u32, to: Status) -> engine::Result<Change> {
    let has = |step| steps.contains(&step);
    let Some(value) = db.get((b'o', id).to_key())? else {
        assert!(
            !has(UnknownPanics),
            "called `Option::unwrap()` on a `None` value"
        );
        return Ok(match () {
            () if has(UnknownUnchanged) => Change::Unchanged,
            () if has(UnknownChanged) => Change::Changed,
            () => Change::Unknown,
        });
    };
    let Some(before) = Order::read(id, &value) else {
        // Its own value of a call before, with the status alone.
        return Ok(Change::Unknown);
    };
    if before.status == to && has(SameUnknown) {
        return Ok(Change::Unknown);
    }
    if before.status == to && has(SameChanged) {
        return Ok(Change::Changed);
    }
    if before.status == to && !has(SameLosesRow) && !has(SameWritten) {
        return Ok(Change::Unchanged);
    }
    let is_refused = before.status > to && has(OnlyForwards)
        || to.byte() > before.status.byte() + 1 && has(OneStepAtMost)
        || before.status == Status::Shipped && has(LastIsFinal);
    if is_refused {
        return Ok(Change::Unchanged);
    }
    let mut records = records(steps, db, &before, to);
    if has(EachByItself) {
        records = records.concat().into_iter().map(|one| vec![one]).collect();
    } else if has(OrderFirst) {
        records = vec![records[0].clone(), records[1..].concat()];
    } else if has(IndexFirst) {
        records = vec![records[1..].concat(), records[0].clone()];
    } else if has(DeleteFirst) {
        records = vec![records[1].clone(), [&records[0][..], &records[2]].concat()];
    } else if has(DeleteAfterwards) {
        records = vec![[&records[0][..], &records[2]].concat(), records[1].clone()];
    } else {
        records = vec![records.concat()];
    }
    for group in records.iter().filter(|group| !group.is_empty()) {
        let mut batch = WriteBatch::new();
        for (key, value) in group {
            match value {
                Some(value) => batch.put(&db.default_family(), key, value),
                None => batch.delete(&db.default_family(), key),
            }
        }
        db.write(
            batch,
            WriteOptions {
                sync: !has(Unsynced),
            },
        )?;
    }
    Ok(if before.status == to && has(SameWritten) {
        Change::Unchanged
    } else {
        Change::Changed
    })
}

/// A mistake that reads and answers rightly. `change` gets the order as it was and as it is to be, where they differ.
fn changed_by(
    name: &'static str,
    change: fn(&Db, &Order, &Order) -> engine::Result<()>,
) -> Mistake<Changing> {
    let change_status: Changing = Arc::new(move |db, id, to| {
        let Some(value) = db.get((b'o', id).to_key())? else {
            return Ok(Change::Unknown);
        };
        let before = Order::read(id, &value).expect("`place` wrote this value");
        if before.status == to {
            return Ok(Change::Unchanged);
        }
        let after = Order {
            status: to,
            ..before.clone()
        };
        change(db, &before, &after)?;
        Ok(Change::Changed)
    });
    Mistake::new(name, "change_status", "rows", change_status)
}

const fn quirk(
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk::of(id, name, "rows", says, why, link)
}

const QUIRKS: [Quirk<Step>; 26] = [
    quirk(
        GhostLeft,
        "ghost_left",
        "a change that leaves the old row by status",
        "The old status is in the key of the old row, so the new row does not overwrite it. The order is found under both. \
         Delete the old row, in the same batch. Is there a delete already? Then look at its key: it has to be made from what was \
         read, with the old status.",
        SCAN,
    ),
    quirk(
        NewDeleted,
        "new_row_deleted",
        "a delete with the new status in its key",
        "The key of the row that goes has the new status in it, as when the order is changed first and the key made from it \
         afterwards. So the old row stays, and the new one goes. Make the old key from what was read.",
        MOVES,
    ),
    quirk(
        WholeStatusDeleted,
        "whole_status_deleted",
        "a delete of all rows of the old status",
        "The prefix of a status is the prefix of all its orders. Delete one key: status, time and id.",
        MOVES,
    ),
    quirk(
        OldGuessed,
        "old_status_guessed",
        "a delete of the row of the status one before the new one",
        "An order may go from new to shipped, and back. Which status is in the key of the old row, only the order's own \
         row tells. Read it before you change it.",
        MOVES,
    ),
    quirk(
        NewForgotten,
        "new_row_forgotten",
        "a change after which the old row is gone and the new one is not there",
        "The order has its new status, and no query by status finds it. Is there a put of the new row? Then see what comes \
         after it: in a batch, the last record of a key counts.",
        MOVES,
    ),
    quirk(
        WithoutTime,
        "new_row_without_its_time",
        "a new row by status with the time 0",
        "The time in the key is the time at which the order was placed. It is in the order's value: read it there.",
        MOVES,
    ),
    quirk(
        NewWithValue,
        "new_row_with_a_value",
        "a new row by status that holds the order's value",
        "Index rows are empty here. A second copy of the value has to be written again with every change.",
        "four-rows",
    ),
    quirk(
        OrderForgotten,
        "order_forgotten",
        "a change of the index alone",
        "The order's own row still holds the old status in its value. The next change reads it, deletes the wrong row, and \
         leaves a ghost. Is there a put of that row? Then its value was made before the order got its new status.",
        MOVES,
    ),
    quirk(
        StatusAlone,
        "status_alone_as_value",
        "a value of one byte, the status",
        "A put replaces the whole value. User and time are gone. Write `order.value()` with the new status in it.",
        MOVES,
    ),
    quirk(
        OthersDeleted,
        "other_indexes_deleted",
        "a change that deletes the rows by user and by time",
        "Neither the user nor the time has changed: their keys stay as they are, and so do the rows.",
        MOVES,
    ),
    quirk(
        OrderFirst,
        "order_then_index",
        "one write for the order and a second one for the index",
        "Two batches are two moments. If the power fails between them, the order is paid and its index row says new.",
        CUT,
    ),
    quirk(
        IndexFirst,
        "index_then_order",
        "one write for the index and a second one for the order",
        "Two batches are two moments. If the power fails between them, the index says paid and the order says new.",
        CUT,
    ),
    quirk(
        DeleteFirst,
        "delete_by_itself",
        "one write for the delete and a second one for the rest",
        "Two batches are two moments. If the power fails between them, the order is under no status at all.",
        CUT,
    ),
    quirk(
        DeleteAfterwards,
        "delete_afterwards",
        "one write for the rows that come and a second one for the delete",
        "Two batches are two moments. If the power fails between them, the order is under both statuses.",
        CUT,
    ),
    quirk(
        EachByItself,
        "three_writes",
        "three writes, one for each row",
        "If the power fails between two of them, order and index disagree. A `WriteBatch` is whole or not at all.",
        CUT,
    ),
    quirk(
        Unsynced,
        "not_synced",
        "a write without `sync`",
        "The batch is whole, and it may be lost: until it is synced, it lies in memory. The caller was told that the order is \
         paid.",
        SYNC,
    ),
    Quirk {
        check: "returns",
        ..quirk(
            UnknownPanics,
            "unknown_panics",
            "a panic for an id that no order has",
            "An id that does not exist is an answer, `Unknown`, and no fault of the program.",
            TASK,
        )
    },
    quirk(
        UnknownUnchanged,
        "unknown_taken_for_unchanged",
        "`Unchanged` for an id that no order has",
        "Nothing was written in either case. But only one of the two callers has a wrong id.",
        TASK,
    ),
    quirk(
        UnknownChanged,
        "unknown_taken_for_changed",
        "`Changed` for an id that no order has",
        "There is no order that could have changed: `Unknown`.",
        TASK,
    ),
    quirk(
        SameChanged,
        "same_taken_for_changed",
        "`Changed` for a status that the order already has",
        "Nothing changed. The caller may send a mail for each change.",
        TASK,
    ),
    quirk(
        SameUnknown,
        "same_taken_for_unknown",
        "`Unknown` for a status that the order already has",
        "The order is there, and nothing has to be done: `Unchanged`.",
        TASK,
    ),
    quirk(
        SameLosesRow,
        "same_status_loses_the_row",
        "a put of the new row and then a delete of the old one",
        "With the same status both have one key, and in a batch the last record of a key counts: the row is gone. Answer \
         `Unchanged` before, and delete before you put.",
        MOVES,
    ),
    quirk(
        OnlyForwards,
        "only_forwards",
        "`Unchanged` for an earlier status",
        "Whether an order may go back is a rule of the shop. The store was asked to change it.",
        TASK,
    ),
    quirk(
        OneStepAtMost,
        "no_status_skipped",
        "`Unchanged` for a change from new to shipped",
        "Whether an order may be shipped before it is paid is a rule of the shop. The store was asked to change it.",
        TASK,
    ),
    quirk(
        LastIsFinal,
        "shipped_is_final",
        "`Unchanged` for an order that is shipped",
        "Whether an order may come back is a rule of the shop. The store was asked to change it.",
        TASK,
    ),
    quirk(
        SameWritten,
        "same_status_written",
        "`Unchanged` for a status that the order already has, after its rows were written",
        "The rows are the same as before, and the write costs a sync all the same. Compare the status before you write.",
        TASK,
    ),
];

/// A change with these wrong steps, unless they exclude each other.
fn changing(steps: &[Step]) -> Option<Changing> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    let change: Changing = Arc::new(move |db, id, to| changed(&steps, db, id, to));
    Some(change)
}

/// The change with this one wrong step.
pub(crate) fn named(name: &str) -> Option<Changing> {
    let quirk = QUIRKS.iter().find(|quirk| quirk.name == name)?;
    changing(&[quirk.id])
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Changing>> {
    let mut mistakes = vec![
        Mistake::<Changing>::new(
            "error_if_unknown",
            "change_status",
            "rows",
            Arc::new(|db, id, to| match right(db, id, to)? {
                Change::Unknown => Err(engine::Error::invalid("no order has this id")),
                change => Ok(change),
            }),
        )
        .says("an error for an id that no order has")
        .why(UNKNOWN_ERROR)
        .link(TASK),
        Mistake::<Changing>::new(
            "error_if_unchanged",
            "change_status",
            "rows",
            Arc::new(|db, id, to| match right(db, id, to)? {
                Change::Unchanged => Err(engine::Error::invalid("the order has this status")),
                change => Ok(change),
            }),
        )
        .says("an error for the status that the order already has")
        .why("Nothing failed: the order is as the caller wants it. `Ok(Change::Unchanged)` says so.")
        .link(TASK),
        Mistake::<Changing>::new(
            "error_if_nothing_to_change",
            "change_status",
            "rows",
            Arc::new(|db, id, to| match right(db, id, to)? {
                Change::Changed => Ok(Change::Changed),
                _ => Err(engine::Error::invalid("nothing to change")),
            }),
        )
        .says("an error wherever nothing is changed: no order has the id, or the order has the status already")
        .why(UNKNOWN_ERROR)
        .link(TASK),
        changed_by("deleted_and_placed_anew", |db, before, after| {
            let mut batch = WriteBatch::new();
            for key in keys(before) {
                batch.delete(&db.default_family(), key);
            }
            db.write(batch, WriteOptions { sync: true })?;
            place(db, after).map(|_| ())
        })
        .says("one write that deletes the order's rows and a second one that places it anew")
        .why(
            "Two batches are two moments. If the power fails between them, the order is gone. And two of its four rows stay as \
             they are: only its own row and the one by status change.",
        )
        .link(CUT),
        changed_by("own_row_alone", |db, _, after| {
            let mut batch = WriteBatch::new();
            let [own, ..] = keys(after);
            batch.put(&db.default_family(), own, after.value());
            db.write(batch, WriteOptions { sync: true })
        })
        .says("a change of the order's own row alone")
        .why(
            "The index still has the order under its old status, and no query finds it under the new one. Its row by status has the \
             status in its key: delete the old row and put the new one, in the same batch.",
        )
        .link(MOVES),
        changed_by("whole_millisecond_deleted", |db, before, after| {
            let rows = db.default_family();
            let mut batch = WriteBatch::new();
            for row in rows.prefix((b's', before.status.byte(), before.at).to_key()) {
                batch.delete(&rows, row?.0);
            }
            let [own, _, _, new] = keys(after);
            batch.put(&rows, own, after.value());
            batch.put(&rows, new, b"");
            db.write(batch, WriteOptions { sync: true })
        })
        .says("a delete of all rows with the old status and the time of the order")
        .why(
            "Two orders may have been placed in the same millisecond, and then the other one loses its row. The row of this order is one key, and the id belongs to it.",
        )
        .link(MOVES),
        changed_by("old_status_taken_for_new", |db, before, after| {
            let rows = db.default_family();
            let mut batch = WriteBatch::new();
            let [own, _, _, new] = keys(after);
            let old = (b's', Status::New.byte(), before.at, before.id).to_key();
            batch.delete(&rows, old);
            batch.put(&rows, own, after.value());
            batch.put(&rows, new, b"");
            db.write(batch, WriteOptions { sync: true })
        })
        .says("a delete of the row under the status new, whatever the status was")
        .why(
            "An order that is paid becomes shipped too, and may become new again. Which status is in the key of the old row, only the order's own row tells.",
        )
        .link(MOVES),
        changed_by("all_old_rows_deleted_last", |db, before, after| {
            let rows = db.default_family();
            let mut batch = WriteBatch::new();
            let [own, indexes @ ..] = keys(after);
            batch.put(&rows, own, after.value());
            for key in indexes {
                batch.put(&rows, key, b"");
            }
            for key in keys(before) {
                batch.delete(&rows, key);
            }
            db.write(batch, WriteOptions { sync: true })
        })
        .says("all rows put anew, and all rows of before deleted after that")
        .why(
            "Three of the four keys are the same as before, and in a batch the last word on a key counts: they are deleted. Only the row by status has another key.",
        )
        .link(MOVES),
        Mistake::<Changing>::new(
            "never_changed",
            "change_status",
            "rows",
            Arc::new(|db, id, _| {
                let order = db.get((b'o', id).to_key())?;
                Ok(order.map_or(Change::Unknown, |_| Change::Unchanged))
            }),
        )
        .says("`Unchanged` for every order, and nothing written")
        .why(
            "Is the status compared after the order got the new one? Then the two are always the same. Compare with what was read, and change it \
             after that.",
        )
        .link(MOVES),
        changed_by("batch_not_written", |_, _, _| Ok(()))
        .says("the right answer and no change, as where a batch is filled and never written")
        .why(
            "`put` and `delete` add to the batch, and the store knows nothing of it. `db.write` writes it, whole or not at all. A \
             batch that is written changes nothing either while the order in it still has its old status.",
        )
        .link(CUT),
    ];
    mistakes.extend(compose("change_status", &QUIRKS, changing));
    mistakes
}
