//! What every decoder promises for any bytes. The fuzz target `keys` checks the same.

use std::fmt::Debug;

use engine::keys::{DecodeKey, Desc, Numeric, PaddedDecimal, Raw, Varint};

/// Accepted bytes are the key of the accepted value; a refusal points to a byte of the key or to its end.
pub(crate) fn exact<T: DecodeKey + Debug>(key: &[u8]) {
    let name = std::any::type_name::<T>();
    match T::from_key(key) {
        Ok(value) => assert_eq!(value.to_key(), key, "{name}: {value:?} has two keys"),
        Err(error) => assert!(error.offset <= key.len(), "{name}: {error} in {key:02x?}"),
    }
}

/// All types, and combinations of those whose errors pass through others.
pub(crate) fn exact_for_all_types(key: &[u8]) {
    exact::<u8>(key);
    exact::<u16>(key);
    exact::<u32>(key);
    exact::<u64>(key);
    exact::<u128>(key);
    exact::<i8>(key);
    exact::<i16>(key);
    exact::<i32>(key);
    exact::<i64>(key);
    exact::<i128>(key);
    exact::<f32>(key);
    exact::<f64>(key);
    exact::<Numeric<f32>>(key);
    exact::<Numeric<f64>>(key);
    exact::<bool>(key);
    exact::<Vec<u8>>(key);
    exact::<String>(key);
    exact::<Raw<Vec<u8>>>(key);
    exact::<Varint>(key);
    exact::<PaddedDecimal>(key);
    exact::<Desc<bool>>(key);
    exact::<Desc<Vec<u8>>>(key);
    exact::<Desc<String>>(key);
    exact::<Desc<Varint>>(key);
    exact::<Desc<Numeric<f64>>>(key);
    exact::<(Vec<u8>, u8)>(key);
    exact::<(Varint, Desc<(Vec<u8>, bool)>, Raw<Vec<u8>>)>(key);
    exact::<((bool, Varint), (Desc<Varint>, String))>(key);
}
