//! The traits: what makes a type a key, and when another field may follow it.
//!
//! - [`OrderedKey`]: `a < b` exactly when `a`'s bytes come before `b`'s.
//! - [`SelfDelimiting`]: besides, no key of the type is a prefix of another. So the decoder knows
//!   where the field ends, another field may follow, and inverting all bytes reverses the order.
//! - [`DecodeKey`]: the way back, exact in both directions.
//!
//! Why the second trait exists: `"a" < "ab"` holds for raw bytes because the shorter key ends. If a
//! field follows, what decides is no longer the end of the string but the first byte of that field.
//! [`Raw`] is therefore a key, but not self-delimiting, and the compiler refuses it everywhere but
//! in the last position.
//!
//! Left out: a bound on the size of a key. Length limits belong to the layer that stores keys.
//!
//! [`Raw`]: crate::keys::Raw

use crate::keys::{DecodeError, Reader};

/// A value whose key bytes sort as the value does.
///
/// The law, tested for each implementation: for all values `a` and `b`, `a < b` exactly when
/// `a.to_key() < b.to_key()`, and `a == b` exactly when the keys are equal. Floats mean the order
/// of [`f64::total_cmp`] here.
pub trait OrderedKey {
    /// Appends the key bytes to `out`.
    ///
    /// Cost: one pass over the value. Allocates only if `out` must grow.
    fn encode_into(&self, out: &mut Vec<u8>);

    /// The key in a vector of its own.
    fn to_key(&self) -> Vec<u8> {
        let mut key = Vec::new();
        self.encode_into(&mut key);
        key
    }
}

/// An [`OrderedKey`] of which no key is a proper prefix of another key.
///
/// Two different keys then differ at a byte that both have, whatever follows it. That is all that
/// tuples and `Desc` rely on.
pub trait SelfDelimiting: OrderedKey {}

/// An [`OrderedKey`] that can be read back.
///
/// The law: `from_key(k)` is `Ok(v)` exactly when `k` is `v.to_key()`. A second spelling of a
/// value is an error, so equal values cannot hide behind different keys.
pub trait DecodeKey: OrderedKey + Sized {
    /// Reads one value and leaves `reader` just after it.
    ///
    /// # Errors
    /// A [`DecodeError`] that names the first byte which no encoder would have written there.
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;

    /// Reads a key that holds this value and nothing else.
    ///
    /// # Errors
    /// As [`decode_from`](Self::decode_from), and [`Why::TrailingBytes`] if the key goes on.
    ///
    /// [`Why::TrailingBytes`]: crate::keys::Why::TrailingBytes
    #[inline]
    fn from_key(key: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(key);
        let value = Self::decode_from(&mut reader)?;
        reader.finish()?;
        Ok(value)
    }
}

impl<T: OrderedKey + ?Sized> OrderedKey for &T {
    fn encode_into(&self, out: &mut Vec<u8>) {
        T::encode_into(self, out);
    }
}

impl<T: SelfDelimiting + ?Sized> SelfDelimiting for &T {}
