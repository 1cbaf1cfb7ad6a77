//! Decodes the fields of a version edit from bytes that may be malformed, and shows them to a
//! listener for the annotations of `lsm explain`.

use crate::batch::FamilyId;
use crate::internal_key::MAX_SEQUENCE;
use crate::varint;
use crate::version::edit::{
    FAMILY_ID_MAX, LEVELS, TAG_DURABLE_SEQUENCE, TAG_FAMILY_ADDED, TAG_FAMILY_DROPPED,
    TAG_FILE_ADDED, TAG_FILE_REMOVED, TAG_LAST_SEQUENCE, TAG_MAGIC, TAG_NEXT_FAMILY, TAG_NEXT_FILE,
    TAG_OLDEST_LOG,
};

const TAG_NAMES: [(u64, &str); 10] = [
    (TAG_MAGIC, "the magic"),
    (TAG_FAMILY_ADDED, "a family was created"),
    (TAG_FAMILY_DROPPED, "a family was dropped"),
    (TAG_NEXT_FILE, "the next file number"),
    (TAG_OLDEST_LOG, "the oldest log"),
    (TAG_LAST_SEQUENCE, "the last sequence number in tables"),
    (TAG_NEXT_FAMILY, "the next family"),
    (TAG_FILE_ADDED, "a table was added"),
    (TAG_FILE_REMOVED, "a table was removed"),
    (TAG_DURABLE_SEQUENCE, "the last durable sequence number"),
];

/// A part of a field that is shown: a number, a length, or bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown<'a> {
    /// What it is, such as "a level".
    pub what: &'static str,
    /// The bytes as they are in the record.
    pub bytes: &'a [u8],
    /// What they mean.
    pub value: Shows<'a>,
}

/// The meaning of a part of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows<'a> {
    /// A field of this kind begins.
    Tag(u64),
    /// A number.
    Number(u64),
    /// The length of the bytes that follow.
    Length(u64),
    /// Text.
    Bytes(&'a [u8]),
    /// An internal key.
    Key(&'a [u8]),
}

/// The undecoded rest of a record, and the listener for what is decoded.
pub(super) struct Input<'a, 's> {
    pub(super) rest: &'a [u8],
    pub(super) show: &'s mut dyn FnMut(Shown<'_>),
}

impl<'a> Input<'a, '_> {
    fn show(&mut self, what: &'static str, before: &'a [u8], value: Shows<'_>) {
        let bytes = &before[..before.len() - self.rest.len()];
        (self.show)(Shown { what, bytes, value });
    }

    fn raw_number(&mut self, what: &str) -> Result<u64, String> {
        varint::take(&mut self.rest).ok_or_else(|| format!("{what} is cut off or malformed"))
    }

    pub(super) fn tag(&mut self) -> Result<u64, String> {
        let before = self.rest;
        let tag = self.raw_number("a tag")?;
        let name = TAG_NAMES.iter().find(|(known, _)| *known == tag);
        if let Some((_, name)) = name {
            self.show(name, before, Shows::Tag(tag));
        }
        Ok(tag)
    }

    pub(super) fn number(&mut self, what: &'static str) -> Result<u64, String> {
        self.checked(what, |_| Ok(()))
    }

    fn checked(
        &mut self,
        what: &'static str,
        check: impl FnOnce(u64) -> Result<(), String>,
    ) -> Result<u64, String> {
        let before = self.rest;
        let number = self.raw_number(what)?;
        check(number)?;
        self.show(what, before, Shows::Number(number));
        Ok(number)
    }

    /// A number that is counted up from, or added up over all tables. It is bounded, so that no sum overflows.
    pub(super) fn counter(&mut self, what: &'static str) -> Result<u64, String> {
        self.checked(what, |number| match number > MAX_SEQUENCE {
            true => Err(format!("{what} is {number}, more than {MAX_SEQUENCE}")),
            false => Ok(()),
        })
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, String> {
        let number = self.checked(what, |number| match u32::try_from(number) {
            Ok(_) => Ok(()),
            Err(_) => Err(format!("{what} is cut off or malformed")),
        })?;
        Ok(number as u32)
    }

    pub(super) fn bytes(&mut self, what: &'static str) -> Result<&'a [u8], String> {
        self.shown_bytes(what, Shows::Bytes)
    }

    /// An internal key.
    pub(super) fn key(&mut self, what: &'static str) -> Result<Vec<u8>, String> {
        self.shown_bytes(what, Shows::Key).map(<[u8]>::to_vec)
    }

    fn shown_bytes(
        &mut self,
        what: &'static str,
        shows: fn(&'a [u8]) -> Shows<'a>,
    ) -> Result<&'a [u8], String> {
        let before = self.rest;
        let bytes =
            varint::take_bytes(&mut self.rest).ok_or_else(|| format!("{what} is cut off"))?;
        let header = before.len() - self.rest.len() - bytes.len();
        (self.show)(Shown {
            what,
            bytes: &before[..header],
            value: Shows::Length(bytes.len() as u64),
        });
        (self.show)(Shown {
            what,
            bytes,
            value: shows(bytes),
        });
        Ok(bytes)
    }

    /// A name, which is never empty.
    pub(super) fn name(&mut self, what: &'static str) -> Result<String, String> {
        let bytes = self.bytes(what)?;
        if bytes.is_empty() {
            return Err(format!("{what} is empty"));
        }
        String::from_utf8(bytes.to_vec()).map_err(|_| format!("{what} is not UTF-8"))
    }

    pub(super) fn family(&mut self) -> Result<FamilyId, String> {
        self.family_number("a family id", FAMILY_ID_MAX)
            .map(FamilyId)
    }

    pub(super) fn next_family(&mut self) -> Result<u32, String> {
        self.family_number("the next family id", FAMILY_ID_MAX + 1)
    }

    fn family_number(&mut self, what: &'static str, max: u32) -> Result<u32, String> {
        let number = self.checked(what, |number| match number > u64::from(max) {
            true => Err(format!("{what} is {number}, more than {max}")),
            false => Ok(()),
        })?;
        Ok(number as u32)
    }

    pub(super) fn level(&mut self) -> Result<usize, String> {
        let level = self.checked("a level", |level| match level < LEVELS as u64 {
            true => Ok(()),
            false => Err(format!("level {level} does not exist, there are {LEVELS}")),
        })?;
        Ok(level as usize)
    }
}
