//! What do keys that sort by themselves cost, and what do they save?
//!
//! ```text
//! cargo bench -p benches -- keys/            all
//! cargo bench -p benches -- keys/sort        one question
//! ```
//!
//! Every figure is for a batch of 1,000 values (10,000 rows for sorting).

use std::cmp::Ordering;
use std::hint::black_box;

use benches::arbitrary;
use criterion::{BatchSize, BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use engine::keys::{
    DecodeKey, Desc, OrderedKey, PaddedDecimal, Varint, deinterleave, encode_bytes_into,
    encode_decimal, encode_f64, encode_f64_numeric, encode_i64, encode_u64, encode_varint_into,
    historical::{ledis, neokv, qdb},
    interleave, prefix_successor,
};

const BATCH: usize = 1_000;
const ROWS: usize = 10_000;

/// Appends the same fixed-size key for each value to one buffer, as a batch of writes does.
fn encode<T: Copy, const N: usize>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    values: &[T],
    key: impl Fn(T) -> [u8; N],
) {
    let mut out = Vec::with_capacity(values.len() * N);
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            out.clear();
            for &value in black_box(values) {
                out.extend_from_slice(&key(value));
            }
            black_box(out.len())
        });
    });
}

/// As `encode`, for keys that have no fixed size.
fn append<T: ?Sized, B: AsRef<T>>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    values: &[B],
    key: impl Fn(&T, &mut Vec<u8>),
) {
    let mut out = Vec::new();
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            out.clear();
            for value in black_box(values) {
                key(value.as_ref(), &mut out);
            }
            black_box(out.len())
        });
    });
}

/// Does flipping the sign bit cost anything over copying bytes? What does a ninth byte cost?
fn integers(c: &mut Criterion) {
    let values: Vec<_> = arbitrary(BATCH, 1)
        .into_iter()
        .map(u64::cast_signed)
        .collect();
    let mut group = c.benchmark_group("keys/encode_i64");
    group.throughput(Throughput::Elements(BATCH as u64));
    encode(&mut group, "naive_little_endian", &values, i64::to_le_bytes);
    encode(&mut group, "naive_big_endian", &values, i64::to_be_bytes);
    encode(&mut group, "sign_bit_flipped", &values, encode_i64);
    encode(&mut group, "ledis_marker", &values, ledis::encode_i64);
    group.finish();
}

/// What does the branch on the sign cost, when signs are arbitrary? And the look at the value?
fn floats(c: &mut Criterion) {
    let values: Vec<_> = arbitrary(BATCH, 2)
        .into_iter()
        .map(|bits| bits.cast_signed() as f64)
        .collect();
    let mut group = c.benchmark_group("keys/encode_f64");
    group.throughput(Throughput::Elements(BATCH as u64));
    encode(&mut group, "naive_big_endian", &values, f64::to_be_bytes);
    encode(&mut group, "total_order", &values, encode_f64);
    encode(&mut group, "numeric", &values, |value| {
        encode_f64_numeric(value).unwrap_or_default()
    });
    encode(&mut group, "qdb", &values, qdb::encode_f64);
    encode(&mut group, "neokv", &values, neokv::encode_f64);
    group.finish();
}

/// When does a varint pay? It saves space for small numbers and takes time for its length.
fn short_numbers(c: &mut Criterion) {
    let values: Vec<_> = arbitrary(BATCH, 3)
        .into_iter()
        .map(|bits| bits >> (bits % 64))
        .collect();
    let mut group = c.benchmark_group("keys/encode_u64");
    group.throughput(Throughput::Elements(BATCH as u64));
    encode(&mut group, "naive_big_endian", &values, u64::to_be_bytes);
    encode(&mut group, "padded_decimal", &values, encode_decimal);
    let boxed: Vec<_> = values.iter().map(|&value| [value]).collect();
    append(&mut group, "varint", &boxed, |value: &[u64], out| {
        encode_varint_into(value[0], out);
    });
    group.finish();
}

/// What does escaping cost over copying, when there is nothing to escape, and when all is zero?
fn strings(c: &mut Criterion) {
    let names: Vec<_> = arbitrary(BATCH, 4)
        .into_iter()
        .map(|bits| format!("player:{bits:020}").into_bytes())
        .collect();
    let zeros = vec![vec![0; names[0].len()]; BATCH];
    let mut group = c.benchmark_group("keys/encode_bytes");
    group.throughput(Throughput::Bytes((BATCH * names[0].len()) as u64));
    append(&mut group, "naive_copy", &names, |name: &[u8], out| {
        out.extend_from_slice(name);
    });
    append(&mut group, "escaped", &names, encode_bytes_into);
    append(&mut group, "escaped_all_zeros", &zeros, encode_bytes_into);
    group.finish();
}

