//! Wrong and right answers that no gallery holds: what is said of them must be true.

pub(crate) use ch04_ieee_754::score_key;

#[path = "../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../checks/numeric_f64.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod numeric_f64;
#[path = "../checks/order_f64.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod order_f64;
#[path = "../checks/predict_floats.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod predict_floats;
#[path = "../checks/score_range.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod score_range;
#[path = "../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../checks/test_score_keys.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_score_keys;

use std::sync::Arc;

use kit::unseen::{Astray, every_bit_counts, judged, named, observed, pairs_call_nothing_right};
use kit::{Codec, State, Verdict};

use numeric_f64::Numeric;
use predict_floats::Orders;
use score_range::Rows;
use solutions::score_range::key;

const TOP: u64 = 1 << 63;

fn codec(
    encode: impl Fn(f64) -> [u8; 8] + Send + Sync + 'static,
    decode: impl Fn([u8; 8]) -> f64 + Send + Sync + 'static,
) -> Verdict {
    judged(&order_f64::exercise_of(Codec::fixed(encode, decode)))
}

fn numeric(
    encode: impl Fn(f64) -> Option<[u8; 8]> + Send + Sync + 'static,
    decode: impl Fn([u8; 8]) -> Option<f64> + Send + Sync + 'static,
) -> Verdict {
    judged(&numeric_f64::exercise_of(Numeric::new(encode, decode)))
}

fn range(scan: impl Fn(&Rows, f64, f64) -> Vec<Vec<u8>> + Send + Sync + 'static) -> Verdict {
    judged(&score_range::exercise_of(Arc::new(scan)))
}

#[test]
fn right_answers_pass_however_they_are_written() {
    // Without a branch: the sign is spread over all bits by an arithmetic shift.
    let by_shift = |v: f64| {
        let bits = v.to_bits();
        let spread = (bits.cast_signed() >> 63).cast_unsigned();
        (bits ^ (spread | TOP)).to_be_bytes()
    };
    let by_bytes = |mut k: [u8; 8]| {
        if k[0] & 0x80 == 0 {
            k = k.map(|byte| !byte);
        } else {
            k[0] -= 0x80;
        }
        f64::from_be_bytes(k)
    };
    assert_eq!(codec(by_shift, by_bytes).state, State::Passed);

    // QDB's test of the value, with a NaN refused before it.
    let qdb = |v: f64| {
        let bits = v.to_bits();
        let key = if v >= 0.0 { bits | TOP } else { !bits };
        (!v.is_nan()).then(|| key.to_be_bytes())
    };
    let by_range = move |k: [u8; 8]| {
        let numbers = key(f64::NEG_INFINITY)..=key(f64::INFINITY);
        let value = by_bytes(k);
        (numbers.contains(&k) && value.to_bits() != TOP).then_some(value)
    };
    assert_eq!(numeric(qdb, by_range).state, State::Passed);

    let by_walking = |rows: &Rows, min: f64, max: f64| {
        let score = |row: &[u8]| solutions::order_f64::decode(row[..8].try_into().unwrap());
        let inside = rows.iter().filter(|row| (min..=max).contains(&score(row)));
        inside.map(|row| row[8..].to_vec()).collect()
    };
    assert_eq!(range(by_walking).state, State::Passed);
    let by_prefix = |rows: &Rows, min: f64, max: f64| {
        let (low, high) = (key(min).to_vec(), key(max).to_vec());
        let from = rows.iter().skip_while(|row| **row < low);
        let inside = from.take_while(|row| row[..8] <= high[..]);
        inside.map(|row| row[8..].to_vec()).collect()
    };
    assert_eq!(range(by_prefix).state, State::Passed);
}

#[test]
fn what_becomes_of_the_bits_is_spelt_out() {
    use solutions::order_f64::{decode, encode};
    let last_bit = |v| (u64::from_be_bytes(encode(v)) ^ 1).to_be_bytes();
    observed(
        &codec(last_bit, decode),
        "order",
        &[
            "though 1.0 < 1.0000000000000002",
            "All values with the sign bit sort before all values without the sign bit, as they should.",
            "these bits inverted: 00 00 00 00 00 00 00 01",
        ],
    );
    let swapped = |v| {
        let mut key = encode(v);
        key.swap(0, 1);
        key
    };
    observed(
        &codec(swapped, decode),
        "order",
        &["though 1.0 < 2.0", "its bytes in the order 1 0 2 3 4 5 6 7"],
    );
}

