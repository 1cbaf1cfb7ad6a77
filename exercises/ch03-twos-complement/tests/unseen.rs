//! Wrong and right answers that no gallery holds: what is said of them must be true.

#[path = "../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../checks/nine_bytes.rs"]
#[expect(dead_code, reason = "its mistakes are part of the module tree")]
mod nine_bytes;
#[path = "../checks/order_i64.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod order_i64;
#[path = "../checks/predict_order.rs"]
#[expect(dead_code, reason = "its mistakes are part of the module tree")]
mod predict_order;
#[path = "../checks/scan_bounds.rs"]
#[expect(dead_code, reason = "its mistakes are part of the module tree")]
mod scan_bounds;
#[path = "../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../checks/test_i64_keys.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_i64_keys;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use kit::unseen::{judged, named, observed, pairs_call_nothing_right};
use kit::{Codec, State, Verdict};

const TOP: u64 = 1 << 63;

fn right(value: i64) -> [u8; 8] {
    (value.cast_unsigned() ^ TOP).to_be_bytes()
}

fn back(key: [u8; 8]) -> i64 {
    (u64::from_be_bytes(key) ^ TOP).cast_signed()
}

fn codec(
    encode: impl Fn(i64) -> [u8; 8] + Send + Sync + 'static,
    decode: impl Fn([u8; 8]) -> i64 + Send + Sync + 'static,
) -> Verdict {
    judged(&order_i64::exercise_of(Codec::fixed(encode, decode)))
}

fn scanned(
    scan: impl Fn(&BTreeSet<[u8; 4]>, i32, i32) -> Vec<i32> + Send + Sync + 'static,
) -> Verdict {
    judged(&scan_bounds::exercise_of(Arc::new(scan)))
}

#[test]
fn right_answers_pass_however_they_are_written() {
    let by_sum = |v: i64| {
        let n = i128::from(v) + (1 << 63);
        let mut key = [0; 8];
        for (i, byte) in key.iter_mut().enumerate() {
            *byte = u8::try_from(n >> (56 - 8 * i) & 0xff).unwrap();
        }
        key
    };
    let by_text = |k: [u8; 8]| {
        let digits: String = k.iter().map(|b| format!("{b:02x}")).collect();
        let n = i128::from_str_radix(&digits, 16).unwrap() - (1 << 63);
        i64::try_from(n).unwrap()
    };
    assert_eq!(codec(by_sum, by_text).state, State::Passed);
}

#[test]
fn the_wrong_bit_is_pointed_at() {
    let verdict = codec(|v| (v.cast_unsigned() ^ 1 << 61).to_be_bytes(), back);
    observed(
        &verdict,
        "order",
        &[
            "On every probe the key is the right one with these bits inverted: a0 00 00 00 00 00 00 00",
            "All negative numbers sort after all non-negative numbers.",
        ],
    );
    let verdict = codec(|v| (v.cast_unsigned() ^ TOP ^ 1).to_be_bytes(), back);
    observed(
        &verdict,
        "order",
        &[
            "these bits inverted: 00 00 00 00 00 00 00 01",
            "encode(1)",
            "though 0 < 1",
        ],
    );
}

#[test]
fn a_shuffle_of_bytes_is_spelt_out() {
    let swapped = |v| {
        let mut key = right(v);
        key.swap(6, 7);
        key
    };
    observed(
        &codec(swapped, back),
        "order",
        &["its bytes in the order 0 1 2 3 4 5 7 6", "though 1 < 256"],
    );
}

#[test]
fn one_wrong_value_is_found_and_named() {
    let verdict = codec(|v| if v == 977 { [0; 8] } else { right(v) }, back);
    observed(
        &verdict,
        "order",
        &[
            "The key is the right one on every probe except encode(977).",
            "though 0 < 977",
            "The negative numbers are in order among themselves.",
        ],
    );
}

#[test]
fn halves_are_told_apart() {
    let verdict = codec(|v| if v < 0 { v.to_le_bytes() } else { right(v) }, back);
    observed(
        &verdict,
        "order",
        &[
            "The non-negative numbers are in order among themselves.",
            "The negative numbers are not in order among themselves.",
            "On the negative numbers it behaves like plain little-endian.",
        ],
    );
}

