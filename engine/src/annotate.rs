//! What decoders report to say what each byte means. `lsm explain` uses the engine's own decoders,
//! so that it cannot read a file differently than the engine does.
//!
//! A decoder that supports this passes a [`Note`] to its listener for each valid field. It stops at
//! the first invalid one, and the caller gets a [`Wrong`].

use std::ops::Range;

/// What some bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note<'a> {
    /// A part of the file begins: a fragment, a block, a record.
    Part {
        /// Where it begins.
        at: u64,
        /// What it is.
        title: String,
    },
    /// A field.
    Field {
        /// Where the field is: in the file, or in what the part's title names.
        at: u64,
        /// Its bytes.
        bytes: &'a [u8],
        /// What they mean.
        meaning: String,
    },
}

/// `1 record`, `2 records`: a number and its noun, as meanings and complaints are worded.
pub fn count(number: u64, noun: &str) -> String {
    let plural = match (number, noun.strip_suffix('y'), noun.ends_with("ch")) {
        (1, ..) => noun.to_owned(),
        (_, Some(stem), _) => format!("{stem}ies"),
        (_, None, true) => format!("{noun}es"),
        (_, None, false) => format!("{noun}s"),
    };
    format!("{number} {plural}")
}

/// The receiver of notes.
pub type Listener<'l> = dyn FnMut(Note<'_>) + 'l;

/// The first thing in a file that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The bytes of the file that are wrong: a field, or all that a checksum covers.
    pub range: Range<u64>,
    /// What was expected and what was found, as a sentence without its full stop.
    pub what: String,
    /// If a checksum is wrong: the one byte whose change would correct it, and its value then, if
    /// only one byte would do.
    pub byte: Option<(u64, u8)>,
    /// Everything before this offset was looked at, and is as the engine reads it.
    pub sound: u64,
}

impl Wrong {
    /// Says `what` is wrong with the bytes in `range`, and that everything before them is as the engine reads it.
    pub fn new(range: Range<u64>, what: impl Into<String>) -> Wrong {
        Wrong {
            sound: range.start,
            range,
            what: what.into(),
            byte: None,
        }
    }

    /// Says that only what is before this offset is known to be as the engine reads it.
    #[must_use]
    pub fn sound_to(self, sound: u64) -> Wrong {
        Wrong { sound, ..self }
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
    /// Notes on `bytes`, which begin at `base` in the file.
    pub fn new(bytes: &'a [u8], base: u64, listener: &'a mut Listener<'l>) -> Notes<'a, 'l> {
        Notes {
            bytes,
            base,
            at: 0,
            listener,
        }
    }

    /// Where the next field begins.
    pub fn at(&self) -> u64 {
        self.base + self.at as u64
    }

    /// How many bytes already have a note.
    pub fn done(&self) -> usize {
        self.at
    }

    /// Notes that the next `len` bytes have this meaning.
    ///
    /// # Panics
    /// If fewer bytes are left: the decoder must have read them before they get a note.
    pub fn field(&mut self, len: usize, meaning: impl Into<String>) {
        let at = self.at();
        (self.listener)(Note::Field {
            at,
            bytes: &self.bytes[self.at..self.at + len],
            meaning: meaning.into(),
        });
        self.at += len;
    }

    /// Notes that the bytes up to `end` have this meaning, if there are any.
    ///
    /// # Panics
    /// As for [`field`](Self::field).
    pub fn field_to(&mut self, end: usize, meaning: impl Into<String>) {
        if end > self.at {
            self.field(end - self.at, meaning);
        }
    }

    /// Notes that a part begins here.
    pub fn part(&mut self, title: impl Into<String>) {
        let at = self.at();
        (self.listener)(Note::Part {
            at,
            title: title.into(),
        });
    }
}
