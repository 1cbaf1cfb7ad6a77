//! Wrong and right answers that no gallery holds: what is said of them must be true.

use ch10_order_store::order;

#[path = "../checks/change_status.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod change_status;
#[path = "../checks/check_store.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod check_store;
#[path = "../checks/find_orders.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod find_orders;
#[path = "../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../checks/place_order.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod place_order;
#[path = "../checks/predict_rows.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod predict_rows;
#[path = "../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../checks/store.rs"]
mod store;
#[path = "../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../checks/test_store.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_store;
#[path = "../checks/wrong_stores.rs"]
mod wrong_stores;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};

use engine::keys::{DecodeKey as _, Desc, OrderedKey as _};
use engine::{Db, WriteBatch, WriteOptions};
use kit::unseen::{Astray, every_bit_counts, judged, named, observed, pairs_call_nothing_right};
use kit::{State, Verdict, letters};

use check_store::Checker;
use find_orders::Queries;
use order::{Change, Fault, Order, OrderStore, Page, Status};
use place_order::Placing;
use predict_rows::Predictions;
use solutions::change_status::change_status as right_change;
use solutions::find_orders::{between, of_user, with_status};
use solutions::place_order::{keys, place};

fn placing(
    keys: impl Fn(&Order) -> [Vec<u8>; 4] + Send + Sync + 'static,
    place: impl Fn(&Db, &Order) -> engine::Result<bool> + Send + Sync + 'static,
) -> Verdict {
    judged(&place_order::exercise_of(Placing::new(keys, place)))
}

fn changing(
    change: impl Fn(&Db, u32, Status) -> engine::Result<Change> + Send + Sync + 'static,
) -> Verdict {
    judged(&change_status::exercise_of(Arc::new(change)))
}

fn paging(
    page: impl Fn(&Db, Status, usize, Option<&[u8]>) -> engine::Result<Page> + Send + Sync + 'static,
) -> Verdict {
    judged(&find_orders::exercise_of(Queries::new(
        of_user, between, page,
    )))
}

fn checking(faults: impl Fn(&Db) -> engine::Result<Vec<Fault>> + Send + Sync + 'static) -> Verdict {
    let rebuild = solutions::check_store::rebuild;
    judged(&check_store::exercise_of(Checker::new(faults, rebuild)))
}

/// The ids of a status, oldest first, with their keys.
fn queue(db: &Db, status: Status) -> Vec<(Vec<u8>, u32)> {
    let rows = db.default_family().prefix((b's', status.byte()).to_key());
    let id = |key: &[u8]| <(u8, u8, u64, u32)>::from_key(key).unwrap().3;
    rows.map(|row| row.unwrap().0)
        .map(|key| (key.clone(), id(&key)))
        .collect()
}

#[test]
fn right_answers_pass_however_they_are_written() {
    // Flushed instead of synced.
    let flushed = |db: &Db, order: &Order| {
        let [own, indexes @ ..] = keys(order);
        if db.get(&own)?.is_some() {
            return Ok(false);
        }
        let mut batch = WriteBatch::new();
        for key in indexes {
            batch.put(&db.default_family(), key, b"");
        }
        batch.put(&db.default_family(), own, order.value());
        db.write(batch, WriteOptions::default())?;
        db.flush()?;
        Ok(true)
    };
    assert_eq!(placing(keys, flushed).state, State::Passed);

    // The rows of all statuses are deleted, then one is put.
    let all_deleted = |db: &Db, id: u32, to: Status| {
        let own = (b'o', id).to_key();
        let Some(value) = db.get(&own)? else {
            return Ok(Change::Unknown);
        };
        let mut order = Order::read(id, &value).unwrap();
        if order.status == to {
            return Ok(Change::Unchanged);
        }
        let mut batch = WriteBatch::new();
        for status in Status::ALL {
            batch.delete(
                &db.default_family(),
                (b's', status.byte(), order.at, id).to_key(),
            );
        }
        order.status = to;
        for (key, value) in [(own, order.value()), (keys(&order)[3].clone(), Vec::new())] {
            batch.put(&db.default_family(), key, value);
        }
        db.write(batch, WriteOptions { sync: true })?;
        Ok(Change::Changed)
    };
    assert_eq!(changing(all_deleted).state, State::Passed);

    // The cursor is the next row.
    let next_row = |db: &Db, status: Status, limit: usize, after: Option<&[u8]>| {
        let mut rows = queue(db, status);
        rows.retain(|(key, _)| after.is_none_or(|after| **key >= *after));
        let next = rows.get(limit).map(|(key, _)| key.clone());
        let ids = rows.iter().take(limit).map(|(_, id)| *id).collect();
        Ok(Page { ids, next })
    };
    assert_eq!(paging(next_row).state, State::Passed);
}

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
fn pages_are_shown_as_they_were_walked() {
    let odd = |db: &Db, status: Status, limit: usize, after: Option<&[u8]>| {
        with_status(db, status, limit.min(2), after)
    };
    observed(
        &paging(odd),
        "pages",
        &["must be [1, 2, 4] end, but it is [1, 2] [4] end"],
    );
    let by_user = |db: &Db, user: &str, limit: usize| {
        let mut ids = of_user(db, user, usize::MAX)?;
        ids.retain(|id| *id != 10);
        ids.truncate(limit);
        Ok(ids)
    };
    observed(
        &judged(&find_orders::exercise_of(Queries::new(
            by_user,
            between,
            with_status,
        ))),
        "user",
        &["`between` and `with_status` are right."],
    );
}

/// A cursor that the function keeps for itself is right for one walk alone.
#[test]
fn a_walk_has_a_cursor_of_its_own() {
    let kept: Mutex<Option<Vec<u8>>> = Mutex::default();
    let kept_by_the_function = move |db: &Db, status: Status, limit, after: Option<&[u8]>| {
        let mut kept = kept.lock().unwrap();
        let page = with_status(db, status, limit, after.and(kept.as_deref()))?;
        kept.clone_from(&page.next);
        let next = page.next.map(|_| b"more".to_vec());
        Ok(Page { next, ..page })
    };
    observed(
        &paging(kept_by_the_function),
        "pages",
        &["while somebody else reads two orders after each page must be [1] [2] [4] end"],
    );
}

#[test]
fn checkers_are_shown_what_they_missed() {
    let by_length = |db: &Db| {
        let mut faults = solutions::check_store::faults(db)?;
        faults.retain(|fault| match fault {
            Fault::Ghost(key) | Fault::Missing(key) => key.len() > 4,
        });
        Ok(faults)
    };
    observed(
        &checking(by_length),
        "faults",
        &["faults(index rows that cannot be read) must be [ghost 73,"],
    );
    let twice = |db: &Db| {
        let faults = solutions::check_store::faults(db)?;
        Ok([faults.clone(), faults].concat())
    };
    observed(
        &checking(twice),
        "faults",
        &["It is right on all stores in which nothing is wrong"],
    );
}

#[test]
fn predictions_show_one_wrong_pair_and_not_the_answer() {
    let verdict = judged(&predict_rows::exercise_of(Predictions {
        scan: || ['h', 'b', 'd', 'f', 'a', 'e', 'c', 'g'],
        touched: || vec!['b', 'f'],
    }));
    observed(
        &verdict,
        "key-order",
        &[
            "you put a before e, but the key of a, t 500 7, is greater than that of e, t 300 258",
            "1 of the rows that you name needs no change, and 1 row that needs a change is not in your list",
        ],
    );
}