#[test]
fn the_half_that_is_wrong_is_pointed_at() {
    use solutions::order_f64::{decode, encode};
    let negatives_by_magnitude = |v: f64| {
        if v < 0.0 {
            (!(-v).to_bits()).to_be_bytes()
        } else {
            encode(v)
        }
    };
    observed(
        &codec(negatives_by_magnitude, decode),
        "order",
        &["though -1.0 < -0.0", "`decode` is right."],
    );
    let subnormals_lost = |v: f64| {
        if v.is_subnormal() {
            encode(0.0)
        } else {
            encode(v)
        }
    };
    observed(
        &codec(subnormals_lost, decode),
        "order",
        &["right one on every probe except the subnormal numbers, all of them and no others."],
    );
    let no_infinities = |v: f64| {
        assert!(!v.is_infinite(), "no infinities");
        encode(v)
    };
    observed(
        &codec(no_infinities, decode),
        "returns",
        &[
            "It panics on encode(inf), encode(-inf).",
            "Where it answers, the keys are in order.",
        ],
    );
}

#[test]
fn a_wrong_decoder_beside_a_right_encoder() {
    use solutions::order_f64::{decode, encode};
    let clamped = |key| decode(key).clamp(f64::MIN, f64::MAX);
    observed(
        &codec(encode, clamped),
        "round-trip",
        &[
            "decode(ff f0 00 00 00 00 00 00) must be inf, but it is 1.7976931348623157e308",
            "`encode` is right.",
        ],
    );
    // Written in other words, and the same misconception.
    let minus_the_key = |key: [u8; 8]| {
        let bits = u64::from_be_bytes(key);
        if bits >= TOP {
            f64::from_bits(bits - TOP)
        } else {
            -f64::from_bits(bits)
        }
    };
    named(&codec(encode, minus_the_key), "decode_always_flips");
}

#[test]
fn two_misconceptions_are_named_as_two() {
    use solutions::order_f64::{decode, encode};
    let turned_round = |v: f64| (v.to_bits() ^ TOP).to_le_bytes();
    named(
        &codec(turned_round, decode),
        "sign_bit_flipped+right_bits_little_endian",
    );
    let finite = |v: f64| (v.is_finite() && v != 0.0).then(|| encode(v));
    named(
        &numeric(finite, solutions::numeric_f64::decode),
        "zeros_refused+infinities_refused",
    );
    let one_ff_unchecked = |rows: &Rows, min: f64, max: f64| {
        let found = rows.range(key(min).to_vec()..=[&key(max)[..], b"\xff"].concat());
        found.map(|row| row[8..].to_vec()).collect()
    };
    named(
        &range(one_ff_unchecked),
        "ends_at_one_ff+crossed_bounds_panic",
    );
}

#[test]
fn what_is_refused_has_no_place_in_the_order() {
    use solutions::numeric_f64::{decode, encode};
    let nan_last = |v: f64| encode(v).or(Some([0xff; 8]));
    named(&numeric(nan_last, decode), "nan_has_the_greatest_key");
    let nan_after_inf = |v: f64| encode(v).or(Some([0xff, 0xf1, 0, 0, 0, 0, 0, 0]));
    observed(
        &numeric(nan_after_inf, decode),
        "refusal",
        &[
            "The keys are in order.",
            "every probe except the NaNs, all of them and no others.",
        ],
    );
    let unwrapped = |v: f64| Some(encode(v).unwrap());
    named(&numeric(unwrapped, decode), "nans_panic");
    let rounded = |v: f64| encode((v * 1000.0).round() / 1000.0);
    observed(
        &numeric(rounded, decode),
        "order",
        &["0.0 and 0.0001 are different, but both become"],
    );
    let two_keys_refused = |key: [u8; 8]| {
        let refused = key == [0; 8] || key == [0xff; 8];
        (!refused).then(|| solutions::order_f64::decode(key))
    };
    observed(
        &numeric(encode, two_keys_refused),
        "round-trip",
        &["11 of 13 keys that no number has", "`encode` is right."],
    );
}

#[test]
fn ranges_are_told_by_their_ends() {
    let end_of = |max: f64| (u64::from_be_bytes(key(max)) + 1).to_be_bytes().to_vec();
    let proper_ranges_only = move |rows: &Rows, min: f64, max: f64| {
        if min >= max {
            return Vec::new();
        }
        let found = rows.range(key(min).to_vec()..end_of(max));
        found.map(|row| row[8..].to_vec()).collect()
    };
    named(&range(proper_ranges_only), "equal_bounds_empty");
    let empty_members_lost = move |rows: &Rows, min: f64, max: f64| {
        if min > max {
            return Vec::new();
        }
        let found = rows.range(key(min).to_vec()..end_of(max));
        let members = found.map(|row| row[8..].to_vec());
        members.filter(|member| !member.is_empty()).collect()
    };
    named(&range(empty_members_lost), "empty_members_left_out");
    let short_members_lost = move |rows: &Rows, min: f64, max: f64| {
        if min > max {
            return Vec::new();
        }
        let found = rows.range(key(min).to_vec()..end_of(max));
        let members = found.map(|row| row[8..].to_vec());
        members.filter(|member| member.len() > 1).collect()
    };
    observed(
        &range(short_members_lost),
        "range",
        &["score_range({1.0 \"\", 1.0 \"\\x00\"}, 1.0, 1.0) must be"],
    );
}