#[test]
fn shared_keys_are_shown() {
    let verdict = codec(|v| right(v / 2), back);
    observed(
        &verdict,
        "order",
        &[
            "0 and 1 are different, but both become 80 00 00 00 00 00 00 00.",
            "The non-negative numbers are never out of order among themselves, but some of them share a key.",
        ],
    );
    #[expect(clippy::cast_precision_loss, reason = "this is the wrong answer")]
    let verdict = codec(|v| (v as f64).to_be_bytes(), back);
    observed(
        &verdict,
        "order",
        &[
            "though -2 < -1",
            "Different inputs share a key: encode(9007199254740992) and encode(9007199254740993)",
        ],
    );
}

#[test]
fn panics_and_open_ends_are_told_by_class() {
    let only_large = |v: i64| {
        assert!(v.unsigned_abs() > 300, "too small");
        right(v)
    };
    observed(
        &codec(only_large, back),
        "returns",
        &[
            "encode(0) panics at",
            "too small",
            "It panics on the numbers near zero, all of them and no others.",
            "Where it answers, the keys are in order.",
        ],
    );
    // Whatever the reason is: what is said of it begins with an "if".
    let only_positive = |v| {
        assert!(v >= 0, "no negatives");
        right(v)
    };
    let verdict = codec(only_positive, back);
    named(&verdict, "panics_below_zero");
    assert!(verdict.message.contains("no negatives"));
    let half_done = |v: i64| if v < 0 { todo!() } else { right(v) };
    observed(
        &codec(half_done, back),
        "returns",
        &[
            "encode(-1) reaches a `todo!()`",
            "A `todo!()` is left on the negative numbers",
        ],
    );
}

#[test]
fn a_wrong_decoder_beside_a_right_encoder() {
    let verdict = codec(right, |k| back(k).wrapping_neg());
    observed(
        &verdict,
        "round-trip",
        &[
            "decode(80 00 00 00 00 00 00 01) must be 1, but it is -1",
            "its sign turned",
            "`encode` is right.",
        ],
    );
    named(
        &codec(right, |k| back(k).wrapping_abs()),
        "decode_sign_lost",
    );
}

#[test]
fn what_is_open_is_said_beside_what_is_right() {
    let verdict = codec(right, |_| todo!());
    assert_eq!(verdict.state, State::Failing);
    assert_eq!(
        verdict.diagnosis.as_deref(),
        Some("`encode` is right. `decode` is still `todo!()`.")
    );
    let verdict = codec(i64::to_be_bytes, |_| todo!());
    named(&verdict, "sign_bit_not_flipped");
    let text = verdict.diagnosis.unwrap();
    assert!(text.contains("plain big-endian"), "{text}");
    assert!(text.ends_with("`decode` is still `todo!()`."), "{text}");
}

#[test]
fn two_misconceptions_are_named_as_two() {
    // The rule for floats, and the bytes the wrong way round.
    let both = |v: i64| {
        let bits = v.cast_unsigned();
        (if v < 0 { !bits } else { bits ^ TOP }).to_le_bytes()
    };
    let verdict = codec(both, back);
    assert_eq!(
        verdict.mistake.as_deref(),
        Some("little_endian_flipped+negatives_inverted")
    );
    assert!(
        verdict.message.contains("Two things at once."),
        "{}",
        verdict.message
    );
    // One in each function.
    let verdict = codec(i64::to_be_bytes, |k| {
        (u64::from_le_bytes(k) ^ TOP).cast_signed()
    });
    named(&verdict, "sign_bit_not_flipped");
    assert!(verdict.message.contains("`decode_little_endian_flipped`"));
}

#[test]
fn a_wrong_pair_that_fits_together_is_said_to_fit() {
    let verdict = codec(i64::to_le_bytes, i64::from_le_bytes);
    named(&verdict, "little_endian");
    assert!(
        verdict
            .message
            .contains("`decode` undoes what your code writes")
    );
}

fn number(row: [u8; 4]) -> i32 {
    (u32::from_be_bytes(row) ^ 1 << 31).cast_signed()
}

