//! Two writers of one order.

use std::sync::{Arc, Mutex};
use std::thread;

use book::output;
use engine::Db;

use crate::orders::Status::{New, Paid, Shipped};
use crate::orders::{
    ONE_BATCH, Status, changed, check, empty, get, order, place, with_status, write,
};

// ANCHOR: race
#[test]
fn two_changes_that_read_the_same_order_leave_a_ghost() {
    let db = empty();
    place(&db, &order(7, "ann", 500, New));

    // Both read, then both write. Each batch is whole, and right by itself.
    let [seen_by_a, seen_by_b] = [get(&db, 7).unwrap(), get(&db, 7).unwrap()];
    write(&db, changed(&seen_by_a, Paid), ONE_BATCH);
    write(&db, changed(&seen_by_b, Shipped), ONE_BATCH);

    let mut text = format!("order 7 says {:?}\n", get(&db, 7).unwrap().status);
    for status in [New, Paid, Shipped] {
        text += &format!(
            "found under {status:?}: {}\n",
            !with_status(&db, status).is_empty()
        );
    }
    text += &check(&db).lines();
    output::check("10-order-store/outputs/race.txt", &text);
    assert_eq!(check(&db).ghosts.len(), 1);
}
// ANCHOR_END: race

// ANCHOR: locks
/// An order's number picks a lock: two writers of one order never meet.
struct Locks([Mutex<()>; 16]);

impl Locks {
    fn new() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(())))
    }

    /// Reads, compares and writes, with nobody between. Says whether it was so.
    fn compare_and_set(&self, db: &Db, id: u32, from: Status, to: Status) -> bool {
        let _held = self.0[id as usize % self.0.len()].lock().unwrap();
        match get(db, id) {
            Some(before) if before.status == from => {
                write(db, changed(&before, to), ONE_BATCH);
                true
            }
            _ => false,
        }
    }
}
// ANCHOR_END: locks

// ANCHOR: compare_and_set
#[test]
fn the_second_writer_is_told() {
    let (db, locks) = (empty(), Locks::new());
    place(&db, &order(7, "ann", 500, New));
    assert!(locks.compare_and_set(&db, 7, New, Paid));
    // It still believes that the order is new.
    assert!(!locks.compare_and_set(&db, 7, New, Shipped));
    assert!(check(&db).is_empty());
}
// ANCHOR_END: compare_and_set

#[test]
fn with_locks_four_threads_leave_no_ghost() {
    const CHANGES: usize = 400;
    let (db, locks) = (Arc::new(empty()), Arc::new(Locks::new()));
    for id in 1..=3 {
        place(&db, &order(id, "ann", 500, New));
    }
    let writers = (0..4).map(|writer| {
        let (db, locks) = (Arc::clone(&db), Arc::clone(&locks));
        thread::spawn(move || {
            let mut taken = 0;
            for n in 0..CHANGES {
                let id = 1 + (n % 3) as u32;
                let from = get(&db, id).unwrap().status;
                let to = [Paid, Shipped, New][(n + writer) % 3];
                taken += usize::from(locks.compare_and_set(&db, id, from, to));
            }
            taken
        })
    });
    let writers: Vec<_> = writers.collect();
    let taken: usize = writers
        .into_iter()
        .map(|writer| writer.join().unwrap())
        .sum();
    assert!(taken > 0);
    assert!(check(&db).is_empty());
}
