//! What a transaction tells others once it has committed: which keys it changed, and what happened to keys.
//!
//! Clients that `WATCH` or wait for keys learn of the first, subscribers of the second.
//!
//! Invariants
//! 1. The events are in the order in which subscribers get them. An event that does not go to the end is inserted by
//!    [`News::insert`], which keeps the positions right that [`ThisCommand`] knows.
//! 2. Misses become events only at the end of a command, and only if it reads: see [`News::end_command`].
//! 3. A return to a mark takes everything back but the events of misses: that a key was not found remains true.

use std::cell::RefCell;
use std::collections::HashSet;

use bytes::Bytes;

use crate::types::txn::this_command::{KeyName, ThisCommand};
use crate::types::{Class, DbNumber, Event};

#[derive(Debug, Default)]
pub(super) struct News {
    /// Metadata rows of the keys that were changed, in order. Rows that were written are included only if somebody
    /// observes keys.
    pub(super) touched: Rows,
    /// Those of `touched` that were given a value, even if it is gone again. Kept only if somebody observes keys.
    pub(super) held: Rows,
    /// What happened so far.
    pub(super) events: Vec<Event>,
    /// What the command that runs now has done to keys.
    command: ThisCommand,
    /// The keys that the command did not find, if anybody wants to be notified of them.
    misses: RefCell<Vec<KeyName>>,
}

/// Up to this many rows are found by looking at each.
const FEW: usize = 8;

/// Rows, each once, in the order in which they were noted first: a script may change one key millions of times.
#[derive(Debug, Default)]
pub(super) struct Rows {
    in_order: Vec<Vec<u8>>,
    /// All of them, once they were more than a few.
    known: HashSet<Vec<u8>>,
}

impl Rows {
    /// Notes a row, unless it is noted already.
    pub(super) fn note(&mut self, row: impl AsRef<[u8]> + Into<Vec<u8>>) {
        if self.contains(row.as_ref()) {
            return;
        }
        let row = row.into();
        if self.known.is_empty() && self.in_order.len() >= FEW {
            self.known.extend(self.in_order.iter().cloned());
        }
        if !self.known.is_empty() {
            self.known.insert(row.clone());
        }
        self.in_order.push(row);
    }

    pub(super) fn contains(&self, row: &[u8]) -> bool {
        if self.known.is_empty() {
            self.in_order.iter().any(|noted| noted == row)
        } else {
            self.known.contains(row)
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.in_order.len()
    }

    /// Forgets those that were noted after the first `len`.
    fn truncate(&mut self, len: usize) {
        while self.in_order.len() > len
            && let Some(row) = self.in_order.pop()
        {
            self.known.remove(&row);
        }
    }

    pub(super) fn into_order(self) -> Vec<Vec<u8>> {
        self.in_order
    }
}

/// A state of the news to return to.
#[derive(Debug)]
pub(super) struct Mark {
    touched: usize,
    held: usize,
    events: usize,
}

impl News {
    /// A metadata row gets another value, and somebody observes keys. `before` is its change so far, if it has one.
    pub(super) fn row_changes(
        &mut self,
        row: &[u8],
        before: Option<&Option<Bytes>>,
        value: Option<&Bytes>,
    ) {
        if before.is_none() {
            self.touched.note(row);
        }
        if value.is_some() && !matches!(before, Some(Some(_))) {
            self.held.note(row);
        }
    }

    /// The command has created a key. The event goes before the command's other events for this key.
    pub(super) fn created(&mut self, row: &[u8], db: DbNumber, key: &[u8]) {
        if self.command.removed.contains(row) {
            return;
        }
        let event = Event {
            class: Class::New,
            name: "new",
            db,
            key: Bytes::copy_from_slice(key),
        };
        let at = self.place_in_front(db, event.key.clone());
        self.insert(at, event);
    }

    /// The command has removed a key.
    pub(super) fn removed(&mut self, row: Vec<u8>) {
        self.command.removed.insert(row);
    }

    /// Forgets which keys the command removed, so that what it puts in their place counts as new.
    pub(super) fn forget_removed(&mut self) {
        self.command.removed.clear();
    }

    /// The place in front of what this command did to a key, among the events. What it found before is left in front.
    pub(super) fn place_in_front(&mut self, db: DbNumber, key: Bytes) -> usize {
        let first = (self.command).first_about(&KeyName { db, key }, &self.events);
        first.unwrap_or(self.events.len())
    }

    /// Inserts an event among the others.
    pub(super) fn insert(&mut self, at: usize, event: Event) {
        self.command.inserts(at, &event);
        self.events.insert(at, event);
    }

    /// The command did not find a key.
    pub(super) fn missed(&self, db: DbNumber, key: &[u8]) {
        let key = Bytes::copy_from_slice(key);
        self.misses.borrow_mut().push(KeyName { db, key });
    }

    /// How many keys the command did not find so far, as far as anybody wants to be notified.
    #[inline]
    pub(super) fn miss_count(&self) -> usize {
        self.misses.borrow().len()
    }

    /// Forgets the keys that the command did not find.
    pub(super) fn forget_misses(&self) {
        self.misses.take();
    }

    /// Ends a command, whose misses become events if it only reads.
    #[inline]
    pub(super) fn end_command(&mut self, only_reads: bool) {
        let missed = self.misses.take();
        if only_reads {
            let missed = missed.into_iter().map(|KeyName { db, key }| Event {
                class: Class::Miss,
                name: "keymiss",
                db,
                key,
            });
            self.events.extend(missed);
        }
    }

    /// The state now. The next command begins here.
    pub(super) fn mark(&mut self) -> Mark {
        self.command = ThisCommand::after(self.events.len());
        Mark {
            touched: self.touched.len(),
            held: self.held.len(),
            events: self.events.len(),
        }
    }

    /// Returns to an earlier state.
    pub(super) fn go_back(&mut self, to: &Mark) {
        self.touched.truncate(to.touched);
        self.held.truncate(to.held);
        let undone = self.events.split_off(to.events).into_iter();
        self.events
            .extend(undone.filter(|event| event.class == Class::Miss));
        self.command = ThisCommand::after(self.events.len());
    }

    /// What is left of the events if nothing was changed.
    pub(super) fn into_misses(mut self) -> Vec<Event> {
        self.events.retain(|event| event.class == Class::Miss);
        self.events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_noted_once_each_in_the_order_of_their_first_changes() {
        let mut rows = Rows::default();
        for _ in 0..3 {
            for row in 0..2 * FEW as u8 {
                rows.note([row].as_slice());
            }
        }
        assert_eq!(rows.len(), 2 * FEW);
        rows.truncate(FEW + 1);
        assert!(rows.contains(&[FEW as u8]) && !rows.contains(&[FEW as u8 + 1]));
        rows.truncate(1);
        for row in [1, 0, 1, 2] {
            rows.note([row].as_slice());
        }
        assert_eq!(rows.into_order(), [[0_u8], [1], [2]]);
    }
}
