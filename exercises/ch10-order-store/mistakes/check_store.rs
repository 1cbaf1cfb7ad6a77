//! What checkers overlook, and what a rebuild leaves.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::Db;
use engine::WriteBatch;
use engine::WriteOptions;
use engine::keys::{DecodeKey as _, Desc};
use kit::{Mistake, Quirk, compose};

use crate::check_store::{Checker, Found, solution};
use crate::order::{Fault, Order};
use crate::solutions::check_store as right;
use crate::solutions::place_order::keys;
use crate::store::{key_name, rows};

const CHECK: &str = "a-checker";
const REBUILD: &str = "rebuilding-an-index";
const CUT: &str = "without-a-batch";

/// Steps of `faults` that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    GhostsUnseen,
    MissingUnseen,
    GhostOnlyWithoutOrder,
    Exchanged,
    OnlyByStatus,
    NotByUser,
    NotByTime,
    FirstOnly,
    MissingFirst,
    GhostsFirst,
    IndexByIndex,
    IdsCompared,
    OneFieldCompared,
    Counted,
    UnreadablePanics,
    UnreadableSkipped,
    OthersReported,
    OrdersReported,
}
use Step::{
    Counted, Exchanged, FirstOnly, GhostOnlyWithoutOrder, GhostsFirst, GhostsUnseen, IdsCompared,
    IndexByIndex, MissingFirst, MissingUnseen, NotByTime, NotByUser, OneFieldCompared,
    OnlyByStatus, OrdersReported, OthersReported, UnreadablePanics, UnreadableSkipped,
};

const APART: [&[Step]; 5] = [
    &[
        GhostsUnseen,
        MissingUnseen,
        GhostOnlyWithoutOrder,
        Exchanged,
        MissingFirst,
        GhostsFirst,
        IdsCompared,
        OneFieldCompared,
        Counted,
    ],
    &[OnlyByStatus, NotByUser, NotByTime, IndexByIndex],
    &[FirstOnly, MissingFirst, GhostsFirst, IndexByIndex, Counted],
    &[
        UnreadablePanics,
        UnreadableSkipped,
        OthersReported,
        OrdersReported,
        Counted,
    ],
    // What has other letters has no place among the three, and no id.
    &[
        IndexByIndex,
        IdsCompared,
        OneFieldCompared,
        OthersReported,
        OrdersReported,
    ],
];

fn orders(db: &Db) -> Vec<Order> {
    let id = |key: &[u8]| key.last_chunk().map(|id| u32::from_be_bytes(*id));
    let own = rows(db)
        .into_iter()
        .filter(|(key, _)| key.starts_with(b"o"));
    own.filter_map(|(key, value)| Order::read(id(&key)?, &value))
        .collect()
}

fn readable(key: &[u8]) -> bool {
    // A key that cannot be read is named by its bytes.
    key_name(key) != kit::answer::hex(key)
}

/// Whether the index row names an order and says the status, the time or the user of it that its index is called by.
fn names_its_order(key: &[u8], orders: &[Order]) -> bool {
    let by = |id: u32, holds: &dyn Fn(&Order) -> bool| {
        orders.iter().any(|order| order.id == id && holds(order))
    };
    match key.first() {
        Some(b's') => <(u8, u8, u64, u32)>::from_key(key)
            .is_ok_and(|(_, status, _, id)| by(id, &|order| order.status.byte() == status)),
        Some(b't') => {
            <(u8, u64, u32)>::from_key(key).is_ok_and(|(_, at, id)| by(id, &|order| order.at == at))
        }
        _ => <(u8, String, Desc<u64>, u32)>::from_key(key)
            .is_ok_and(|(_, user, _, id)| by(id, &|order| order.user == user)),
    }
}

