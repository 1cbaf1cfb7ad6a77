//! Decodes batches. The input may be arbitrary bytes.

use super::{COUNT_AT, FamilyId, HEADER_BYTES};
use crate::error::Result;
use crate::internal_key::{MAX_USER_KEY_BYTES, MAX_VALUE_BYTES, ValueKind};
use crate::varint;

/// One change, as stored in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// The family that it changes.
    pub family: FamilyId,
    /// What happens to the key.
    pub kind: ValueKind,
    /// The key; for a range, its first key.
    pub key: &'a [u8],
    /// The value; empty for a deletion; for a range, its end.
    pub value: &'a [u8],
}

/// An encoded batch, as it comes out of a log.
#[derive(Debug, Clone, Copy)]
pub struct BatchView<'a> {
    /// The sequence number of the first record.
    pub sequence: u64,
    /// Number of records.
    pub count: u32,
    records: &'a [u8],
}

impl<'a> BatchView<'a> {
    /// Decodes a batch and checks each of its records.
    ///
    /// # Errors
    /// What is wrong, and at which byte, as part of a sentence.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, String> {
        if bytes.len() < HEADER_BYTES {
            return Err(format!(
                "a write batch has at least {HEADER_BYTES} bytes, this one {}",
                bytes.len()
            ));
        }
        let view = Self::of(bytes);
        for record in view.records() {
            record?;
        }
        Ok(view)
    }

    /// `bytes` must hold at least a header.
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        let (header, records) = bytes.split_at(HEADER_BYTES);
        let sequence = header[..COUNT_AT].try_into().map(u64::from_le_bytes);
        let count = header[COUNT_AT..].try_into().map(u32::from_le_bytes);
        Self {
            sequence: sequence.expect("eight bytes"),
            count: count.expect("four bytes"),
            records,
        }
    }

    /// The records, each checked as it is decoded; the first error ends the iteration.
    pub fn records(&self) -> Records<'a> {
        Records {
            rest: self.records,
            total: self.records.len(),
            left: self.count,
            failed: false,
        }
    }
}

/// The records of a batch. See [`BatchView::records`].
#[derive(Debug, Clone)]
pub struct Records<'a> {
    rest: &'a [u8],
    total: usize,
    left: u32,
    failed: bool,
}

impl<'a> Records<'a> {
    #[cold]
    fn fail(&mut self, what: &str) -> Option<Result<Record<'a>, String>> {
        self.failed = true;
        let at = HEADER_BYTES + self.total - self.rest.len();
        Some(Err(format!("{what}, at byte {at} of the batch")))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, String>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        if self.left == 0 {
            return if self.rest.is_empty() {
                None
            } else {
                self.fail("bytes after the last record")
            };
        }
        let Some((&kind, mut rest)) = self.rest.split_first() else {
            return self.fail("fewer records than the header counts");
        };
        let kind = match kind {
            0 => ValueKind::Delete,
            1 => ValueKind::Put,
            2 => ValueKind::RangeDelete,
            _ => return self.fail("a record of unknown kind"),
        };
        let Some(family) = varint::take_u32(&mut rest) else {
            return self.fail("a record without a family");
        };
        let Some(key) = varint::take_bytes(&mut rest) else {
            return self.fail("a key longer than the batch");
        };
        let value = match kind {
            ValueKind::Put | ValueKind::RangeDelete => varint::take_bytes(&mut rest),
            ValueKind::Delete => Some(&[][..]),
        };
        let Some(value) = value else {
            return self.fail("a value longer than the batch");
        };
        if key.len() > MAX_USER_KEY_BYTES {
            return self.fail(&format!(
                "a key of {} bytes, more than {MAX_USER_KEY_BYTES}",
                key.len()
            ));
        }
        let (what, max) = match kind {
            ValueKind::RangeDelete => ("range's end", MAX_USER_KEY_BYTES),
            ValueKind::Put | ValueKind::Delete => ("value", MAX_VALUE_BYTES),
        };
        if value.len() > max {
            return self.fail(&format!(
                "a {what} of {} bytes, more than {max}",
                value.len()
            ));
        }
        self.rest = rest;
        self.left -= 1;
        Some(Ok(Record {
            family: FamilyId(family),
            kind,
            key,
            value,
        }))
    }
}