#[test]
fn a_scan_may_walk_all_rows() {
    let walk = |rows: &BTreeSet<[u8; 4]>, low, high| {
        let mut found: Vec<i32> = rows.iter().map(|row| number(*row)).collect();
        found.sort_unstable();
        found.retain(|n| (low..=high).contains(n));
        found
    };
    assert_eq!(scanned(walk).state, State::Passed);
}

#[test]
fn a_scan_that_is_wrong_in_a_new_way_is_told_by_class() {
    // Bounds compared as unsigned numbers: right within a sign, nothing across zero. It has a name.
    let unsigned = |rows: &BTreeSet<[u8; 4]>, low: i32, high: i32| {
        let numbers = rows.iter().map(|row| number(*row));
        let inside = |n: &i32| {
            let bits = n.cast_unsigned();
            low.cast_unsigned() <= bits && bits <= high.cast_unsigned()
        };
        numbers.filter(inside).collect()
    };
    named(&scanned(unsigned), "numbers_compared_as_unsigned");
    // The least number is lost, wherever it would be.
    let short = |rows: &BTreeSet<[u8; 4]>, low, high| {
        let inside = |n: &i32| (low..=high).contains(n) && *n != i32::MIN;
        rows.iter().map(|row| number(*row)).filter(inside).collect()
    };
    named(&scanned(short), "least_number_lost");
    // Another one that is lost.
    let without = |rows: &BTreeSet<[u8; 4]>, low, high| {
        let inside = |n: &i32| (low..=high).contains(n) && *n != -70_000;
        rows.iter().map(|row| number(*row)).filter(inside).collect()
    };
    observed(
        &scanned(without),
        "range",
        &[
            "It is wrong on",
            "It is right on all ranges without negative bounds",
        ],
    );
}

#[test]
fn nine_bytes_in_a_new_wrong_way() {
    let right = solutions::nine_bytes::decode;
    let ff = |v: i64| {
        let mut key = solutions::nine_bytes::encode(v);
        key[0] = if v < 0 { 0 } else { 0xff };
        key
    };
    let exercise = nine_bytes::exercise_of(Codec::new(ff, right));
    observed(
        &judged(&exercise),
        "bytes",
        &[
            "encode(0) must be 3d 00 00 00 00 00 00 00 00, but it is ff 00",
            "The keys are in order.",
            "On the negative numbers, the key is the right one with these bits inverted: 3c 00",
        ],
    );
    let strict = move |key: &[u8]| right(key).filter(|v| *v != i64::MIN);
    let exercise = nine_bytes::exercise_of(Codec::new(solutions::nine_bytes::encode, strict));
    observed(
        &judged(&exercise),
        "round-trip",
        &[
            "must be Some(-9223372036854775808), but it is None",
            "`encode` is right.",
        ],
    );
}

/// What a learner writes whose scan lacks one thing: `range` asked as it stands.
#[test]
fn a_natural_scan_without_its_guard_is_named() {
    let no_guard = |rows: &BTreeSet<[u8; 4]>, low, high| {
        let range = stubs::scan_bounds::key(low)..=stubs::scan_bounds::key(high);
        rows.range(range).map(|row| number(*row)).collect()
    };
    let verdict = scanned(no_guard);
    named(&verdict, "crossed_bounds_panic");

    let half_open = |rows: &BTreeSet<[u8; 4]>, low, high| {
        let range = stubs::scan_bounds::key(low)..stubs::scan_bounds::key(high);
        rows.range(range).map(|row| number(*row)).collect()
    };
    assert_eq!(
        scanned(half_open).mistake.as_deref(),
        Some("crossed_bounds_panic+high_excluded")
    );

    let plain = |rows: &BTreeSet<[u8; 4]>, low: i32, high: i32| {
        if low > high {
            return Vec::new();
        }
        let range = low.to_be_bytes()..=high.to_be_bytes();
        rows.range(range).map(|row| number(*row)).collect()
    };
    assert_eq!(
        scanned(plain).mistake.as_deref(),
        Some("bounds_not_flipped")
    );
}

#[test]
fn a_class_that_is_wrong_as_a_whole_is_said_once() {
    // Rows of another length are answered by zero.
    let decode = |key: &[u8]| {
        if key.len() == 9 {
            solutions::nine_bytes::decode(key)
        } else {
            Some(0)
        }
    };
    let codec = Codec::new(solutions::nine_bytes::encode, decode);
    let verdict = judged(&nine_bytes::exercise_of(codec));
    observed(
        &verdict,
        "round-trip",
        &["4 of 4 rows that are too short, 5 of 5 rows that are too long"],
    );
    let again = verdict.message.matches("rows that are too short").count();
    assert_eq!(again, 1, "{}", verdict.message);
}