/// What does a key of several fields cost over laying the fields side by side? And a field that sorts downwards?
fn tuples(c: &mut Criterion) {
    let rows: Vec<_> = arbitrary(BATCH, 8)
        .into_iter()
        .map(|bits| (format!("board:{}", bits % 16).into_bytes(), bits))
        .collect();
    let mut group = c.benchmark_group("keys/encode_tuple");
    group.throughput(Throughput::Elements(BATCH as u64));
    let boxed: Vec<_> = rows.iter().map(|row| [row.clone()]).collect();
    type Row = [(Vec<u8>, u64)];
    append(&mut group, "naive_fields", &boxed, |row: &Row, out| {
        out.extend_from_slice(&row[0].0);
        out.extend_from_slice(&row[0].1.to_be_bytes());
    });
    append(
        &mut group,
        "escaped_and_big_endian",
        &boxed,
        |row: &Row, out| {
            encode_bytes_into(&row[0].0, out);
            row[0].1.encode_into(out);
        },
    );
    append(
        &mut group,
        "escaped_and_descending",
        &boxed,
        |row: &Row, out| {
            encode_bytes_into(&row[0].0, out);
            Desc(row[0].1).encode_into(out);
        },
    );
    group.finish();
}

/// What does mixing the bits of two coordinates cost over writing them side by side?
fn points(c: &mut Criterion) {
    let values: Vec<_> = arbitrary(BATCH, 9).into_iter().map(point).collect();
    let mut group = c.benchmark_group("keys/encode_point");
    group.throughput(Throughput::Elements(BATCH as u64));
    let side_by_side = |(x, y): (u32, u32)| (u64::from(x) << 32 | u64::from(y)).to_be_bytes();
    encode(&mut group, "naive_side_by_side", &values, side_by_side);
    encode(&mut group, "interleaved", &values, |(x, y)| {
        encode_u64(interleave(x, y))
    });
    group.finish();
}

/// A point from arbitrary bits.
fn point(bits: u64) -> (u32, u32) {
    ((bits >> 32) as u32, bits as u32)
}

/// The order of the interleaved bits, without mixing them: the highest bit in which the points differ
/// decides, and of two equally high ones that of `x` (T. Chan, 2002).
fn by_highest_difference(a: (u32, u32), b: (u32, u32)) -> Ordering {
    let (x, y) = (a.0 ^ b.0, a.1 ^ b.1);
    // Whether the highest bit of `y` is above that of `x`.
    if x < y && x < x ^ y {
        a.1.cmp(&b.1)
    } else {
        a.0.cmp(&b.0)
    }
}

/// What does reading a key back cost, with all checks against foreign bytes?
fn decoding(c: &mut Criterion) {
    fn decode<T: DecodeKey>(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, values: &[T]) {
        let keys: Vec<_> = values.iter().map(OrderedKey::to_key).collect();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                black_box(&keys)
                    .iter()
                    .filter(|key| T::from_key(key).is_ok())
                    .count()
            });
        });
    }

    let bits = arbitrary(BATCH, 5);
    let each = |shift: u32| bits.iter().map(move |bits| bits >> shift);
    let text = |bits: u64| format!("player:{bits:020}").into_bytes();
    let mut group = c.benchmark_group("keys/decode");
    group.throughput(Throughput::Elements(BATCH as u64));
    decode(&mut group, "u64", &each(0).collect::<Vec<_>>());
    decode(
        &mut group,
        "f64",
        &each(0).map(f64::from_bits).collect::<Vec<_>>(),
    );
    decode(
        &mut group,
        "varint",
        &each(20).map(Varint).collect::<Vec<_>>(),
    );
    decode(
        &mut group,
        "padded_decimal",
        &each(0).map(PaddedDecimal).collect::<Vec<_>>(),
    );
    decode(&mut group, "bytes", &each(0).map(text).collect::<Vec<_>>());
    decode(
        &mut group,
        "descending_bytes",
        &each(0).map(|b| Desc(text(b))).collect::<Vec<_>>(),
    );
    decode(
        &mut group,
        "tuple",
        &each(0)
            .map(|b| (text(b), b, b % 2 == 0))
            .collect::<Vec<_>>(),
    );
    let keys: Vec<_> = bits.iter().map(OrderedKey::to_key).collect();
    group.bench_function("point", |bencher| {
        bencher.iter(|| {
            let numbers = black_box(&keys).iter().map(|key| u64::from_key(key));
            numbers
                .map(|number| number.map(deinterleave))
                .filter(Result::is_ok)
                .count()
        });
    });
    group.finish();
}

