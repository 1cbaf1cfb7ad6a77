//! What does each encoding of a fixed size cost against the bytes that lie in memory, and does a comparator that decodes
//! those sort faster?
//!
//! ```text
//! cargo bench -p benches -- keys/encode_fixed       each type: as in memory, and as a key
//! cargo bench -p benches -- keys/sort_fixed         each type: sorted keys, and a comparator over naive rows
//! ```
//!
//! The types that `keys` does not ask about in more detail: `bool`, all widths of integers but `i64`, the shorter floats,
//! and the numeric order of floats. Encoding is for 1,000 values, sorting for 10,000 rows, which are byte strings both
//! ways, as a store has them. The naive ones are little-endian.
//!
//! As for a lone `i64` (`keys/sort`), a comparator is faster for a lone number: it loads two of them, where a comparison of
//! bytes calls a function. It loses for the numeric order of floats, which has to look for what is not comparable.

use std::cmp::Ordering;
use std::hint::black_box;

use benches::arbitrary;
use criterion::{BatchSize, Criterion, Throughput};
use engine::keys::{Numeric, OrderedKey, encode_f16_bits};

const BATCH: usize = 1_000;
const ROWS: usize = 10_000;

/// What do the swapped bytes and the flipped bits cost over copying?
fn encoding<T: Copy, const N: usize>(
    c: &mut Criterion,
    name: &str,
    values: &[T],
    naive: impl Fn(T) -> [u8; N],
    encode: impl Fn(T, &mut Vec<u8>),
) {
    let mut group = c.benchmark_group("keys/encode_fixed");
    group.throughput(Throughput::Elements(BATCH as u64));
    let mut out = Vec::with_capacity(BATCH * N);
    group.bench_function(format!("{name}/naive"), |bencher| {
        bencher.iter(|| {
            out.clear();
            for &value in black_box(values) {
                out.extend_from_slice(&naive(value));
            }
            black_box(out.len())
        });
    });
    group.bench_function(format!("{name}/encoded"), |bencher| {
        bencher.iter(|| {
            out.clear();
            for &value in black_box(values) {
                encode(value, &mut out);
            }
            black_box(out.len())
        });
    });
    group.finish();
}

/// Do rows that sort by themselves sort faster than rows that are decoded at each comparison?
fn sorting<const N: usize>(
    c: &mut Criterion,
    name: &str,
    (keys, rows): (&[Vec<u8>], &[Vec<u8>]),
    order: impl Fn([u8; N], [u8; N]) -> Ordering,
) {
    let field = |row: &[u8]| <[u8; N]>::try_from(row).expect("all rows have this length");
    let by_decoding = |a: &Vec<u8>, b: &Vec<u8>| order(field(a), field(b));
    let mut pairs: Vec<_> = keys.iter().zip(rows).collect();
    pairs.sort_unstable();
    let is_one_order = pairs.is_sorted_by(|a, b| by_decoding(a.1, b.1).is_le());
    assert!(is_one_order, "{name}: both ways give one order");

    let mut group = c.benchmark_group("keys/sort_fixed");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function(format!("{name}/keys"), |bencher| {
        let sort = |keys: &mut Vec<Vec<u8>>| keys.sort_unstable();
        bencher.iter_batched_ref(|| keys.to_vec(), sort, BatchSize::LargeInput);
    });
    group.bench_function(format!("{name}/comparator"), |bencher| {
        let sort = |rows: &mut Vec<Vec<u8>>| rows.sort_unstable_by(by_decoding);
        bencher.iter_batched_ref(|| rows.to_vec(), sort, BatchSize::LargeInput);
    });
    group.finish();
}

/// Measures both for a type: what makes a value of arbitrary bits, its bytes in memory, its key, and the order of two
/// values that are decoded from their bytes in memory.
fn measure<T: Copy, const N: usize>(
    c: &mut Criterion,
    name: &str,
    value: impl Fn(u64) -> T,
    naive: impl Fn(T) -> [u8; N] + Copy,
    encode: impl Fn(T, &mut Vec<u8>) + Copy,
    order: impl Fn([u8; N], [u8; N]) -> Ordering,
) {
    let values = |count, seed| -> Vec<T> {
        let bits = arbitrary(count, seed).into_iter();
        bits.map(&value).collect()
    };
    encoding(c, name, &values(BATCH, 1), naive, encode);
    let values = values(ROWS, 2);
    let key = |value| {
        let mut key = Vec::with_capacity(N);
        encode(value, &mut key);
        key
    };
    let keys: Vec<_> = values.iter().map(|&value| key(value)).collect();
    let rows: Vec<_> = values.iter().map(|&value| naive(value).to_vec()).collect();
    sorting(c, name, (&keys, &rows), order);
}

macro_rules! integers {
    ($c:ident, $($int:ident)*) => {$(
        measure(
            $c,
            stringify!($int),
            |bits| (u128::from(bits) << 64 | u128::from(bits.rotate_left(32))) as $int,
            $int::to_le_bytes,
            |value, out| value.encode_into(out),
            |a, b| $int::from_le_bytes(a).cmp(&$int::from_le_bytes(b)),
        );
    )*};
}

/// The numeric order of float types, in which -0.0 is 0.0.
macro_rules! numeric {
    ($c:ident, $($name:literal $float:ident)*) => {$(
        measure(
            $c,
            $name,
            |bits| Numeric::<$float>::new(bits.cast_signed() as $float).expect("a number"),
            |value| value.get().to_le_bytes(),
            |value, out| value.encode_into(out),
            |a, b| {
                let order = $float::from_le_bytes(a).partial_cmp(&$float::from_le_bytes(b));
                order.unwrap_or(Ordering::Equal)
            },
        );
    )*};
}

pub(crate) fn all(c: &mut Criterion) {
    integers!(c, u8 u16 u32 u64 u128 i8 i16 i32 i128);
    numeric!(c, "numeric_f32" f32 "numeric_f64" f64);
    measure(
        c,
        "bool",
        |bits| bits % 2 == 0,
        |value| [u8::from(value)],
        |value, out| value.encode_into(out),
        |[a], [b]| (a != 0).cmp(&(b != 0)),
    );
    measure(
        c,
        "f32",
        |bits| bits.cast_signed() as f32,
        f32::to_le_bytes,
        |value, out| value.encode_into(out),
        |a, b| f32::from_le_bytes(a).total_cmp(&f32::from_le_bytes(b)),
    );
    // No float type of the stable language has these bits: sign and magnitude, as in the others.
    let by_magnitude = |bits: u16| bits.cast_signed() ^ ((bits.cast_signed() >> 15) & 0x7fff);
    measure(
        c,
        "f16_bits",
        |bits| bits as u16,
        u16::to_le_bytes,
        |bits, out| out.extend_from_slice(&encode_f16_bits(bits)),
        |a, b| by_magnitude(u16::from_le_bytes(a)).cmp(&by_magnitude(u16::from_le_bytes(b))),
    );
}