fn tested(
    test: impl Fn(&dyn Fn(i64) -> Vec<u8>, &dyn Fn(&[u8]) -> i64) + Send + Sync + 'static,
) -> Verdict {
    judged(&test_i64_keys::exercise_of(test_i64_keys::tester(test)))
}

#[test]
fn a_good_test_passes_however_it_is_written() {
    // All pairs of fewer numbers, by comparing the two orders.
    let verdict = tested(|encode, decode| {
        let sizes = (0..63).flat_map(|bit| [1_i64 << bit, (1 << bit) + 1]);
        let numbers: Vec<i64> = sizes
            .flat_map(|n| [n, -n, n - 2])
            .chain([i64::MIN, i64::MAX, i64::MAX - 1])
            .collect();
        for a in &numbers {
            assert_eq!(decode(&encode(*a)), *a);
            for b in &numbers {
                assert_eq!(encode(*a).cmp(&encode(*b)), a.cmp(b));
            }
        }
    });
    assert_eq!(verdict.state, State::Passed);
}

#[test]
fn a_weak_test_that_nobody_foresaw_is_told_its_score() {
    let verdict = tested(|encode, _| assert!(encode(-256) < encode(256)));
    observed(
        &verdict,
        "kills",
        &[
            "killed 2 of 12: your test accepts 10 wrong encoders.",
            "negatives_inverted It inverts every bit of a negative number, as is right for floats. It shows among the",
            "and 7 more: ",
            "On a right one, your test makes 2 calls: encode(-256), encode(256)",
            "It accepts 3 of 3 right implementations, and refuses 2 of 12 mistakes.",
        ],
    );
}

#[test]
fn a_test_that_refuses_a_right_answer_is_told_why() {
    // Fewer than nine bytes are demanded, and nothing else.
    let verdict = tested(|encode, _| assert!(encode(0).len() < 9, "too long"));
    observed(
        &verdict,
        "accepts-right",
        &[
            "your test refuses a right answer, `marker_in_front`.",
            "It writes nine bytes: 3c before",
            "Your test: It panics at",
            "too long. Its only call was encode(0) = 3d 00 00 00 00 00 00 00 00.",
            "It accepts 2 of 3 right implementations, and refuses 1 of 12 mistakes.",
        ],
    );
}

#[test]
fn a_test_that_is_half_written_is_told_so() {
    let verdict = tested(|encode, _| {
        assert!(encode(-1) < encode(0));
        todo!("the round trip")
    });
    observed(
        &verdict,
        "returns",
        &["test(sign_bit_flipped) reaches a `todo!()`."],
    );
}

#[test]
fn a_test_that_panics_by_itself_refuses_nobody() {
    let verdict = tested(|encode, decode| {
        let numbers = [i64::MIN, -1, 0, 1, i64::MAX];
        for a in numbers {
            assert_eq!(decode(&encode(a)), a);
            for b in numbers {
                assert_eq!(a - b < 0, encode(a) < encode(b));
            }
        }
    });
    observed(
        &verdict,
        "accepts-right",
        &[
            "your test panics by itself at ",
            "attempt to subtract with overflow",
            "It was tried on a right encoder, `sign_bit_flipped`:",
        ],
    );
}

#[test]
fn a_range_is_no_page() {
    let page = |rows: &BTreeSet<[u8; 4]>, low, high| {
        let mut found = solutions::scan_bounds::scan(rows, low, high);
        found.truncate(5000);
        found
    };
    observed(&scanned(page), "range", &["scan({-2550 to 2549}, "]);
}

