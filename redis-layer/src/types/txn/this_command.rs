//! What the command that runs now has done to keys, as far as the order of events depends on it.
//!
//! The event that a key is new goes in front of the command's other events for the key. A command may create thousands
//! of keys, so the first event for each is kept: each event is looked at once.
//!
//! Invariants
//! 1. The positions in `first` are those of the transaction's events that come before `noted`.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;

use crate::types::{Class, DbNumber, Event};

/// A key, by its database and its name there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct KeyName {
    pub(super) db: DbNumber,
    pub(super) key: Bytes,
}

impl KeyName {
    /// The key that an event is about.
    pub(super) fn of(event: &Event) -> Self {
        Self {
            db: event.db,
            key: event.key.clone(),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct ThisCommand {
    /// Metadata rows of the keys that it removed. What it puts in their place does not count as new.
    pub(super) removed: HashSet<Vec<u8>>,
    /// Where the first event is that tells what it did to a key.
    first: HashMap<KeyName, usize>,
    /// How many events of the transaction need not be looked at any more.
    noted: usize,
}

impl ThisCommand {
    /// A command that begins when the transaction has so many events.
    pub(super) fn after(events: usize) -> Self {
        Self {
            noted: events,
            ..Self::default()
        }
    }

    /// Where among the events of the transaction the first one is that tells what the command did to a key.
    pub(super) fn first_about(&mut self, key: &KeyName, events: &[Event]) -> Option<usize> {
        for (at, event) in events.iter().enumerate().skip(self.noted) {
            self.note(at, event);
        }
        self.noted = events.len();
        self.first.get(key).copied()
    }

    /// An event is about to be inserted among those of the transaction.
    ///
    /// Cost: O(1) at their end, otherwise a step for each key.
    pub(super) fn inserts(&mut self, at: usize, event: &Event) {
        if at < self.noted {
            let behind = self.first.values_mut().filter(|first| **first >= at);
            behind.for_each(|first| *first += 1);
            self.noted += 1;
            self.note(at, event);
        }
    }

    fn note(&mut self, at: usize, event: &Event) {
        // What the command found is no doing of its own.
        if !matches!(event.class, Class::Miss | Class::Expired) {
            let first = self.first.entry(KeyName::of(event));
            let first = first.or_insert(at);
            *first = at.min(*first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(class: Class, key: &str) -> Event {
        Event {
            class,
            name: "event",
            db: 0,
            key: Bytes::copy_from_slice(key.as_bytes()),
        }
    }

    fn key(name: &str) -> KeyName {
        let key = Bytes::copy_from_slice(name.as_bytes());
        KeyName { db: 0, key }
    }

    #[test]
    fn an_event_is_looked_at_once_however_many_keys_are_asked_for() {
        let mut events = vec![event(Class::String, "before")];
        let mut command = ThisCommand::after(events.len());
        for n in 0..1000 {
            let name = n.to_string();
            assert_eq!(command.first_about(&key(&name), &events), None);
            // All of them are known, so none is looked at again.
            assert_eq!(command.noted, events.len());
            events.push(event(Class::New, &name));
            events.push(event(Class::String, &name));
        }
        assert_eq!(command.first_about(&key("before"), &events), None);
        assert_eq!(command.first_about(&key("7"), &events), Some(15));
    }

    #[test]
    fn positions_stay_right_when_an_event_is_inserted() {
        let mut events = vec![event(Class::Miss, "a")];
        events.extend(["a", "b"].map(|name| event(Class::List, name)));
        let mut command = ThisCommand::default();
        assert_eq!(command.first_about(&key("b"), &events), Some(2));
        let new = event(Class::New, "b");
        command.inserts(2, &new);
        events.insert(2, new);
        let expired = event(Class::Expired, "a");
        command.inserts(1, &expired);
        events.insert(1, expired);
        for (name, first) in [("a", 2), ("b", 3)] {
            assert_eq!(command.first_about(&key(name), &events), Some(first));
            let mut anew = ThisCommand::default();
            assert_eq!(anew.first_about(&key(name), &events), Some(first));
        }
    }
}
