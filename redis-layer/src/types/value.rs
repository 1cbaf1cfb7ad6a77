//! The whole value of a key, for commands that convert it from one form into another.
//!
//! The whole value is in memory. Commands that work on a part of a collection use that type's own module.

use bytes::Bytes;

use crate::store::{Direction, Space};
use crate::types::elements::{Element as NamedElement, Elements};
use crate::types::list::{List, Side};
use crate::types::zset::{Element, Members, ScoreRange, SortedSet, Window};
use crate::types::{Content, Kind, Result, Txn};

/// What a key holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A string.
    String(Bytes),
    /// The elements of a list, in order.
    List(Vec<Bytes>),
    /// The members of a set.
    Set(Vec<Bytes>),
    /// The fields of a hash with their values.
    Hash(Vec<(Bytes, Bytes)>),
    /// The members of a sorted set, least score first.
    SortedSet(Vec<Element>),
}

impl Txn<'_> {
    /// What a key holds, if it exists.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn read_value(&mut self, key: &[u8]) -> Result<Option<Value>> {
        let Some(metadata) = self.lookup(key)? else {
            return Ok(None);
        };
        let lookups = self.lookups();
        let value = self.read_content(key, &metadata.content)?;
        // Reading the elements looked the key up again; that must not count.
        self.set_lookups(lookups);
        Ok(value)
    }

    fn read_content(&mut self, key: &[u8], content: &Content) -> Result<Option<Value>> {
        Ok(match content {
            Content::String(_) | Content::Pieces(_) => self.get_string(key)?.map(Value::String),
            Content::List(..) => {
                let list = List::open(self, key)?;
                let all = list.map(|list| list.range(0, u64::MAX)).transpose()?;
                all.map(|all| Value::List(all.into_parts()))
            }
            Content::SortedSet(..) => {
                let set = SortedSet::open(self, key)?;
                let all = set.map(|set| {
                    set.by_score::<Members>(&ScoreRange::ALL, Direction::Forward, Window::ALL)
                });
                all.transpose()?
                    .map(|all| Value::SortedSet(all.into_elements()))
            }
            Content::Hash(_) => {
                let hash = Elements::open(self, key, Kind::Hash)?;
                let all = hash.map(|hash| hash.all(self)).transpose()?;
                let pair = |element: NamedElement| (element.name, element.value);
                all.map(|all| Value::Hash(all.into_iter().map(pair).collect()))
            }
            Content::Set(_) => {
                let set = Elements::open(self, key, Kind::Set)?;
                let all = set.map(|set| set.all(self)).transpose()?;
                all.map(|all| Value::Set(all.into_iter().map(|element| element.name).collect()))
            }
        })
    }

    /// Replaces whatever the key holds by this value. An empty collection removes the key. No member or field may come
    /// twice.
    ///
    /// # Errors
    /// A score that is no number; those of the store.
    pub fn write_value(&mut self, key: &[u8], value: Value, expires_ms: Option<i64>) -> Result<()> {
        self.remove_key(key)?;
        match value {
            Value::String(text) => self.set_string(key, &text, None),
            Value::List(elements) => {
                let mut list = List::create(self, key)?;
                for element in elements {
                    list.push(Side::Right, element)?;
                }
                list.finish()?;
            }
            Value::SortedSet(elements) => {
                SortedSet::replace(self, key, &elements)?;
            }
            Value::Hash(pairs) => {
                let mut hash = Elements::create(self, key, Kind::Hash)?;
                self.make_room(Space::Data, pairs.len());
                for (field, value) in pairs {
                    hash.put(self, &field, value)?;
                }
                hash.finish(self, key)?;
            }
            Value::Set(members) => {
                let mut set = Elements::create(self, key, Kind::Set)?;
                self.make_room(Space::Data, members.len());
                for member in members {
                    set.put(self, &member, Bytes::new())?;
                }
                set.finish(self, key)?;
            }
        }
        if expires_ms.is_some() {
            self.set_expiry(key, expires_ms)?;
        }
        Ok(())
    }
}
