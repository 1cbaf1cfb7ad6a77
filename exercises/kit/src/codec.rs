//! Parts for the commonest exercise: numbers to keys, and keys back to numbers.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::answer::{Answer, Show};
use crate::exercise::PartOf;
use crate::render::brief;
use crate::values::{Value, ranks};

/// A pair of functions: a value to its key, and a key to what is read from it.
pub struct Codec<T> {
    encode: Encode<T>,
    decode: Decode,
}

type Encode<T> = Arc<dyn Fn(T) -> Vec<u8> + Send + Sync>;
type Decode = Arc<dyn Fn(&[u8]) -> Answer + Send + Sync>;

impl<T> Clone for Codec<T> {
    fn clone(&self) -> Self {
        Self {
            encode: Arc::clone(&self.encode),
            decode: Arc::clone(&self.decode),
        }
    }
}

impl<T: Value> Codec<T> {
    /// A codec whose keys are byte strings of any length.
    pub fn new<K: AsRef<[u8]>, D: Show>(
        encode: impl Fn(T) -> K + Send + Sync + 'static,
        decode: impl Fn(&[u8]) -> D + Send + Sync + 'static,
    ) -> Self {
        Self {
            encode: Arc::new(move |value| encode(value).as_ref().to_vec()),
            decode: Arc::new(move |key| decode(key).show()),
        }
    }

    /// A codec whose keys are arrays.
    pub fn fixed<const N: usize, D: Show>(
        encode: impl Fn(T) -> [u8; N] + Send + Sync + 'static,
        decode: impl Fn([u8; N]) -> D + Send + Sync + 'static,
    ) -> Self {
        Self::new(encode, move |key: &[u8]| match key.try_into() {
            Ok(key) => decode(key).show(),
            Err(_) => Answer::text(format!("a key of {} bytes, not {N}", key.len())),
        })
    }

    /// The key of a value.
    pub fn encode(&self, value: T) -> Vec<u8> {
        (self.encode)(value)
    }

    /// What is read from a key.
    pub fn decode(&self, key: &[u8]) -> Answer {
        (self.decode)(key)
    }
}

impl Show for Answer {
    fn show(&self) -> Answer {
        self.clone()
    }
}

/// `encode`, asked for every probe of the type, ranked by the type's own order.
pub fn encode_part<T: Value>() -> PartOf<Codec<T>> {
    encode_part_by("encode", &T::probes(), T::order)
}

/// `encode` with a name, values (smallest first) and an order of the author's choice.
pub fn encode_part_by<T: Value>(
    function: &'static str,
    values: &[T],
    order: impl Fn(&T, &T) -> Ordering,
) -> PartOf<Codec<T>> {
    let mut part = PartOf::new(function, "key").ranked(ranks(values, order));
    for &value in values {
        let input = value.show();
        part.push(
            format!("{function}({})", input.text),
            input,
            value.classes(),
            Box::new(move |codec: &Codec<T>| codec.encode(value).show()),
        );
    }
    part
}

/// `decode`, asked to undo the implementation's own `encode`. `expected` is the answer for a value.
///
/// For tasks that leave the bytes open.
pub fn round_trip_part<T: Value>(expected: impl Fn(T) -> Answer) -> PartOf<Codec<T>> {
    let mut part = PartOf::new("decode", "number");
    for value in T::probes() {
        let input = value.show();
        part.push(
            format!("decode(encode({}))", input.text),
            input,
            value.classes(),
            Box::new(move |codec: &Codec<T>| codec.decode(&codec.encode(value))),
        );
        part = part.expect(expected(value));
    }
    part
}

/// `decode`, asked for given keys: those of `encode` for every probe, then `foreign` ones.
///
/// For tasks that fix the bytes. Every foreign key has a class that says what is foreign about it.
pub fn decode_part<T: Value>(
    encode: impl Fn(T) -> Vec<u8>,
    foreign: &[(&'static str, &[u8])],
) -> PartOf<Codec<T>> {
    let mut part = PartOf::new("decode", "number");
    let own = T::probes()
        .into_iter()
        .map(|value| (value.classes(), encode(value)));
    let foreign = foreign
        .iter()
        .map(|(class, key)| (vec![*class], key.to_vec()));
    for (classes, key) in own.chain(foreign) {
        part.push(
            format!(
                "decode({})",
                brief(key.show().text.trim_matches(['(', ')']))
            ),
            key.show(),
            classes,
            Box::new(move |codec: &Codec<T>| codec.decode(&key)),
        );
    }
    part
}
