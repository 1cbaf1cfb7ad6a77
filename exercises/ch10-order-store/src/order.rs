//! What the exercises of this chapter share: an order, the value of its row,
//! and what the functions return. Given; leave it as it is.
//!
//! An order is four rows in the default family. `+` is between the fields of
//! a tuple of `engine::keys`:
//!
//! | row       | key                                | value              |
//! |-----------|------------------------------------|--------------------|
//! | the order | `o` + id                           | user + at + status |
//! | by user   | `u` + user + at, newest first + id | empty              |
//! | by time   | `t` + at + id                      | empty              |
//! | by status | `s` + status + at + id             | empty              |
//!
//! The letter is a `u8`, `id` is a `u32`, `at` a `u64` in milliseconds,
//! `user` is escaped and terminated, and `status` is one byte.

use engine::keys::{DecodeKey as _, OrderedKey as _};

/// An order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Its number. No two orders share one.
    pub id: u32,
    /// Who placed it.
    pub user: String,
    /// When, in milliseconds. Two orders may have been placed in the same
    /// one.
    pub at: u64,
    /// How far it has come.
    pub status: Status,
}

/// How far an order has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Placed.
    New,
    /// Paid for.
    Paid,
    /// On its way.
    Shipped,
}

/// One page of a longer list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The ids on this page.
    pub ids: Vec<u32>,
    /// What to give as `after` for the next page; `None` if no order follows.
    pub next: Option<Vec<u8>>,
}

/// What came of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The order has the new status.
    Changed,
    /// It had it before.
    Unchanged,
    /// No order has this id.
    Unknown,
}

/// What is wrong with an index row, and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is there, and no order asks for it.
    Ghost(Vec<u8>),
    /// An order asks for it, and it is not there.
    Missing(Vec<u8>),
}

impl Status {
    /// All of them, in the order of their bytes.
    pub const ALL: [Self; 3] = [Self::New, Self::Paid, Self::Shipped];

    /// The byte in the rows.
    pub const fn byte(self) -> u8 {
        match self {
            Self::New => 0,
            Self::Paid => 1,
            Self::Shipped => 2,
        }
    }
}

impl Order {
    /// The value of the row `o` + id: user, time and status.
    pub fn value(&self) -> Vec<u8> {
        (self.user.as_str(), self.at, self.status.byte()).to_key()
    }

    /// The order with this id, if [`value`](Self::value) wrote this value.
    pub fn read(id: u32, value: &[u8]) -> Option<Self> {
        let (user, at, byte) = <(String, u64, u8)>::from_key(value).ok()?;
        let status = Status::ALL
            .into_iter()
            .find(|status| status.byte() == byte)?;
        Some(Self {
            id,
            user,
            at,
            status,
        })
    }
}

/// Somebody's order store, as `test-store` meets it. It begins empty.
pub trait OrderStore {
    /// Stores a new order. `false`, and nothing changes, if its id is taken.
    fn place(&mut self, order: &Order) -> bool;
    /// Gives an order another status.
    fn change_status(&mut self, id: u32, to: Status) -> Change;
    /// Removes an order. `false` if no order has this id.
    fn remove(&mut self, id: u32) -> bool;
    /// The order with this id.
    fn get(&self, id: u32) -> Option<Order>;
    /// The orders of a user, newest first, at most `limit`.
    fn of_user(&self, user: &str, limit: usize) -> Vec<u32>;
    /// The orders placed in `from..until`, oldest first, at most `limit`.
    fn between(&self, from: u64, until: u64, limit: usize) -> Vec<u32>;
    /// A page of the orders with a status, oldest first. `after` is the
    /// cursor of the page before.
    fn with_status(&self, status: Status, limit: usize, after: Option<&[u8]>) -> Page;
    /// In the next `place`, `change_status` or `remove`, the power fails
    /// after so many file operations, and what was not synced is lost. The
    /// call returns as ever; then the store is opened again. From 20 on the
    /// power fails when the call has returned. Nearly all calls have fewer
    /// operations.
    fn fail_in(&mut self, operations: u64);
}