/// Sorts `rows` anew in each round.
fn sort<T: Clone>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    rows: &[T],
    order: impl Fn(&mut [T]),
) {
    group.bench_function(name, |bencher| {
        bencher.iter_batched_ref(|| rows.to_vec(), |rows| order(rows), BatchSize::LargeInput);
    });
}

/// The name and the number of a naive row.
fn fields(row: &[u8]) -> (&[u8], &[u8]) {
    let (len, rest) = row.split_first().expect("a row starts with a length");
    rest.split_at(usize::from(*len))
}

/// Is it worth encoding, or could a comparator read naive rows as fast? Rows are byte strings in
/// both cases, as a store has them. The naive ones hold little-endian numbers, and in front of a name
/// its length; no comparator here allocates.
///
/// For a lone number a comparator is faster: it loads two integers, where a byte comparison calls a
/// function. Sorted keys win as soon as there are two fields, and they need no code in the store:
/// separators, prefixes, filters and every tool work on them as they are.
fn sorting(c: &mut Criterion) {
    let bits = arbitrary(ROWS, 6);
    let mut group = c.benchmark_group("keys/sort");
    group.throughput(Throughput::Elements(ROWS as u64));
    let number = |row: &[u8]| row.try_into().map(u64::from_le_bytes).unwrap_or_default();
    let signed = |row: &[u8]| number(row).cast_signed();
    let float = |row: &[u8]| f64::from_bits(number(row));
    let scores = || bits.iter().map(|bits| bits.cast_signed() as f64);

    let keys: Vec<_> = bits
        .iter()
        .map(|bits| bits.cast_signed().to_key())
        .collect();
    sort(&mut group, "i64_keys", &keys, <[_]>::sort_unstable);
    let rows: Vec<_> = bits
        .iter()
        .map(|bits| bits.to_le_bytes().to_vec())
        .collect();
    sort(&mut group, "i64_comparator", &rows, |rows| {
        rows.sort_unstable_by(|a, b| Ord::cmp(&signed(a), &signed(b)));
    });

    let keys: Vec<_> = scores().map(|score| score.to_key()).collect();
    sort(&mut group, "f64_keys", &keys, <[_]>::sort_unstable);
    let rows: Vec<_> = scores().map(|score| score.to_le_bytes().to_vec()).collect();
    sort(&mut group, "f64_comparator", &rows, |rows| {
        rows.sort_unstable_by(|a, b| float(a).total_cmp(&float(b)));
    });

    // Few names, so that the number often decides. Newest first.
    let name = |bits: u64| format!("board:{}", bits % 16).into_bytes();
    let keys: Vec<_> = bits
        .iter()
        .map(|&bits| (name(bits), Desc(bits)).to_key())
        .collect();
    sort(&mut group, "tuple_keys", &keys, <[_]>::sort_unstable);
    let naive = |bits: u64| {
        let name = name(bits);
        [&[name.len() as u8], name.as_slice(), &bits.to_le_bytes()].concat()
    };
    let rows: Vec<_> = bits.iter().map(|&bits| naive(bits)).collect();
    sort(&mut group, "tuple_comparator", &rows, |rows| {
        rows.sort_unstable_by(|a, b| {
            let ((name_a, time_a), (name_b, time_b)) = (fields(a), fields(b));
            name_a
                .cmp(name_b)
                .then_with(|| number(time_b).cmp(&number(time_a)))
        });
    });

    let points = || bits.iter().map(|bits| point(*bits));
    let keys: Vec<_> = points().map(|(x, y)| interleave(x, y).to_key()).collect();
    sort(&mut group, "point_keys", &keys, <[_]>::sort_unstable);
    let rows: Vec<_> = points()
        .map(|(x, y)| [x.to_le_bytes(), y.to_le_bytes()].concat())
        .collect();
    // The naive row has `x` in its first half, the low one of a little-endian number.
    let coordinates = |row: &[u8]| (number(row) as u32, (number(row) >> 32) as u32);
    sort(&mut group, "point_comparator", &rows, |rows| {
        rows.sort_unstable_by(|a, b| by_highest_difference(coordinates(a), coordinates(b)));
    });
    let (mut keys, mut rows) = (keys, rows);
    keys.sort_unstable();
    rows.sort_unstable_by(|a, b| by_highest_difference(coordinates(a), coordinates(b)));
    let same = keys.iter().zip(&rows).all(|(key, row)| {
        let (x, y) = coordinates(row);
        *key == interleave(x, y).to_key()
    });
    assert!(same, "both ways give one order");
    group.finish();
}