#[test]
fn an_order_is_named_by_the_rule_that_gives_it() {
    fn sorted_by<K: Ord>(key: fn(u64) -> K) -> [char; 8] {
        let mut letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
        letters.sort_by_key(|letter| key(predict_floats::pattern(*letter).unwrap()));
        letters
    }
    let without_sign = judged(&predict_floats::exercise_of(Orders {
        by_value: solutions::predict_floats::by_value,
        by_bytes: || sorted_by(|bits| (bits & !TOP, bits & TOP)),
    }));
    named(&without_sign, "bytes_by_distance");
}

#[test]
fn predictions_show_one_wrong_pair_and_not_the_answer() {
    let verdict = judged(&predict_floats::exercise_of(Orders {
        by_value: || ['g', 'c', 'a', 'e', 'd', 'b', 'f', 'h'],
        by_bytes: || ['d', 'b', 'h', 'f', 'e', 'a', 'g', 'c'],
    }));
    observed(
        &verdict,
        "values",
        &[
            "you put f before h, but f is the greater value",
            "you put g before c, but g has the greater bytes",
        ],
    );
    let verdict = judged(&predict_floats::exercise_of(Orders {
        by_value: || ['x'; 8],
        by_bytes: || ['d', 'b', 'h', 'f', 'e', 'a', 'd', 'g'],
    }));
    observed(
        &verdict,
        "values",
        &[
            "'x' is none of the letters a to h",
            "c occurs 0 times in your list, not once",
        ],
    );
}

#[test]
fn a_decoder_that_fits_its_encoder_is_not_blamed() {
    // Both refuse infinities, or both take the other key for the zeros.
    let encode = |v: f64| solutions::numeric_f64::encode(v).filter(|_| v.is_finite());
    let decode = |k: [u8; 8]| solutions::numeric_f64::decode(k).filter(|v| v.is_finite());
    let verdict = numeric(encode, decode);
    named(&verdict, "infinities_refused");
    assert!(
        verdict
            .message
            .contains("`decode` undoes what your code writes")
    );

    let encode = |v: f64| {
        let total = solutions::order_f64::encode(if v == 0.0 { -0.0 } else { v });
        (!v.is_nan()).then_some(total)
    };
    let decode = |k: [u8; 8]| Some(solutions::order_f64::decode(k)).filter(|v| !v.is_nan());
    let verdict = numeric(encode, decode);
    named(&verdict, "zeros_share_the_key_of_minus_zero");
    assert!(
        verdict
            .message
            .contains("`decode` undoes what your code writes")
    );
}

#[test]
fn one_nan_among_many_is_named() {
    let is_nan = |v: f64| v.to_bits() == f64::NAN.to_bits();
    let encode = move |v: f64| {
        let one_zero = if v == 0.0 { 0.0 } else { v };
        (!is_nan(v)).then(|| solutions::order_f64::encode(one_zero))
    };
    let decode = move |k: [u8; 8]| {
        let v = solutions::order_f64::decode(k);
        (!is_nan(v) && v.to_bits() != TOP).then_some(v)
    };
    named(
        &numeric(encode, solutions::numeric_f64::decode),
        "one_nan_refused",
    );
    named(
        &numeric(solutions::numeric_f64::encode, decode),
        "decode_refuses_one_nan",
    );
}

fn tested(
    test: impl Fn(&dyn Fn(f64) -> Option<Vec<u8>>, &dyn Fn(&[u8]) -> f64) + Send + Sync + 'static,
) -> Verdict {
    judged(&test_score_keys::exercise_of(test_score_keys::tester(test)))
}

