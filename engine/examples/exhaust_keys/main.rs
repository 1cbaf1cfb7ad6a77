//! Tries every value, and every pair where that is feasible, and says how long it took.
//!
//! ```text
//! cargo run --release -p engine --example exhaust_keys
//! ```
//!
//! For 8 and 16 bits every pair is compared: `a < b` exactly when `a`'s key comes first. For 32
//! bits that would be 2^64 pairs. There the values are walked in ascending order instead, and each
//! key must be greater than the one before. `<` on byte strings is transitive, so the order of all
//! pairs follows. Every value must also come back from its key.
//!
//! The orders that keys are compared with are the integers' and floats' own `<`, not the encoders'.
//! For 64 bits see `engine/proofs`.

mod binary16;
mod zorder;

use std::{
    cmp::Ordering,
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};

use engine::keys::{
    decode_f16_bits, decode_f32, decode_f32_numeric, decode_i8, decode_i16, decode_i32,
    encode_f16_bits, encode_f32, encode_f32_numeric, encode_i8, encode_i16, encode_i32,
};

/// How many comparisons were made, or the first that came out wrong.
type Outcome = Result<u64, String>;

fn main() -> ExitCode {
    println!("{} threads", threads());
    let start = Instant::now();
    let passed = [
        run("i8, all pairs", i8_pairs),
        run("i16, all pairs", i16_pairs),
        run("binary16, all pairs", binary16_pairs),
        run("i32, all neighbours", i32_neighbours),
        run("f32 in total order, all neighbours", f32_neighbours),
        run("f32 as numbers, all neighbours", f32_numeric_neighbours),
        run("Z-order, all points of 16 bits", zorder::points),
        run("Z-order, all boxes of 16 by 16", zorder::boxes),
    ];
    report("all", passed.iter().flatten().sum(), start.elapsed());
    if passed.iter().all(Option::is_some) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn run(name: &str, check: fn() -> Outcome) -> Option<u64> {
    let start = Instant::now();
    match check() {
        Ok(count) => {
            report(name, count, start.elapsed());
            Some(count)
        }
        Err(counterexample) => {
            println!("{name}: WRONG: {counterexample}");
            None
        }
    }
}

fn report(name: &str, count: u64, time: Duration) {
    println!(
        "{name:<36} {count:>12} comparisons {:>7.2} s",
        time.as_secs_f64()
    );
}

fn threads() -> u64 {
    thread::available_parallelism().map_or(1, |count| count.get() as u64)
}

/// Splits `0..count` among the processors and adds up the counts that `check(from, to)` returned.
fn in_parallel(count: u64, check: impl Fn(u64, u64) -> Outcome + Sync) -> Outcome {
    let share = count.div_ceil(threads());
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads())
            .map(|n| {
                let (from, to) = ((n * share).min(count), ((n + 1) * share).min(count));
                let check = &check;
                scope.spawn(move || check(from, to))
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a check returns its failure"))
            .sum()
    })
}

/// Compares every pair of `items` by `order` and by key. Each item comes with its key already encoded.
fn all_pairs<T: Copy + Sync, const N: usize>(
    items: &[(T, [u8; N])],
    order: impl Fn(T, T) -> Ordering + Sync,
    show: impl Fn(T) -> String + Sync,
) -> Outcome {
    in_parallel(items.len() as u64, |from, to| {
        for &(a, key_a) in &items[from as usize..to as usize] {
            for &(b, key_b) in items {
                if order(a, b) != key_a.cmp(&key_b) {
                    return Err(format!(
                        "{} and {}: {key_a:02x?} and {key_b:02x?}",
                        show(a),
                        show(b)
                    ));
                }
            }
        }
        Ok((to - from) * items.len() as u64)
    })
}

fn i8_pairs() -> Outcome {
    let items: Vec<_> = (i8::MIN..=i8::MAX)
        .map(|value| (value, encode_i8(value)))
        .collect();
    if let Some((value, _)) = items.iter().find(|(value, key)| decode_i8(*key) != *value) {
        return Err(format!("{value} does not come back"));
    }
    all_pairs(&items, |a, b| a.cmp(&b), |value| value.to_string())
}