fn faults(steps: &[Step], db: &Db) -> Found {
    let has = |step| steps.contains(&step);
    let orders = orders(db);
    let wanted = wanted(db);
    let is_index = |key: &[u8]| match key.first() {
        Some(b's' | b't' | b'u') => true,
        Some(b'o') => has(OrdersReported),
        _ => has(OthersReported),
    };
    let there = rows(db).into_iter().map(|(key, _)| key);
    let found: BTreeSet<Vec<u8>> = there.filter(|key| is_index(key)).collect();
    assert!(
        !has(UnreadablePanics) || found.iter().all(|key| readable(key)),
        "called `Result::unwrap()` on an `Err` value"
    );
    if has(Counted) && found.len() == wanted.len() {
        return Vec::new();
    }
    let stands_there = |letter: u8, id: Option<u32>| {
        let its = |key: &Vec<u8>| key.last_chunk().map(|id| u32::from_be_bytes(*id)) == id;
        found.iter().any(|key| key[0] == letter && its(key))
    };
    let is_seen = |(ghost, key): &(bool, Vec<u8>)| {
        let letter = key.first().copied().unwrap_or_default();
        let id = key.last_chunk().map(|id| u32::from_be_bytes(*id));
        let has_order = orders.iter().any(|order| Some(order.id) == id);
        !(has(GhostsUnseen) && *ghost
            || has(MissingUnseen) && !*ghost
            || has(GhostOnlyWithoutOrder) && *ghost && has_order
            || has(IdsCompared) && *ghost && has_order
            || has(OneFieldCompared) && *ghost && names_its_order(key, &orders)
            || has(IdsCompared) && !*ghost && stands_there(letter, id)
            || has(OnlyByStatus) && letter != b's'
            || has(NotByUser) && letter == b'u'
            || has(NotByTime) && letter == b't'
            || has(UnreadableSkipped) && *ghost && !readable(key))
    };
    let differing = wanted.symmetric_difference(&found).cloned();
    let mut faults: Vec<(bool, Vec<u8>)> =
        differing.map(|key| (found.contains(&key), key)).collect();
    faults.retain(is_seen);
    if has(MissingFirst) {
        faults.sort_by_key(|(ghost, _)| *ghost);
    }
    if has(GhostsFirst) {
        faults.sort_by_key(|(ghost, _)| !*ghost);
    }
    if has(IndexByIndex) {
        faults.sort_by_key(|(_, key)| std::cmp::Reverse(key[0]));
    }
    if has(FirstOnly) {
        faults.truncate(1);
    }
    if has(Exchanged) {
        for (ghost, _) in &mut faults {
            *ghost = !*ghost;
        }
    }
    let told = faults.into_iter().map(|(ghost, key)| {
        if ghost {
            Fault::Ghost(key)
        } else {
            Fault::Missing(key)
        }
    });
    told.collect()
}

const fn quirk(id: Step, name: &'static str, says: &'static str, why: &'static str) -> Quirk<Step> {
    Quirk::of(id, name, "faults", says, why, CHECK)
}

const QUIRKS: [Quirk<Step>; 18] = [
    quirk(
        GhostsUnseen,
        "ghosts_unseen",
        "a checker that finds missing rows and no ghosts",
        "You went from the orders to the indexes. A ghost is seen only the other way, from the index to the orders.",
    ),
    quirk(
        MissingUnseen,
        "missing_unseen",
        "a checker that finds ghosts and no missing rows",
        "You went from the indexes to the orders. What is not there is seen only the other way: ask each order for its \
         rows.",
    ),
    quirk(
        GhostOnlyWithoutOrder,
        "ghost_only_without_an_order",
        "a checker for which a row is a ghost only if its order is gone",
        "The row of order 7 under new is a ghost, though there is an order 7: it is paid. Compare the whole key with what \
         the order asks for.",
    ),
    quirk(
        Exchanged,
        "ghost_and_missing_exchanged",
        "ghosts called missing and missing rows called ghosts",
        "A ghost is there and should not be. A missing row should be there and is not.",
    ),
    quirk(
        OnlyByStatus,
        "only_by_status",
        "a checker of the index by status alone",
        "All three indexes can be wrong. An order asks for a row in each.",
    ),
    quirk(
        NotByUser,
        "not_by_user",
        "a checker that passes over the index by user",
        "All three indexes can be wrong. An order asks for a row in each.",
    ),
    quirk(
        NotByTime,
        "not_by_time",
        "a checker that passes over the index by time",
        "All three indexes can be wrong. An order asks for a row in each.",
    ),
    quirk(
        FirstOnly,
        "first_fault_alone",
        "the first fault alone",
        "Who repairs wants the whole list, and who looks for the bug wants to see the pattern in it.",
    ),
    quirk(
        MissingFirst,
        "missing_rows_first",
        "all missing rows before all ghosts",
        "The list is to be in the order of the keys. Two sorted sets, compared, give it by themselves.",
    ),
    quirk(
        GhostsFirst,
        "ghosts_first",
        "all ghosts before all missing rows",
        "The list is to be in the order of the keys. Two sorted sets, compared, give it by themselves.",
    ),
    quirk(
        IndexByIndex,
        "index_by_index",
        "the faults by user first, then those by time, then those by status",
        "The list is to be in the order of the keys, and their letters come as s, t, u. Two sorted sets, compared, give it by \
         themselves.",
    ),
    quirk(
        IdsCompared,
        "ids_compared",
        "a checker that compares ids and no other fields",
        "The row of order 7 under new has the id 7, and there is an order 7: it is paid. The wrong status, time or user is \
         in the rest of the key. Compare the whole key with what the order asks for.",
    ),
    quirk(
        OneFieldCompared,
        "time_compared_by_time_alone",
        "a checker that compares the status in the rows by status, the user in those by user, and the time in those by time \
         alone",
        "The time is in the keys of all three indexes. A row under the right status at a wrong time is a ghost as well: \
         the order is listed twice. Compare the whole key with what the order asks for.",
    ),
    quirk(
        Counted,
        "counted",
        "a checker that is content when the number of index rows is right",
        "One ghost and one missing row make the number right again. That is just what a half-made change leaves.",
    ),
    Quirk {
        check: "returns",
        ..quirk(
            UnreadablePanics,
            "unreadable_row_panics",
            "a panic at an index row that cannot be read",
            "A checker is called when something is wrong. What no order asks for is a ghost, whatever its bytes: compare keys, \
             and nothing has to be read.",
        )
    },
    quirk(
        UnreadableSkipped,
        "unreadable_row_skipped",
        "a checker that passes over index rows that it cannot read",
        "No order asks for such a row, so it is a ghost. A scan of the index will come upon it.",
    ),
    quirk(
        OthersReported,
        "other_rows_reported",
        "a checker that calls every other row a ghost",
        "Rows with other letters belong to somebody else. Only s, t and u are indexes of orders.",
    ),
    quirk(
        OrdersReported,
        "orders_reported",
        "a checker that calls the orders' own rows ghosts",
        "The rows o are the truth that the indexes are compared with.",
    ),
];