#[test]
fn a_good_test_of_score_keys_passes_however_it_is_written() {
    // Bit patterns in strides, all pairs of neighbours, by `partial_cmp`.
    let verdict = tested(|encode, decode| {
        let strides = (0..=0x7ff0)
            .step_by(7)
            .map(|high| f64::from_bits(high << 48 | high));
        let numbers = strides.chain([
            0.0,
            0.1,
            0.3,
            0.1 + 0.2,
            f64::MAX,
            f64::INFINITY,
            f64::from_bits(1),
        ]);
        let mut numbers: Vec<f64> = numbers
            .filter(|n| !n.is_nan())
            .flat_map(|n| [n, -n])
            .collect();
        numbers.sort_by(f64::total_cmp);
        for pair in numbers.windows(2) {
            assert_eq!(
                pair[0].partial_cmp(&pair[1]),
                encode(pair[0]).partial_cmp(&encode(pair[1]))
            );
        }
        assert!(numbers.iter().all(|n| decode(&encode(*n).unwrap()) == *n));
        assert!([f64::NAN, -f64::NAN].iter().all(|n| encode(*n).is_none()));
    });
    assert_eq!(verdict.state, State::Passed);
}

#[test]
fn a_weak_test_of_score_keys_is_told_its_score() {
    let verdict = tested(|encode, _| assert!(encode(-0.5) < encode(0.5)));
    observed(
        &verdict,
        "kills",
        &[
            "killed 3 of 16: your test accepts 13 wrong encoders.",
            "On a right one, your test makes 2 calls: encode(-0.5), encode(0.5)",
        ],
    );
    // A NaN is compared with itself: nothing can pass.
    let verdict = tested(|_, decode| assert!(decode(&[0xff; 9]).partial_cmp(&f64::NAN).is_some()));
    named(&verdict, "refuses_everything");
    assert!(
        verdict
            .message
            .contains("your test refuses a right answer, `by_the_sign_bit`.")
    );
}

#[test]
fn members_that_look_alike_are_all_found() {
    let without_repeats = |rows: &Rows, min: f64, max: f64| {
        let mut members = solutions::score_range::score_range(rows, min, max);
        members.dedup();
        members
    };
    named(&range(without_repeats), "equal_members_merged");
    for count in [8, 16, 64, 255, 1024, 4096] {
        let many_ff = move |rows: &Rows, min: f64, max: f64| {
            if min > max {
                return Vec::new();
            }
            let end = [&key(max)[..], &vec![0xff; count]].concat();
            let found = rows.range(key(min).to_vec()..=end);
            found.map(|row| row[8..].to_vec()).collect()
        };
        named(&range(many_ff), "ends_at_many_ff");
    }
}

#[test]
fn a_test_that_unwraps_what_a_nan_has_not() {
    let verdict = tested(|encode, decode| {
        for number in [1.0, f64::NAN] {
            assert!(decode(&encode(number).unwrap()).to_bits() == number.to_bits());
        }
    });
    observed(
        &verdict,
        "accepts-right",
        &[
            "your test panics by itself at ",
            "called `Option::unwrap()` on a `None` value",
        ],
    );
}

#[test]
fn mistakes_in_other_words_are_named() {
    use solutions::numeric_f64::decode;
    use solutions::order_f64 as total;
    #[expect(invalid_nan_comparisons, reason = "this is the mistake")]
    let compared = |value: f64| (value != f64::NAN).then(|| total::encode(value + 0.0));
    named(&numeric(compared, decode), "nan_accepted_in_a_sum");
    let normal = |value: f64| {
        let taken = value.is_normal() || value == 0.0;
        taken.then(|| total::encode(value + 0.0))
    };
    named(&numeric(normal, decode), "not_normal_refused");
    let early = |value: f64| {
        if value.is_nan() {
            return [0xff; 8];
        }
        total::encode(value)
    };
    named(&codec(early, total::decode), "nans_at_the_end");
    let no_carry = |rows: &Rows, min: f64, max: f64| {
        if min > max {
            return Vec::new();
        }
        let mut end = key(max);
        let raised = end[7].checked_add(1);
        end[7] = raised.unwrap_or_default();
        let behind = |row: &Vec<u8>| raised.is_some() && row[..] >= end[..];
        let found = rows.range(key(min).to_vec()..);
        let found = found.take_while(|row| !behind(row));
        found.map(|row| row[8..].to_vec()).collect()
    };
    named(&range(no_carry), "no_end_after_ff");
}

#[test]
fn a_range_with_one_end_does_not_panic() {
    let upwards = |rows: &Rows, min: f64, _: f64| {
        let found = rows.range(key(min).to_vec()..);
        found.map(|row| row[8..].to_vec()).collect()
    };
    named(&range(upwards), "max_not_looked_at");
    let downwards = |rows: &Rows, _: f64, max: f64| {
        let end = (u64::from_be_bytes(key(max)) + 1).to_be_bytes();
        let found = rows.range(..end.to_vec());
        found.map(|row| row[8..].to_vec()).collect()
    };
    named(&range(downwards), "min_not_looked_at");
}

