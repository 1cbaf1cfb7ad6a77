//! What is said of `change_status`.

use engine::keys::OrderedKey as _;
use engine::{Db, WriteBatch, WriteOptions};
use kit::State;
use kit::unseen::{named, observed};

use crate::order::{Change, Order, Status};
use crate::solutions::change_status::change_status as right_change;
use crate::solutions::place_order::keys;
use crate::{before_and_after, change_to, changing};

#[test]
fn changes_are_told_by_their_rows() {
    let never_shipped = |db: &Db, id: u32, to: Status| match to {
        Status::Shipped => Ok(Change::Unchanged),
        _ => right_change(db, id, to),
    };
    observed(
        &changing(never_shipped),
        "rows",
        &["change_status({7 \"ann\" 500 New}, 7, Shipped) must be Changed"],
    );
    let at_the_present = |db: &Db, id: u32, to: Status| {
        let changed = right_change(db, id, to)?;
        if let (Change::Changed, Some(value)) = (changed, db.get((b'o', id).to_key())?) {
            let order = Order::read(id, &value).unwrap();
            db.delete(&keys(&order)[3])?;
            db.put((b's', to.byte(), 99_999_u64, id).to_key(), b"")?;
        }
        Ok(changed)
    };
    observed(&changing(at_the_present), "rows", &["s Paid 99999 7"]);
    let said_wrong = |db: &Db, id: u32, to: Status| {
        Ok(match right_change(db, id, to)? {
            Change::Unknown => Change::Unchanged,
            Change::Unchanged => Change::Changed,
            Change::Changed => Change::Changed,
        })
    };
    named(
        &changing(said_wrong),
        "unknown_taken_for_unchanged+same_taken_for_changed",
    );
}

#[test]
fn a_change_keeps_all_bits_of_a_time() {
    let cut = |at: fn(u64) -> u64| {
        changing(move |db: &Db, id: u32, to: Status| {
            let value = db.get((b'o', id).to_key())?;
            let Some(before) = value.and_then(|value| Order::read(id, &value)) else {
                return Ok(Change::Unknown);
            };
            if before.status == to {
                return Ok(Change::Unchanged);
            }
            let row = |status: Status| (b's', status.byte(), at(before.at), id).to_key();
            let mut batch = WriteBatch::new();
            batch.delete(&db.default_family(), row(before.status));
            batch.put(&db.default_family(), row(to), b"");
            let status = to;
            let after = Order { status, ..before };
            batch.put(&db.default_family(), (b'o', id).to_key(), after.value());
            db.write(batch, WriteOptions { sync: true })?;
            Ok(Change::Changed)
        })
    };
    assert_eq!(cut(|at| at).state, State::Passed);
    observed(
        &cut(|at| u64::from(at as u32)),
        "rows",
        &["9007199254740993"],
    );
    observed(&cut(|at| at as f64 as u64), "rows", &["9007199254740993"]);
}

#[test]
fn nothing_is_written_where_nothing_changes() {
    let same_written = |db: &Db, id: u32, to: Status| {
        let changed = right_change(db, id, to)?;
        if changed == Change::Unchanged {
            let own = (b'o', id).to_key();
            let value = db.get(&own)?.unwrap();
            db.put(own, &*value)?;
        }
        Ok(changed)
    };
    named(&changing(same_written), "same_status_written");
}

#[test]
fn ids_begin_at_zero() {
    let zero_is_nobody = |db: &Db, id: u32, to: Status| match id {
        0 => Ok(Change::Unknown),
        _ => right_change(db, id, to),
    };
    observed(
        &changing(zero_is_nobody),
        "rows",
        &["It is wrong on change_status({0 \"\" 0 New, 4294967295"],
    );
}

#[test]
fn rows_that_are_deleted_too_late_are_named() {
    let written = |in_one: bool, delete_all: bool| {
        move |db: &Db, id: u32, to: Status| {
            let (before, after) = match before_and_after(db, id, to)? {
                Ok(both) => both,
                Err(nothing) => return Ok(nothing),
            };
            let rows = db.default_family();
            let sync = WriteOptions { sync: true };
            let mut batch = WriteBatch::new();
            for (key, value) in keys(&after).into_iter().zip([after.value()].iter().cycle()) {
                let is_own = key[0] == b'o';
                batch.put(&rows, key, if is_own { &value[..] } else { b"" });
            }
            if !in_one {
                db.write(std::mem::take(&mut batch), sync)?;
            }
            let first = if delete_all { 0 } else { 3 };
            for key in &keys(&before)[first..] {
                batch.delete(&rows, key);
            }
            db.write(batch, sync)?;
            Ok(Change::Changed)
        }
    };
    named(&changing(written(true, true)), "all_old_rows_deleted_last");
    named(&changing(written(false, false)), "delete_afterwards");
}

#[test]
fn a_change_keeps_every_byte_of_the_user() {
    let cut = |db: &Db, id: u32, to: Status| {
        let own = (b'o', id).to_key();
        let said = right_change(db, id, to)?;
        if said == Change::Changed {
            let value = db.get(&own)?.unwrap();
            let mut order = Order::read(id, &value).unwrap();
            order.user.truncate(order.user.trim_end_matches('\0').len());
            db.put(own, order.value())?;
        }
        Ok(said)
    };
    observed(&changing(cut), "rows", &[r"a\0\0b"]);
}

#[test]
fn a_change_that_is_wrong_in_one_index_alone_is_told_in_which() {
    fn little_endian(order: &Order) -> Order {
        Order {
            at: order.at.swap_bytes(),
            ..order.clone()
        }
    }
    let verdict = changing(|db, id, to| change_to(db, id, to, little_endian));
    let told = &["No row is ever wrong but those by status."];
    observed(&verdict, "rows", told);
    // Here the order's own row is wrong too.
    let own_row_too = |db: &Db, id, to| {
        let change = change_to(db, id, to, little_endian)?;
        if change == Change::Changed {
            let mut batch = WriteBatch::new();
            batch.put(&db.default_family(), (b'o', id).to_key(), b"");
            db.write(batch, WriteOptions { sync: true })?;
        }
        Ok(change)
    };
    assert!(
        !changing(own_row_too)
            .message
            .contains("No row is ever wrong")
    );
}
