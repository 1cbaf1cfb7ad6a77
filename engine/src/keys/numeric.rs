//! Floats as numbers: one zero, no NaN.
//!
//! Rule: -0.0 becomes +0.0, NaN is refused, and then the rule of the total order applies. Two
//! floats have one key exactly when `==` holds, and keys sort as `<` does. This is what a score
//! wants: a range from 0 to 0 must find a member that was stored with -0.0.
//!
//! ```
//! use engine::keys::{NanError, encode_f64_numeric, hex};
//! for (value, key) in [
//!     (f64::NEG_INFINITY, "000fffffffffffff"),
//!     (-1.0,              "400fffffffffffff"),
//!     (-0.0,              "8000000000000000"),
//!     (0.0,               "8000000000000000"),
//!     (1.0,               "bff0000000000000"),
//!     (f64::INFINITY,     "fff0000000000000"),
//! ] {
//!     assert_eq!(hex(&encode_f64_numeric(value).unwrap()), key);
//! }
//! assert_eq!(encode_f64_numeric(f64::NAN), Err(NanError));
//! ```
//!
//! Invariants
//! 1. A [`Numeric`] holds neither NaN nor -0.0, so its order is total and its key is unique.
//! 2. The decoder refuses the keys that the total order gives to -0.0 and to the NaNs. What it
//!    accepts encodes to the same bytes again.

use std::cmp::Ordering;

use thiserror::Error;

use crate::keys::float::{decode_f32, decode_f64, encode_f32, encode_f64};
use crate::keys::{DecodeError, DecodeKey, OrderedKey, Reader, SelfDelimiting, Why};

/// A NaN was given where a number is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("NaN is not a number and has no place in a numeric order")]
pub struct NanError;

// ANCHOR: encode_f64_numeric
/// The key of an `f64` as a number: -0.0 and +0.0 share a key.
///
/// # Errors
/// [`NanError`] for every NaN.
pub const fn encode_f64_numeric(value: f64) -> Result<[u8; 8], NanError> {
    if value.is_nan() {
        return Err(NanError);
    }
    // The comparison is true for -0.0 as well, and that is the point.
    Ok(encode_f64(if value == 0.0 { 0.0 } else { value }))
}
// ANCHOR_END: encode_f64_numeric

/// The number of a key that [`encode_f64_numeric`] made.
///
/// # Errors
/// [`Why::Nan`] and [`Why::NegativeZero`] for the keys that it never makes.
#[inline]
pub fn decode_f64_numeric(key: [u8; 8]) -> Result<f64, DecodeError> {
    Numeric::<f64>::from_key(&key).map(Numeric::get)
}

/// The key of an `f32` as a number. The rule of [`encode_f64_numeric`].
///
/// # Errors
/// [`NanError`] for every NaN.
#[inline]
pub fn encode_f32_numeric(value: f32) -> Result<[u8; 4], NanError> {
    Numeric::<f32>::new(value).map(|number| encode_f32(number.0))
}

/// The number of a key that [`encode_f32_numeric`] made.
///
/// # Errors
/// [`Why::Nan`] and [`Why::NegativeZero`] for the keys that it never makes.
#[inline]
pub fn decode_f32_numeric(key: [u8; 4]) -> Result<f32, DecodeError> {
    Numeric::<f32>::from_key(&key).map(Numeric::get)
}

/// A float that is a number, with one zero: `Numeric<f64>` or `Numeric<f32>`.
///
/// Unlike the float it is totally ordered, and its key can be a part of a tuple.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numeric<F>(F);

impl<F: Copy> Numeric<F> {
    /// The number. It is never -0.0.
    #[must_use]
    pub const fn get(self) -> F {
        self.0
    }
}

macro_rules! keys {
    ($($float:ident $encode:ident $decode:ident)*) => {$(
        impl Numeric<$float> {
            /// Takes a number and turns -0.0 into +0.0.
            ///
            /// # Errors
            /// [`NanError`] for every NaN.
            #[inline]
            pub const fn new(value: $float) -> Result<Self, NanError> {
                if value.is_nan() {
                    return Err(NanError);
                }
                Ok(Self(if value == 0.0 { 0.0 } else { value }))
            }
        }

        impl TryFrom<$float> for Numeric<$float> {
            type Error = NanError;

            fn try_from(value: $float) -> Result<Self, NanError> {
                Self::new(value)
            }
        }

        impl Eq for Numeric<$float> {}

        impl Ord for Numeric<$float> {
            fn cmp(&self, other: &Self) -> Ordering {
                // Without NaN and -0.0 the total order is the order of `<`.
                self.0.total_cmp(&other.0)
            }
        }

        impl PartialOrd for Numeric<$float> {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl OrderedKey for Numeric<$float> {
            fn encode_into(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&$encode(self.0));
            }
        }

        impl SelfDelimiting for Numeric<$float> {}

        impl DecodeKey for Numeric<$float> {
            #[inline]
            fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let start = reader.offset();
                let value = $decode(reader.array()?);
                if value.is_nan() {
                    return Err(Why::Nan.at(start));
                }
                if value == 0.0 && value.is_sign_negative() {
                    return Err(Why::NegativeZero.at(start));
                }
                Ok(Self(value))
            }
        }
    )*};
}

keys! {
    f32 encode_f32 decode_f32
    f64 encode_f64 decode_f64
}