#[test]
fn members_are_no_text() {
    use solutions::score_range::score_range as right;
    let end = |end: &'static [u8]| {
        range(move |rows: &Rows, min: f64, max: f64| {
            if min > max {
                return Vec::new();
            }
            let found = rows.range(key(min).to_vec()..[&key(max)[..], end].concat());
            found.map(|row| row[8..].to_vec()).collect()
        })
    };
    named(&end(b"~"), "ends_at_a_letter");
    named(&end(b"\xff"), "ends_before_one_ff");
    observed(&end(b"\xf4\x8f\xbf\xbf"), "range", &["must be"]);
    let lossy = |rows: &Rows, min: f64, max: f64| {
        let members = right(rows, min, max).into_iter();
        let text = |member: Vec<u8>| String::from_utf8_lossy(&member).into_owned();
        members.map(|member| text(member).into_bytes()).collect()
    };
    named(&range(lossy), "members_made_text");
}

#[test]
fn the_next_pattern_below_zero_is_the_one_before() {
    let next_bits = |rows: &Rows, min: f64, max: f64| {
        if min > max {
            return Vec::new();
        }
        let next = f64::from_bits(max.to_bits() + 1);
        let found = rows.range(key(min).to_vec()..key(next).to_vec());
        found.map(|row| row[8..].to_vec()).collect()
    };
    named(&range(next_bits), "ends_at_the_bits_plus_one");
}

#[test]
fn a_range_of_scores_is_no_page() {
    for page in [10, 100, 5000] {
        let page = move |rows: &Rows, min, max| {
            let members = solutions::score_range::score_range(rows, min, max);
            members.into_iter().take(page).collect()
        };
        observed(&range(page), "range", &["{0.0 \"ann\" to 5099.0 \"ann\"}"]);
    }
}

/// Answers in words of their own, each with the name of its mistake.
#[test]
fn floats_in_other_words_are_named() {
    use solutions::{numeric_f64, order_f64};
    let encoded = |encode: fn(f64) -> [u8; 8]| codec(encode, order_f64::decode);
    let clamped = |v: f64| match (v.is_nan(), v.is_sign_negative()) {
        (true, true) => [0; 8],
        (true, false) => [255; 8],
        _ => order_f64::encode(v),
    };
    named(&encoded(clamped), "nans_at_both_ends");
    let not_above = |v: f64| {
        let mut key = v.to_be_bytes();
        if v <= 0.0 {
            key = key.map(|byte| !byte);
        } else {
            key[0] |= 0x80;
        }
        key
    };
    named(&encoded(not_above), "at_most_zero_inverted");
    let descending = |v: f64| {
        let mut key = v.to_be_bytes();
        if v.is_sign_positive() {
            key = key.map(|byte| !byte);
            key[0] &= 0x7f;
        }
        key
    };
    named(&encoded(descending), "greatest_first");
    let above = |key| {
        let bits = u64::from_be_bytes(key);
        f64::from_bits(if bits > TOP { bits - TOP } else { !bits })
    };
    named(
        &codec(order_f64::encode, above),
        "decode_inverts_the_key_of_zero",
    );

    let numbers = |encode: fn(f64) -> Option<[u8; 8]>| numeric(encode, numeric_f64::decode);
    let least = |v: f64| Some(numeric_f64::encode(v).unwrap_or_default());
    named(&numbers(least), "nan_has_the_least_key");
    let normal = |v: f64| v.is_normal().then(|| order_f64::encode(v));
    named(&numbers(normal), "only_normal_numbers");
}

#[test]
fn ranges_in_other_words_are_named() {
    use solutions::score_range::score_range as right;
    let strictly = |rows: &Rows, min: f64, max: f64| {
        if min >= max {
            Vec::new()
        } else {
            right(rows, min, max)
        }
    };
    named(&range(strictly), "equal_bounds_empty");
    let asserted = |rows: &Rows, min: f64, max: f64| {
        assert!(min <= max);
        right(rows, min, max)
    };
    named(&range(asserted), "crossed_bounds_refused");
    let longer = |rows: &Rows, min: f64, max: f64| {
        let inside = |row: &&Vec<u8>| row[..8] >= key(min)[..] && row[..8] <= key(max)[..];
        let found = rows.iter().filter(inside).filter(|row| row.len() > 8);
        found.map(|row| row[8..].to_vec()).collect()
    };
    named(&range(longer), "empty_members_left_out");
    let until_zero = |rows: &Rows, min: f64, max: f64| {
        let first = |m: Vec<u8>| m.split(|byte| *byte == 0).next().unwrap().to_vec();
        right(rows, min, max).into_iter().map(first).collect()
    };
    named(&range(until_zero), "members_end_at_a_zero_byte");
}

