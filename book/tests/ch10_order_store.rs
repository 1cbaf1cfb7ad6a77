//! Chapter 10, run. Each test proves one claim of the chapter and prints what the page shows:
//!
//! ```text
//! cargo test -p book --test ch10_order_store -- --nocapture
//! ```

#[path = "ch10_order_store/failed_sync.rs"]
mod failed_sync;
#[path = "ch10_order_store/figure.rs"]
mod figure;
#[path = "ch10_order_store/orders.rs"]
mod orders;
#[path = "ch10_order_store/power.rs"]
mod power;
#[path = "ch10_order_store/wild.rs"]
mod wild;
#[path = "ch10_order_store/writers.rs"]
mod writers;
#[path = "ch10_order_store/wrong.rs"]
mod wrong;

use book::output;
use engine::keys::{OrderedKey as _, hex};
use engine::{Db, WriteBatch, WriteOptions};

use orders::Status::{New, Paid};
use orders::{
    ONE_BATCH, Order, Status, changed, check, empty, get, keys, name, order, page, place, range,
};
use orders::{rebuild, removed, rows, with_status, write};

/// Three orders, each with four rows.
fn three_orders() -> Db {
    let db = empty();
    place(&db, &order(7, "ann", 500, New));
    place(&db, &order(8, "bob", 600, New));
    place(&db, &order(258, "anna", 300, Paid));
    db
}

/// The usual change of a status, without its third step.
// ANCHOR: forgotten
fn change_as_usual(db: &Db, before: &Order, status: Status) {
    let after = Order {
        status,
        ..before.clone()
    };
    let [own, .., by_status] = keys(&after);
    let rows = db.default_family();
    let mut batch = WriteBatch::new();
    batch.put(&rows, own, after.value());
    batch.put(&rows, by_status, b"");
    db.write(batch, WriteOptions { sync: true }).unwrap();
}
// ANCHOR_END: forgotten

fn ids(ids: &[u32]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ids.join(", ")
}

// ANCHOR: ghost
#[test]
fn a_forgotten_index_row_is_a_ghost() {
    let db = three_orders();
    let before = get(&db, 7).unwrap();
    change_as_usual(&db, &before, Paid);

    let mut text = String::new();
    for status in [New, Paid] {
        text += &format!(
            "orders that are {status:?}: {}\n",
            ids(&with_status(&db, status))
        );
    }
    text += &format!("order 7 itself says:  {:?}\n", get(&db, 7).unwrap().status);
    output::check("10-order-store/outputs/ghost.txt", &text);
    assert_eq!(with_status(&db, New), [7, 8]);
    assert_eq!(with_status(&db, Paid), [258, 7]);
}
// ANCHOR_END: ghost

#[test]
fn the_rows_of_one_order() {
    let order = order(7, "ann", 500, New);
    let [own, user, time, status] = keys(&order);
    let mut table = String::from("| row | fields | key | bytes | value |\n|---|---|---|--:|--:|\n");
    for (row, fields, key, value) in [
        ("the order", "`o`, id", own, order.value().len()),
        (
            "by user, newest first",
            "`u`, user, time turned round, id",
            user,
            0,
        ),
        ("by time", "`t`, time, id", time, 0),
        (
            "by status, oldest first",
            "`s`, status, time, id",
            status,
            0,
        ),
    ] {
        table += &format!(
            "| {row} | {fields} | `{}` | {} | {value} |\n",
            hex(&key),
            key.len()
        );
    }
    output::check("10-order-store/outputs/rows.md", &table);
}

#[test]
fn the_prediction() {
    let db = three_orders();
    let names: Vec<String> = rows(&db).iter().map(|(key, _)| name(key)).collect();
    output::check("10-order-store/outputs/prediction.txt", &names.join("\n"));
}

/// What the tuple builder shows without scripts: rows by user, and their places in a scan.
#[test]
fn rows_by_user_without_scripts() {
    let rows = [("ann", 500, 7), ("ann", 1000, 8), ("ann-marie", 300, 9)];
    let joined = |(user, at, id): (&str, u64, u32)| format!("{user}:{at}:{id}").into_bytes();
    let ended = |(user, at, id): (&str, u64, u32)| (user, at, id).to_key();
    let place = |all: [Vec<u8>; 3], n: usize| 1 + all.iter().filter(|key| **key < all[n]).count();
    let mut table = String::from(
        "| user, time, id | joined by `:` | | escaped and ended | |\n|---|---|--:|---|--:|\n",
    );
    for (n, row) in rows.into_iter().enumerate() {
        let (user, at, id) = row;
        table += &format!(
            "| {user}, {at}, {id} | `{}` | {} | `{}` | {} |\n",
            joined(row).escape_ascii(),
            place(rows.map(joined), n),
            hex(&ended(row)),
            place(rows.map(ended), n),
        );
    }
    output::check("10-order-store/outputs/by-user.md", &table);
    assert!(rows.is_sorted() && rows.map(ended).is_sorted());
    assert_eq!([0, 1, 2].map(|n| place(rows.map(joined), n)), [3, 2, 1]);
}

