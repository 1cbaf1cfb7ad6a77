//! Wrong and right answers that no gallery holds: what is said of them must be true.

use ch10_order_store::order;

#[path = "../../checks/change_status.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod change_status;
#[path = "../../checks/check_store.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod check_store;
#[path = "../../checks/find_orders.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod find_orders;
#[path = "../../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../../checks/place_order.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod place_order;
#[path = "../../checks/predict_rows.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod predict_rows;
#[path = "../../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../../checks/store.rs"]
mod store;
#[path = "../../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../../checks/test_store.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_store;
#[path = "../../checks/wrong_stores.rs"]
mod wrong_stores;

mod changing;
mod checking;
mod finding;
mod placing;
mod predicting;
mod testing;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine::keys::{DecodeKey as _, Desc, OrderedKey as _};
use engine::{Db, WriteBatch, WriteOptions};
use kit::unseen::{Astray, every_bit_counts, judged, named, observed, pairs_call_nothing_right};
use kit::{State, Verdict};

use check_store::Checker;
use find_orders::Queries;
use order::{Change, Fault, Order, OrderStore, Page, Status};
use place_order::Placing;
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
        let (before, after) = match before_and_after(db, id, to)? {
            Ok(both) => both,
            Err(nothing) => return Ok(nothing),
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

/// An order as it is and as it will be, or why nothing changes.
fn before_and_after(
    db: &Db,
    id: u32,
    to: Status,
) -> engine::Result<Result<(Order, Order), Change>> {
    let Some(value) = db.get((b'o', id).to_key())? else {
        return Ok(Err(Change::Unknown));
    };
    let before = Order::read(id, &value).unwrap();
    if before.status == to {
        return Ok(Err(Change::Unchanged));
    }
    let after = Order {
        status: to,
        ..before.clone()
    };
    Ok(Ok((before, after)))
}

/// The right change, but for the row by status that it puts.
fn change_to(db: &Db, id: u32, to: Status, of: impl Fn(&Order) -> Order) -> engine::Result<Change> {
    let (before, after) = match before_and_after(db, id, to)? {
        Ok(both) => both,
        Err(nothing) => return Ok(nothing),
    };
    let rows = db.default_family();
    let mut batch = WriteBatch::new();
    batch.put(&rows, (b'o', id).to_key(), after.value());
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
