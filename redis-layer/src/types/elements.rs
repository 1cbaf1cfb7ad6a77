//! The elements of a hash or a set: rows by name, in the order of a hash of the name.
//!
//! A hash and a set differ only in what the value of a row is: the order and the value of a field, or nothing.
//! What they alone share is in this module; what all collections share is in `opened`.
//!
//! Invariants, which [`check`](crate::types::check()) walks
//! 1. The key of a row holds the hash of its name ([`name_hash`](crate::types::name_hash)).
//! 2. The size in the metadata row is the number of rows. It is never 0: an empty collection does not exist as a key.
//!
//! Random elements: see `random`.
//!
//! Small collections are listed in an order of their own, as Redis lists them: see `order`.
//!
//! Left out: keeping elements in the order of their names.

mod order;
mod random;

use bytes::{Buf, Bytes};

use crate::store::{Cursor, Direction, KeyRange, Space};
use crate::types::beside::Beside;
use crate::types::losses::BYTES_MOST;
use crate::types::name_hash::{NAME_HASH_END, NAME_HASH_LEN};
use crate::types::opened::Opened;
use crate::types::orphans::CLEARED_FROM;
use crate::types::scan::Extent;
use crate::types::{Content, Error, Kind, Metadata, Result, Txn};

pub use order::COMPACT;
use order::encode_field;
pub(crate) use order::{decode_field, sort_integers};

/// A name and its value, which is empty in a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// The field or the member.
    pub name: Bytes,
    /// The value of the field.
    pub value: Bytes,
}

/// The elements of one hash or set. Changes take effect only after [`Elements::finish`].
#[derive(Debug, Clone)]
pub struct Elements {
    kind: Kind,
    opened: Opened,
    stored_size: u64,
    /// How many rows were removed since it was opened.
    lost: u64,
}

impl Elements {
    /// The elements under a key, or `None` if the key does not exist.
    ///
    /// # Errors
    /// [`Error::WrongType`] if it is not of this kind; a damaged row; those of the store.
    pub fn open(txn: &Txn<'_>, key: &[u8], kind: Kind) -> Result<Option<Self>> {
        let metadata = txn.lookup(key)?;
        metadata
            .map(|metadata| Self::stored(txn, key, kind, metadata))
            .transpose()
    }

    /// The elements under a key that has this metadata.
    ///
    /// # Errors
    /// [`Error::WrongType`] if it is not of this kind.
    pub fn stored(txn: &Txn<'_>, key: &[u8], kind: Kind, metadata: Metadata) -> Result<Self> {
        let (Content::Hash(collection) | Content::Set(collection)) = metadata.content else {
            return Err(Error::WrongType);
        };
        if metadata.content.kind() != kind {
            return Err(Error::WrongType);
        }
        Ok(Self {
            kind,
            opened: Opened::of(txn, key, collection, metadata.expires_ms, metadata.home),
            stored_size: collection.size,
            lost: 0,
        })
    }

    /// The elements under a key, or none yet if the key does not exist. The key comes into being with its first
    /// element.
    ///
    /// # Errors
    /// As [`Elements::open`].
    pub fn open_or_create(txn: &Txn<'_>, key: &[u8], kind: Kind) -> Result<Self> {
        match Self::open(txn, key, kind)? {
            Some(elements) => Ok(elements),
            None => Self::create(txn, key, kind),
        }
    }

    /// An empty collection that replaces whatever the key holds.
    ///
    /// # Errors
    /// Those of the store.
    pub fn create(txn: &Txn<'_>, key: &[u8], kind: Kind) -> Result<Self> {
        Ok(Self {
            kind,
            opened: Opened::empty(txn, key)?,
            stored_size: 0,
            lost: 0,
        })
    }