// ANCHOR: questions
#[test]
fn three_questions_are_three_scans() {
    let db = three_orders();
    place(&db, &order(9, "ann", 550, New));
    let successor = |prefix: &[u8]| engine::keys::prefix_successor(prefix).unwrap();

    let ann = (b'u', "ann").to_key();
    let new = (b's', New.byte()).to_key();
    let mut table =
        String::from("| question | from | up to | rows read | ids |\n|---|---|---|--:|---|\n");
    for (question, from, to) in [
        (
            "the orders of ann, newest first",
            ann.clone(),
            successor(&ann),
        ),
        (
            "placed from 300 on, before 600",
            (b't', 300u64).to_key(),
            (b't', 600u64).to_key(),
        ),
        ("new orders, oldest first", new.clone(), successor(&new)),
    ] {
        let found = range(&db, &from, &to);
        let found: Vec<u32> = found.iter().map(|key| orders::id_of(key)).collect();
        table += &format!(
            "| {question} | `{}` | `{}` | {} | {} |\n",
            hex(&from),
            hex(&to),
            found.len(),
            ids(&found)
        );
    }
    output::check("10-order-store/outputs/questions.md", &table);
    assert_eq!(range(&db, &ann, &successor(&ann)).len(), 2);
}
// ANCHOR_END: questions

// ANCHOR: pages
#[test]
fn a_count_is_no_cursor() {
    let queue = || {
        let db = empty();
        for id in 1..=6 {
            place(&db, &order(id, "ann", 100 * u64::from(id), New));
        }
        db
    };
    let pay_first = |db: &Db| write(db, changed(&get(db, 1).unwrap(), Paid), ONE_BATCH);

    // By a count: skip what was shown.
    let db = queue();
    let all = with_status(&db, New);
    pay_first(&db);
    let counted = [&all[..2], &with_status(&db, New)[2..4]];

    // By the last key.
    let db = queue();
    let (first, next) = page(&db, New, 2, None);
    pay_first(&db);
    let (second, _) = page(&db, New, 2, next.as_deref());

    let mut text = String::from("cursor        page 1  (1 is paid)  page 2\n");
    text += &format!(
        "a count of 2  {}                 {}\n",
        ids(counted[0]),
        ids(counted[1])
    );
    text += &format!(
        "the last key  {}                 {}\n",
        ids(&first),
        ids(&second)
    );
    output::check("10-order-store/outputs/pages.txt", &text);
    assert_eq!(counted[1], [4, 5]);
    assert_eq!(second, [3, 4]);
}
// ANCHOR_END: pages

/// The pages lead to every order once, and the last of them says so.
#[test]
fn pages_lead_to_the_end() {
    let db = empty();
    // All in one millisecond: the time alone would be no cursor.
    for id in 1..=4 {
        place(&db, &order(id, "ann", 500, New));
    }
    let (first, next) = page(&db, New, 2, None);
    let (second, end) = page(&db, New, 2, next.as_deref());
    assert_eq!((first, second), (vec![1, 2], vec![3, 4]));
    assert_eq!(end, None);
}

// ANCHOR: moves
#[test]
fn a_change_is_three_records() {
    let db = three_orders();
    let records = changed(&get(&db, 7).unwrap(), Paid);
    let mut text = String::new();
    for (key, value) in &records {
        let verb = if value.is_some() { "put" } else { "delete" };
        text += &format!("{verb:<7} {:<14} {}\n", name(key), hex(key));
    }
    output::check("10-order-store/outputs/moves.txt", &text);

    write(&db, records, ONE_BATCH);
    assert_eq!(with_status(&db, New), [8]);
    assert_eq!(with_status(&db, Paid), [258, 7]);
    assert!(check(&db).is_empty());
}
// ANCHOR_END: moves

// ANCHOR: same_status
#[test]
fn in_a_batch_the_last_record_of_a_key_counts() {
    let db = three_orders();
    let mut records = changed(&get(&db, 7).unwrap(), New);
    // The new row first and the old one last, and both have one key.
    records.swap(1, 2);
    write(&db, records, ONE_BATCH);
    assert_eq!(with_status(&db, New), [8]);
    assert_eq!(check(&db).missing, [keys(&get(&db, 7).unwrap())[3].clone()]);
}
// ANCHOR_END: same_status

#[test]
fn a_delete_takes_all_four_rows() {
    let db = three_orders();
    let before = get(&db, 7).unwrap();
    let [own, ..] = keys(&before);
    // The order's own row alone.
    db.delete(own).unwrap();
    output::check("10-order-store/outputs/deleted.txt", &check(&db).lines());
    assert_eq!(check(&db).ghosts.len(), 3);

    let db = three_orders();
    write(&db, removed(&before), ONE_BATCH);
    assert!(check(&db).is_empty());
    assert_eq!(rows(&db).len(), 8);
}

// ANCHOR: checker
#[test]
fn the_checker_names_every_wrong_row() {
    let db = three_orders();
    change_as_usual(&db, &get(&db, 7).unwrap(), Paid);
    let [_, by_user, ..] = keys(&get(&db, 8).unwrap());
    db.delete(by_user).unwrap();
    // The right number of index rows: counting them finds nothing.
    assert_eq!(rows(&db).len(), 3 + 9);
    let found = check(&db).lines();

    rebuild(&db);
    let text = format!("{found}after the rebuild: {}", check(&db).lines());
    output::check("10-order-store/outputs/checker.txt", &text);
    assert!(check(&db).is_empty());
}
// ANCHOR_END: checker

#[test]
fn the_checker_passes_over_the_rows_of_others() {
    let db = three_orders();
    for key in [&b""[..], b"config", b"v"] {
        db.put(key, b"").unwrap();
    }
    assert!(check(&db).is_empty());
    rebuild(&db);
    assert_eq!(rows(&db).len(), 3 * 4 + 3);
}