#[test]
fn tests_are_scored_by_what_they_refuse() {
    let only_users = |open: &dyn Fn() -> Box<dyn OrderStore>| {
        let mut store = open();
        for (id, user) in [(1, "ann"), (2, "anna"), (3, "ann")] {
            let order = Order {
                id,
                user: user.to_owned(),
                at: 5,
                status: Status::New,
            };
            assert!(store.place(&order));
        }
        assert_eq!(store.of_user("ann", 9), [1, 3]);
    };
    observed(
        &judged(&test_store::exercise_of(test_store::tester(only_users))),
        "kills",
        &[
            "killed 2 of 18",
            "It accepts 2 of 2 right implementations, and refuses 2 of 18 mistakes.",
        ],
    );
}

#[test]
fn users_stay_as_they_are() {
    type Changed = fn(&str) -> String;
    type Names = Option<[&'static str; 2]>;
    let ways: [(Changed, Names); 3] = [
        (
            |text| text.trim().to_owned(),
            Some(["user_trimmed", "user_asked_for_is_trimmed"]),
        ),
        (
            |text| text.to_lowercase(),
            Some(["user_in_small_letters", "user_asked_for_in_small_letters"]),
        ),
        (|text| text.chars().take(40).collect(), None),
    ];
    for (changed, names) in ways {
        let other = move |order: &Order| {
            keys(&Order {
                user: changed(&order.user),
                ..order.clone()
            })
        };
        let asked = move |db: &Db, user: &str, limit| of_user(db, &changed(user), limit);
        let verdicts = [placing(other, place), finding(asked, between)];
        match names {
            Some(names) => {
                for (verdict, name) in verdicts.iter().zip(names) {
                    named(verdict, name);
                }
            }
            None => {
                observed(&verdicts[0], "bytes", &[]);
                observed(&verdicts[1], "user", &[]);
            }
        }
    }
}

#[test]
fn any_limit_and_any_bound_is_asked_for() {
    // A learner's process has little memory, and a panic stands for its end.
    let reserve = |limit: usize| assert!(limit < 1 << 27, "capacity overflow");
    let room = move |db: &Db, user: &str, limit| {
        reserve(limit);
        of_user(db, user, limit)
    };
    named(&finding(room, between), "room_for_the_limit");
    let room = move |db: &Db, from, until, limit| {
        reserve(limit);
        between(db, from, until, limit)
    };
    named(&finding(of_user, room), "room_for_the_limit_of_times");
    let one_more = |db: &Db, status, limit: usize, after: Option<&[u8]>| {
        let looked_at = limit + 1;
        let page = with_status(db, status, looked_at - 1, after)?;
        Ok(page)
    };
    named(&paging(one_more), "greatest_limit_of_pages_panics");
    let one_at_least = |db: &Db, user: &str, limit: usize| of_user(db, user, limit.max(1));
    named(&finding(one_at_least, between), "limit_zero_is_one");
    let one_at_least = |db: &Db, from, until, limit: usize| between(db, from, until, limit.max(1));
    named(
        &finding(of_user, one_at_least),
        "limit_zero_of_times_is_one",
    );
    let all = |db: &Db, from, until, limit: usize| {
        let limit = if limit == 0 { usize::MAX } else { limit };
        between(db, from, until, limit)
    };
    named(&finding(of_user, all), "limit_zero_of_times_is_all");
    let last_taken = |db: &Db, from, until: u64, limit| {
        assert!(until > 0, "attempt to subtract with overflow");
        between(db, from, until, limit)
    };
    named(&finding(of_user, last_taken), "until_zero_panics");
}

fn finding(
    of_user: impl Fn(&Db, &str, usize) -> engine::Result<Vec<u32>> + Send + Sync + 'static,
    between: impl Fn(&Db, u64, u64, usize) -> engine::Result<Vec<u32>> + Send + Sync + 'static,
) -> Verdict {
    judged(&find_orders::exercise_of(Queries::new(
        of_user,
        between,
        with_status,
    )))
}

/// A `place` that calls for the keys, whatever they are.
fn placed_by(
    keys: impl Fn(&Order) -> [Vec<u8>; 4] + Send + Sync + 'static,
) -> impl Fn(&Db, &Order) -> engine::Result<bool> + Send + Sync + 'static {
    move |db, order| {
        let [own, indexes @ ..] = keys(order);
        if db.get(&own)?.is_some() {
            return Ok(false);
        }
        let mut batch = WriteBatch::new();
        batch.put(&db.default_family(), own, order.value());
        for key in indexes {
            batch.put(&db.default_family(), key, b"");
        }
        db.write(batch, WriteOptions { sync: true })?;
        Ok(true)
    }
}

#[test]
fn what_calls_a_wrong_function_waits() {
    fn status_last(order: &Order) -> [Vec<u8>; 4] {
        let [own, user, time, _] = keys(order);
        [own.clone(), user, time, own]
    }
    let verdict = placing(status_last, placed_by(status_last));
    assert_eq!(verdict.check.as_deref(), Some("bytes"));
    let waits = "`place` gives wrong answers too. If it calls `keys`, it may be right by itself";
    assert!(verdict.message.contains(waits), "{waits}");

    let none = |_: &Db| Ok(Vec::new());
    let verdict = judged(&check_store::exercise_of(Checker::new(none, |_| Ok(()))));
    let waits =
        "`rebuild` gives wrong answers too. If it calls `faults`, it may be right by itself";
    assert!(verdict.message.contains(waits), "{waits}");
}

#[test]
fn ids_of_one_millisecond_downwards_are_named() {
    let downwards = |db: &Db, user: &str, limit: usize| {
        let mut mine: Vec<(u64, u32)> = Vec::new();
        for row in db.default_family().prefix((b'u', user).to_key()) {
            let (_, _, at, id) = <(u8, String, Desc<u64>, u32)>::from_key(&row?.0).unwrap();
            mine.push((at.0, id));
        }
        mine.sort_unstable();
        Ok(mine.iter().rev().take(limit).map(|(_, id)| *id).collect())
    };
    named(&finding(downwards, between), "same_time_ids_downwards");
}

