//! Two right stores, and eighteen that go wrong where people do.

use std::sync::Arc;

use engine::Db;
use engine::WriteBatch;
use engine::WriteOptions;
use engine::keys::OrderedKey as _;
use kit::{Candidates, Wrong};

use crate::change_status::Changing;
use crate::find_orders::Queries;
use crate::mistakes::{change_status, find_orders, place_order};
use crate::order::Status::{New, Paid, Shipped};
use crate::order::{Change, Order, OrderStore, Page, Status};
use crate::solutions;
use crate::solutions::place_order::keys;
use crate::solutions::test_store::walk;
use crate::store::{order, rows};
use crate::test_store::{Recipe, Tried};

fn right() -> Recipe {
    Recipe {
        place: Arc::new(solutions::place_order::place),
        change: Arc::new(solutions::change_status::change_status),
        remove: Arc::new(|db, id| removed(db, id, |_| true)),
        queries: crate::find_orders::solution(),
    }
}

/// Another right store: its cursor names the next row without its prefix, and it makes durable by a flush.
fn next_row_as_cursor() -> Recipe {
    let with_status = |db: &Db, status: Status, limit: usize, after: Option<&[u8]>| {
        let prefix = (b's', status.byte()).to_key();
        let start = [&prefix, after.unwrap_or_default()].concat();
        let mut found = rows(db);
        found.retain(|(key, _)| *key >= start && key.starts_with(&prefix));
        let next = found
            .get(limit)
            .map(|(key, _)| key[prefix.len()..].to_vec());
        found.truncate(limit);
        let id = |key: &[u8]| key.last_chunk().map_or(0, |id| u32::from_be_bytes(*id));
        let ids = found.iter().map(|(key, _)| id(key)).collect();
        Ok(Page { ids, next })
    };
    let place = |db: &Db, order: &Order| {
        let unsynced = place_order::named("not_synced").expect("there is such a mistake");
        let placed = (unsynced.place)(db, order)?;
        db.flush()?;
        Ok(placed)
    };
    let right = right();
    Recipe {
        place: Arc::new(place),
        queries: Queries {
            with_status: Arc::new(with_status),
            ..right.queries
        },
        ..right
    }
}

/// Removes those rows of an order of which `taken` holds.
fn removed(db: &Db, id: u32, taken: fn(&[u8]) -> bool) -> engine::Result<bool> {
    let own = (b'o', id).to_key();
    let Some(order) = db.get(own)?.and_then(|value| Order::read(id, &value)) else {
        return Ok(false);
    };
    let mut batch = WriteBatch::new();
    for key in keys(&order).into_iter().filter(|key| taken(key)) {
        batch.delete(&db.default_family(), key);
    }
    db.write(batch, WriteOptions { sync: true })?;
    Ok(true)
}

fn placing(name: &str) -> Recipe {
    let place = place_order::named(name)
        .expect("there is such a mistake")
        .place;
    Recipe { place, ..right() }
}

fn changing(name: &str) -> Recipe {
    let change: Changing = change_status::named(name).expect("there is such a mistake");
    Recipe { change, ..right() }
}

fn asking(name: &str) -> Recipe {
    let queries = find_orders::named(name).expect("there is such a mistake");
    Recipe { queries, ..right() }
}

fn removing(taken: fn(&[u8]) -> bool) -> Recipe {
    Recipe {
        remove: Arc::new(move |db, id| removed(db, id, taken)),
        ..right()
    }
}

/// A store with these orders: what the witnesses ask.
fn with(recipe: &Recipe, orders: &[crate::store::Line]) -> Tried {
    let mut store = Tried::new(recipe);
    for line in orders {
        store.place(&order(line));
    }
    store
}

pub(crate) fn candidates() -> Candidates<Recipe> {
    let mut all = Candidates::new("store")
        .right(
            "last_row_as_cursor",
            "It writes four rows in one synced batch. Its cursor is the last key of the page.",
            right(),
        )
        .right(
            "next_row_as_cursor",
            "It writes four rows in one batch and flushes. Its cursor is the time and the number of the first order of the next \
             page.",
            next_row_as_cursor(),
        );
    for wrong in questions()
        .into_iter()
        .chain(pages())
        .chain(writes())
        .chain(cuts())
    {
        all = all.wrong(wrong);
    }
    all
}