#[test]
fn sums_that_do_not_fit_are_told_by_where_they_panic() {
    named(
        &codec(|v| (v.cast_unsigned() + TOP).to_be_bytes(), back),
        "panics_below_zero",
    );
    let first_byte_raised = |v: i64| {
        let mut key = v.to_be_bytes();
        key[0] += 0x80;
        key
    };
    named(&codec(first_byte_raised, back), "panics_below_zero");
    named(
        &codec(|v| (v - i64::MIN).to_be_bytes(), back),
        "panics_from_zero_on",
    );
    named(
        &codec(right, |key| (u64::from_be_bytes(key) - TOP).cast_signed()),
        "decode_panics_below_zero",
    );
    let subtracted = |row: &[u8; 4]| (u32::from_be_bytes(*row) - (1 << 31)).cast_signed();
    let verdict = scanned(move |rows, low, high| {
        if low > high {
            return Vec::new();
        }
        let range = stubs::scan_bounds::key(low)..=stubs::scan_bounds::key(high);
        rows.range(range).map(subtracted).collect()
    });
    named(&verdict, "panics_on_rows_below_zero");
}

#[test]
fn what_an_encoder_adds_is_not_said_of_a_decoder() {
    let by_max = |key| {
        u64::from_be_bytes(key)
            .wrapping_sub(i64::MAX.cast_unsigned())
            .cast_signed()
    };
    named(&codec(right, by_max), "decode_offset_by_max");
}

#[test]
fn a_prediction_shows_one_wrong_pair_and_not_the_answer() {
    let verdict = judged(&predict_order::exercise_of(predict_order::Orders {
        big_endian: || [0, 256, 1, -300, -200, -1],
        little_endian: solutions::predict_order::little_endian,
        text: || [-1, -200, -300, 0, 256, 256],
    }));
    observed(
        &verdict,
        "big-endian",
        &[
            "you put 256 before 1, but the row of 256 comes after that of 1",
            "1 is missing from your list, and 256 is in it twice",
        ],
    );
    let verdict = judged(&predict_order::exercise_of(predict_order::Orders {
        big_endian: || [0; 6],
        little_endian: solutions::predict_order::little_endian,
        text: solutions::predict_order::text,
    }));
    let said = "-300 is missing from your list, and 0 is in it 6 times";
    observed(&verdict, "big-endian", &[said]);
}

/// Answers in words of their own, each with the name of its mistake.
#[test]
#[expect(clippy::cast_possible_truncation, reason = "these are wrong answers")]
fn keys_in_other_words_are_named() {
    let encoded = |encode: fn(i64) -> [u8; 8]| codec(encode, back);
    named(
        &encoded(|v| right(0_i64.wrapping_sub(v))),
        "negated_before_the_flip",
    );
    let above_zero = |v: i64| {
        let mut key = v.to_be_bytes();
        key[0] = key[0] & 0x7f | if v > 0 { 0x80 } else { 0 };
        key
    };
    named(&encoded(above_zero), "zero_left_below");
    let inverted = |v: i64| {
        let mut key = v.to_be_bytes();
        key[0] = !key[0];
        key
    };
    named(&encoded(inverted), "first_byte_inverted");
    named(
        &encoded(|v| (v ^ 0x8000_0000).to_be_bytes()),
        "bit_31_flipped",
    );
    named(
        &encoded(|v| (v ^ i64::from(i32::MIN)).to_be_bytes()),
        "bits_from_31_on_flipped",
    );
    let four = |v: i64| {
        let mut key = [0; 8];
        key[4..].copy_from_slice(&((v as u32) ^ 1 << 31).to_be_bytes());
        key
    };
    named(&encoded(four), "four_bytes_of_an_i32");
    named(
        &encoded(|v| right(i32::try_from(v).unwrap().into())),
        "wider_than_32_bits_panics",
    );

    let above = |key| u64::from_be_bytes(key) >= TOP;
    let distance = move |key| {
        let n = u64::from_be_bytes(key);
        (if above(key) { n - TOP } else { TOP - n }).cast_signed()
    };
    named(&codec(right, distance), "decode_sign_lost");
    let counted_down = move |key| {
        let n = u64::from_be_bytes(key);
        if above(key) {
            (n - TOP).cast_signed()
        } else {
            -((TOP - 1 - n).cast_signed())
        }
    };
    named(&codec(right, counted_down), "decode_one_more_below_zero");
    let or = |key| i64::from_be_bytes(key) | i64::MIN;
    named(&codec(right, or), "decode_sets_the_sign_bit");
}