/// The same question for what has no fixed size: texts of digits, numbers, names in both directions, pairs of names.
fn sorting_variable(c: &mut Criterion) {
    let bits = arbitrary(ROWS, 7);
    let mut group = c.benchmark_group("keys/sort_variable");
    group.throughput(Throughput::Elements(ROWS as u64));
    let small = || bits.iter().map(|bits| bits >> (bits % 64));

    let keys: Vec<_> = small()
        .map(|number| PaddedDecimal(number).to_key())
        .collect();
    sort(
        &mut group,
        "decimal_padded_keys",
        &keys,
        <[_]>::sort_unstable,
    );
    let rows: Vec<_> = small()
        .map(|number| number.to_string().into_bytes())
        .collect();
    let parsed = |row: &[u8]| {
        row.iter()
            .fold(0_u64, |sum, digit| 10 * sum + u64::from(digit - b'0'))
    };
    sort(&mut group, "decimal_comparator", &rows, |rows| {
        rows.sort_unstable_by_key(|row| parsed(row));
    });

    let keys: Vec<_> = small().map(|number| Varint(number).to_key()).collect();
    sort(&mut group, "varint_keys", &keys, <[_]>::sort_unstable);
    let rows: Vec<_> = small().map(leb128).collect();
    sort(&mut group, "varint_comparator", &rows, |rows| {
        rows.sort_unstable_by_key(|row| from_leb128(row));
    });

    // With its length in front, as a naive row holds a name that something may follow.
    let name = |bits: u64| format!("player:{bits:020}").into_bytes();
    let keys: Vec<_> = small().map(|bits| name(bits).to_key()).collect();
    sort(&mut group, "escaped_keys", &keys, <[_]>::sort_unstable);
    let rows: Vec<_> = small()
        .map(|bits| [&[name(bits).len() as u8], name(bits).as_slice()].concat())
        .collect();
    sort(&mut group, "escaped_comparator", &rows, |rows| {
        rows.sort_unstable_by(|a, b| fields(a).cmp(&fields(b)));
    });
    let keys: Vec<_> = small().map(|bits| Desc(name(bits)).to_key()).collect();
    sort(&mut group, "descending_keys", &keys, <[_]>::sort_unstable);
    sort(&mut group, "descending_comparator", &rows, |rows| {
        rows.sort_unstable_by(|a, b| fields(b).cmp(&fields(a)));
    });

    let pair = |bits: u64| {
        let first = format!("board:{}", bits % 16).into_bytes();
        (first, format!("player:{bits:020}").into_bytes())
    };
    let keys: Vec<_> = bits.iter().map(|&bits| pair(bits).to_key()).collect();
    sort(&mut group, "escaped_pair_keys", &keys, <[_]>::sort_unstable);
    let rows: Vec<_> = bits
        .iter()
        .map(|&bits| {
            let (first, second) = pair(bits);
            [&[first.len() as u8], first.as_slice(), &second].concat()
        })
        .collect();
    sort(&mut group, "escaped_pair_comparator", &rows, |rows| {
        rows.sort_unstable_by(|a, b| fields(a).cmp(&fields(b)));
    });
    group.finish();
}

/// The usual varint, seven bits a byte from the low end: and out of order.
fn leb128(mut number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
    out
}

fn from_leb128(row: &[u8]) -> u64 {
    let low_end_last = row.iter().rev();
    low_end_last.fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f))
}

/// What does the bound of a range cost, with and without a carry?
fn bounds(c: &mut Criterion) {
    let mut group = c.benchmark_group("keys/prefix_successor");
    let plain = [0x61; 24];
    let mut carry = [0xff; 24];
    carry[0] = 0x61;
    group.bench_function("no_carry", |b| {
        b.iter(|| prefix_successor(black_box(&plain)));
    });
    group.bench_function("carry_over_23_bytes", |b| {
        b.iter(|| prefix_successor(black_box(&carry)));
    });
    group.finish();
}

pub(crate) fn all(c: &mut Criterion) {
    integers(c);
    floats(c);
    short_numbers(c);
    strings(c);
    tuples(c);
    points(c);
    decoding(c);
    sorting(c);
    sorting_variable(c);
    bounds(c);
}
