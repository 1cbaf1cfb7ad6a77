//! The database: open, write, read, flush, compact, close.

#![expect(
    unused_variables,
    clippy::needless_pass_by_value,
    reason = "signatures first, bodies follow"
)]

mod options;

use std::ops::{Deref, RangeBounds};
use std::path::Path;

use crate::batch::{FamilyId, WriteBatch};
use crate::comparator::Comparator;
use crate::error::Result;

pub use self::options::{
    Background, CompactionFilter, Decision, FamilyOptions, Options, WriteOptions,
};

/// An open database. A clone is another handle on the same one.
#[derive(Debug, Clone)]
pub struct Db {}

/// A column family of an open database: cheap to clone, keeps the database open.
#[derive(Debug, Clone)]
pub struct Family {}

/// The database as it was when the snapshot was taken, for as long as it is held.
#[derive(Debug, Clone)]
pub struct Snapshot {}

/// A value that was read, where it lies: in a memtable, a mapped file or a decompressed block.
#[derive(Debug, Clone)]
pub struct Value {}

/// A position among the rows of a family, as they were when the cursor was made.
#[derive(Debug)]
pub struct Cursor {}

/// Rows of a family in order, from either end.
#[derive(Debug)]
pub struct Range {}

impl Deref for Value {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        todo!()
    }
}

/// Rows are (key, value).
impl Iterator for Range {
    type Item = Result<(Vec<u8>, Vec<u8>)>;
    fn next(&mut self) -> Option<Self::Item> {
        todo!()
    }
}

impl DoubleEndedIterator for Range {
    fn next_back(&mut self) -> Option<Self::Item> {
        todo!()
    }
}

impl From<&Family> for FamilyId {
    fn from(family: &Family) -> Self {
        todo!()
    }
}

#[expect(missing_docs, clippy::missing_errors_doc, reason = "signatures first")]
impl Db {
    pub fn open(dir: impl AsRef<Path>, options: Options) -> Result<Self> {
        todo!()
    }
    /// An open family; `InvalidArgument` names the nearest if there is none of this name.
    pub fn family(&self, name: &str) -> Result<Family> {
        todo!()
    }
    pub fn default_family(&self) -> Family {
        todo!()
    }
    pub fn families(&self) -> Vec<String> {
        todo!()
    }
    pub fn create_family(&self, name: &str, options: FamilyOptions) -> Result<Family> {
        todo!()
    }
    pub fn drop_family(&self, name: &str) -> Result<()> {
        todo!()
    }
    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        todo!()
    }
    pub fn delete(&self, key: impl AsRef<[u8]>) -> Result<()> {
        todo!()
    }
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        todo!()
    }
    pub fn write(&self, batch: WriteBatch, options: WriteOptions) -> Result<()> {
        todo!()
    }
    pub fn snapshot(&self) -> Snapshot {
        todo!()
    }
    pub fn flush(&self) -> Result<()> {
        todo!()
    }
    pub fn compact(&self) -> Result<()> {
        todo!()
    }
    /// With `Background::Manual`: does one piece of waiting work; false if there is none.
    pub fn step(&self) -> Result<bool> {
        todo!()
    }
    pub fn close(&self) -> Result<()> {
        todo!()
    }
}

#[expect(missing_docs, clippy::missing_errors_doc, reason = "signatures first")]
impl Family {
    pub fn id(&self) -> FamilyId {
        todo!()
    }
    pub fn name(&self) -> &str {
        todo!()
    }
    pub fn comparator(&self) -> &Comparator {
        todo!()
    }
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        todo!()
    }
    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        todo!()
    }
    pub fn delete(&self, key: impl AsRef<[u8]>) -> Result<()> {
        todo!()
    }
    pub fn cursor(&self) -> Result<Cursor> {
        todo!()
    }
    pub fn cursor_in<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>) -> Result<Cursor> {
        todo!()
    }
    pub fn iter(&self) -> Range {
        todo!()
    }
    pub fn range<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>) -> Range {
        todo!()
    }
    pub fn prefix(&self, prefix: impl AsRef<[u8]>) -> Range {
        todo!()
    }
}

#[expect(missing_docs, clippy::missing_errors_doc, reason = "signatures first")]
impl Snapshot {
    pub fn get(&self, family: &Family, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        todo!()
    }
    pub fn cursor(&self, family: &Family) -> Result<Cursor> {
        todo!()
    }
    pub fn cursor_in<K: AsRef<[u8]>>(
        &self,
        family: &Family,
        range: impl RangeBounds<K>,
    ) -> Result<Cursor> {
        todo!()
    }
    pub fn iter(&self, family: &Family) -> Range {
        todo!()
    }
    pub fn range<K: AsRef<[u8]>>(&self, family: &Family, range: impl RangeBounds<K>) -> Range {
        todo!()
    }
    pub fn prefix(&self, family: &Family, prefix: impl AsRef<[u8]>) -> Range {
        todo!()
    }
}

/// A new cursor stands nowhere. `key`, `value`, `next` and `prev` require `valid()`.
#[expect(missing_docs, clippy::missing_errors_doc, reason = "signatures first")]
impl Cursor {
    pub fn valid(&self) -> bool {
        todo!()
    }
    pub fn key(&self) -> &[u8] {
        todo!()
    }
    pub fn value(&self) -> &[u8] {
        todo!()
    }
    pub fn seek_to_first(&mut self) -> Result<()> {
        todo!()
    }
    pub fn seek_to_last(&mut self) -> Result<()> {
        todo!()
    }
    /// The first row at or after `key`.
    pub fn seek(&mut self, key: impl AsRef<[u8]>) -> Result<()> {
        todo!()
    }
    /// The last row at or before `key`.
    pub fn seek_for_prev(&mut self, key: impl AsRef<[u8]>) -> Result<()> {
        todo!()
    }
    pub fn next(&mut self) -> Result<()> {
        todo!()
    }
    pub fn prev(&mut self) -> Result<()> {
        todo!()
    }
}
