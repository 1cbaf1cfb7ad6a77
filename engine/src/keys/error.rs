//! Why a byte string is not a key: which byte, and what is wrong with it.
//!
//! Keys come back from files and from the network, so a decoder meets bytes that no encoder
//! wrote. It answers with a [`DecodeError`] and never panics.
//!
//! Invariants
//! 1. `offset` counts from the start of the whole key, also inside a tuple or a [`Desc`].
//! 2. A byte shown in a message inside a [`Desc`] is shown as the inner decoder saw it, that is
//!    after the inversion was undone.
//!
//! [`Desc`]: crate::keys::Desc

use thiserror::Error;

/// A byte string that is not a key of the expected type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("at byte {offset} of the key: {why}")]
pub struct DecodeError {
    /// Offset of the first byte that cannot be right, from the start of the key. It is the
    /// length of the key when bytes are missing.
    pub offset: usize,
    /// What is wrong there.
    pub why: Why,
}

/// What is wrong with the byte at [`DecodeError::offset`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Why {
    /// The key ends inside a field.
    #[error("the key ends here; bytes missing: {missing}")]
    Truncated {
        /// How many more bytes the field needs at least.
        missing: usize,
    },
    /// The key goes on after its last field.
    #[error("the key should end here; bytes that follow: {count}")]
    TrailingBytes {
        /// How many bytes follow.
        count: usize,
    },
    /// A boolean is neither 0 nor 1.
    #[error("a boolean is 00 or 01, found {found:02x}")]
    NotABool {
        /// The byte that was there.
        found: u8,
    },
    /// A zero byte inside an escaped string is followed by neither `ff` nor `01`.
    #[error("00 is followed by ff (a zero byte) or 01 (the end), found {found:02x}")]
    BadEscape {
        /// The byte after the zero.
        found: u8,
    },
    /// A string key is not UTF-8.
    #[error("the text is not UTF-8 from this byte on")]
    NotUtf8,
    /// A number was written in more bytes than it needs, so it would have two keys.
    #[error("this varint takes {used} bytes, but its value fits in {needed}")]
    OverlongVarint {
        /// The length that the first byte announces.
        used: usize,
        /// The length that the encoder would have chosen.
        needed: usize,
    },
    /// A numeric float key holds -0.0, which the encoder writes as +0.0.
    #[error("-0.0 has no numeric key of its own, it is written as +0.0")]
    NegativeZero,
    /// A numeric float key holds a NaN, which the encoder refuses.
    #[error("a numeric key is never NaN")]
    Nan,
    /// A padded decimal holds a byte that is not a digit.
    #[error("a padded decimal holds digits only, found {found:02x}")]
    NotADigit {
        /// The byte that was there.
        found: u8,
    },
    /// A padded decimal is greater than the greatest 64-bit number.
    #[error("this decimal is greater than 18446744073709551615")]
    DecimalOverflow,
    /// A sign marker of LedisDB's form is neither `<` nor `=`.
    #[error("the marker is 3c (negative) or 3d (zero and positive), found {found:02x}")]
    BadMarker {
        /// The byte that was there.
        found: u8,
    },
    /// A sign marker of LedisDB's form contradicts the number behind it.
    #[error("the marker {marker:02x} contradicts the sign of the number behind it")]
    MarkerContradictsSign {
        /// The marker that was there.
        marker: u8,
    },
}

impl Why {
    /// The error that says so of the byte at `offset`.
    #[must_use]
    pub const fn at(self, offset: usize) -> DecodeError {
        DecodeError { offset, why: self }
    }
}
