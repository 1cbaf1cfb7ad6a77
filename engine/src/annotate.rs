//! Words for decoders that say what each byte means: for `lsm explain`, which must not read a file otherwise than the
//! engine does.
//!
//! A decoder that can be listened to hands a [`Note`] for each field that it found sound. At the first one that is not it stops,
//! and the caller has a [`Wrong`].

use std::ops::Range;

/// What a stretch of bytes is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note<'a> {
    /// A part of the file begins: a fragment, a block, a record.
    Part {
        /// Where.
        at: u64,
        /// What it is.
        title: String,
    },
    /// A field.
    Field {
        /// Where it stands: in the file, or in what the part's title says.
        at: u64,
        /// Its bytes.
        bytes: &'a [u8],
        /// What they mean.
        meaning: String,
    },
}

/// Who listens.
pub type Listener<'l> = dyn FnMut(Note<'_>) + 'l;

/// The first thing in a file that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The bytes of the file that are wrong: a field, or all that a checksum covers.
    pub range: Range<u64>,
    /// What was expected and what stands there, as a sentence without its full stop.
    pub what: String,
    /// Where a checksum is wrong: the one byte whose change would make it right, and what it would be, if there is just one.
    pub byte: Option<(u64, u8)>,
}

impl Wrong {
    /// A complaint about `range`.
    pub fn new(range: Range<u64>, what: impl Into<String>) -> Wrong {
        Wrong {
            range,
            what: what.into(),
            byte: None,
        }
    }
}

/// Notes for bytes that follow one another.
pub struct Notes<'a, 'l> {
    bytes: &'a [u8],
    base: u64,
    at: usize,
    listener: &'a mut Listener<'l>,
}

impl<'a, 'l> Notes<'a, 'l> {
    /// Notes on `bytes`, which stand at `base`.
    pub fn new(bytes: &'a [u8], base: u64, listener: &'a mut Listener<'l>) -> Notes<'a, 'l> {
        Notes {
            bytes,
            base,
            at: 0,
            listener,
        }
    }

    /// Where the next field stands.
    pub fn at(&self) -> u64 {
        self.base + self.at as u64
    }

    /// How many bytes have had their note.
    pub fn done(&self) -> usize {
        self.at
    }

    /// The next `len` bytes mean this.
    ///
    /// # Panics
    /// If there are not so many: a note follows a decoder that has read them.
    pub fn field(&mut self, len: usize, meaning: impl Into<String>) {
        let at = self.at();
        (self.listener)(Note::Field {
            at,
            bytes: &self.bytes[self.at..self.at + len],
            meaning: meaning.into(),
        });
        self.at += len;
    }

    /// The bytes up to `end` mean this; nothing if there are none.
    ///
    /// # Panics
    /// As for [`field`](Self::field).
    pub fn field_to(&mut self, end: usize, meaning: impl Into<String>) {
        if end > self.at {
            self.field(end - self.at, meaning);
        }
    }

    /// A part begins here.
    pub fn part(&mut self, title: impl Into<String>) {
        let at = self.at();
        (self.listener)(Note::Part {
            at,
            title: title.into(),
        });
    }
}