/// Queries by user and by time.
fn questions() -> Vec<Wrong<Recipe>> {
    vec![
        Wrong::new("prefix_without_its_end", asking("prefix_without_its_end"))
            .says("Its query by user scans the bare bytes of the name.")
            .shows("where a name is the beginning of another", |recipe| {
                let store = with(recipe, &[(1, "ann", 5, New), (2, "anna", 5, New)]);
                store.of_user("ann", 9) == [1]
            }),
        Wrong::new("oldest_first", asking("oldest_first"))
            .says("Its query by user returns the oldest order first.")
            .shows("where a user has two orders", |recipe| {
                let store = with(recipe, &[(1, "ann", 5, New), (2, "ann", 6, New)]);
                store.of_user("ann", 9) == [2, 1]
            }),
        Wrong::new("limit_ignored", asking("limit_ignored"))
            .says("Its query by user returns all orders.")
            .shows("where a user has more orders than the limit", |recipe| {
                let store = with(recipe, &[(1, "ann", 5, New), (2, "ann", 6, New)]);
                store.of_user("ann", 1).len() == 1
            }),
        Wrong::new("until_included", asking("until_included"))
            .says("Its query by time takes the orders at `until` as well.")
            .shows(
                "where an order was placed at the end of the range",
                |recipe| {
                    with(recipe, &[(1, "ann", 5, New)])
                        .between(4, 5, 9)
                        .is_empty()
                },
            ),
        Wrong::new(
            "times_as_text",
            Recipe {
                queries: Queries {
                    between: Arc::new(|db, from, until, limit| {
                        let all = (right().queries.between)(db, from, until, usize::MAX)?;
                        let at = |id: &u32| {
                            rows(db).into_iter().find_map(|(key, value)| {
                                (key == (b'o', *id).to_key()).then(|| Order::read(*id, &value))?
                            })
                        };
                        let mut found: Vec<Order> = all.iter().filter_map(at).collect();
                        found.sort_by_key(|order| order.at.to_string());
                        Ok(found.iter().take(limit).map(|order| order.id).collect())
                    }),
                    ..right().queries
                },
                ..right()
            },
        )
        .says("Its `between` sorts by the time as decimal text, without padding.")
        .shows(
            "in `between`, when the later of two times begins with the smaller digit",
            |recipe| {
                let store = with(recipe, &[(1, "ann", 9, New), (2, "ann", 10, New)]);
                store.between(0, 99, 9) == [1, 2]
            },
        ),
        Wrong::new(
            "one_order_a_millisecond",
            Recipe {
                place: Arc::new(|db, order| {
                    let placed = (right().place)(db, order)?;
                    let own = keys(order)[2].clone();
                    for (key, _) in rows(db) {
                        if placed && key.starts_with(&own[..9]) && key != own {
                            db.delete(key)?;
                        }
                    }
                    Ok(placed)
                }),
                ..right()
            },
        )
        .says("Its keys by time lack the number of the order.")
        .shows("where two orders have the same time", |recipe| {
            let store = with(recipe, &[(1, "ann", 5, New), (2, "bob", 5, New)]);
            store.between(5, 6, 9) == [1, 2]
        }),
    ]
}

/// Queries by status.
fn pages() -> Vec<Wrong<Recipe>> {
    vec![
        Wrong::new(
            "runs_into_the_next_status",
            asking("runs_into_the_next_status"),
        )
        .says("Its query by status has no end.")
        .shows(
            "where orders have a later status than the one asked for",
            |recipe| {
                let store = with(recipe, &[(1, "ann", 5, New), (2, "ann", 5, Paid)]);
                walk(&store, New, 9) == [[1]]
            },
        ),
        Wrong::new("time_alone_as_cursor", asking("time_alone_as_cursor"))
            .says("Its cursor is the time of the last order.")
            .shows(
                "where a page ends between two orders of one time",
                |recipe| {
                    let store = with(recipe, &[(1, "ann", 5, New), (2, "ann", 5, New)]);
                    walk(&store, New, 1) == [[1], [2]]
                },
            ),
        Wrong::new("next_if_full", asking("next_if_full"))
            .says("It gives a cursor whenever the page is full.")
            .shows("where the last page is full", |recipe| {
                walk(&with(recipe, &[(1, "ann", 5, New)]), New, 1) == [[1]]
            }),
    ]
}