#[test]
fn rows_of_ledisdb_in_other_words_are_named() {
    use solutions::nine_bytes::{decode, encode};
    let encoded = |marker: fn(i64) -> u8| {
        let key = move |v: i64| [&[marker(v)][..], &v.to_be_bytes()].concat();
        judged(&nine_bytes::exercise_of(Codec::new(key, decode)))
    };
    named(&encoded(|_| 0x3d), "one_marker_for_all");
    named(
        &encoded(|v| b"<=>"[usize::try_from(v.signum() + 1).unwrap()]),
        "three_markers",
    );
    named(
        &encoded(|v| 0x3e - 2 * u8::from(v < 0)),
        "positive_marked_as_greater",
    );

    let decoded = |decode: fn(&[u8]) -> Option<i64>| {
        judged(&nine_bytes::exercise_of(Codec::new(encode, decode)))
    };
    let unchecked = |key: &[u8]| {
        if key.len() < 9 {
            return None;
        }
        let value = i64::from_be_bytes(key[1..9].try_into().unwrap());
        matches!(key[0], b'<' | b'=').then_some(value)
    };
    named(&decoded(unchecked), "decode_looks_for_a_marker_alone");
    let long_enough =
        |key: &[u8]| (key.len() >= 9).then(|| i64::from_be_bytes(key[1..9].try_into().unwrap()));
    named(&decoded(long_enough), "decode_looks_for_nine_bytes_alone");
    let lowest_first = |key: &[u8]| {
        let value = i64::from_le_bytes(key.get(1..)?.try_into().ok()?);
        let due = if value < 0 { b'<' } else { b'=' };
        (key[0] == due).then_some(value)
    };
    named(&decoded(lowest_first), "decode_little_endian_and_checked");
    let unwrapped = |key: &[u8]| {
        let (&marker, number) = key.split_first()?;
        let value = i64::from_be_bytes(number.try_into().unwrap());
        (marker == if value < 0 { b'<' } else { b'=' }).then_some(value)
    };
    named(&decoded(unwrapped), "decode_panics_on_another_length");
    let positive = |key: &[u8]| {
        let value = i64::from_be_bytes(key.get(1..)?.try_into().ok()?);
        let fits = key[0] == b'<' && value < 0 || key[0] == b'=' && value > 0;
        fits.then_some(value)
    };
    named(&decoded(positive), "decode_refuses_zero");
}

#[test]
fn walks_in_other_words_are_named() {
    let walk = |rows: &BTreeSet<[u8; 4]>| rows.iter().map(|row| number(*row)).collect::<Vec<_>>();
    named(
        &scanned(move |rows, low, high| {
            walk(rows)
                .into_iter()
                .take_while(|n| *n >= low && *n <= high)
                .collect()
        }),
        "stops_before_the_range",
    );
    named(
        &scanned(move |rows, low, high| {
            walk(rows)
                .into_iter()
                .filter(|n| (low..high + 1).contains(n))
                .collect()
        }),
        "high_plus_one_for_each_row",
    );
    named(
        &scanned(|rows, low, high| {
            assert!(low <= high);
            solutions::scan_bounds::scan(rows, low, high)
        }),
        "crossed_bounds_refused",
    );
}

#[test]
#[expect(clippy::cast_possible_truncation, reason = "this is the wrong answer")]
fn rows_read_with_a_bit_or_a_length_too_few_are_refused() {
    use solutions::nine_bytes::{decode, encode};
    let decoded = |decode: fn(&[u8]) -> Option<i64>| {
        judged(&nine_bytes::exercise_of(Codec::new(encode, decode)))
    };
    let seven_bits = decoded(|key| {
        let mut key = key.to_vec();
        *key.first_mut()? &= 0x7f;
        decode(&key)
    });
    observed(&seven_bits, "round-trip", &["It is wrong on decode(bd 00"]);
    let counted_in_a_byte = decoded(|key| {
        let nine = key.len() as u8 == 9;
        nine.then(|| decode(&key[..9]))?
    });
    observed(
        &counted_in_a_byte,
        "round-trip",
        &["must be None, but it is Some(0)"],
    );
}