#[test]
fn no_number_of_bytes_ff_is_the_end_of_a_score() {
    let verdict = range(|rows, min, max| {
        if min > max {
            return Vec::new();
        }
        let end = [&key(max)[..], &[0xff; 1 << 16]].concat();
        let found = rows.range(key(min).to_vec()..=end);
        found.map(|row| row[8..].to_vec()).collect()
    });
    observed(&verdict, "range", &["{262144 times}"]);
}

#[test]
fn printed_numbers_are_told_to_be_text() {
    let printed = |value: f64| {
        let text = format!("{value:8.3}");
        let mut key = [b' '; 8];
        for (to, byte) in key.iter_mut().zip(text.bytes()) {
            *to = byte;
        }
        key
    };
    let decode = solutions::order_f64::decode;
    let printed = codec(printed, decode);
    observed(&printed, "order", &["Every key is text"]);
    // Other bytes are none.
    let narrow = codec(|value| (value as i32 as i64).to_be_bytes(), decode);
    assert!(!narrow.message.contains("is text"));
}

#[test]
fn sums_and_tolerances_are_named() {
    let decode = solutions::order_f64::decode;
    let sum = |value: f64| solutions::order_f64::encode(value + 0.0);
    named(&codec(sum, decode), "zero_added");

    let score = |row: &[u8]| solutions::order_f64::decode(row[..8].try_into().unwrap());
    let near = move |rows: &Rows, min: f64, max: f64| {
        let is_near = |score: f64| score >= min - 1e-6 && score <= max + 1e-6;
        let found = rows.iter().filter(|row| is_near(score(row)));
        found.map(|row| row[8..].to_vec()).collect()
    };
    named(&range(near), "scores_compared_with_a_tolerance");
}

#[test]
fn a_sign_byte_that_is_compared_is_named_by_its_limit() {
    use solutions::{numeric_f64, order_f64};

    let inverted_if = |negative: fn(u64) -> bool, set: bool| {
        move |value: f64| {
            let bits = value.to_bits();
            let other = if set { bits | TOP } else { bits ^ TOP };
            (if negative(bits) { !bits } else { other }).to_be_bytes()
        }
    };
    let read_if = |positive: fn(u8) -> bool| {
        move |key: [u8; 8]| {
            let bits = u64::from_be_bytes(key);
            f64::from_bits(if positive(key[0]) { bits & !TOP } else { !bits })
        }
    };
    let read = order_f64::decode;
    for (negative, set, name) in [
        (
            (|bits| bits.to_be_bytes()[0] > 128) as fn(u64) -> bool,
            false,
            "sign_byte_above_128_flipped",
        ),
        (|bits| bits >> 56 > 128, true, "sign_byte_above_128_set"),
        (
            |bits| bits >> 56 > 126,
            false,
            "sign_byte_from_127_inverted",
        ),
        (|bits| bits > TOP, false, "minus_zero_alone_flipped_away"),
    ] {
        named(&codec(inverted_if(negative, set), read), name);
    }
    assert_eq!(
        codec(
            inverted_if(|bits| bits >> 56 >= 128, true),
            read_if(|byte| byte > 127)
        )
        .state,
        State::Passed
    );
    let write = order_f64::encode;
    named(
        &codec(write, read_if(|byte| byte > 128)),
        "decode_tests_byte_above_128",
    );
    named(
        &codec(write, |key| {
            let bits = u64::from_be_bytes(key);
            f64::from_bits(if key[0] < 127 { !bits } else { bits ^ TOP })
        }),
        "decode_tests_byte_from_127",
    );

    let one_zero = |value: f64| (!value.is_nan()).then_some(value + 0.0);
    for (set, name) in [
        (false, "sign_byte_above_128_flipped"),
        (true, "sign_byte_above_128_set"),
    ] {
        let encode = move |value| Some(inverted_if(|bits| bits >> 56 > 128, set)(one_zero(value)?));
        named(&numeric(encode, numeric_f64::decode), name);
    }
    named(
        &numeric(numeric_f64::encode, move |key| {
            let value = read_if(|byte| byte > 128)(key);
            let is_minus_zero = value == 0.0 && value.is_sign_negative();
            (!value.is_nan() && !is_minus_zero).then_some(value)
        }),
        "decode_tests_byte_above_128",
    );
    named(
        &numeric(numeric_f64::encode, move |key| {
            let value = read_if(|byte| byte > 128)(key);
            (numeric_f64::encode(value) == Some(key)).then_some(value)
        }),
        "decode_refuses_the_nearest_above_zero",
    );
}