/// Changes, removals and refusals.
fn writes() -> Vec<Wrong<Recipe>> {
    vec![
        Wrong::new("ghost_left", changing("ghost_left"))
            .says("It leaves the old row by status when an order changes.")
            .shows("under the status that an order had before", |recipe| {
                let mut store = with(recipe, &[(1, "ann", 5, New)]);
                store.change_status(1, Paid);
                walk(&store, New, 9).concat().is_empty()
            }),
        Wrong::new(
            "same_status_loses_the_row",
            changing("same_status_loses_the_row"),
        )
        .says("It puts the new row by status and then deletes the old one, also when both are one.")
        .shows("when an order gets the status that it has", |recipe| {
            let mut store = with(recipe, &[(1, "ann", 5, New)]);
            store.change_status(1, New);
            walk(&store, New, 9) == [[1]]
        }),
        Wrong::new(
            "unknown_taken_for_unchanged",
            changing("unknown_taken_for_unchanged"),
        )
        .says("It answers `Unchanged` for an order that is not there.")
        .shows("at a number that no order has", |recipe| {
            Tried::new(recipe).change_status(1, Paid) == Change::Unknown
        }),
        Wrong::new("id_not_looked_up", placing("id_not_looked_up"))
            .says("It places an order under a number that is taken.")
            .shows("at the second order with one number", |recipe| {
                let mut store = with(recipe, &[(1, "ann", 5, New)]);
                !store.place(&order(&(1, "bob", 6, Shipped)))
            }),
        Wrong::new("user_row_left", removing(|key| key[0] != b'u'))
            .says("It leaves the row by user when an order is removed.")
            .shows("in the query by user after a removal", |recipe| {
                let mut store = with(recipe, &[(1, "ann", 5, New)]);
                store.remove(1);
                store.of_user("ann", 9).is_empty()
            }),
        Wrong::new("time_row_left", removing(|key| key[0] != b't'))
            .says("It leaves the row by time when an order is removed.")
            .shows("in the query by time after a removal", |recipe| {
                let mut store = with(recipe, &[(1, "ann", 5, New)]);
                store.remove(1);
                store.between(0, 9, 9).is_empty()
            }),
    ]
}

/// What only a power cut shows.
fn cuts() -> Vec<Wrong<Recipe>> {
    vec![
        Wrong::new("order_then_indexes", placing("order_then_indexes"))
            .says("It writes the order in one batch and its index rows in a second one.")
            .shows("when the power fails in the middle of `place`", |recipe| {
                (0..20).all(|operations| {
                    let mut store = Tried::new(recipe);
                    store.fail_in(operations);
                    store.place(&order(&(1, "ann", 5, New)));
                    store.get(1).is_some() == (store.of_user("ann", 9) == [1])
                })
            }),
        Wrong::new("delete_by_itself", changing("delete_by_itself"))
            .says("It deletes the old row by status in one batch and writes the rest in a second one.")
            .shows("when the power fails in the middle of `change_status`", |recipe| {
                (0..20).all(|operations| {
                    let mut store = with(recipe, &[(1, "ann", 5, New)]);
                    store.fail_in(operations);
                    store.change_status(1, Paid);
                    walk(&store, New, 9).concat().len() + walk(&store, Paid, 9).concat().len() == 1
                })
            }),
        Wrong::new("not_synced", placing("not_synced"))
            .says("It places an order without syncing it.")
            .shows("when the power fails after `place` has returned", |recipe| {
                let mut store = Tried::new(recipe);
                store.fail_in(1000);
                store.place(&order(&(1, "ann", 5, New)));
                store.of_user("ann", 9) == [1]
            }),
    ]
}