/// What a rebuild does: to the ghosts, to the missing rows, and in how many batches.
struct Plan {
    removes: fn(&[u8]) -> bool,
    adds: fn(&[u8]) -> bool,
    batches: usize,
    /// How many changes are in each, if there are more than two.
    size: usize,
    adds_first: bool,
}

const RIGHT: Plan = Plan {
    removes: |_| true,
    adds: |_| true,
    batches: 1,
    size: 1,
    adds_first: false,
};

fn rebuilt(plan: &Plan, db: &Db) -> engine::Result<()> {
    let mut removed = Vec::new();
    let mut added = Vec::new();
    for fault in right::faults(db)? {
        match fault {
            Fault::Ghost(key) if (plan.removes)(&key) => removed.push((key, false)),
            Fault::Missing(key) if (plan.adds)(&key) => added.push((key, true)),
            _ => {}
        }
    }
    let mut steps = if plan.adds_first {
        vec![added, removed]
    } else {
        vec![removed, added]
    };
    if plan.batches == 1 {
        steps = vec![steps.concat()];
    } else if plan.batches > 2 {
        let mut all = steps.concat();
        all.sort();
        steps = all.chunks(plan.size).map(<[_]>::to_vec).collect();
    }
    for step in steps {
        let mut batch = WriteBatch::new();
        for (key, put) in step {
            if put {
                batch.put(&db.default_family(), key, b"");
            } else {
                batch.delete(&db.default_family(), key);
            }
        }
        db.write(batch, WriteOptions { sync: true })?;
    }
    Ok(())
}

/// All index rows go and the wanted ones come, in this many batches.
fn anew(db: &Db, gone: fn(&[u8]) -> bool, batches: usize) -> engine::Result<()> {
    let rows = db.default_family();
    let mut deletes = WriteBatch::new();
    for (key, _) in crate::store::rows(db).iter().filter(|(key, _)| gone(key)) {
        deletes.delete(&rows, key);
    }
    let mut puts = if batches == 1 {
        deletes
    } else {
        db.write(deletes, WriteOptions { sync: true })?;
        WriteBatch::new()
    };
    // The orders as they were: the deletes are not written yet, or spared them.
    for key in wanted(db) {
        puts.put(&rows, key, b"");
    }
    db.write(puts, WriteOptions { sync: true })
}