#[test]
fn members_that_lose_a_byte_or_their_order_are_named() {
    let score = |row: &[u8]| solutions::order_f64::decode(*row.first_chunk().unwrap());
    named(
        &range(move |rows, min, max| {
            let inside = |row: &&Vec<u8>| (min..=max).contains(&score(row));
            let members = rows.iter().filter(inside).map(|row| row[8..].to_vec());
            let sorted: std::collections::BTreeSet<Vec<u8>> = members.collect();
            Vec::from_iter(sorted)
        }),
        "collected_into_a_set",
    );
    named(
        &range(move |rows, min, max| {
            let inside = |row: &&Vec<u8>| (min..=max).contains(&score(row));
            let members = rows.iter().filter(inside);
            members.map(|row| row[9..].to_vec()).collect()
        }),
        "members_cut_by_one",
    );
}

#[test]
fn numbers_without_a_key_are_told() {
    let small = |value: f64| {
        let key = solutions::numeric_f64::encode(value)?;
        (!(value as f32).is_infinite()).then_some(key)
    };
    observed(
        &numeric(small, solutions::numeric_f64::decode),
        "bytes",
        &[
            "It gives no key on ",
            "the smallest encode(1.7976931348623157e308)",
        ],
    );
}

#[test]
fn a_sign_in_the_wrong_branch_or_in_none_is_named() {
    let exchanged = |value: f64| {
        let mut key = value.to_be_bytes();
        if value.is_sign_negative() {
            key[0] |= 0x80;
            key
        } else {
            key.map(|byte| !byte)
        }
    };
    let decode = solutions::order_f64::decode;
    named(&codec(exchanged, decode), "branches_exchanged_and_set");
    let without = |value: f64| value.abs().to_be_bytes();
    named(&codec(without, decode), "absolute_value_not_flipped");
}

#[test]
fn members_that_are_lost_as_no_text_are_named() {
    let verdict = range(|rows, min, max| {
        let found = solutions::score_range::score_range(rows, min, max).into_iter();
        let text = found.filter_map(|member| String::from_utf8(member).ok());
        text.map(String::into_bytes).collect()
    });
    named(&verdict, "members_that_are_no_text_left_out");
}

#[test]
fn a_member_is_no_line_and_no_word() {
    type Change = fn(&[u8]) -> Vec<u8>;
    let changed: [Change; 3] = [
        |member| member.trim_ascii().to_vec(),
        |member| member.strip_suffix(b"\n").unwrap_or(member).to_vec(),
        |member| member.to_ascii_lowercase(),
    ];
    for change in changed {
        let verdict = range(move |rows, min, max| {
            let found = solutions::score_range::score_range(rows, min, max);
            found.iter().map(|member| change(member)).collect()
        });
        observed(&verdict, "range", &["It is wrong on"]);
    }
}

#[test]
fn keys_in_order_that_are_not_the_right_ones_are_refused() {
    use solutions::order_f64::{decode, encode};
    // No pattern that is tried is one less than the greatest, so no two of the keys are the same.
    let later = |value| {
        u64::from_be_bytes(encode(value))
            .saturating_add(1)
            .to_be_bytes()
    };
    observed(
        &codec(later, decode),
        "bytes",
        &["encode(1.0) must be bf f0 00 00 00 00 00 00, but it is bf f0 00 00 00 00 00 01."],
    );
}

#[test]
fn of_two_pairs_that_come_to_the_same_the_one_that_is_true_of_both_is_named() {
    use solutions::order_f64::{decode, encode};
    let narrowed = |v: f64| encode(f64::from(v as f32) + 0.0);
    named(&codec(narrowed, decode), "zeros_merged+narrowed_to_f32");
    let merged = |v: f64| encode(if v.is_nan() { f64::NAN } else { v + 0.0 });
    named(&codec(merged, decode), "zeros_merged+nans_merged");
}

#[test]
fn nans_at_the_start_are_named() {
    use solutions::order_f64::{decode, encode};
    let first = |v: f64| if v.is_nan() { [0; 8] } else { encode(v) };
    named(&codec(first, decode), "nans_at_the_start");
}

#[test]
fn what_a_wrong_rule_never_reads_is_not_called_accepted() {
    use solutions::numeric_f64::encode;
    // The key of -0.0, taken for plain bits, is a NaN; that of 0.0 is -0.0.
    let plain = |key| Some(f64::from_be_bytes(key)).filter(|value| !value.is_nan());
    let verdict = numeric(encode, plain);
    named(&verdict, "decode_plain");
    assert!(!verdict.message.contains("as -0.0"));
    let flipped = |key| {
        let value = f64::from_bits(u64::from_be_bytes(key) ^ TOP);
        (!value.is_nan()).then_some(value + 0.0)
    };
    named(&numeric(encode, flipped), "decode_always_flips");
    // Inverted, it is -0.0.
    let inverted = |key| {
        let value = f64::from_bits(!u64::from_be_bytes(key));
        (!value.is_nan()).then_some(value)
    };
    named(
        &numeric(encode, inverted),
        "decode_accepts_minus_zero+decode_always_inverts",
    );
}