#[test]
fn a_test_that_asks_small_numbers_for_eight_bytes_is_refused() {
    let verdict = tested(|encode, decode| {
        solutions::test_i64_keys::test(encode, decode);
        assert!(encode(0).len() >= 8, "too short");
    });
    named(&verdict, "length_of_a_key_looked_at");
}

#[test]
fn a_loop_over_all_numbers_is_told_to_go_over_rows() {
    // What takes seconds in a debug build is not waited for.
    let every_number = |rows: &BTreeSet<[u8; 4]>, low: i32, high: i32| {
        if i64::from(high) - i64::from(low) > 1_000_000 {
            kit::unseen::never_returns();
        }
        let found = (low..=high).filter(|n| rows.contains(&stubs::scan_bounds::key(*n)));
        found.collect()
    };
    observed(
        &scanned(every_number),
        "returns",
        &[
            "Do you try every number from `low` to `high`?",
            "Go over the rows",
        ],
    );
}

#[test]
fn limits_and_crossed_bounds_are_named() {
    let above_128 = |key: [u8; 8]| {
        let bits = u64::from_be_bytes(key);
        let is_set = key[0] > 0x80;
        if is_set { bits & !TOP } else { bits | TOP }.cast_signed()
    };
    named(&codec(right, above_128), "decode_tests_byte_above_128");

    named(
        &scanned(|rows, low, high| {
            let (least, greatest) = (low.min(high), low.max(high));
            let all = rows.iter().map(|row| number(*row));
            let mut found: Vec<i32> = all.filter(|n| (least..=greatest).contains(n)).collect();
            if low > high {
                found.reverse();
            }
            found
        }),
        "crossed_bounds_backwards",
    );
    named(
        &scanned(|rows, low, high| {
            let mut found = Vec::new();
            let mut begun = false;
            for n in rows.iter().map(|row| number(*row)) {
                begun |= n == low;
                if begun && n <= high {
                    found.push(n);
                }
            }
            found
        }),
        "low_must_exist",
    );
}

#[test]
fn numbers_below_zero_that_become_zero_are_named() {
    let verdict = codec(|n| n.max(0).to_be_bytes(), solutions::order_i64::decode);
    named(&verdict, "negatives_become_zero");
}

#[test]
fn a_walk_that_waits_for_the_upper_bound_is_named() {
    let verdict = scanned(|rows, low, high| {
        let mut found = Vec::new();
        for row in rows {
            let number = (u32::from_be_bytes(*row) ^ 1 << 31).cast_signed();
            if low <= high && number >= low {
                found.push(number);
            }
            if number == high {
                break;
            }
        }
        found
    });
    named(&verdict, "high_must_exist");
}

#[test]
fn a_bit_that_is_set_in_one_branch_is_not_told_of_an_operator() {
    let flipped_from_zero_on = |value: i64| {
        let bits = value.cast_unsigned();
        (if value < 0 { bits } else { bits ^ TOP }).to_be_bytes()
    };
    let verdict = codec(flipped_from_zero_on, back);
    named(&verdict, "sign_bit_set");
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    assert!(words.join(" ").contains("The bit is 1 in every key then."));
}

#[test]
fn a_decoder_may_turn_the_bytes_after_it_flipped_the_right_bit() {
    let flipped_first = |mut key: [u8; 8]| {
        key[0] ^= 0x80;
        i64::from_le_bytes(key)
    };
    named(
        &codec(right, flipped_first),
        "decode_little_endian_after_the_flip",
    );
    named(
        &codec(right, |key| !i64::from_be_bytes(key)),
        "decode_inverts_every_bit",
    );
}

#[test]
fn keys_in_order_that_are_not_the_right_ones_are_refused() {
    // No number that is tried is one less than the greatest, so no two of the keys are the same.
    let later = |value: i64| right(value.saturating_add(1));
    observed(
        &codec(later, back),
        "bytes",
        &["encode(0) must be 80 00 00 00 00 00 00 00, but it is 80 00 00 00 00 00 00 01."],
    );
}

#[test]
fn a_shift_to_the_left_is_no_zigzag() {
    let verdict = codec(|value| (value << 1).to_be_bytes(), back);
    observed(
        &verdict,
        "order",
        &["though -1 < 0", "Different inputs share a key"],
    );
    assert!(!verdict.message.contains("zigzag"));
}