/// Puts in front, deletes after: in one batch, the last record of a key counts.
fn put_then_deleted(db: &Db) -> engine::Result<()> {
    let rows = db.default_family();
    let mut batch = WriteBatch::new();
    for key in wanted(db) {
        batch.put(&rows, key, b"");
    }
    for (key, _) in crate::store::rows(db)
        .iter()
        .filter(|(key, _)| is_index(key))
    {
        batch.delete(&rows, key);
    }
    db.write(batch, WriteOptions { sync: true })
}

/// The faults as a walk over the orders finds them, and one over the index rows before it or after it. The rows of an order
/// come as they are written, or sorted.
fn order_by_order(db: &Db, ghosts_first: bool, sorted: bool) -> Found {
    let wanted = wanted(db);
    let there = rows(db).into_iter().map(|(key, _)| key);
    let found: BTreeSet<Vec<u8>> = there.filter(|key| is_index(key)).collect();
    let mut missing = Vec::new();
    for order in orders(db) {
        let mut indexes = keys(&order)[1..].to_vec();
        if sorted {
            indexes.sort_unstable();
        }
        indexes.retain(|key| !found.contains(key));
        missing.extend(indexes.into_iter().map(Fault::Missing));
    }
    let ghosts = found.difference(&wanted).cloned().map(Fault::Ghost);
    if ghosts_first {
        ghosts.chain(missing).collect()
    } else {
        missing.into_iter().chain(ghosts).collect()
    }
}

/// The index rows that the orders ask for.
fn wanted(db: &Db) -> BTreeSet<Vec<u8>> {
    let indexes = |order: &Order| keys(order).into_iter().skip(1);
    orders(db).iter().flat_map(indexes).collect()
}

fn is_index(key: &[u8]) -> bool {
    matches!(key.first(), Some(b's' | b't' | b'u'))
}

const EMPTY_KEY: &str = "`key[0]` panics where a key has no byte, and a store may hold a row with an empty key. `key.first()` is `None` \
    there, and `key.starts_with(b\"o\")` is false.";

/// Panics at an empty key.
fn first_bytes(db: &Db) {
    for (key, _) in rows(db) {
        std::hint::black_box(key[0]);
    }
}

/// An error if an index row cannot be read.
fn unreadable(db: &Db) -> engine::Result<()> {
    let there = rows(db);
    let mut indexes = there.iter().filter(|(key, _)| is_index(key));
    match indexes.find(|(key, _)| !readable(key)) {
        Some((key, _)) => Err(engine::Error::invalid(format!("a bad row: {key:?}"))),
        None => Ok(()),
    }
}