fn i16_pairs() -> Outcome {
    let items: Vec<_> = (i16::MIN..=i16::MAX)
        .map(|value| (value, encode_i16(value)))
        .collect();
    if let Some((value, _)) = items.iter().find(|(value, key)| decode_i16(*key) != *value) {
        return Err(format!("{value} does not come back"));
    }
    all_pairs(&items, |a, b| a.cmp(&b), |value| value.to_string())
}

fn binary16_pairs() -> Outcome {
    let items: Vec<_> = (0..=u16::MAX)
        .map(|bits| ((bits, binary16::value(bits)), encode_f16_bits(bits)))
        .collect();
    if let Some(((bits, _), _)) = items
        .iter()
        .find(|((bits, _), key)| decode_f16_bits(*key) != *bits)
    {
        return Err(format!("{bits:04x} does not come back"));
    }
    all_pairs(&items, binary16::total_order, |(bits, value)| {
        format!("{bits:04x} = {value}")
    })
}

/// How many values 32 bits have.
const ALL_32: u64 = 1 << 32;

fn i32_neighbours() -> Outcome {
    let value = |index: u64| (i64::from(i32::MIN) + index as i64) as i32;
    in_parallel(ALL_32, |from, to| {
        for index in from..to {
            let this = value(index);
            let key = encode_i32(this);
            if decode_i32(key) != this {
                return Err(format!("{this} does not come back"));
            }
            if let Some(next) = this.checked_add(1)
                && encode_i32(next) <= key
            {
                return Err(format!("{this} and {next}: the keys do not ascend"));
            }
        }
        // The very last value has no neighbour above it.
        Ok(to.min(ALL_32 - 1) - from)
    })
}

/// The `index`-th `f32`, counted from the NaN farthest below -inf. The caller checks that this order is right.
fn f32_at(index: u64) -> f32 {
    let half = ALL_32 / 2;
    let bits = if index < half {
        ALL_32 - 1 - index
    } else {
        index - half
    };
    f32::from_bits(bits as u32)
}

/// Whether `a` and `b` are neighbours in the right order, by `<` for numbers and by IEEE 754 for
/// the rest: the zeros by sign, NaNs outside the infinities by payload.
fn f32_ascends(a: f32, b: f32) -> bool {
    let payload = |nan: f32| nan.to_bits() & 0x007f_ffff;
    match (a.is_nan(), b.is_nan()) {
        (false, false) if a == b => a.is_sign_negative() && b.is_sign_positive(),
        (false, false) => a < b,
        (true, false) => a.is_sign_negative() && b == f32::NEG_INFINITY,
        (false, true) => a == f32::INFINITY && b.is_sign_positive(),
        (true, true) if a.is_sign_negative() => b.is_sign_negative() && payload(a) > payload(b),
        (true, true) => b.is_sign_positive() && payload(a) < payload(b),
    }
}

fn f32_neighbours() -> Outcome {
    in_parallel(ALL_32, |from, to| {
        for index in from..to {
            let this = f32_at(index);
            let key = encode_f32(this);
            if decode_f32(key).to_bits() != this.to_bits() {
                return Err(format!("{:08x} does not come back", this.to_bits()));
            }
            if index + 1 == ALL_32 {
                continue;
            }
            let next = f32_at(index + 1);
            if !f32_ascends(this, next) || encode_f32(next) <= key {
                return Err(format!("{this:?} and {next:?}: the keys do not ascend"));
            }
        }
        Ok(to.min(ALL_32 - 1) - from)
    })
}

fn f32_numeric_neighbours() -> Outcome {
    in_parallel(ALL_32 - 1, |from, to| {
        let mut count = 0;
        let mut after = encode_f32_numeric(f32_at(from));
        for index in from..to {
            let (this, next) = (f32_at(index), f32_at(index + 1));
            let here = std::mem::replace(&mut after, encode_f32_numeric(next));
            let (Ok(key), Ok(next_key)) = (here, after) else {
                if this.is_nan() || next.is_nan() {
                    continue;
                }
                return Err(format!("{this:?} or {next:?} is refused"));
            };
            if this.partial_cmp(&next) != Some(key.cmp(&next_key)) {
                return Err(format!(
                    "{this:?} and {next:?}: the keys do not sort as the numbers"
                ));
            }
            if decode_f32_numeric(key) != Ok(this) {
                return Err(format!("{this:?} does not come back"));
            }
            count += 1;
        }
        Ok(count)
    })
}