#[test]
fn nothing_is_called_right_beside_a_mistake() {
    pairs_call_nothing_right(&order_i64::exercise_of(Codec::fixed(right, back)));
    let nine = Codec::new(solutions::nine_bytes::encode, solutions::nine_bytes::decode);
    pairs_call_nothing_right(&nine_bytes::exercise_of(nine));
    pairs_call_nothing_right(&scan_bounds::exercise_of(Arc::new(|_, _, _| Vec::new())));
}

#[test]
fn a_decoder_that_refuses_the_same_key_twice_is_told() {
    let before = Mutex::new([0; 8]);
    let verdict = codec(right, move |key| {
        let is_new = key != std::mem::replace(&mut *before.lock().unwrap(), key);
        if is_new { back(key) } else { 0 }
    });
    observed(&verdict, "same-answer", &["decode(", "and then 0"]);
}

#[test]
fn every_bit_of_a_number_counts() {
    let all = |rows: &BTreeSet<[u8; 4]>| solutions::scan_bounds::scan(rows, i32::MIN, i32::MAX);
    for bit in [3, 12, 27, 30] {
        let verdict = scanned(move |rows, low, high| {
            let without = |number: i32| number & !(1 << bit);
            let inside = |n: &i32| (without(low)..=without(high)).contains(&without(*n));
            all(rows).into_iter().filter(inside).collect()
        });
        observed(&verdict, "range", &["must be"]);
    }
    // 16,777,219 becomes 16,777,220 as an `f32`.
    let compared_as_floats = scanned(|rows, low, high| {
        #[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
        let are_crossed = f64::from(low as f32) > f64::from(high);
        if are_crossed {
            Vec::new()
        } else {
            solutions::scan_bounds::scan(rows, low, high)
        }
    });
    observed(&compared_as_floats, "range", &["must be"]);
}

#[test]
fn a_decoder_that_asks_for_one_end_of_a_length_is_not_said_to_ask_for_none() {
    let no_longer = |key: &[u8]| {
        if key.len() > 9 {
            return None;
        }
        let value = i64::from_be_bytes(key[1..9].try_into().unwrap());
        (solutions::nine_bytes::encode(value) == key).then_some(value)
    };
    let encode = solutions::nine_bytes::encode;
    let verdict = judged(&nine_bytes::exercise_of(Codec::new(encode, no_longer)));
    named(&verdict, "decode_panics_on_short_keys");
    assert!(!verdict.message.contains("without asking"));
}

fn decoded_from_nine(decode: impl Fn(&[u8]) -> Option<i64> + Send + Sync + 'static) -> Verdict {
    let codec = Codec::new(solutions::nine_bytes::encode, decode);
    judged(&nine_bytes::exercise_of(codec))
}

#[test]
fn a_marker_has_eight_bits_and_a_length_more_than_sixteen() {
    let right = solutions::nine_bytes::decode;
    for bit in 2..8 {
        let a_bit_ignored = move |key: &[u8]| {
            let (marker, number) = key.split_first()?;
            let alike = |known: &u8| known | 1 << bit == marker | 1 << bit;
            let meant = [b'<', b'='].into_iter().filter(alike);
            let mut read = meant.filter_map(|known| right(&[&[known], number].concat()));
            read.next()
        };
        let verdict = decoded_from_nine(a_bit_ignored);
        observed(&verdict, "round-trip", &["`encode` is right."]);
    }
    for bits in [8, 16] {
        let counted = move |key: &[u8]| {
            let nine = key.len() & ((1 << bits) - 1) == 9;
            nine.then(|| right(&key[..9])).flatten()
        };
        let verdict = decoded_from_nine(counted);
        observed(&verdict, "round-trip", &["`encode` is right."]);
        assert!(verdict.message.len() < 4000, "the row is cut short");
    }
}

#[test]
fn a_test_that_decodes_what_nobody_wrote_reads_so() {
    let verdict = tested(|encode, decode| {
        solutions::test_i64_keys::test(encode, decode);
        decode(b"");
    });
    // Right functions read other bytes each in its own way, or panic: no length was demanded.
    named(&verdict, "refuses_everything");
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    let asked = "your test asks `decode` for what no `encode` has returned. Its last calls were";
    assert!(words.join(" ").contains(asked));
}