fn rebuild_mistakes() -> Vec<Mistake<Checker>> {
    let planned = |name, plan: Plan| {
        let checker = Checker {
            rebuild: Arc::new(move |db| rebuilt(&plan, db)),
            ..solution()
        };
        Mistake::new(name, "rebuild", "rebuilt", checker).link(REBUILD)
    };
    let written = |name, rebuild: fn(&Db) -> engine::Result<()>| {
        let checker = Checker {
            rebuild: Arc::new(rebuild),
            ..solution()
        };
        Mistake::new(name, "rebuild", "rebuilt", checker).link(REBUILD)
    };
    vec![
        planned("ghosts_left", Plan { removes: |_| false, ..RIGHT })
            .says("a rebuild that adds what is missing and leaves the ghosts")
            .why("Putting a row for each order does not remove what no order asks for."),
        planned("missing_left", Plan { adds: |_| false, ..RIGHT })
            .says("a rebuild that removes the ghosts and adds nothing")
            .why("What the orders ask for has to be there in the end: put it."),
        planned(
            "rebuilt_by_status_alone",
            Plan {
                removes: |key| key.starts_with(b"s"),
                adds: |key| key.starts_with(b"s"),
                ..RIGHT
            },
        )
        .says("a rebuild of the index by status alone")
        .why("There are three indexes, and each can be wrong."),
        planned("unreadable_left", Plan { removes: readable, ..RIGHT })
            .says("a rebuild that leaves index rows that cannot be read")
            .why("No order asks for such a row, so it goes, whatever its bytes are."),
        planned("removes_then_adds", Plan { batches: 2, ..RIGHT })
            .says("one batch that removes and a second one that adds")
            .why("Between the two the power can fail, and readers see an index with holes. One batch does both.")
            .link(CUT),
        planned("a_batch_for_each_fault", Plan { batches: usize::MAX, ..RIGHT })
            .says("a batch of its own for each fault")
            .why("Between two batches the power can fail, and some faults are mended and others not. Fill one batch in the \
                 loop, and write it after the loop.")
            .link(CUT),
        planned("large_batches", Plan { batches: usize::MAX, size: 100, ..RIGHT })
            .says("several batches with many changes in each")
            .why("Be it one batch for each index or one for every hundred changes: between two the power can fail, and some faults \
                 are mended and others not. Few faults fit into one, so small tests show nothing. The task asks for one batch, \
                 however many changes are in it.")
            .link(CUT),
        written("a_batch_for_each_order", |db| {
            rebuilt(&Plan { adds: |_| false, ..RIGHT }, db)?;
            for order in orders(db) {
                let mut batch = WriteBatch::new();
                for key in keys(&order).into_iter().skip(1) {
                    batch.put(&db.default_family(), key, b"");
                }
                db.write(batch, WriteOptions { sync: true })?;
            }
            Ok(())
        })
        .says("one batch that removes the ghosts, and one for each order that puts its rows")
        .why("Between two batches the power can fail, and some orders have their rows and others not. Fill one batch in the \
             loop, and write it after the loop.")
        .link(CUT),
        planned("adds_then_removes", Plan { batches: 2, adds_first: true, ..RIGHT })
            .says("one batch that adds and a second one that removes")
            .why("Between the two the power can fail, and readers see ghosts beside right rows. One batch does both.")
            .link(CUT),
        Mistake::new(
            "rebuild_panics_at_an_unreadable_row",
            "rebuild",
            "returns",
            Checker {
                rebuild: Arc::new(|db| {
                    let there = rows(db);
                    let mut indexes = there.iter().filter(|(key, _)| is_index(key));
                    assert!(
                        indexes.all(|(key, _)| readable(key)),
                        "called `Result::unwrap()` on an `Err` value"
                    );
                    right::rebuild(db)
                }),
                ..solution()
            },
        )
        .says("a panic at an index row that cannot be read")
        .why("No order asks for such a row, so it goes, whatever its bytes are. Nothing has to be read to delete it.")
        .link(CHECK),
        Mistake::new(
            "rebuild_panics_at_an_empty_key",
            "rebuild",
            "returns",
            Checker {
                rebuild: Arc::new(|db| {
                    first_bytes(db);
                    right::rebuild(db)
                }),
                ..solution()
            },
        )
        .says("a panic at a row whose key is empty")
        .why(EMPTY_KEY)
        .link(CHECK),
        written("rebuild_fails_at_an_unreadable_row", |db| {
            unreadable(db)?;
            right::rebuild(db)
        })
        .says("an error at an index row that cannot be read")
        .why("No order asks for such a row, so it goes, whatever its bytes are. Nothing has to be read to delete it.")
        .link(CHECK),
        written("nothing_rebuilt", |_| Ok(()))
            .says("a rebuild that writes nothing")
            .why(
                "The faults have to be repaired, not only found: a batch that deletes ghosts and puts what is missing. The other way \
                 round changes nothing either, and so does `place`, which refuses an id that is taken.",
            ),
        written("emptied_up_to_the_last_letter", |db| anew(db, |key| matches!(key.first(), Some(b's' | b't')), 1))
            .says("a rebuild that empties the indexes up to the letter u, and not that one")
            .why(
                "The rows by user stay as they were. Did you empty a range? It leaves its end out: from `s` to `u` are the rows that begin with s \
                 or t. The letter after u is v.",
            ),
        written("all_but_the_orders_removed", |db| anew(db, |key| !key.starts_with(b"o"), 1))
            .says("a rebuild that removes every row but the orders' own")
            .why("Rows with other letters belong to somebody else. Only s, t and u are indexes of orders."),
        written("everything_removed", |db| anew(db, |_| true, 1))
            .says("a rebuild that removes the orders as well")
            .why("The rows o are the truth. Without them nobody can make an index again."),
        written("emptied_and_filled", |db| anew(db, is_index, 2))
            .says("one batch that empties the indexes and a second one that fills them")
            .why(
                "Between the two the power can fail, and then the store has no index at all. Readers see it empty, too. One \
                 batch does both.",
            )
            .link(CUT),
        written("puts_before_deletes", put_then_deleted)
            .says("one batch with the puts in front and the deletes of all old rows after")
            .why(
                "In a batch the last record of a key counts. Rows that were right before are put and then deleted. Delete \
                 first, or delete only the ghosts.",
            ),
        written("indexes_emptied", |db| {
            let rows_now = rows(db);
            let mut batch = WriteBatch::new();
            for (key, _) in rows_now.iter().filter(|(key, _)| is_index(key)) {
                batch.delete(&db.default_family(), key);
            }
            db.write(batch, WriteOptions { sync: true })
        })
        .says("a rebuild that empties the indexes")
        .why("That is the first half. The second puts three rows for each order."),
    ]
}

