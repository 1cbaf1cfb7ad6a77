//! What published systems did with rows that belong together.

use book::output;
use engine::keys::{DecodeKey as _, Numeric, OrderedKey as _, prefix_successor};
use engine::{Db, WriteBatch, WriteOptions};

use crate::orders::Status::New;
use crate::orders::{ONE_BATCH, check, empty, order, place, removed, rows, write};

/// A sorted set in three kinds of rows: `c` the count, `m` member with its score, `s` score and member.
fn member_row(member: &str) -> Vec<u8> {
    (b'm', member).to_key()
}

fn score_row(score: f64, member: &str) -> Vec<u8> {
    (b's', Numeric::<f64>::new(score).unwrap(), member).to_key()
}

fn score_of(db: &Db, member: &str) -> Option<f64> {
    let value = db.get(member_row(member)).unwrap()?;
    Some(Numeric::<f64>::from_key(&value).unwrap().get())
}

fn count(db: &Db) -> u32 {
    let value = db.get("c").unwrap();
    value.map_or(0, |value| u32::from_key(&value).unwrap())
}

// ANCHOR: reads_the_store
/// ZADD that looks the old score up in the store, where its own batch is not yet.
fn zadd_reading_the_store(db: &Db, pairs: &[(f64, &str)]) {
    let rows = db.default_family();
    let (mut batch, mut count) = (WriteBatch::new(), count(db));
    for &(score, member) in pairs {
        match score_of(db, member) {
            Some(old) => batch.delete(&rows, score_row(old, member)),
            None => count += 1,
        }
        let value = Numeric::<f64>::new(score).unwrap().to_key();
        batch.put(&rows, member_row(member), value);
        batch.put(&rows, score_row(score, member), b"");
    }
    batch.put(&rows, "c", count.to_key());
    db.write(batch, WriteOptions { sync: true }).unwrap();
}
// ANCHOR_END: reads_the_store

fn rows_of(db: &Db, letter: u8) -> usize {
    let rows = rows(db).into_iter();
    rows.filter(|(key, _)| key.len() > 1 && key[0] == letter)
        .count()
}

// ANCHOR: twice
#[test]
fn a_member_named_twice_gets_two_score_rows() {
    let db = empty();
    zadd_reading_the_store(&db, &[(1.0, "a"), (2.0, "a")]);
    let text = format!(
        "ZADD z 1 a 2 a\nmembers: {}  score rows: {}  count: {}\n",
        rows_of(&db, b'm'),
        rows_of(&db, b's'),
        count(&db)
    );
    output::check("10-order-store/outputs/twice.txt", &text);
    assert_eq!(
        (rows_of(&db, b'm'), rows_of(&db, b's'), count(&db)),
        (1, 2, 2)
    );
}
// ANCHOR_END: twice

// ANCHOR: count_forgotten
/// A removal by a range of members that forgets the count.
fn remove_range(db: &Db, from: &str, to: &str) {
    let rows = db.default_family();
    let mut batch = WriteBatch::new();
    for row in rows.range((b'm', from).to_key()..(b'm', to).to_key()) {
        let (_, member) = <(u8, String)>::from_key(&row.unwrap().0).unwrap();
        let score = score_of(db, &member).unwrap();
        batch.delete(&rows, score_row(score, &member));
        batch.delete(&rows, member_row(&member));
    }
    db.write(batch, WriteOptions { sync: true }).unwrap();
}

#[test]
fn a_count_is_an_index_too() {
    let db = empty();
    zadd_reading_the_store(&db, &[(1.0, "a"), (1.0, "b"), (1.0, "c")]);
    remove_range(&db, "a", "c");
    assert_eq!((rows_of(&db, b'm'), rows_of(&db, b's')), (1, 1));
    assert_eq!(count(&db), 3);
}
// ANCHOR_END: count_forgotten

// ANCHOR: growing_index
#[test]
fn an_index_that_is_never_cleaned_only_grows() {
    let db = empty();
    for id in 1..=22 {
        let order = order(id, "ann", 500, New);
        place(&db, &order);
        if id > 2 {
            // The order's own row alone is deleted.
            write(&db, removed(&order)[..1].to_vec(), ONE_BATCH);
        }
    }
    let new = (b's', New.byte()).to_key();
    let end = prefix_successor(&new).unwrap();
    assert_eq!(crate::orders::range(&db, &new, &end).len(), 22);
    assert_eq!(check(&db).ghosts.len(), 3 * 20);
}
// ANCHOR_END: growing_index
