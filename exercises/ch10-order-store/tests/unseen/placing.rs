//! What is said of `keys` and `place`.

use engine::keys::OrderedKey as _;
use engine::{Db, WriteBatch, WriteOptions};
use kit::unseen::{named, observed};

use crate::order::Order;
use crate::solutions::place_order::{keys, place};
use crate::{placed_by, placing};

#[test]
fn keys_that_nobody_foresaw_are_compared() {
    let seconds = |order: &Order| {
        keys(&Order {
            at: order.at / 1000,
            ..order.clone()
        })
    };
    named(&placing(seconds, place), "times_in_seconds");
    let without_their_last_bit = |order: &Order| {
        keys(&Order {
            at: order.at & !1,
            ..order.clone()
        })
    };
    observed(
        &placing(without_their_last_bit, place),
        "bytes",
        &[
            "keys(256 \"bob:7\" 1571819021259 Shipped)[1] must be",
            "It is right on all rows of orders",
        ],
    );
    let capital_letters = |order: &Order| {
        keys(order).map(|mut key| {
            key[0] = key[0].to_ascii_uppercase();
            key
        })
    };
    named(&placing(capital_letters, place), "capital_letters");
    let anonymous_panics = |order: &Order| {
        assert!(!order.user.is_empty(), "no user");
        keys(order)
    };
    observed(
        &placing(anonymous_panics, place),
        "returns",
        &["no user", "It panics on"],
    );
}

#[test]
fn placements_are_told_by_their_rows() {
    // A counter that nobody asked for.
    let counted = |db: &Db, order: &Order| {
        let placed = place(db, order)?;
        if placed {
            db.put("count", b"1")?;
        }
        Ok(placed)
    };
    observed(
        &placing(keys, counted),
        "rows",
        &["true and the rows [63 6f 75 6e 74 = 31, order of 7"],
    );
    // Three of four in the batch.
    let status_apart = |db: &Db, order: &Order| {
        let [own, user, time, status] = keys(order);
        if db.get(&own)?.is_some() {
            return Ok(false);
        }
        let mut batch = WriteBatch::new();
        batch.put(&db.default_family(), own, order.value());
        batch.put(&db.default_family(), user, b"");
        batch.put(&db.default_family(), time, b"");
        db.write(batch, WriteOptions { sync: true })?;
        db.put(status, b"")?;
        Ok(true)
    };
    observed(
        &placing(keys, status_apart),
        "rows",
        &[
            "half an order, [order of 7, time of 7, user of 7], when the power fails after file operation",
        ],
    );
}

#[test]
fn ids_come_in_any_order_and_values_hold_any_user() {
    let greater_alone = |db: &Db, order: &Order| {
        let own = (b'o', order.id).to_key();
        let mut behind = db.default_family().range(own..b"p".to_vec());
        if behind.next().is_some() {
            return Ok(false);
        }
        place(db, order)
    };
    named(&placing(keys, greater_alone), "smaller_ids_refused");
    let unescaped = |db: &Db, order: &Order| {
        let [own, indexes @ ..] = keys(order);
        if db.get(&own)?.is_some() {
            return Ok(false);
        }
        let mut batch = WriteBatch::new();
        let user = order.user.as_bytes();
        let value = [
            user,
            &[0, 1],
            &order.at.to_be_bytes(),
            &[order.status.byte()],
        ]
        .concat();
        batch.put(&db.default_family(), own, value);
        for key in indexes {
            batch.put(&db.default_family(), key, b"");
        }
        db.write(batch, WriteOptions { sync: true })?;
        Ok(true)
    };
    observed(
        &placing(keys, unescaped),
        "rows",
        &["a\\0b", "order of 258 with the value"],
    );
}

#[test]
fn a_look_into_an_index_is_no_look_at_the_very_same_order() {
    let by_status = |db: &Db, order: &Order| {
        let [own, user, time, status] = keys(order);
        if db.get(&status)?.is_some() {
            return Ok(false);
        }
        let rows = db.default_family();
        let mut batch = WriteBatch::new();
        batch.put(&rows, own, order.value());
        for key in [user, time, status] {
            batch.put(&rows, key, b"");
        }
        db.write(batch, WriteOptions { sync: true })?;
        Ok(true)
    };
    observed(
        &placing(keys, by_status),
        "rows",
        &["It is wrong on place(7 \"ann\" 500 New), place(7 \"ann\" 500 Paid),"],
    );
}

#[test]
fn times_may_be_more_than_a_double_holds() {
    let through = |order: &Order| {
        let seconds = order.at as f64;
        keys(&Order {
            at: seconds as u64,
            ..order.clone()
        })
    };
    named(&placing(through, place), "times_through_a_double");
}

#[test]
fn a_place_that_makes_the_right_keys_itself_is_not_called_wrong() {
    let oldest_first = |order: &Order| {
        let mut keys = keys(order);
        keys[1] = (b'u', order.user.as_str(), order.at, order.id).to_key();
        keys
    };
    let verdict = placing(oldest_first, place);
    named(&verdict, "oldest_first_by_user");
    assert!(verdict.message.contains("`place` is right."));
    // And one that calls them is not blamed for them.
    let verdict = placing(oldest_first, placed_by(oldest_first));
    assert!(verdict.message.contains("`place` is right."));
}
