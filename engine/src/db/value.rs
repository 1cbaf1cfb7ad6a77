//! A value that was read, without copying it.

use std::fmt;
use std::ops::Deref;

use crate::memtable::MemtableValue;
use crate::vfs::FileSlice;

/// A value that was read, in place: in a memtable, a mapped file or a decompressed block.
///
/// No byte of it is copied. It keeps the memory that it is in from being freed, so do not hold it
/// longer than needed; `to_vec` makes a copy to keep.
#[derive(Clone)]
pub struct Value(Place);

#[derive(Clone)]
enum Place {
    Memtable(MemtableValue),
    Table(FileSlice),
}

impl From<MemtableValue> for Value {
    fn from(value: MemtableValue) -> Self {
        Self(Place::Memtable(value))
    }
}

impl From<FileSlice> for Value {
    fn from(value: FileSlice) -> Self {
        Self(Place::Table(value))
    }
}

impl Deref for Value {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Place::Memtable(value) => value,
            Place::Table(value) => value,
        }
    }
}

impl AsRef<[u8]> for Value {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.escape_ascii())
    }
}

impl<T: AsRef<[u8]> + ?Sized> PartialEq<T> for Value {
    fn eq(&self, other: &T) -> bool {
        **self == *other.as_ref()
    }
}