#[test]
fn members_that_lose_their_first_byte_are_named_without_a_panic_too() {
    let verdict = range(|rows, min, max| {
        let score = |row: &[u8]| solutions::order_f64::decode(row[..8].try_into().unwrap());
        let inside = rows.iter().filter(|row| (min..=max).contains(&score(row)));
        inside
            .map(|row| row.iter().skip(9).copied().collect())
            .collect()
    });
    named(&verdict, "members_cut_by_one");
}

#[test]
fn nothing_is_called_right_beside_a_mistake() {
    let order = Codec::fixed(solutions::order_f64::encode, solutions::order_f64::decode);
    pairs_call_nothing_right(&order_f64::exercise_of(order));
    pairs_call_nothing_right(&numeric_f64::exercise_of(Numeric::new(|_| None, |_| None)));
    pairs_call_nothing_right(&score_range::exercise_of(Arc::new(|_, _, _| Vec::new())));
}

#[test]
fn no_sign_of_a_member_is_read_in_a_way_of_its_own() {
    let changed = |change: fn(String) -> String| {
        range(move |rows, min, max| {
            let found = solutions::score_range::score_range(rows, min, max);
            let text = |member: Vec<u8>| match String::from_utf8(member) {
                Ok(text) => change(text).into_bytes(),
                Err(bytes) => bytes.into_bytes(),
            };
            found.into_iter().map(text).collect()
        })
    };
    observed(
        &changed(|text| text.trim_end_matches('/').to_owned()),
        "range",
        &["must be"],
    );
    observed(
        &changed(|text| text.replace("%%", "%")),
        "range",
        &["must be"],
    );
    observed(
        &changed(|text| text.replace('"', "'")),
        "range",
        &["must be"],
    );
}

#[test]
fn every_bit_of_a_score_counts() {
    // The bits of keys, for scores have no order that is seen in theirs.
    type Inside = fn(&Astray, [u64; 3]) -> bool;
    let astray: [Inside; 3] = [
        |astray, [min, row, max]| astray.of(min) <= row && row <= max,
        |astray, [min, row, max]| (min..=max).contains(&astray.of(row)),
        |astray, [min, row, max]| min <= row && row <= astray.of(max),
    ];
    for inside in astray {
        every_bit_counts(0..64, 1 << 60, |astray| {
            score_range::exercise_of(Arc::new(move |rows: &Rows, min: f64, max: f64| {
                let [min, max] = [min, max].map(|score| u64::from_be_bytes(key(score)));
                let of = |row: &[u8]| u64::from_be_bytes(*row.first_chunk().unwrap());
                let found = rows
                    .iter()
                    .filter(|row| min <= max && inside(&astray, [min, of(row), max]));
                found.map(|row| row[8..].to_vec()).collect()
            }))
        });
    }
}

#[test]
fn numbers_cut_to_integers_are_named_whatever_becomes_of_a_nan() {
    let cut = |value: f64| ((value as i64).cast_unsigned() ^ TOP).to_be_bytes();
    let decode = solutions::numeric_f64::decode;
    let refusing = numeric(move |value| (!value.is_nan()).then(|| cut(value)), decode);
    named(&refusing, "truncated_to_i64");
    let accepting = numeric(move |value| Some(cut(value)), decode);
    named(&accepting, "truncated_to_i64");
}

#[test]
fn what_a_test_asks_beyond_the_task_is_not_called_a_length() {
    let key_of_a_nan = tested(|encode, decode| {
        solutions::test_score_keys::test(encode, decode);
        assert!(decode(&encode(f64::NAN).unwrap_or_default()).is_nan());
    });
    named(&key_of_a_nan, "refuses_everything");
    let asked = "your test asks `decode` for what no `encode` has returned. Its last calls were";
    let words: Vec<&str> = key_of_a_nan.message.split_whitespace().collect();
    assert!(words.join(" ").contains(asked));

    let one_of_two_zeros = tested(|encode, decode| {
        solutions::test_score_keys::test(encode, decode);
        assert_eq!(decode(&encode(-0.0).unwrap()).to_bits(), 0);
    });
    named(&one_of_two_zeros, "plus_zero_demanded");
}