    /// How many there are. O(1).
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.opened.size
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.opened.is_empty()
    }

    /// The value under a name. One point read.
    ///
    /// # Errors
    /// Those of the store.
    pub fn get(&self, txn: &Txn<'_>, name: &[u8]) -> Result<Option<Bytes>> {
        let row = txn.name_row(&self.opened.prefix, name);
        let Some(stored) = txn.get_element(self.opened.version, &row)? else {
            return Ok(None);
        };
        let (_, value) = self.order_and_value(&row, &stored)?;
        let start = stored.len() - value.len();
        Ok(Some(stored.slice(start..)))
    }

    /// Splits what a row holds into the order and the value. Members of a set have no order.
    fn order_and_value<'v>(&self, row: &[u8], stored: &'v [u8]) -> Result<(u64, &'v [u8])> {
        match self.kind {
            Kind::Hash => decode_field(row, stored),
            _ => Ok((0, stored)),
        }
    }

    /// Writes a row. A field keeps the order of the row that it replaces, or gets a new one.
    fn write(
        &self,
        txn: &mut Txn<'_>,
        row: Vec<u8>,
        old: Option<&[u8]>,
        value: Bytes,
    ) -> Result<()> {
        let stored = if self.kind == Kind::Hash {
            let order = match old {
                Some(old) => self.order_and_value(&row, old)?.0,
                None => txn.new_number()?,
            };
            encode_field(order, &value)
        } else {
            value
        };
        txn.put(Space::Data, row, stored);
        Ok(())
    }

    /// Whether there is an element with this name. One point read.
    ///
    /// # Errors
    /// Those of the store.
    pub fn contains(&self, txn: &Txn<'_>, name: &[u8]) -> Result<bool> {
        let row = txn.name_row(&self.opened.prefix, name);
        Ok(txn.get_element(self.opened.version, &row)?.is_some())
    }

    /// Stores an element. Returns whether its name is new.
    ///
    /// # Errors
    /// Those of the store.
    pub fn put(&mut self, txn: &mut Txn<'_>, name: &[u8], value: Bytes) -> Result<bool> {
        let row = txn.name_row(&self.opened.prefix, name);
        let old = txn.get_element(self.opened.version, &row)?;
        self.opened.size += u64::from(old.is_none());
        let row = row.into_owned();
        self.write(txn, row, old.as_deref(), value)?;
        Ok(old.is_none())
    }

    /// Stores an element if its name is new. Returns whether it was.
    ///
    /// # Errors
    /// Those of the store.
    pub fn put_new(&mut self, txn: &mut Txn<'_>, name: &[u8], value: Bytes) -> Result<bool> {
        let row = txn.name_row(&self.opened.prefix, name);
        let is_new = txn.get_element(self.opened.version, &row)?.is_none();
        if is_new {
            self.opened.size += 1;
            let row = row.into_owned();
            self.write(txn, row, None, value)?;
        }
        Ok(is_new)
    }

    /// Removes an element. Returns whether it was there.
    ///
    /// # Errors
    /// Those of the store.
    pub fn remove(&mut self, txn: &mut Txn<'_>, name: &[u8]) -> Result<bool> {
        let row = txn.name_row(&self.opened.prefix, name);
        let was_there = txn.get_element(self.opened.version, &row)?.is_some();
        if was_there {
            self.opened.size = self.opened.size.saturating_sub(1);
            self.lost += 1;
            let row = row.into_owned();
            txn.delete(Space::Data, row);
        }
        Ok(was_there)
    }

    /// Removes different elements that are there. If no others are left and they are many, their rows are left as orphans, which
    /// are removed as a range.
    ///
    /// # Errors
    /// Those of the store.
    pub fn remove_all(&mut self, txn: &mut Txn<'_>, elements: &[Element]) -> Result<()> {
        let removed = elements.len() as u64;
        if removed == self.opened.size && removed >= CLEARED_FROM {
            self.opened.size = 0;
            return Ok(());
        }
        txn.make_room(Space::Data, elements.len());
        for element in elements {
            let row = txn.name_row(&self.opened.prefix, &element.name);
            let row = row.into_owned();
            txn.delete(Space::Data, row);
        }
        self.opened.size = self.opened.size.saturating_sub(removed);
        self.lost += removed;
        Ok(())
    }

    /// Ends the changes: writes the size if it is different now, and removes the key if no element is left. Returns
    /// whether the key still exists.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn finish(mut self, txn: &mut Txn<'_>, key: &[u8]) -> Result<bool> {
        if self.is_empty() {
            txn.remove_key(key)?;
            return Ok(false);
        }
        if !self.renew(txn, key)? && self.opened.size == self.stored_size {
            txn.touch(key);
            return Ok(true);
        }
        let metadata = self.opened.metadata(match self.kind {
            Kind::Hash => Content::Hash,
            _ => Content::Set,
        });
        txn.set_metadata(key, &metadata);
        Ok(true)
    }

    /// Writes the rows anew, under a new version, if it has lost so many that scans step over them for long: see
    /// [`losses`](crate::types::losses). Returns whether it did.
    fn renew(&mut self, txn: &mut Txn<'_>, key: &[u8]) -> Result<bool> {
        let losses = txn.shared().losses();
        if !losses.note(self.opened.version, self.lost, self.len()) {
            return Ok(false);
        }
        let mut renewed = self.opened.clone();
        let old = renewed.renew(txn, key)?;
        let is_written = txn.copy_rows(Space::Data, (&old, &renewed.prefix), BYTES_MOST)?;
        if is_written {
            self.opened = renewed;
        }
        Ok(is_written)
    }

    /// All elements. Up to [`COMPACT`] fields come in the order in which they were added, and as many members that
    /// are all integers in ascending order; others come in the order of their hashes.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn all(&self, txn: &Txn<'_>) -> Result<Vec<Element>> {
        let mut elements =
            Vec::with_capacity(usize::try_from(self.opened.size).unwrap_or(0).min(1024));
        self.each_ordered(txn, |order, name, value| {
            elements.push((order, element(name, value)));
            Ok(true)
        })?;
        Ok(self.in_order(elements))
    }

    /// Puts all elements into the order that [`Elements::all`] promises.
    fn in_order(&self, mut elements: Vec<(u64, Element)>) -> Vec<Element> {
        if self.kind == Kind::Hash && elements.len() as u64 <= COMPACT {
            elements.sort_by_key(|&(order, _)| order);
        }
        let mut elements = without_order(elements);
        if self.kind == Kind::Set {
            sort_integers(&mut elements, |element| &element.name);
        }
        elements
    }

    /// As [`Elements::each`], but passes the marks of the rows: what [`Elements::beside`] is asked for, and [`name_at`]
    /// reads.
    ///
    /// # Errors
    /// As [`Elements::each`].
    pub(crate) fn each_mark(
        &self,
        txn: &Txn<'_>,
        mut visit: impl FnMut(&[u8]) -> Result<bool>,
    ) -> Result<()> {
        let rows = self.opened.prefix.rows();
        txn.each_row(Space::Data, &rows, Direction::Forward, |row, _| {
            self.opened.prefix.hash_and_name(row)?;
            visit(self.opened.prefix.mark_of(row))
        })
    }

    /// These elements, to be asked for `times` marks of others, in order.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn beside<'t>(&self, txn: &'t Txn<'_>, times: u64) -> Result<Beside<'t>> {
        Beside::open(txn, &self.opened.prefix, self.opened.size, times)
    }

    /// Passes every element to `visit`, in the order of their hashes, until it returns false.
    ///
    /// Cost: one seek, and one step for each element.
    ///
    /// # Errors
    /// A damaged row; those of the store and of `visit`.
    pub fn each(
        &self,
        txn: &Txn<'_>,
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<bool>,
    ) -> Result<()> {
        self.each_ordered(txn, |_, name, value| visit(name, value))
    }

    /// As [`Elements::each`], but also passes the number that says in which order the fields were added.
    fn each_ordered(
        &self,
        txn: &Txn<'_>,
        visit: impl FnMut(u64, &[u8], &[u8]) -> Result<bool>,
    ) -> Result<()> {
        self.each_of(txn, &self.opened.prefix.rows(), visit)
    }

    /// As `each_ordered`, for some of the rows.
    fn each_of(
        &self,
        txn: &Txn<'_>,
        rows: &KeyRange,
        mut visit: impl FnMut(u64, &[u8], &[u8]) -> Result<bool>,
    ) -> Result<()> {
        txn.each_row(Space::Data, rows, Direction::Forward, |row, stored| {
            let (_, name) = self.opened.prefix.hash_and_name(row)?;
            let (order, value) = self.order_and_value(row, stored)?;
            visit(order, name, value)
        })
    }

    /// The elements from a name hash on, and the hash to continue from, 0 at the end. If one call returns the whole
    /// collection, the order is that of [`Elements::all`], otherwise that of the hashes of the names.
    ///
    /// An element that is there from the first page to the last is returned, because its hash does not change.
    /// Elements that share a hash are returned together, so the hash is all that has to be remembered.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn page(&self, txn: &Txn<'_>, from: u64, extent: Extent) -> Result<(u64, Vec<Element>)> {
        let mut page = Vec::new();
        if from >= NAME_HASH_END {
            return Ok((0, Vec::new()));
        }
        let (mut bytes, mut last) = (0, None);
        let mut cursor = self.scan(txn, &self.opened.prefix.from_name_hash(from))?;
        while let Some((row, stored)) = cursor.row() {
            let (hash, name) = self.opened.prefix.hash_and_name(row)?;
            let (order, value) = self.order_and_value(row, stored)?;
            if extent.is_reached(page.len() as u64, bytes) && last != Some(hash) {
                return Ok((hash, without_order(page)));
            }
            page.push((order, element(name, value)));
            bytes += row.len() + value.len();
            last = Some(hash);
            cursor.advance()?;
        }
        let is_all = from == 0;
        let page = if is_all {
            self.in_order(page)
        } else {
            without_order(page)
        };
        Ok((0, page))
    }

    fn scan<'a>(&self, txn: &'a Txn<'_>, rows: &KeyRange) -> Result<Box<dyn Cursor + 'a>> {
        txn.scan(Space::Data, rows, Direction::Forward)
    }
}

/// The name of the element whose row has this mark.
pub(crate) fn name_at(mut mark: Bytes) -> Bytes {
    mark.advance(NAME_HASH_LEN.min(mark.len()));
    mark
}

fn without_order(elements: Vec<(u64, Element)>) -> Vec<Element> {
    elements.into_iter().map(|(_, element)| element).collect()
}

fn element(name: &[u8], value: &[u8]) -> Element {
    Element {
        name: Bytes::copy_from_slice(name),
        value: Bytes::copy_from_slice(value),
    }
}
