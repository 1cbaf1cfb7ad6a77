//! A script for each rule. Names that are prefixes of each other, equal times, full pages, and a cut after each operation.

use crate::order::Status::{New, Paid, Shipped};
use crate::order::{Change, Order, OrderStore, Status};

type Open<'a> = &'a dyn Fn() -> Box<dyn OrderStore>;

/// A script that a right store survives.
pub(crate) type Script = fn(Open);

/// Panics if a store breaks a rule.
pub fn test(open: &dyn Fn() -> Box<dyn OrderStore>) {
    for (_, script) in SCRIPTS {
        script(open);
    }
}

/// All of them: each finds what the others do not.
pub(crate) const SCRIPTS: [(&str, Script); 11] = [
    ("users", users),
    ("times", times),
    ("pages", pages),
    ("changes", changes),
    ("refusals", refusals),
    ("removals", removals),
    ("cut_places", cut_places),
    ("cut_changes", cut_changes),
    ("cut_removals", cut_removals),
    ("acknowledged", acknowledged),
    ("acknowledged_removals", acknowledged_removals),
];

fn order(id: u32, user: &str, at: u64, status: Status) -> Order {
    let user = user.to_owned();
    Order {
        id,
        user,
        at,
        status,
    }
}

/// Orders that lie as close to each other as they can.
pub(crate) fn neighbours() -> Vec<Order> {
    vec![
        order(10, "ann", 500, New),
        order(9, "anna", 500, New),
        order(2, "ann", 500, Paid),
        order(300, "ann", 900, New),
        order(4, "an", 1000, New),
        order(5, "ann", 1000, Paid),
    ]
}

pub(crate) fn filled(open: Open, orders: &[Order]) -> Box<dyn OrderStore> {
    let mut store = open();
    for order in orders {
        assert!(store.place(order));
    }
    store
}

fn users(open: Open) {
    let store = filled(open, &neighbours());
    assert_eq!(store.of_user("ann", 10), [5, 300, 2, 10]);
    assert_eq!(store.of_user("ann", 2), [5, 300]);
    assert_eq!(store.of_user("anna", 10), [9]);
    assert!(store.of_user("zoe", 10).is_empty());
}

fn times(open: Open) {
    let store = filled(open, &neighbours());
    assert_eq!(store.between(0, 5000, 10), [2, 9, 10, 300, 4, 5]);
    assert_eq!(store.between(500, 1000, 10), [2, 9, 10, 300]);
    assert_eq!(store.between(500, 1000, 3), [2, 9, 10]);
    assert!(store.between(501, 900, 10).is_empty());
}

/// All pages of a status.
pub(crate) fn walk(store: &dyn OrderStore, status: Status, limit: usize) -> Vec<Vec<u32>> {
    let mut pages = Vec::new();
    let mut after: Option<Vec<u8>> = None;
    for _ in 0..20 {
        let page = store.with_status(status, limit, after.as_deref());
        pages.push(page.ids);
        after = page.next;
        if after.is_none() {
            return pages;
        }
    }
    panic!("no end after {} pages", pages.len());
}

fn pages(open: Open) {
    let store = filled(open, &neighbours());
    assert_eq!(walk(&*store, New, 10), [[9, 10, 300, 4]]);
    assert_eq!(walk(&*store, New, 2), [[9, 10], [300, 4]]);
    assert_eq!(walk(&*store, New, 1), [[9], [10], [300], [4]]);
    assert_eq!(walk(&*store, Shipped, 3), [Vec::<u32>::new()]);
}

fn changes(open: Open) {
    let mut store = filled(open, &neighbours());
    assert_eq!(store.change_status(10, Paid), Change::Changed);
    assert_eq!(walk(&*store, New, 10), [[9, 300, 4]]);
    assert_eq!(walk(&*store, Paid, 10), [[2, 10, 5]]);
    assert_eq!(store.change_status(10, Paid), Change::Unchanged);
    assert_eq!(walk(&*store, Paid, 10), [[2, 10, 5]]);
    assert_eq!(store.of_user("ann", 10), [5, 300, 2, 10]);
}

fn refusals(open: Open) {
    let mut store = filled(open, &neighbours());
    assert!(!store.place(&order(10, "bob", 700, Shipped)));
    assert!(store.of_user("bob", 10).is_empty());
    assert_eq!(store.between(0, 5000, 10), [2, 9, 10, 300, 4, 5]);
    assert_eq!(store.change_status(77, Paid), Change::Unknown);
    assert!(!store.remove(77));
}

fn removals(open: Open) {
    let mut store = filled(open, &neighbours());
    assert!(store.remove(10));
    assert!(!store.remove(10));
    assert_eq!(store.of_user("ann", 10), [5, 300, 2]);
    assert_eq!(store.between(0, 5000, 10), [2, 9, 300, 4, 5]);
    assert_eq!(walk(&*store, New, 10), [[9, 300, 4]]);
}

/// The status of order 10 of ann, placed at 500, if it is there: by itself and in all three indexes.
fn found(store: &dyn OrderStore) -> Option<Status> {
    let own = store.get(10).map(|order| order.status);
    let under = |status: &Status| walk(store, *status, 10).concat().contains(&10);
    let statuses: Vec<Status> = Status::ALL.into_iter().filter(under).collect();
    assert_eq!(statuses, Vec::from_iter(own));
    assert_eq!(store.of_user("ann", 10).contains(&10), own.is_some());
    assert_eq!(store.between(500, 501, 10).contains(&10), own.is_some());
    own
}

/// Places order 10 if `before` says so, makes the call, and lets the power fail in it.
fn cut(open: Open, before: bool, call: fn(&mut dyn OrderStore), operations: u64) -> Option<Status> {
    let mut store = open();
    if before {
        store.place(&order(10, "ann", 500, New));
    }
    store.fail_in(operations);
    call(&mut *store);
    found(&*store)
}

fn place_ten(store: &mut dyn OrderStore) {
    store.place(&order(10, "ann", 500, New));
}

fn pay_ten(store: &mut dyn OrderStore) {
    store.change_status(10, Paid);
}

fn remove_ten(store: &mut dyn OrderStore) {
    store.remove(10);
}

pub(crate) fn cut_places(open: Open) {
    for operations in 0..20 {
        let left = cut(open, false, place_ten, operations);
        assert!([None, Some(New)].contains(&left));
    }
}

pub(crate) fn cut_changes(open: Open) {
    for operations in 0..20 {
        let left = cut(open, true, pay_ten, operations);
        assert!([Some(New), Some(Paid)].contains(&left));
    }
}

fn cut_removals(open: Open) {
    for operations in 0..20 {
        let left = cut(open, true, remove_ten, operations);
        assert!([Some(New), None].contains(&left));
    }
}

pub(crate) fn acknowledged(open: Open) {
    assert_eq!(cut(open, false, place_ten, 1000), Some(New));
    assert_eq!(cut(open, true, pay_ten, 1000), Some(Paid));
}

fn acknowledged_removals(open: Open) {
    assert_eq!(cut(open, true, remove_ten, 1000), None);
}