#[test]
fn a_limit_of_ones_own_is_told() {
    let short = |db: &Db, user: &str, limit: usize| of_user(db, user, limit.min(1000));
    observed(&finding(short, between), "user", &["{5100 orders from"]);
    let short = |db: &Db, from, until, limit: usize| between(db, from, until, limit.min(1000));
    observed(&finding(of_user, short), "time", &["{5100 orders from"]);
    let short = |db: &Db, status, limit: usize, after: Option<&[u8]>| {
        with_status(db, status, limit.min(200), after)
    };
    observed(&paging(short), "pages", &["{5100 orders from"]);
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
fn a_test_leaves_the_bytes_of_a_cursor_alone() {
    let whole_key = |open: &dyn Fn() -> Box<dyn OrderStore>| {
        solutions::test_store::test(open);
        let mut store = open();
        for id in [1, 2] {
            let order = Order {
                id,
                user: "ann".to_owned(),
                at: 5,
                status: Status::New,
            };
            store.place(&order);
        }
        let next = store.with_status(Status::New, 1, None).next;
        assert_eq!(next.map(|cursor| cursor.len()), Some(14));
    };
    let verdict = judged(&test_store::exercise_of(test_store::tester(whole_key)));
    observed(&verdict, "accepts-right", &["`next_row_as_cursor`"]);
}

#[test]
fn checkers_read_any_user_and_any_number_of_rows() {
    let unescaped = |db: &Db| {
        let faults = solutions::check_store::faults(db)?;
        let zero = db.default_family().iter().find_map(|row| {
            let (key, value) = row.ok()?;
            let id = u32::from_be_bytes(key.strip_prefix(b"o")?.try_into().ok()?);
            Order::read(id, &value).filter(|order| order.user.contains('\0'))
        });
        Ok(match zero {
            Some(order) => vec![Fault::Ghost(keys(&order)[1].clone())],
            None => faults,
        })
    };
    observed(
        &checking(unescaped),
        "faults",
        &["an order with a zero byte"],
    );
    let hundred = |db: &Db| {
        let mut faults = solutions::check_store::faults(db)?;
        faults.truncate(100);
        Ok(faults)
    };
    observed(
        &checking(hundred),
        "faults",
        &["faults(400 orders without any index row)"],
    );
}

#[test]
fn a_row_whose_key_is_empty_ends_no_check() {
    let ends = |db: &Db| {
        let first = db.default_family().iter().next().transpose()?;
        if first.is_some_and(|(key, _)| key.is_empty()) {
            return Ok(Vec::new());
        }
        solutions::check_store::faults(db)
    };
    let where_it_ends = "a row whose key is empty, and 8 without its row by user";
    observed(&checking(ends), "faults", &[where_it_ends]);
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
fn ends_of_a_range_of_times_are_told_apart() {
    let up_to = |until: fn(u64) -> Option<u64>| {
        let between = move |db: &Db, from: u64, last: u64, limit: usize| {
            let Some(until) = until(last).filter(|until| from <= *until) else {
                return Ok(Vec::new());
            };
            let range = (b't', from).to_key()..(b't', until, u32::MAX).to_key();
            let rows = db.default_family().range(range).take(limit);
            rows.map(|row| Ok(<(u8, u64, u32)>::from_key(&row?.0).unwrap().2))
                .collect()
        };
        let queries = Queries::new(of_user, between, with_status);
        judged(&find_orders::exercise_of(queries))
    };
    named(&up_to(Some), "until_with_the_greatest_id");
    named(
        &up_to(|until| until.checked_sub(1)),
        "until_minus_one_with_the_greatest_id",
    );
}

/// Questions about the same orders share a store. A query that clears it clears it for no other.
#[test]
fn what_a_query_writes_no_other_one_reads() {
    let clears = |db: &Db, user: &str, limit: usize| {
        let found = of_user(db, user, limit)?;
        let family = db.default_family();
        let mut batch = WriteBatch::new();
        for row in family.iter() {
            batch.delete(&family, row?.0);
        }
        db.write(batch, WriteOptions { sync: false })?;
        Ok(found)
    };
    assert_eq!(finding(clears, between).state, State::Passed);
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
fn a_limit_and_a_time_keep_all_their_bits() {
    let cut = |limit: usize| usize::from(limit as u16);
    let user = move |db: &Db, user: &str, limit| of_user(db, user, cut(limit));
    named(&finding(user, between), "limit_cut_to_16_bits");
    let time = move |db: &Db, from, until, limit| between(db, from, until, cut(limit));
    named(&finding(of_user, time), "limit_of_times_cut_to_16_bits");
    let page = move |db: &Db, status, limit, after: Option<&[u8]>| {
        with_status(db, status, cut(limit), after)
    };
    named(&paging(page), "limit_of_pages_cut_to_16_bits");
    let cut = |limit: usize| limit as u32 as usize;
    let user = move |db: &Db, user: &str, limit| of_user(db, user, cut(limit));
    named(&finding(user, between), "limit_cut_to_32_bits");
    let time = move |db: &Db, from, until, limit| between(db, from, until, cut(limit));
    named(&finding(of_user, time), "limit_of_times_cut_to_32_bits");
    let page = move |db: &Db, status, limit, after: Option<&[u8]>| {
        with_status(db, status, cut(limit), after)
    };
    named(&paging(page), "limit_of_pages_cut_to_32_bits");
    let rounded = |time: u64| time as f64 as u64;
    let time = move |db: &Db, from, until, limit| between(db, rounded(from), rounded(until), limit);
    observed(&finding(of_user, time), "time", &["9007199254740993"]);
}

#[test]
fn the_greatest_number_means_after_the_call() {
    let patient = |open: &dyn Fn() -> Box<dyn OrderStore>| {
        solutions::test_store::test(open);
        let mut store = open();
        store.fail_in(u64::MAX);
        assert!(!store.remove(1));
    };
    let verdict = judged(&test_store::exercise_of(test_store::tester(patient)));
    assert_eq!(verdict.state, State::Passed);
}

#[test]
fn a_right_store_keeps_what_it_was_told_however_many_calls_came_before() {
    // A store that flushes with each order compacts now and then, and such a call has more file operations.
    let later = |open: &dyn Fn() -> Box<dyn OrderStore>| {
        solutions::test_store::test(open);
        for orders in 0..16 {
            let mut store = open();
            for id in 0..=orders {
                if id == orders {
                    store.fail_in(20);
                }
                let order = Order {
                    id,
                    user: "ann".to_owned(),
                    at: 5,
                    status: Status::New,
                };
                assert!(store.place(&order));
            }
            assert!(store.get(orders).is_some(), "order {orders} is lost");
        }
    };
    let verdict = judged(&test_store::exercise_of(test_store::tester(later)));
    assert_eq!(verdict.state, State::Passed);
}

#[test]
fn a_page_that_nobody_asked_for_ends_no_list() {
    let user = |db: &Db, user: &str, limit: usize| of_user(db, user, limit.min(5000));
    observed(&finding(user, between), "user", &["usize::MAX"]);
    let time = |db: &Db, from, until, limit: usize| between(db, from, until, limit.min(5000));
    observed(&finding(of_user, time), "time", &["usize::MAX"]);
}

#[test]
fn an_end_behind_until_is_named_with_a_guard_too() {
    let greatest = |db: &Db, from: u64, until: u64, limit: usize| {
        let mut ids = Vec::new();
        if from >= until {
            return Ok(ids);
        }
        let range = (b't', from).to_key()..(b't', until, u32::MAX).to_key();
        for row in db.default_family().range(range).take(limit) {
            let (key, _) = row?;
            ids.push(<(u8, u64, u32)>::from_key(&key).expect("a row by time").2);
        }
        Ok(ids)
    };
    named(
        &finding(of_user, greatest),
        "until_with_the_greatest_id_but_for_itself",
    );
}

#[test]
fn a_rebuild_in_large_batches_is_named_whatever_their_size() {
    for length in [10, 100, 500, 1000] {
        let rebuild = move |db: &Db| {
            for some in solutions::check_store::faults(db)?.chunks(length) {
                let mut batch = WriteBatch::new();
                for fault in some {
                    match fault {
                        Fault::Ghost(key) => batch.delete(&db.default_family(), key.clone()),
                        Fault::Missing(key) => batch.put(&db.default_family(), key.clone(), b""),
                    };
                }
                db.write(batch, WriteOptions { sync: true })?;
            }
            Ok(())
        };
        let faults = solutions::check_store::faults;
        let verdict = judged(&check_store::exercise_of(Checker::new(faults, rebuild)));
        named(&verdict, "large_batches");
    }
}

#[test]
fn a_list_that_ends_at_a_page_is_told_where() {
    let page = |db: &Db, user: &str, limit: usize| of_user(db, user, limit.min(1000));
    let verdict = judged(&find_orders::exercise_of(Queries::new(
        page,
        between,
        with_status,
    )));
    observed(
        &verdict,
        "user",
        &["the first 1000 of the right ones, and nothing after them"],
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
fn a_row_that_is_gone_is_not_skipped() {
    let skipping = |db: &Db, status: Status, limit: usize, after: Option<&[u8]>| {
        let mut rows = queue(db, status);
        rows.retain(|(key, _)| after.is_none_or(|after| **key >= *after));
        let rows: Vec<_> = rows
            .into_iter()
            .skip(usize::from(after.is_some()))
            .collect();
        let last = rows.get(limit).and_then(|_| rows.get(limit - 1));
        Ok(Page {
            ids: rows.iter().take(limit).map(|(_, id)| *id).collect(),
            next: last.map(|(key, _)| key.clone()),
        })
    };
    named(&paging(skipping), "row_at_the_cursor_skipped");
}

#[test]
fn a_test_that_takes_a_mistake_for_the_rule_is_told_which() {
    let tested = |test: fn(&dyn Fn() -> Box<dyn OrderStore>)| {
        judged(&test_store::exercise_of(test_store::tester(test)))
    };
    let collected = tested(|open| {
        let mut store = open();
        for id in 1..9 {
            let user = "ann".to_owned();
            let at = u64::from(id);
            let status = Status::New;
            store.place(&Order {
                id,
                user,
                at,
                status,
            });
        }
        let newest: Vec<Vec<u32>> = (0..9).map(|limit| store.of_user("ann", limit)).collect();
        let oldest: Vec<Vec<u32>> = (0..9).map(|limit| store.between(0, 99, limit)).collect();
        for (newest, oldest) in newest.iter().zip(&oldest) {
            assert_eq!(newest, oldest);
        }
    });
    observed(
        &collected,
        "accepts-right",
        &[
            "of_user(\"ann\", 1) had returned what is on the left, and between(0, 99, 1) what is on the right.",
            "It accepts `oldest_first`, which is wrong",
        ],
    );
}

#[test]
fn an_error_is_named_whatever_its_words() {
    let invalid = |words: String| engine::Error::invalid(words);
    let taken = move |db: &Db, order: &Order| {
        if place(db, order)? {
            return Ok(true);
        }
        Err(invalid(format!("order {} exists already", order.id)))
    };
    named(&placing(keys, taken), "error_if_taken");

    let unknown = move |db: &Db, id: u32, to: Status| match right_change(db, id, to)? {
        Change::Unknown => Err(engine::Error::corruption("orders", 0, format!("{id}?"))),
        change => Ok(change),
    };
    named(&changing(unknown), "error_if_unknown");

    let backwards = move |db: &Db, from: u64, until: u64, limit: usize| {
        if until < from {
            return Err(invalid(format!("{until} < {from}")));
        }
        between(db, from, until, limit)
    };
    named(&finding(of_user, backwards), "error_for_crossed_bounds");

    let gone = move |db: &Db, status: Status, limit: usize, after: Option<&[u8]>| {
        if let Some(after) = after
            && db.get(after)?.is_none()
        {
            return Err(invalid(format!("{after:?} is gone")));
        }
        with_status(db, status, limit, after)
    };
    named(&paging(gone), "vanished_cursor_is_an_error");

    // What comes with the error counts all the same.
    let placed_and_refused = move |db: &Db, order: &Order| {
        let taken = db.get(&keys(order)[0])?.is_some();
        let mut batch = WriteBatch::new();
        for (place, key) in keys(order).into_iter().enumerate() {
            let value = if place == 0 {
                order.value()
            } else {
                Vec::new()
            };
            batch.put(&db.default_family(), key, value);
        }
        db.write(batch, WriteOptions { sync: true })?;
        if taken {
            return Err(invalid("taken".to_owned()));
        }
        Ok(true)
    };
    observed(&placing(keys, placed_and_refused), "rows", &["Err(taken"]);
}

#[test]
fn an_empty_cursor_is_no_end() {
    let at_the_end = |db: &Db, status, limit: usize, after: Option<&[u8]>| {
        let queue = queue(db, status);
        let is_new = |(key, _): &&(Vec<u8>, u32)| after.is_none_or(|after| key.as_slice() > after);
        let mut rest = queue.iter().filter(is_new);
        let shown: Vec<_> = rest.by_ref().take(limit).collect();
        let last = shown.last().filter(|_| rest.next().is_some());
        Ok(Page {
            ids: shown.iter().map(|(_, id)| *id).collect(),
            next: Some(last.map_or_else(Vec::new, |(key, _)| key.clone())),
        })
    };
    named(&paging(at_the_end), "empty_cursor_at_the_end");
    let from_the_first_row = |db: &Db, status: Status, limit: usize, after: Option<&[u8]>| {
        let mut start = after.map_or_else(|| vec![b's', status.byte()], <[u8]>::to_vec);
        start.extend(after.map(|_| 0));
        let (mut ids, mut last) = (Vec::new(), Vec::new());
        for row in db
            .default_family()
            .range(start..vec![b's', status.byte() + 1])
        {
            let (key, _) = row?;
            if ids.len() == limit {
                let next = Some(last);
                return Ok(Page { ids, next });
            }
            ids.push(<(u8, u8, u64, u32)>::from_key(&key).unwrap().3);
            last = key;
        }
        let next = Some(Vec::new());
        Ok(Page { ids, next })
    };
    named(
        &paging(from_the_first_row),
        "row_after_an_empty_cursor_panics",
    );
}

#[test]
fn rows_that_are_deleted_too_late_are_named() {
    let written = |in_one: bool, delete_all: bool| {
        move |db: &Db, id: u32, to: Status| {
            let Some(value) = db.get((b'o', id).to_key())? else {
                return Ok(Change::Unknown);
            };
            let before = Order::read(id, &value).unwrap();
            if before.status == to {
                return Ok(Change::Unchanged);
            }
            let after = Order {
                status: to,
                ..before.clone()
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
fn a_prefix_without_its_letter_finds_nothing() {
    let without_the_letter = |db: &Db, user: &str, limit| {
        let rows = db.default_family().prefix((user,).to_key());
        let rows = rows.take(limit);
        rows.map(|row| Ok(u32::from_be_bytes(*row?.0.last_chunk().unwrap())))
            .collect()
    };
    named(&finding(without_the_letter, between), "no_order_of_a_user");
    let turned = |db: &Db, from: u64, until: u64, limit: usize| {
        let time = |key: &[u8]| u64::from_le_bytes(*key[1..].first_chunk().unwrap());
        let rows = db.default_family().prefix(b"t");
        let keys: Vec<_> = rows
            .map(|row| row.map(|(key, _)| key))
            .collect::<Result<_, _>>()?;
        let inside = keys.iter().filter(|key| (from..until).contains(&time(key)));
        let ids = inside.map(|key| u32::from_be_bytes(*key.last_chunk().unwrap()));
        Ok(ids.take(limit).collect())
    };
    named(&finding(of_user, turned), "times_read_as_little_endian");
}

#[test]
fn every_zero_byte_of_a_name_is_escaped() {
    let once = |user: &str| {
        let mut escaped = user.as_bytes().to_vec();
        if let Some(zero) = user.find('\0') {
            escaped.insert(zero + 1, 0xff);
        }
        [&b"u"[..], &escaped, &[0, 1]].concat()
    };
    let verdict = placing(
        move |order| {
            let mut four = keys(order);
            four[1] = [
                &once(&order.user)[..],
                &(!order.at).to_be_bytes(),
                &order.id.to_be_bytes(),
            ]
            .concat();
            four
        },
        place,
    );
    observed(&verdict, "bytes", &[r#"keys(13 "a\0\0b" 500 New)[1]"#]);
    let verdict = judged(&find_orders::exercise_of(Queries::new(
        move |db, user, limit| {
            let rows = db.default_family().prefix(once(user)).take(limit);
            let id = |key: Vec<u8>| u32::from_be_bytes(*key.last_chunk().unwrap());
            rows.map(|row| Ok(id(row?.0))).collect()
        },
        between,
        with_status,
    )));
    observed(&verdict, "user", &[r#""ann\0\0", 100"#]);
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
fn every_set_of_touched_rows_is_counted() {
    static ROWS: AtomicU8 = AtomicU8::new(0);
    let touched = || {
        let rows = ROWS.load(SeqCst);
        let is_in = |&(i, _): &(usize, char)| rows >> i & 1 == 1;
        ('a'..='h')
            .enumerate()
            .filter(is_in)
            .map(|(_, c)| c)
            .collect()
    };
    for rows in 0..=u8::MAX {
        ROWS.store(rows, SeqCst);
        let scan = solutions::predict_rows::scan;
        let verdict = judged(&predict_rows::exercise_of(Predictions { scan, touched }));
        // The rows b and d.
        let right = 0b1010;
        assert_eq!(verdict.state == State::Passed, rows == right, "{rows:08b}");
        for (those, told) in [
            (rows & !right, "of the rows that you name need"),
            (right & !rows, "that need"),
        ] {
            let told = match those.count_ones() {
                0 => continue,
                1 if told == "that need" => "1 row that needs a change is not".to_owned(),
                n if told == "that need" => format!("{n} rows that need a change are not"),
                1 => format!("1 {told}s no change"),
                n => format!("{n} {told} no change"),
            };
            assert!(verdict.message.contains(&told), "{rows:08b}: {told}");
        }
    }
}

#[test]
fn a_list_of_rows_in_another_order_shows_its_first_wrong_pair() {
    type Scan = fn() -> [char; 8];
    let scans: [(Scan, &str); 7] = [
        // Two misconceptions at once.
        (|| letters!(b h d f a e g c), "you put b before h"),
        (|| letters!(h b d f a e c g), "you put a before e"),
        // Each order's rows, sorted.
        (|| letters!(h f a g b d e c), "you put g before b"),
        // The indexes before the orders, and the orders last.
        (|| letters!(d f e a h b g c), "you put a before h"),
        (|| letters!(h b d f g c e a), "you put c before e"),
        // The letters of the task.
        (|| letters!(a b c d e f g h), "you put a before b"),
        (
            || letters!(h b d f e a g g),
            "c occurs 0 times in your list, not once",
        ),
    ];
    for (scan, told) in scans {
        let touched = solutions::predict_rows::touched;
        let verdict = judged(&predict_rows::exercise_of(Predictions { scan, touched }));
        observed(&verdict, "key-order", &[told, "`touched` is right."]);
    }
    let capitals = || ['H', 'B', 'D', 'F', 'E', 'A', 'G', 'C'];
    let spaced = || vec!['b', ' ', 'd'];
    let verdict = judged(&predict_rows::exercise_of(Predictions {
        scan: capitals,
        touched: spaced,
    }));
    let told = ["'H' is none of the letters", "' ' is none of the letters"];
    observed(&verdict, "key-order", &told);
    let verdict = judged(&predict_rows::exercise_of(Predictions {
        scan: || letters!(h b f d e a g c),
        touched: || vec!['b', 'd', 'd'],
    }));
    named(&verdict, "by_status_sorted_by_time");
    for told in ["or the smaller id first", "a letter is in your list twice"] {
        assert!(verdict.message.contains(told), "{told}");
    }
}

/// Somebody's makers of stores.
type Open<'a> = &'a dyn Fn() -> Box<dyn OrderStore>;

fn tested(test: impl Fn(Open) + Send + Sync + 'static) -> Verdict {
    judged(&test_store::exercise_of(test_store::tester(test)))
}

/// Places orders of ann, all of them new: their ids and times.
fn anns(open: Open, orders: &[(u32, u64)]) -> Box<dyn OrderStore> {
    let mut store = open();
    for &(id, at) in orders {
        store.place(&Order {
            id,
            user: "ann".to_owned(),
            at,
            status: Status::New,
        });
    }
    store
}

#[test]
fn a_test_that_takes_a_mistake_for_the_rule_reads_which() {
    let two = &[(1, 5), (2, 6)];
    type Demand = fn(Open, &[(u32, u64)]);
    let demands: [(Demand, &str); 9] = [
        (
            |open, two| assert_eq!(anns(open, two).of_user("ann", 9), [1, 2]),
            "oldest_first",
        ),
        (
            |open, _| assert_eq!(anns(open, &[(1, 5), (2, 5)]).of_user("ann", 9), [2, 1]),
            "oldest_first",
        ),
        (
            |open, two| assert_eq!(anns(open, two).of_user("ann", 0), [2, 1]),
            "limit_ignored",
        ),
        (
            |open, two| assert_eq!(anns(open, two).between(5, 6, 9), [1, 2]),
            "until_included",
        ),
        (
            |open, two| {
                let page = anns(open, two).with_status(Status::New, 2, None);
                _ = page.next.expect("a cursor after a full page");
            },
            "next_if_full",
        ),
        (
            |open, _| assert_eq!(open().change_status(1, Status::New), Change::Unchanged),
            "unknown_taken_for_unchanged",
        ),
        (
            |open, two| {
                let changed = anns(open, two).change_status(1, Status::New);
                assert_eq!(changed, Change::Changed);
            },
            "same_status_loses_the_row",
        ),
        (
            |open, two| {
                let taken = anns(open, two).get(1).unwrap();
                assert!(anns(open, two).place(&taken));
            },
            "id_not_looked_up",
        ),
        // Nobody says what a cursor of another list does.
        (
            |open, _| {
                let mut store = anns(open, &[(1, 5), (2, 5), (3, 6)]);
                store.change_status(2, Status::Paid);
                let next = store.with_status(Status::New, 1, None).next;
                let page = store.with_status(Status::Paid, 9, next.as_deref());
                assert_eq!(page.ids, [2]);
            },
            "runs_into_the_next_status",
        ),
    ];
    for (demand, mistake) in demands {
        let told = format!("It accepts `{mistake}`, which is wrong");
        let verdict = tested(move |open| demand(open, two));
        observed(&verdict, "accepts-right", &["accepts 0 of 2", &told]);
    }
}

#[test]
fn a_test_that_demands_what_is_free_reads_so() {
    let comes_between = |open: Open| {
        let mut store = anns(open, &[(1, 5), (3, 9)]);
        let next = store.with_status(Status::New, 1, None).next;
        let order = Order {
            id: 2,
            at: 7,
            ..store.get(1).unwrap()
        };
        store.place(&order);
        let page = store.with_status(Status::New, 9, next.as_deref());
        assert_eq!(page.ids, [2, 3]);
    };
    let page_of_none = |open: Open| {
        let page = anns(open, &[(1, 5)]).with_status(Status::New, 0, None);
        assert!(page.next.is_some());
    };
    let empty_cursor = |open: Open| {
        let page = anns(open, &[(1, 5)]).with_status(Status::New, 9, Some(b""));
        assert_eq!(page.ids, [1]);
    };
    let free = ["accepts 1 of 2", "something that the rules leave free"];
    observed(&tested(comes_between), "accepts-right", &free);
    observed(&tested(page_of_none), "accepts-right", &free);
    observed(&tested(empty_cursor), "accepts-right", &free);
}

#[test]
fn tests_that_see_little_are_told_what_passes() {
    let own_row_alone = |open: Open| {
        let store = anns(open, &[(1, 5)]);
        assert_eq!(store.get(1).map(|order| order.at), Some(5));
        assert_eq!(store.get(2), None);
    };
    named(&tested(own_row_alone), "accepts_everything");
    let swallowed = |open: Open| {
        let test = AssertUnwindSafe(|| solutions::test_store::test(open));
        _ = catch_unwind(test);
    };
    named(&tested(swallowed), "accepts_everything");
    let one_cut = |open: Open| {
        let mut store = open();
        store.fail_in(1);
        let order = anns(open, &[(1, 5)]).get(1).unwrap();
        store.place(&order);
        assert_eq!(store.get(1).is_some(), !store.of_user("ann", 9).is_empty());
    };
    named(&tested(one_cut), "accepts_everything");
    let gone_meanwhile = |open: Open| {
        let mut store = anns(open, &[(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]);
        let next = store.with_status(Status::New, 2, None).next;
        store.remove(2);
        store.remove(3);
        let page = store.with_status(Status::New, 9, next.as_deref());
        assert_eq!((page.ids, page.next), (vec![4, 5], None));
    };
    observed(&tested(gone_meanwhile), "kills", &["killed 1 of 18"]);
    let by_itself = |open: Open| assert_eq!(anns(open, &[]).of_user("ann", 9)[0], 1);
    let told = "your test panics by itself";
    observed(&tested(by_itself), "accepts-right", &[told]);
    let inverted = |open: Open| {
        let test = AssertUnwindSafe(|| solutions::test_store::test(open));
        assert!(catch_unwind(test).is_err());
    };
    let told = "It accepts 0 of 2 right implementations, and refuses 0 of 18";
    observed(&tested(inverted), "accepts-right", &[told]);
    // The first ones are the right ones, as who counts the calls may find out.
    let counted = |_: Open| {
        static CALLS: AtomicU8 = AtomicU8::new(0);
        assert!(CALLS.fetch_add(1, SeqCst) < 2);
    };
    observed(&tested(counted), "same-answer", &[]);
}

#[test]
fn a_test_by_a_model_of_ones_own_passes() {
    let model = |open: Open| {
        let mut seed = 12_345_u32;
        let mut below = move |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        };
        for _ in 0..30 {
            let (mut store, mut orders) = (open(), BTreeMap::new());
            for _ in 0..12 {
                let id = below(6);
                let before = orders.get(&id).cloned();
                let (cuts, operations) = (below(3) == 0, u64::from(below(24)));
                let status = Status::ALL[below(3) as usize];
                if cuts {
                    store.fail_in(operations);
                }
                match (below(4), before.clone()) {
                    (0 | 1, _) => {
                        let order = Order {
                            id,
                            user: ["an", "ann", "anna"][below(3) as usize].to_owned(),
                            at: [5, 9, 10][below(3) as usize],
                            status,
                        };
                        assert_eq!(store.place(&order), before.is_none());
                        orders.entry(id).or_insert(order);
                    }
                    (2, None) => assert_eq!(store.change_status(id, status), Change::Unknown),
                    (2, Some(order)) => {
                        let same = order.status == status;
                        let said = store.change_status(id, status);
                        assert_eq!(said == Change::Unchanged, same);
                        orders.insert(id, Order { status, ..order });
                    }
                    _ => assert_eq!(store.remove(id), orders.remove(&id).is_some()),
                }
                if cuts && operations < 20 && store.get(id) == before {
                    orders.remove(&id);
                    orders.extend(before.map(|order| (id, order)));
                }
                agrees(&*store, &orders);
            }
        }
    };
    assert_eq!(tested(model).state, State::Passed);
}

/// Asks everything of a store, and compares with a list of its orders.
fn agrees(store: &dyn OrderStore, orders: &BTreeMap<u32, Order>) {
    let ids = |holds: &dyn Fn(&Order) -> bool, newest_first: bool| {
        let mut found: Vec<&Order> = orders.values().filter(|order| holds(order)).collect();
        found.sort_by_key(|order| (if newest_first { !order.at } else { order.at }, order.id));
        found
            .into_iter()
            .map(|order| order.id)
            .collect::<Vec<u32>>()
    };
    for limit in [1, 2, 9] {
        let front = |ids: Vec<u32>| ids[..ids.len().min(limit)].to_vec();
        for user in ["an", "ann", "anna"] {
            let expected = front(ids(&|order| order.user == user, true));
            assert_eq!(store.of_user(user, limit), expected);
        }
        for (from, until) in [(0, 20), (5, 10), (10, 11), (9, 5)] {
            let expected = front(ids(&|order| (from..until).contains(&order.at), false));
            assert_eq!(store.between(from, until, limit), expected);
        }
        for status in Status::ALL {
            let expected = ids(&|order| order.status == status, false);
            let (mut rest, mut after) = (&expected[..], None::<Vec<u8>>);
            loop {
                let page = store.with_status(status, limit, after.as_deref());
                let (shown, later) = rest.split_at(rest.len().min(limit));
                assert_eq!(page.ids, shown);
                assert_eq!(page.next.is_some(), !later.is_empty());
                (rest, after) = (later, page.next);
                if after.is_none() {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_limit_that_is_added_to_what_was_shown_does_not_fit() {
    let sliced = |end: fn(usize, usize) -> usize| {
        paging(move |db: &Db, status, limit, after: Option<&[u8]>| {
            let queue = queue(db, status);
            let is_shown = |(key, _): &(Vec<u8>, u32)| after.is_some_and(|after| **key <= *after);
            let start = queue.partition_point(is_shown);
            let end = end(start, limit).min(queue.len());
            let ids = queue[start..end].iter().map(|(_, id)| *id).collect();
            let next = (end < queue.len()).then(|| queue[end - 1].0.clone());
            Ok(Page { ids, next })
        })
    };
    assert_eq!(sliced(usize::saturating_add).state, State::Passed);
    observed(
        &sliced(|start, limit| start + limit),
        "returns",
        &[
            "attempt to add with overflow",
            "and then usize::MAX from its cursor on",
        ],
    );
}

#[test]
fn rebuilds_are_told_which_rows_go_wrong() {
    type Rows = fn(&Order) -> Vec<(Vec<u8>, Vec<u8>)>;
    let rebuilt = |rows: Rows| {
        let rebuild = move |db: &Db| {
            let mut batch = WriteBatch::new();
            batch.delete_range(&db.default_family(), b"s", b"v");
            for row in db.default_family().prefix(b"o") {
                let (key, value) = row?;
                let (_, id) = <(u8, u32)>::from_key(&key).unwrap();
                for (key, value) in rows(&Order::read(id, &value).unwrap()) {
                    batch.put(&db.default_family(), key, value);
                }
            }
            db.write(batch, WriteOptions { sync: true })
        };
        let faults = solutions::check_store::faults;
        judged(&check_store::exercise_of(Checker::new(faults, rebuild)))
    };
    let with_values = rebuilt(|order| {
        let [_, indexes @ ..] = keys(order);
        indexes.map(|key| (key, order.value())).to_vec()
    });
    observed(
        &with_values,
        "rebuilt",
        &[
            "It writes index rows with a value, and theirs is empty.",
            "It is right on all checks for half a rebuild after a power cut.",
        ],
    );
    let emptied = rebuilt(|order| keys(order).map(|key| (key, Vec::new())).to_vec());
    let changed = "It changes rows that begin with `o`, and those are the truth.";
    observed(&emptied, "rebuilt", &[changed]);
    let without_time = rebuilt(|order| {
        let [_, by_user, _, by_status] = keys(order);
        [by_user, by_status].map(|key| (key, Vec::new())).to_vec()
    });
    let by_time = "No row is ever wrong but those by time.";
    observed(&without_time, "rebuilt", &[by_time]);
}

#[test]
fn whoever_writes_in_parts_is_told_so_whatever_the_order() {
    let write = |db: &Db, deleted: Option<Vec<u8>>, row: Option<(Vec<u8>, Vec<u8>)>| {
        let mut batch = WriteBatch::new();
        if let Some(key) = deleted {
            batch.delete(&db.default_family(), key);
        }
        if let Some((key, value)) = row {
            batch.put(&db.default_family(), key, value);
        }
        db.write(batch, WriteOptions { sync: true })
    };
    let told = "A power cut leaves a half only between two writes";
    let row_by_row = move |db: &Db, order: &Order| -> engine::Result<bool> {
        let [own, indexes @ ..] = keys(order);
        if db.get(&own)?.is_some() {
            return Ok(false);
        }
        for key in indexes {
            write(db, None, Some((key, Vec::new())))?;
        }
        write(db, None, Some((own, order.value())))?;
        Ok(true)
    };
    observed(&placing(keys, row_by_row), "rows", &[told]);
    let new_row_first = move |db: &Db, id: u32, to: Status| -> engine::Result<Change> {
        let Some(value) = db.get((b'o', id).to_key())? else {
            return Ok(Change::Unknown);
        };
        let before = Order::read(id, &value).unwrap();
        if before.status == to {
            return Ok(Change::Unchanged);
        }
        let after = Order {
            status: to,
            ..before.clone()
        };
        let ([own, _, _, new], [_, _, _, old]) = (keys(&after), keys(&before));
        write(db, None, Some((new, Vec::new())))?;
        write(db, None, Some((own, after.value())))?;
        write(db, Some(old), None)?;
        Ok(Change::Changed)
    };
    observed(&changing(new_row_first), "rows", &[told]);
}

#[test]
fn a_user_stays_as_it_is_in_every_row() {
    let trimmed = |order: &Order| Order {
        user: order.user.trim().to_owned(),
        ..order.clone()
    };
    let verdict = placing(keys, move |db, order| place(db, &trimmed(order)));
    observed(
        &verdict,
        "rows",
        &["It is wrong on place(5 \" Zo\u{eb} B.\\n\" 500 New)"],
    );

    let changed = |kept: fn(&str) -> String| {
        move |db: &Db, id: u32, to: Status| {
            let change = right_change(db, id, to)?;
            if change == Change::Changed {
                let own = (b'o', id).to_key();
                let mut order = Order::read(id, &db.get(&own)?.unwrap()).unwrap();
                order.user = kept(&order.user);
                let mut batch = WriteBatch::new();
                batch.put(&db.default_family(), own, order.value());
                db.write(batch, WriteOptions { sync: true })?;
            }
            Ok(change)
        }
    };
    let verdict = changing(changed(|user| user.trim().to_owned()));
    observed(&verdict, "rows", &["9 \" Zo\u{eb} B.\\n\" 300 Paid"]);
    // 300, 1000, 5000 and 20,000 letters, two users of each.
    let verdict = changing(changed(|user| user.chars().take(255).collect()));
    observed(&verdict, "rows", &["It is wrong on 8 of"]);
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

#[test]
fn an_id_that_is_raised_is_not_called_a_byte_that_is_raised() {
    let after_the_id = |db: &Db, status: Status, limit: usize, after: Option<&[u8]>| {
        let mut rows = queue(db, status);
        rows.retain(|(key, _)| after.is_none_or(|after| **key >= *after));
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(|(key, id)| {
            let id = id.checked_add(1).expect("attempt to add with overflow");
            [&key[..key.len() - 4], &id.to_be_bytes()].concat()
        });
        let ids = rows.into_iter().map(|(_, id)| id).collect();
        Ok(Page { ids, next })
    };
    let verdict = paging(after_the_id);
    observed(&verdict, "returns", &["4294967295 \"ann\" 499 New"]);
    assert!(!verdict.message.contains("last byte"));
}

#[test]
fn of_two_mistakes_nothing_is_called_right() {
    pairs_call_nothing_right(&place_order::exercise_of(Placing::new(keys, place)));
    pairs_call_nothing_right(&change_status::exercise_of(Arc::new(right_change)));
    pairs_call_nothing_right(&find_orders::exercise_of(find_orders::solution()));
    pairs_call_nothing_right(&check_store::exercise_of(check_store::solution()));
}

#[test]
fn numbers_and_counts_that_are_cut() {
    let users = |of: fn(&Db, &str, usize) -> engine::Result<Vec<u32>>| {
        judged(&find_orders::exercise_of(Queries::new(
            of,
            between,
            with_status,
        )))
    };
    let ranges = |of: fn(&Db, u64, u64, usize) -> engine::Result<Vec<u32>>| {
        judged(&find_orders::exercise_of(Queries::new(
            of_user,
            of,
            with_status,
        )))
    };
    let id_cut = |db: &Db, user: &str, limit| {
        let ids = of_user(db, user, limit)?.into_iter();
        Ok(ids.map(|id| i32::from(id as i16).cast_unsigned()).collect())
    };
    observed(
        &users(id_cut),
        "user",
        &["`between` and `with_status` are right."],
    );
    let all_above_255 = |db: &Db, user: &str, limit: usize| {
        of_user(db, user, if limit > 255 { usize::MAX } else { limit })
    };
    observed(
        &users(all_above_255),
        "user",
        &["`between` and `with_status` are right."],
    );
    let newest_by_double = |db: &Db, user: &str, limit| {
        let rows = db.default_family().prefix((b'u', user).to_key());
        let field = |key: &[u8]| <(u8, String, Desc<u64>, u32)>::from_key(key).unwrap();
        let mut found: Vec<_> = rows.map(|row| field(&row.unwrap().0)).collect();
        found.sort_by_key(|field| (u64::MAX - (field.2.0 as f64) as u64, field.3));
        Ok(found.iter().map(|field| field.3).take(limit).collect())
    };
    observed(
        &users(newest_by_double),
        "user",
        &["`between` and `with_status` are right."],
    );
    let no_limit = |db: &Db, from, until, limit: usize| {
        between(db, from, until, if limit as u16 == 0 { 0 } else { limit })
    };
    observed(
        &ranges(no_limit),
        "time",
        &["`of_user` and `with_status` are right."],
    );
    let from_in_32_bits = |db: &Db, from: u64, until, limit| {
        let signed = i64::from(from as i32).cast_unsigned();
        if signed >= until {
            return Ok(Vec::new());
        }
        between(db, from, until, limit)
    };
    observed(
        &ranges(from_in_32_bits),
        "time",
        &["`of_user` and `with_status` are right."],
    );
    let paged_by_double = |db: &Db, status, limit, after: Option<&[u8]>| {
        let mut all: Vec<(u64, u32)> = queue(db, status)
            .into_iter()
            .map(|(key, id)| {
                (
                    (<(u8, u8, u64, u32)>::from_key(&key).unwrap().2 as f64) as u64,
                    id,
                )
            })
            .collect();
        all.sort_unstable();
        let last = after.map(|cursor| <(u64, u32)>::from_key(cursor).unwrap());
        all.retain(|row| Some(*row) > last);
        let more = all.len() > limit;
        all.truncate(limit);
        let next = all
            .last()
            .filter(|_| more)
            .map(engine::keys::OrderedKey::to_key);
        let ids = all.iter().map(|row| row.1).collect();
        Ok(Page { ids, next })
    };
    observed(
        &paging(paged_by_double),
        "pages",
        &["`of_user` and `between` are right."],
    );
    let key_cut = |order: &Order| {
        let id = u32::from(order.id as u16);
        if order.id == u32::MAX {
            keys(order)
        } else {
            keys(&Order {
                id,
                ..order.clone()
            })
        }
    };
    observed(&placing(key_cut, place), "bytes", &[]);
}

#[test]
fn every_bit_of_a_large_number_counts() {
    // Some bits, for many answers are asked much. `bit_by_bit` has them all.
    let large = 1 << 40;
    every_bit_counts((0..64).step_by(7), large, |astray| {
        let astray = move |order: &Order| {
            let at = astray.of(order.at);
            keys(&Order {
                at,
                ..order.clone()
            })
        };
        place_order::exercise_of(Placing::new(astray, place))
    });
    every_bit_counts((0..32).step_by(7), 1 << 17, |astray| {
        let astray = move |order: &Order| {
            let id = u32::try_from(astray.of(order.id.into())).unwrap();
            keys(&Order {
                id,
                ..order.clone()
            })
        };
        place_order::exercise_of(Placing::new(astray, place))
    });
    every_bit_counts((0..64).step_by(7), large, |astray| {
        let between = move |db: &Db, from, until, limit| between(db, astray.of(from), until, limit);
        find_orders::exercise_of(Queries::new(of_user, between, with_status))
    });
    every_bit_counts((0..64).step_by(7), large, |astray| {
        let between = move |db: &Db, from, until, limit| between(db, from, astray.of(until), limit);
        find_orders::exercise_of(Queries::new(of_user, between, with_status))
    });
}

/// The right change, but for the row by status that it puts.
fn change_to(db: &Db, id: u32, to: Status, of: impl Fn(&Order) -> Order) -> engine::Result<Change> {
    let own = (b'o', id).to_key();
    let Some(value) = db.get(&own)? else {
        return Ok(Change::Unknown);
    };
    let before = Order::read(id, &value).unwrap();
    if before.status == to {
        return Ok(Change::Unchanged);
    }
    let after = Order {
        status: to,
        ..before.clone()
    };
    let rows = db.default_family();
    let mut batch = WriteBatch::new();
    batch.put(&rows, own, after.value());
    batch.delete(&rows, &keys(&before)[3]);
    batch.put(&rows, &keys(&of(&after))[3], b"");
    db.write(batch, WriteOptions { sync: true })?;
    Ok(Change::Changed)
}

/// The right faults, but for the orders that are looked at.
fn faults_of(db: &Db, of: impl Fn(&Order) -> Order) -> engine::Result<Vec<Fault>> {
    let (mut wanted, mut found) = (BTreeSet::new(), BTreeSet::new());
    for row in db.default_family().iter() {
        let (key, value) = row?;
        match key.first() {
            Some(b'o') => {
                let (_, id) = <(u8, u32)>::from_key(&key).unwrap();
                let order = of(&Order::read(id, &value).unwrap());
                wanted.extend(keys(&order).into_iter().skip(1));
            }
            Some(b's' | b't' | b'u') => _ = found.insert(key),
            _ => {}
        }
    }
    let fault = |key: &Vec<u8>| match found.contains(key) {
        true => Fault::Ghost(key.clone()),
        false => Fault::Missing(key.clone()),
    };
    Ok(wanted.symmetric_difference(&found).map(fault).collect())
}

#[test]
fn every_bit_of_an_order_that_is_changed_or_checked_counts() {
    let at_another_time = |astray: &Astray, order: &Order| Order {
        at: astray.of(order.at),
        ..order.clone()
    };
    let under_another_id = |astray: &Astray, order: &Order| Order {
        id: u32::try_from(astray.of(order.id.into())).unwrap(),
        ..order.clone()
    };
    type Strayed = fn(&Astray, &Order) -> Order;
    let both: [(Strayed, u32, u64); 2] = [
        (at_another_time, 64, 1 << 40),
        (under_another_id, 32, 1 << 17),
    ];
    for (of, bits, large) in both {
        every_bit_counts((0..bits).step_by(7), large, |astray| {
            let change = move |db: &Db, id, to| change_to(db, id, to, |order| of(&astray, order));
            change_status::exercise_of(Arc::new(change))
        });
        every_bit_counts((0..bits).step_by(7), large, |astray| {
            let faults = move |db: &Db| faults_of(db, |order| of(&astray, order));
            check_store::exercise_of(Checker::new(faults, solutions::check_store::rebuild))
        });
        every_bit_counts((0..bits).step_by(7), large, |astray| {
            let rebuild = move |db: &Db| {
                let mut batch = WriteBatch::new();
                for fault in faults_of(db, |order| of(&astray, order))? {
                    match fault {
                        Fault::Ghost(key) => batch.delete(&db.default_family(), key),
                        Fault::Missing(key) => batch.put(&db.default_family(), key, b""),
                    }
                }
                db.write(batch, WriteOptions { sync: true })
            };
            check_store::exercise_of(Checker::new(solutions::check_store::faults, rebuild))
        });
    }
}

#[test]
fn a_checker_keeps_every_user_as_it_is() {
    let changed: [fn(&str) -> String; 4] = [
        str::to_lowercase,
        |user| user.trim().to_owned(),
        |user| user.chars().take(255).collect(),
        |user| user.chars().filter(char::is_ascii).collect(),
    ];
    for change in changed {
        let of = move |order: &Order| Order {
            user: change(&order.user),
            ..order.clone()
        };
        let told = &["users of any letters"];
        observed(&checking(move |db| faults_of(db, of)), "faults", told);
    }
}

fn ranged(
    between: impl Fn(&Db, u64, u64, usize) -> engine::Result<Vec<u32>> + Send + Sync + 'static,
) -> Verdict {
    let queries = Queries::new(of_user, between, with_status);
    judged(&find_orders::exercise_of(queries))
}

/// The ids of the rows between two keys.
fn ids_between(db: &Db, start: &[u8], end: &[u8], limit: usize) -> engine::Result<Vec<u32>> {
    let found = db.default_family().range(start..end).take(limit);
    let id = |row: engine::Result<(Vec<u8>, Vec<u8>)>| {
        Ok(u32::from_be_bytes(*row?.0.last_chunk().unwrap()))
    };
    found.map(id).collect()
}

#[test]
fn bounds_that_are_other_keys_are_named_by_what_they_are() {
    type Key = fn(u64) -> Vec<u8>;
    let of_digits: Key = |time| format!("t{time:020}").into_bytes();
    let bounds: [(Key, &str); 6] = [
        (
            |time| [b"t", &time.to_le_bytes()[..]].concat(),
            "bounds_in_little_endian",
        ),
        (|time| (b't', time as u32).to_key(), "bounds_of_four_bytes"),
        (
            |time| (b't', u64::from(time as u32)).to_key(),
            "bounds_cut_to_32_bits",
        ),
        (|time| time.to_key(), "bounds_without_their_letter"),
        // Two ways to find nothing.
        (|time| (b't', Desc(time)).to_key(), "no_order_of_a_time"),
        (of_digits, "no_order_of_a_time"),
    ];
    for (key, name) in bounds {
        let guarded = move |db: &Db, from, until, limit| {
            if from >= until {
                return Ok(Vec::new());
            }
            ids_between(db, &key(from), &key(until), limit)
        };
        named(&ranged(guarded), name);
        let natural =
            move |db: &Db, from, until, limit| ids_between(db, &key(from), &key(until), limit);
        named(&ranged(natural), name);
    }
    // Rows that are taken apart as rows by time.
    let apart = |db: &Db, from: u64, until: u64, limit| {
        let rows = db.default_family().range(from.to_key()..until.to_key());
        let id = |key: &[u8]| <(u8, u64, u32)>::from_key(key).unwrap().2;
        let ids = rows.take(limit).map(|row| Ok(id(&row?.0)));
        ids.collect()
    };
    named(&ranged(apart), "bounds_without_their_letter");
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