/// What is wrong with the rows that are taken for index rows.
fn between(db: &Db, is_index: fn(&[u8]) -> bool) -> Found {
    let wanted = wanted(db);
    let there = rows(db).into_iter().map(|(key, _)| key);
    let found: BTreeSet<Vec<u8>> = there.filter(|key| is_index(key)).collect();
    let fault = |key: &Vec<u8>| match found.contains(key) {
        true => Fault::Ghost(key.clone()),
        false => Fault::Missing(key.clone()),
    };
    wanted.symmetric_difference(&found).map(fault).collect()
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Checker>> {
    let mut mistakes = compose("faults", &QUIRKS, |steps| {
        let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
        if APART.iter().any(both) {
            return None;
        }
        let steps = steps.to_vec();
        Some(Checker {
            faults: Arc::new(move |db| Ok(faults(&steps, db))),
            ..solution()
        })
    });
    let checker = |faults: fn(&Db) -> engine::Result<Found>| Checker {
        faults: Arc::new(faults),
        ..solution()
    };
    mistakes.push(
        Mistake::new(
            "empty_key_panics",
            "faults",
            "returns",
            checker(|db| {
                first_bytes(db);
                right::faults(db)
            }),
        )
        .says("a panic at a row whose key is empty")
        .why(EMPTY_KEY)
        .link(CHECK),
    );
    mistakes.push(
        Mistake::new(
            "order_by_order",
            "faults",
            "faults",
            checker(|db| Ok(order_by_order(db, false, false))),
        )
        .or(checker(|db| Ok(order_by_order(db, false, true))))
        .or(checker(|db| Ok(order_by_order(db, true, false))))
        .or(checker(|db| Ok(order_by_order(db, true, true))))
        .says("the missing rows of one order after the other, and all ghosts before them or after them")
        .why("The list is to be in the order of the keys. Two sorted sets, compared, give it by themselves.")
        .link(CHECK),
    );
    mistakes.push(
        Mistake::new(
            "rows_by_user_not_read",
            "faults",
            "faults",
            checker(|db| Ok(between(db, |key| (&b"s"[..]..b"u").contains(&key)))),
        )
        .says("a checker that reads rows by status and by time, and none by user")
        .why(
            "So all rows by user are called missing. Do you read from `s` to `u`? They come after the bare letter: end before the next \
             one, `v`.",
        )
        .link(CHECK),
    );
    mistakes.push(
        Mistake::new(
            "all_rows_from_s_on_read",
            "faults",
            "faults",
            checker(|db| Ok(between(db, |key| key >= &b"s"[..]))),
        )
        .says("index rows that are read from `s` to the end of the store")
        .why("Other rows may come after those by user, with other letters, and they do not matter here. End before the next letter, `v`.")
        .link(CHECK),
    );
    mistakes.push(
        Mistake::new(
            "error_at_an_unreadable_row",
            "faults",
            "faults",
            checker(|db| {
                unreadable(db)?;
                right::faults(db)
            }),
        )
        .says("an error at an index row that cannot be read")
        .why(
            "A checker is called when something is wrong, and an error hides all other faults. What no order asks for is a ghost, \
             whatever its bytes: compare keys, and nothing has to be read.",
        )
        .link(CHECK),
    );
    mistakes.push(
        Mistake::new(
            "row_with_a_value_is_a_ghost",
            "faults",
            "faults",
            checker(|db| {
                let mut faults = right::faults(db)?;
                let there = rows(db).into_iter();
                let filled = there.filter(|(key, value)| is_index(key) && !value.is_empty());
                let ghosts = filled.map(|(key, _)| Fault::Ghost(key));
                faults.extend(ghosts.filter(|ghost| !right::faults(db).unwrap().contains(ghost)));
                Ok(faults)
            }),
        )
        .says("a checker that calls an index row with a value a ghost")
        .why("A row is found by its key, and this key is one that an order asks for. The task compares keys and no values.")
        .link(CHECK),
    );
    mistakes.extend(rebuild_mistakes());
    mistakes
}
