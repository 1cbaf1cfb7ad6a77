//! Wrong and right answers that no gallery holds: what is said of them must be true.

#[path = "../checks/encode_instead.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod encode_instead;
#[path = "../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../checks/numeric_comparator.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod numeric_comparator;
#[path = "../checks/predict_broken.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod predict_broken;
#[path = "../checks/separator.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod separator;
#[path = "../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../checks/test_comparator.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_comparator;

use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::sync::Arc;

use kit::unseen::{every_bit_counts, judged, named, observed, pairs_call_nothing_right};
use kit::{State, Verdict};

use encode_instead::Keys;
use predict_broken::Predictions;
use solutions::numeric_comparator::{compare as right, split};

fn order(compare: impl Fn(&[u8], &[u8]) -> Ordering + Send + Sync + 'static) -> Verdict {
    judged(&numeric_comparator::exercise_of(Arc::new(compare)))
}

fn between(separate: impl Fn(&[u8], &[u8]) -> Option<Vec<u8>> + Send + Sync + 'static) -> Verdict {
    judged(&separator::exercise_of(Arc::new(separate)))
}

fn keys(
    encode: impl Fn(&str, u64) -> Vec<u8> + Send + Sync + 'static,
    decode: impl Fn(&[u8]) -> Option<(String, u64)> + Send + Sync + 'static,
) -> Verdict {
    judged(&encode_instead::exercise_of(Keys::new(encode, decode)))
}

fn tested(test: impl Fn(&dyn Fn(&[u8], &[u8]) -> Ordering) + Send + Sync + 'static) -> Verdict {
    judged(&test_comparator::exercise_of(test_comparator::tester(test)))
}

#[test]
fn right_answers_pass_however_they_are_written() {
    // By padding: as many zeros as the longer number has digits.
    let by_padding = |a: &[u8], b: &[u8]| {
        let ((p, x), (q, y)) = (split(a), split(b));
        let width = x.len().max(y.len());
        let padded = |digits: &[u8]| [&vec![b'0'; width - digits.len()][..], digits].concat();
        p.cmp(q)
            .then_with(|| padded(x).cmp(&padded(y)))
            .then(a.cmp(b))
    };
    assert_eq!(order(by_padding).state, State::Passed);

    // The first byte of `b` that differs will do as well, where the comparison says so.
    let from_b = |a: &[u8], b: &[u8]| {
        let best = solutions::separator::separator(a, b)?;
        let n = a.iter().zip(b).take_while(|(x, y)| x == y).count() + 1;
        let cut = b.get(..n)?.to_vec();
        let fits = right(a, &cut).is_le() && right(&cut, b).is_lt();
        Some(if fits && cut.len() <= best.len() {
            cut
        } else {
            best
        })
    };
    assert_eq!(between(from_b).state, State::Passed);

    // Twenty digits; escaped names would do too.
    let padded = |name: &str, number: u64| format!("{name}:{number:020}").into_bytes();
    let parsed = |key: &[u8]| {
        let (name, number) = str::from_utf8(key).ok()?.rsplit_once(':')?;
        Some((name.to_owned(), number.parse().ok()?))
    };
    assert_eq!(keys(padded, parsed).state, State::Passed);

    // How long the number is, then its digits: as short as the text, and in order.
    let counted = |name: &str, number: u64| {
        let digits = number.to_string();
        let length = char::from(b'a' + u8::try_from(digits.len()).unwrap());
        format!("{name}:{length}{digits}").into_bytes()
    };
    let uncounted = |key: &[u8]| {
        let (name, number) = str::from_utf8(key).ok()?.rsplit_once(':')?;
        Some((name.to_owned(), number[1..].parse().ok()?))
    };
    assert_eq!(keys(counted, uncounted).state, State::Passed);

    let any_rotation = Predictions {
        order: solutions::predict_broken::order,
        hidden: || vec!['f', 'e', 'b', 'a'],
        circle: || ['b', 'e', 'a'],
    };
    let verdict = judged(&predict_broken::exercise_of(any_rotation));
    assert_eq!(verdict.state, State::Passed);
}

#[test]
fn an_order_that_is_wrong_on_few_pairs_is_told_on_which() {
    let only_up_to_999 = |a: &[u8], b: &[u8]| {
        let long = [a, b].iter().any(|key| split(key).1.len() > 3);
        if long { a.cmp(b) } else { right(a, b) }
    };
    let verdict = order(only_up_to_999);
    observed(
        &verdict,
        "transitive",
        &[
            "is Less",
            "It is right on all keys compared with themselves",
        ],
    );

    let empty_last = |a: &[u8], b: &[u8]| match (a.is_empty(), b.is_empty()) {
        (true, false) => Greater,
        (false, true) => Less,
        _ => right(a, b),
    };
    observed(
        &order(empty_last),
        "order",
        &[
            "compare(\"item:1\", \"\") must be Greater, but it is Less",
            "the smallest",
        ],
    );

    let numbers_descend = |a: &[u8], b: &[u8]| {
        let ((p, _), (q, _)) = (split(a), split(b));
        p.cmp(q).then(right(b, a))
    };
    observed(
        &order(numbers_descend),
        "order",
        &[
            "compare(\"item:1\", \"item:2\") must be Less, but it is Greater",
            "It is right on all keys compared with themselves, all pairs with different prefixes",
        ],
    );
}

#[test]
fn a_comparator_that_is_none_is_told_by_its_law() {
    let by_last_byte = |a: &[u8], b: &[u8]| a.last().cmp(&b.last());
    observed(
        &order(by_last_byte),
        "distinct",
        &["compare(\"item:1\", \"user:1\") is Equal"],
    );

    let never_greater = |a: &[u8], b: &[u8]| if right(a, b) == Less { Less } else { Equal };
    let verdict = order(never_greater);
    named(&verdict, "equal_where_greater");
    assert!(verdict.message.contains("is Less, and compare("));

    let at_most_ten = |a: &[u8], b: &[u8]| {
        assert!(a.len() <= 10 && b.len() <= 10, "too long");
        right(a, b)
    };
    observed(
        &order(at_most_ten),
        "returns",
        &["too long", "It panics on"],
    );
}

#[test]
fn separators_show_the_key_and_where_it_stands() {
    let next = |a: &[u8], _: &[u8]| a.first().map(|first| vec![first.saturating_add(2)]);
    let verdict = between(next);
    observed(&verdict, "in-range", &["which comes"]);

    let middle = |a: &[u8], b: &[u8]| {
        let at = b.len() / 2;
        (right(a, b) == Less && at > 0).then(|| b[..at].to_vec())
    };
    observed(&between(middle), "in-range", &["separator("]);

    // Right, but it gives up beyond three bytes.
    let short_ones =
        |a: &[u8], b: &[u8]| solutions::separator::separator(a, b).filter(|cut| cut.len() <= 3);
    observed(
        &between(short_ones),
        "shortest",
        &["is None, but \"abc;\" would do"],
    );
}

#[test]
fn keys_out_of_order_show_two_rows() {
    let doubled = |name: &str, number: u64| {
        [name.as_bytes(), b":", &number.wrapping_mul(2).to_be_bytes()].concat()
    };
    let verdict = keys(doubled, |key: &[u8]| solutions::encode_instead::decode(key));
    observed(&verdict, "order", &["The numbers from 2^63 on are"]);

    let backwards = |name: &str, number: u64| {
        let mut key = solutions::encode_instead::encode(name, number);
        key.reverse();
        key
    };
    let back = |key: &[u8]| {
        let mut key = key.to_vec();
        key.reverse();
        solutions::encode_instead::decode(&key)
    };
    observed(
        &keys(backwards, back),
        "order",
        &["though", "`decode` is right."],
    );

    let name_only = |key: &[u8]| solutions::encode_instead::decode(key).map(|row| (row.0, 0));
    observed(
        &keys(solutions::encode_instead::encode, name_only),
        "round-trip",
        &[
            "must be Some((\"item\", 1)), but it is Some((\"item\", 0))",
            "`encode` is right.",
        ],
    );
}

#[test]
fn tests_of_ones_own_are_told_what_they_let_through() {
    // Only numbers: what looks at letters, ends and bytes survives.
    let numbers = |compare: &dyn Fn(&[u8], &[u8]) -> Ordering| {
        let keys: Vec<String> = (0..30)
            .map(|n| format!("{}", n * 200_000_000_u64))
            .collect();
        for a in &keys {
            for b in &keys {
                let (a, b) = (a.as_bytes(), b.as_bytes());
                assert_eq!(compare(a, b), compare(b, a).reverse());
                assert_eq!(compare(a, b) == Equal, a == b);
            }
        }
    };
    named(&tested(numbers), "keys_of_one_kind");

    // The laws of pairs, on single bytes.
    let single_bytes = |compare: &dyn Fn(&[u8], &[u8]) -> Ordering| {
        let keys: Vec<[u8; 1]> = (0..=255).step_by(5).map(|byte| [byte]).collect();
        for a in &keys {
            for b in &keys {
                assert_eq!(compare(a, b) == Equal, a == b);
                assert_eq!(compare(a, b), compare(b, a).reverse());
            }
        }
    };
    observed(
        &tested(single_bytes),
        "kills",
        &[
            "your test accepts",
            "empty_key_panics",
            "difference_of_bytes",
        ],
    );

    let numbers_in_order = |compare: &dyn Fn(&[u8], &[u8]) -> Ordering| {
        assert_eq!(compare(b"item:9", b"item:10"), Less);
    };
    observed(&tested(numbers_in_order), "accepts-right", &["`bytewise`"]);

    let nothing = |compare: &dyn Fn(&[u8], &[u8]) -> Ordering| {
        let _ = compare(b"", b"a");
    };
    named(&tested(nothing), "accepts_everything");
}

#[test]
fn names_stay_as_they_are() {
    use solutions::encode_instead::{decode, encode};
    for changed in [
        |text: &str| text.trim().to_owned(),
        |text: &str| text.to_lowercase(),
        |text: &str| text.chars().take(40).collect::<String>(),
        |text: &str| text.chars().take(4096).collect::<String>(),
    ] {
        let verdict = keys(move |name, number| encode(&changed(name), number), decode);
        observed(&verdict, "order", &["are different, but both become"]);
    }
}

#[test]
fn numbers_may_have_any_length() {
    for width in [20, 39, 64, 255] {
        let padded = move |a: &[u8], b: &[u8]| {
            let fields = |key| {
                let (prefix, digits) = split(key);
                let zeros = vec![b'0'; usize::saturating_sub(width, digits.len())];
                (
                    prefix.to_vec(),
                    !digits.is_empty(),
                    [&zeros, digits].concat(),
                )
            };
            fields(a).cmp(&fields(b)).then(a.cmp(b))
        };
        let verdict = order(padded);
        assert_eq!(verdict.check.as_deref(), Some("order"), "{width}");
    }
}

#[test]
fn digits_filled_up_are_not_taken_for_a_number_of_128_bits() {
    for width in [64, 100] {
        let filled = move |a: &[u8], b: &[u8]| {
            let fields = |key| {
                let (prefix, digits) = split(key);
                let text = String::from_utf8_lossy(digits).into_owned();
                (prefix.to_vec(), format!("{text:0>width$}"))
            };
            fields(a).cmp(&fields(b)).then(a.cmp(b))
        };
        observed(&order(filled), "order", &["0{300 times}"]);
    }
}

#[test]
fn the_count_of_digits_needs_more_than_a_byte() {
    let in_a_byte = |a: &[u8], b: &[u8]| {
        let fields = |key| {
            let (prefix, digits) = split(key);
            let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
            let count = (digits.len() - zeros) as u8;
            (prefix.to_vec(), count, digits[zeros..].to_vec())
        };
        fields(a).cmp(&fields(b)).then(a.cmp(b))
    };
    observed(&order(in_a_byte), "order", &["20{299 times}"]);
}

#[test]
fn numbers_of_128_bits_that_do_not_fit_are_named() {
    let parsed = |a: &[u8], b: &[u8]| {
        let fields = |key| {
            let (prefix, digits) = split(key);
            let number: Option<u128> = str::from_utf8(digits).unwrap().parse().ok();
            (prefix.to_vec(), number)
        };
        fields(a).cmp(&fields(b)).then(a.cmp(b))
    };
    named(&order(parsed), "overflow_of_128_bits_taken_for_no_number");
}

#[test]
fn whoever_stops_looking_finds_no_separator() {
    for looked_at in [12, 16, 64, 255, 256, 512, 4096] {
        let of_the_start = move |a: &[u8], b: &[u8]| {
            let start = &a[..a.len().min(looked_at)];
            let cut = solutions::separator::separator(start, b)?;
            (right(a, &cut).is_le() && right(&cut, b).is_lt()).then_some(cut)
        };
        observed(&between(of_the_start), "shortest", &["would do"]);
    }
}

#[test]
fn a_separator_lies_between_the_bytes_as_they_are() {
    let small = |key: &[u8]| key.to_ascii_lowercase();
    let trimmed = |key: &[u8]| key.trim_ascii().to_vec();
    let of_c = |key: &[u8]| {
        let end = key.iter().position(|byte| *byte == 0);
        key[..end.unwrap_or(key.len())].to_vec()
    };
    for seen in [small, trimmed, of_c] {
        let only_a = move |a: &[u8], b: &[u8]| solutions::separator::separator(&seen(a), b);
        let only_b = move |a: &[u8], b: &[u8]| solutions::separator::separator(a, &seen(b));
        assert_eq!(between(only_a).state, State::Failing);
        assert_eq!(between(only_b).state, State::Failing);
    }
}

#[test]
fn a_separator_may_try_every_byte() {
    let any_byte = |a: &[u8], b: &[u8]| {
        let cuts = (1..a.len()).flat_map(|n| (a[n - 1]..=0xff).map(move |last| (n, last)));
        let mut cuts = cuts.map(|(n, last)| [&a[..n - 1], &[last]].concat());
        cuts.find(|cut| right(a, cut).is_le() && right(cut, b).is_lt())
    };
    assert_eq!(between(any_byte).state, State::Passed);
}

#[test]
fn keys_to_compare_have_any_length() {
    for looked_at in [64, 300, 1024, 4096] {
        let of_the_start = move |a: &[u8], b: &[u8]| {
            let start = |key: &[u8]| key[..key.len().min(looked_at)].to_vec();
            right(&start(a), &start(b)).then(a.cmp(b))
        };
        assert_ne!(order(of_the_start).state, State::Passed, "{looked_at}");
    }
}

#[test]
fn prefixes_are_bytes() {
    let by = |prefix: fn(&[u8]) -> Vec<u8>| {
        order(move |a: &[u8], b: &[u8]| {
            let ((p, x), (q, y)) = (split(a), split(b));
            prefix(p).cmp(&prefix(q)).then(right(x, y)).then(a.cmp(b))
        })
    };
    // The value of the digits alone, and then all bytes.
    assert_eq!(by(<[u8]>::to_vec).state, State::Passed);
    named(&by(<[u8]>::to_ascii_lowercase), "prefix_case_ignored");
    let text = |prefix: &[u8]| String::from_utf8_lossy(prefix).into_owned().into_bytes();
    named(&by(text), "prefix_as_text");
    let trimmed = |prefix: &[u8]| prefix.trim_ascii().to_vec();
    observed(&by(trimmed), "order", &["\" item:3\""]);
}

#[test]
fn digits_are_ascii() {
    // A byte as a character of Latin-1: b2 is a small 2 there, and numeric.
    let in_latin_1 = |a: &[u8], b: &[u8]| {
        let fields = |key: &[u8]| {
            let other = key.iter().rposition(|byte| !char::from(*byte).is_numeric());
            let (prefix, digits) = key.split_at(other.map_or(0, |at| at + 1));
            (prefix.to_vec(), digits.to_vec())
        };
        let ((p, x), (q, y)) = (fields(a), fields(b));
        let value = |digits: &[u8]| digits.iter().copied().skip_while(|d| *d == b'0').collect();
        let (x, y): (Vec<u8>, Vec<u8>) = (value(&x), value(&y));
        p.cmp(&q)
            .then(x.len().cmp(&y.len()))
            .then(x.cmp(&y))
            .then(a.cmp(b))
    };
    observed(&order(in_latin_1), "order", &["item:\\xb2"]);
}

#[test]
fn a_name_may_hold_the_byte_that_ends_it() {
    let semicolon =
        |name: &str, number: u64| [name.as_bytes(), b";", &number.to_be_bytes()].concat();
    let verdict = keys(semicolon, |_| None);
    observed(&verdict, "order", &["item;"]);
}

#[test]
fn who_leaves_out_the_third_rule_alone_is_told_just_that() {
    let two_rules = |a: &[u8], b: &[u8]| {
        let ((p, x), (q, y)) = (split(a), split(b));
        let stripped = |digits: &[u8]| -> Vec<u8> {
            let digits = digits.iter().copied();
            digits.skip_while(|digit| *digit == b'0').collect()
        };
        let (n, m) = (stripped(x), stripped(y));
        p.cmp(q)
            .then((!x.is_empty()).cmp(&!y.is_empty()))
            .then(n.len().cmp(&m.len()))
            .then(n.cmp(&m))
    };
    named(&order(two_rules), "ties_left_equal");
}

/// A width in hexadecimal shows only at the numbers that are just above it.
#[test]
fn keys_a_little_too_narrow_are_refused() {
    let read = |key: &[u8]| {
        let (name, number) = str::from_utf8(key).ok()?.rsplit_once(':')?;
        Some((name.to_owned(), u64::from_str_radix(number, 16).ok()?))
    };
    let sixteen = |name: &str, number: u64| format!("{name}:{number:016X}").into_bytes();
    assert_eq!(keys(sixteen, read).state, State::Passed);
    let fifteen = |name: &str, number: u64| format!("{name}:{number:015x}").into_bytes();
    named(&keys(fifteen, read), "padded_to_fifteen_in_hexadecimal");
    let twelve = |name: &str, number: u64| format!("{name}:{number:012x}").into_bytes();
    assert_eq!(keys(twelve, read).state, State::Failing);
    let fourteen = |name: &str, number: u64| format!("{name}:{number:014x}").into_bytes();
    assert_eq!(keys(fourteen, read).state, State::Failing);
}

#[test]
fn beginnings_that_are_not_raised_find_nothing() {
    let beginnings = |a: &[u8], b: &[u8]| {
        let cuts = (1..a.len()).map(|n| a[..n].to_vec());
        let fits = |cut: &Vec<u8>| right(a, cut).is_le() && right(cut, b).is_lt();
        cuts.into_iter().find(fits)
    };
    named(&between(beginnings), "always_none");
}

/// Answers in words of their own, each with the name of its mistake.
#[test]
fn comparators_in_other_words_are_named() {
    let number = |key: &[u8]| str::from_utf8(split(key).1).ok()?.parse::<u64>().ok();
    let half = move |a: &[u8], b: &[u8]| {
        if number(a).is_none() || number(b).is_none() {
            return a.cmp(b);
        }
        (split(a).0, number(a), a).cmp(&(split(b).0, number(b), b))
    };
    named(&order(half), "both_parsed_or_bytes");
    let less = |a: &[u8], b: &[u8]| if right(a, b) == Less { Less } else { Greater };
    named(&order(less), "greater_where_equal");
    let not_greater = |a: &[u8], b: &[u8]| {
        if right(a, b) == Greater {
            Equal
        } else {
            right(a, b)
        }
    };
    named(&order(not_greater), "equal_where_greater");
    let reversed = |a: &[u8], b: &[u8]| {
        let fields = |key: &[u8]| {
            let digits: Vec<u8> = key
                .iter()
                .rev()
                .copied()
                .take_while(u8::is_ascii_digit)
                .collect();
            let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
            let prefix = key[..key.len() - digits.len()].to_vec();
            (
                prefix,
                !digits.is_empty(),
                digits.len() - zeros,
                digits[zeros..].to_vec(),
            )
        };
        fields(a).cmp(&fields(b)).then(a.cmp(b))
    };
    named(&order(reversed), "digits_read_backwards");
    let by_length = |a: &[u8], b: &[u8]| {
        split(a)
            .0
            .len()
            .cmp(&split(b).0.len())
            .then_with(|| right(a, b))
    };
    named(&order(by_length), "shorter_prefix_first");
}

#[test]
fn any_byte_may_be_behind_the_digits_or_between_them() {
    let line = |a: &[u8], b: &[u8]| {
        let end = |key: &[u8]| key.strip_suffix(b"\n").unwrap_or(key).to_vec();
        right(&end(a), &end(b)).then(a.cmp(b))
    };
    observed(&order(line), "order", &["item:3\\n"]);
    let grouped = |a: &[u8], b: &[u8]| {
        let digits = |key: &[u8]| -> Vec<u8> {
            let plain = key.iter().filter(|byte| **byte != b'_');
            plain.copied().collect()
        };
        right(&digits(a), &digits(b)).then(a.cmp(b))
    };
    observed(&order(grouped), "order", &["item:1_0"]);
    let fe_left = |a: &[u8], b: &[u8]| {
        let cuts = (1..a.len()).filter(|n| a[n - 1] < 0xfe);
        let mut raised = cuts.map(|n| [&a[..n - 1], &[a[n - 1] + 1]].concat());
        raised.find(|cut| right(a, cut).is_le() && right(cut, b).is_lt())
    };
    observed(&between(fe_left), "shortest", &["\\xfe123"]);
}

#[test]
fn a_separator_that_goes_byte_by_byte_is_told_to_take_slices() {
    // What takes seconds in a debug build is not waited for.
    let byte_by_byte = |a: &[u8], b: &[u8]| {
        if a.len() > 5000 {
            kit::unseen::never_returns();
        }
        solutions::separator::separator(a, b)
    };
    observed(
        &between(byte_by_byte),
        "returns",
        &[
            "Do you go through the bytes of a key one by one",
            "Cut with a slice",
        ],
    );
}

#[test]
fn a_width_is_no_limit_of_a_type() {
    let filled_up = |width: usize| {
        move |a: &[u8], b: &[u8]| {
            let fields = |key| {
                let (prefix, digits) = split(key);
                let zeros = "0".repeat(width.saturating_sub(digits.len()));
                let filled = [zeros.as_bytes(), digits].concat();
                (prefix.to_vec(), !digits.is_empty(), filled, key.to_vec())
            };
            fields(a).cmp(&fields(b))
        }
    };
    named(&order(filled_up(20)), "padded_to_20");
    named(&order(filled_up(32)), "padded_to_32");
    observed(
        &order(filled_up(45)),
        "order",
        &[
            "It is wrong on ",
            "pairs with one prefix and different numbers",
        ],
    );
}

#[test]
fn natural_order_and_guards_of_ones_own_are_named() {
    let digits = |key: &[u8]| key.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = |digits: &[u8]| {
        let text = String::from_utf8_lossy(digits).into_owned();
        let text = text.trim_start_matches('0').to_owned();
        (text.len(), text)
    };
    named(
        &order(move |a, b| {
            let (mut x, mut y) = (0, 0);
            while x < a.len() && y < b.len() {
                let (m, n) = (digits(&a[x..]), digits(&b[y..]));
                let both = m > 0 && n > 0;
                let compared = if both {
                    number(&a[x..x + m]).cmp(&number(&b[y..y + n]))
                } else {
                    a[x].cmp(&b[y])
                };
                if compared != Equal {
                    return compared;
                }
                x += if both { m } else { 1 };
                y += if both { n } else { 1 };
            }
            let left = (a.len() - x).cmp(&(b.len() - y));
            left.then_with(|| a.cmp(b))
        }),
        "every_stretch_of_digits_byte_by_byte",
    );
    named(
        &order(move |a, b| {
            let fields = |key| {
                let (prefix, digits) = split(key);
                let some = (!digits.is_empty()).then(|| number(digits));
                (some, prefix.to_vec(), key.to_vec())
            };
            fields(a).cmp(&fields(b))
        }),
        "number_before_prefix_and_none_in_front",
    );

    let cut = |a: &[u8], n: usize| {
        let (last, front) = a[..n].split_last()?;
        Some([front, &[last.checked_add(1)?]].concat())
    };
    named(
        &between(move |a, b| {
            if right(a, b) != Less {
                return None;
            }
            let mut cuts = (1..a.len()).filter_map(|n| cut(a, n));
            cuts.find(|cut| a <= cut.as_slice() && cut.as_slice() < b)
        }),
        "fits_in_bytes_with_a_guard",
    );
    named(
        &between(move |a, b| {
            let n = a.iter().zip(b).position(|(x, y)| x != y);
            let n = n.unwrap_or(a.len().min(b.len())) + 1;
            (right(a, b) == Less && n < a.len()).then(|| cut(a, n))?
        }),
        "first_difference_unchecked",
    );
}

#[test]
fn a_test_that_some_wrong_comparators_survive_is_refused_and_told_where_they_show() {
    let keys: [&[u8]; 12] = [
        b"", b"\0", b"a", b"A", b"ab", b"a\0", b"\xff", b"item:1", b"item:10", b"item:2",
        b"item:01", b"user:1",
    ];
    let laws = move |compare: &dyn Fn(&[u8], &[u8]) -> Ordering| {
        for a in keys {
            for b in keys {
                assert_eq!(compare(a, b), compare(b, a).reverse());
                assert_eq!(compare(a, b) == Equal, a == b);
                for c in keys {
                    let two = compare(a, b) == Less && compare(b, c) == Less;
                    assert!(!two || compare(a, c) == Less);
                }
            }
        }
    };
    observed(
        &tested(laws),
        "kills",
        &[
            "of 16: your test accepts",
            "It shows between ",
            "and refuses ",
        ],
    );
}

#[test]
fn numbers_of_thousands_of_digits_and_with_a_plus_are_compared() {
    let padded = order(|a, b| {
        let fields = |key| {
            let (prefix, digits): (&[u8], &[u8]) = split(key);
            let text = String::from_utf8_lossy(digits).into_owned();
            (
                prefix.to_vec(),
                !digits.is_empty(),
                format!("{text:0>5500}"),
            )
        };
        fields(a).cmp(&fields(b)).then(a.cmp(b))
    });
    observed(&padded, "order", &["{5999 times}"]);
    let unsigned = order(|a, b| {
        let fields = |key| {
            let (prefix, digits): (&[u8], &[u8]) = split(key);
            let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
            let digits = &digits[zeros..];
            (
                prefix.strip_suffix(b"+").unwrap_or(prefix).to_vec(),
                digits.len(),
                digits.to_vec(),
            )
        };
        fields(a).cmp(&fields(b)).then(a.cmp(b))
    });
    observed(&unsigned, "order", &["item:+"]);
}

#[test]
fn names_that_differ_in_little_have_other_keys() {
    use solutions::encode_instead::{decode, encode};
    let wrong: [fn(&str) -> String; 3] = [
        |name| name.replace('\n', ""),
        |name| name.replace('\n', " "),
        |name| name.replace('È', "è"),
    ];
    for change in wrong {
        let verdict = keys(move |name, number| encode(&change(name), number), decode);
        observed(&verdict, "order", &["share a key"]);
    }
    for sign in ["/", "-", "#"] {
        let signed = keys(
            move |name, number| [name.as_bytes(), sign.as_bytes(), &number.to_be_bytes()].concat(),
            decode,
        );
        named(&signed, "ended_by_a_sign_below_the_digits");
    }
}

#[test]
fn a_test_that_never_holds_two_answers_together_is_named() {
    const KEYS: [&[u8]; 26] = [
        b"",
        b"\0",
        b"a",
        b"a\0",
        b"a\0b",
        b"A",
        b"a ",
        b"ab",
        b"a1",
        b"a01",
        b"a9",
        b"a10",
        b"a1x",
        b"item:1",
        b"user:1",
        b"item:x",
        b"item:y",
        b"item:2000000000",
        b"item:3000000000",
        b"item:4294967297",
        b"\x60",
        b"\xc0",
        b"\xff",
        b"\xfe",
        b"123456789",
        b"123456780",
    ];
    type Judge = fn(&dyn Fn(&[u8], &[u8]) -> Ordering, [&[u8]; 3]);
    let triples = |judge: Judge| {
        tested(move |compare| {
            for a in KEYS {
                for b in KEYS {
                    assert_eq!(compare(a, b) == Equal, a == b);
                    for c in KEYS {
                        judge(compare, [a, b, c]);
                    }
                }
            }
        })
    };
    let downwards = triples(|compare, [a, b, c]| {
        let after = compare(a, b) == Greater && compare(b, c) == Greater;
        assert!(!after || compare(a, c) == Greater);
    });
    named(&downwards, "opposite_forgotten");
    let at_most = triples(|compare, [a, b, c]| {
        let in_order = compare(a, b).is_le() && compare(b, c).is_le();
        assert!(!in_order || compare(a, c).is_le());
    });
    named(&at_most, "opposite_forgotten");
}

#[test]
fn names_in_utf_16_sort_otherwise() {
    let encode = |name: &str, number: u64| {
        let units = name.encode_utf16().chain([u16::from(b':')]);
        let name: Vec<u8> = units.flat_map(u16::to_be_bytes).collect();
        [name, number.to_be_bytes().to_vec()].concat()
    };
    let decode = |key: &[u8]| {
        let (rest, number) = key.split_last_chunk()?;
        let pairs = rest.strip_suffix(b"\0:")?.chunks(2);
        let units: Vec<u16> = pairs
            .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
            .collect();
        Some((
            String::from_utf16(&units).ok()?,
            u64::from_be_bytes(*number),
        ))
    };
    observed(
        &keys(encode, decode),
        "order",
        &["not in order among themselves", "`decode` is right."],
    );
}

/// A circle may be begun anywhere, and a set be written in any order.
#[test]
fn a_prediction_is_named_however_it_is_listed() {
    use solutions::predict_broken::{circle, hidden, order};
    for turned in [|| ['e', 'b', 'a'], || ['b', 'a', 'e'], || ['a', 'e', 'b']] {
        let backwards = Predictions {
            order,
            hidden,
            circle: turned,
        };
        let verdict = judged(&predict_broken::exercise_of(backwards));
        named(&verdict, "circle_backwards");
    }
    let with_another_prefix = Predictions {
        order,
        hidden,
        circle: || ['b', 'd', 'a'],
    };
    let verdict = judged(&predict_broken::exercise_of(with_another_prefix));
    named(&verdict, "other_prefix_taken");
    let unsorted = Predictions {
        order,
        hidden: || vec!['e', 'b'],
        circle,
    };
    let verdict = judged(&predict_broken::exercise_of(unsorted));
    named(&verdict, "prefix_counted");
}

/// The first `n` bytes of `a`, the last of them raised.
fn raised(a: &[u8], n: usize) -> Option<Vec<u8>> {
    let mut cut = a[..n].to_vec();
    let last = cut.last_mut()?;
    *last = last.checked_add(1)?;
    Some(cut)
}

fn fits(a: &[u8], b: &[u8], key: &[u8]) -> bool {
    right(a, key).is_le() && right(key, b).is_lt()
}

#[test]
fn wrong_separators_are_counted_by_their_kind() {
    // Every loop that ends with the shorter key.
    let up_to_the_shorter = |a: &[u8], b: &[u8]| {
        let cuts = (1..a.len().min(b.len())).filter_map(|n| raised(a, n));
        cuts.into_iter().find(|cut| fits(a, b, cut))
    };
    let parts = [
        "It gives `None`, though a raised cut fits, on",
        "Where `a` is before `b`, every key that it gives is a raised cut of `a`.",
        "The cuts that it misses are those that are as long as `b` or longer, and no others.",
    ];
    observed(&between(up_to_the_shorter), "shortest", &parts);

    let letters_alone = |a: &[u8], b: &[u8]| {
        let letters = (1..a.len()).filter(|n| a[n - 1].is_ascii_alphanumeric());
        letters
            .filter_map(|n| raised(a, n))
            .find(|cut| fits(a, b, cut))
    };
    let parts = [
        "The cuts that it misses are those that raise a byte that is no letter and no digit, and no others.",
    ];
    observed(&between(letters_alone), "shortest", &parts);

    // In the order of the bytes it is before `b`.
    let before_in_bytes = |a: &[u8], b: &[u8]| {
        let cuts = (1..a.len()).filter_map(|n| raised(a, n));
        cuts.into_iter()
            .find(|cut| right(a, cut).is_le() && &cut[..] < b)
    };
    let parts = ["It gives a key that is not before `b`, on"];
    observed(&between(before_in_bytes), "in-range", &parts);

    let first_byte = |a: &[u8], b: &[u8]| right(a, b).is_lt().then(|| raised(a, a.len().min(1)))?;
    let parts = [
        "It gives a key that is not before `b`, on",
        "Where `a` is before `b`, every key that it gives is a raised cut of `a`.",
    ];
    observed(&between(first_byte), "in-range", &parts);
}

#[test]
fn one_prefix_may_have_a_separator_too() {
    // A raised cut with the same number.
    let not_within_a_prefix = |a: &[u8], b: &[u8]| {
        let best = solutions::separator::separator(a, b);
        best.filter(|_| split(a).0 != split(b).0)
    };
    let parts = ["separator(\"item:001\", \"item:5\") is None, but"];
    observed(&between(not_within_a_prefix), "shortest", &parts);

    // A byte between the two that differ, where the keys are not in order though their bytes are.
    let middle = |a: &[u8], b: &[u8]| {
        let n = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let room = a.get(n).zip(b.get(n)).filter(|(x, y)| x < y);
        let cut = room.map(|(x, y)| [&a[..n], &[x + (y - x) / 2]].concat());
        let fitting = cut.filter(|cut| cut.len() < a.len() && right(a, cut).is_le());
        fitting.or_else(|| solutions::separator::separator(a, b))
    };
    let parts = ["It gives a key, on 1 of"];
    observed(&between(middle), "in-range", &parts);
}

#[test]
fn each_field_of_a_row_is_told_by_itself() {
    use solutions::encode_instead::decode;
    let eight_digits = |name: &str, number: u64| format!("{name}:{number:08}").into_bytes();
    let parts = [
        "Where the name alone differs, the keys are in order.",
        "Where the number alone differs, the keys are not in order, as those of",
    ];
    observed(&keys(eight_digits, decode), "order", &parts);

    let both = |name: &str, number: u64| {
        let name: Vec<u8> = name.bytes().chain(*b":").map(|byte| !byte).collect();
        [name, number.to_le_bytes().to_vec()].concat()
    };
    let parts = [
        "Where the name alone differs, all keys are in exactly the reverse order.",
        "Where the number alone differs, the keys are not in order, as those of",
    ];
    observed(&keys(both, decode), "order", &parts);
}

#[test]
fn a_point_in_front_of_the_digits_belongs_to_the_prefix() {
    // Text up to the last point is cut off, and only what comes after it counts.
    let after_points = |key: &[u8]| {
        let read = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
        let count = key.iter().rev().take_while(read).count();
        (key[..key.len() - count].to_vec(), split(key).1.to_vec())
    };
    let value = |digits: &[u8]| {
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        (digits.len() - zeros, digits[zeros..].to_vec())
    };
    let last_part = move |a: &[u8], b: &[u8]| {
        let ((p, x), (q, y)) = (after_points(a), after_points(b));
        p.cmp(&q).then(value(&x).cmp(&value(&y))).then(a.cmp(b))
    };
    observed(
        &order(last_part),
        "order",
        &["compare(\"item:10\", \"item:1.5\") must be Less, but it is Greater."],
    );
}

#[test]
fn prefixes_are_compared_to_their_ends() {
    for seen in [8, 64, 255, 4096] {
        let cut = move |key: &[u8]| key[..key.len().min(seen)].to_vec();
        let by_the_front = move |a: &[u8], b: &[u8]| {
            let ((p, x), (q, y)) = (split(a), split(b));
            if cut(p) == cut(q) && p.len() == q.len() {
                right(x, y).then(a.cmp(b))
            } else {
                p.cmp(q)
            }
        };
        observed(
            &order(by_the_front),
            "order",
            &["It is right on all keys compared with themselves, all pairs with one prefix"],
        );
    }
}

#[test]
fn counts_of_sixteen_bits() {
    #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
    fn short(count: usize) -> usize {
        usize::from(count as u16)
    }
    let number = |digits: &[u8], count: fn(usize) -> usize| {
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        (count(digits.len() - zeros), digits[zeros..].to_vec())
    };
    let digits_counted = move |a: &[u8], b: &[u8]| {
        let ((p, x), (q, y)) = (split(a), split(b));
        let numbers = number(x, short).cmp(&number(y, short));
        p.cmp(q).then(numbers).then(a.cmp(b))
    };
    observed(&order(digits_counted), "order", &[]);
    let prefix_cut = move |a: &[u8], b: &[u8]| {
        let ((p, x), (q, y)) = (split(a), split(b));
        let prefixes = p[..short(p.len())].cmp(&q[..short(q.len())]);
        let numbers = number(x, |all| all).cmp(&number(y, |all| all));
        prefixes.then(numbers).then(a.cmp(b))
    };
    observed(&order(prefix_cut), "order", &[]);
}

#[test]
fn of_two_mistakes_nothing_is_called_right() {
    pairs_call_nothing_right(&numeric_comparator::exercise_of(Arc::new(right)));
}

#[test]
fn zeros_in_front_that_a_short_count_does_not_hold() {
    for bits in [8, 16] {
        let number = move |digits: &[u8]| {
            let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
            let zeros = zeros & ((1 << bits) - 1);
            (digits.len() - zeros, digits[zeros..].to_vec())
        };
        let zeros_counted = move |a: &[u8], b: &[u8]| {
            let ((p, x), (q, y)) = (split(a), split(b));
            p.cmp(q).then(number(x).cmp(&number(y))).then(a.cmp(b))
        };
        observed(&order(zeros_counted), "order", &[]);
    }
}

#[test]
fn the_byte_before_the_digits_is_no_digit() {
    fn cut(key: &[u8]) -> (&[u8], &[u8]) {
        let other = key.iter().rposition(|byte| !(b'/'..=b'9').contains(byte));
        key.split_at(other.map_or(0, |at| at + 1))
    }
    let slash_counted = |a: &[u8], b: &[u8]| {
        let ((p, x), (q, y)) = (cut(a), cut(b));
        let width = x.len().max(y.len());
        let padded = |digits: &[u8]| [&vec![b'0'; width - digits.len()][..], digits].concat();
        let numbers = padded(x).cmp(&padded(y));
        p.cmp(q).then(numbers).then(a.cmp(b))
    };
    observed(&order(slash_counted), "order", &[]);
}

#[test]
fn a_place_in_a_long_key_that_a_byte_does_not_hold() {
    let counted = |a: &[u8], b: &[u8]| {
        let found = solutions::separator::separator(a, b);
        let last = |_: &u8| a.len() > 255 && found.is_none() && right(a, b).is_lt();
        let raised = a.split_last().filter(|(last_byte, _)| last(last_byte));
        raised.map_or(found.clone(), |(byte, front)| {
            Some([front, &[byte + 1]].concat())
        })
    };
    observed(&between(counted), "shorter", &[]);
}

#[test]
fn every_bit_of_a_large_number_counts() {
    use solutions::encode_instead::{decode, encode};
    every_bit_counts((0..64).step_by(7), 1 << 40, |astray| {
        encode_instead::exercise_of(Keys::new(
            move |name, number| encode(name, astray.of(number)),
            decode,
        ))
    });
    every_bit_counts((0..64).step_by(7), 1 << 40, |astray| {
        encode_instead::exercise_of(Keys::new(encode, move |key| {
            let (name, number) = decode(key)?;
            Some((name, astray.of(number)))
        }))
    });
}

#[test]
fn every_digit_of_a_long_number_counts() {
    for looked_at in [45, 100, 4999] {
        let verdict = order(move |a, b| {
            let ((p, x), (q, y)) = (split(a), split(b));
            let number = |digits: &[u8]| {
                let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
                let counted = &digits[zeros..];
                let first = &counted[..counted.len().min(looked_at)];
                (!digits.is_empty(), counted.len(), first.to_vec())
            };
            p.cmp(q)
                .then_with(|| number(x).cmp(&number(y)))
                .then_with(|| a.cmp(b))
        });
        observed(&verdict, "order", &["must be Less, but it is Greater."]);
    }
}

#[test]
fn every_bit_of_a_number_behind_a_prefix_counts() {
    let number = |digits: &[u8]| str::from_utf8(digits).ok()?.parse::<u64>().ok();
    every_bit_counts(0..64, 1 << 40, |astray| {
        numeric_comparator::exercise_of(Arc::new(move |a: &[u8], b: &[u8]| {
            let ((p, x), (q, y)) = (split(a), split(b));
            match (number(x), number(y)) {
                (Some(m), Some(n)) if p == q => astray.of(m).cmp(&astray.of(n)).then(a.cmp(b)),
                _ => right(a, b),
            }
        }))
    });
}

#[test]
fn groups_of_seven_bits_with_the_highest_first_are_not_called_the_lowest_first() {
    let highest_first = |name: &str, number: u64| {
        let groups = (u64::BITS - number.leading_zeros()).div_ceil(7).max(1);
        let group = |place: u32| (number >> (7 * place)) as u8 & 0x7f;
        let more = |place: u32| if place > 0 { 0x80 } else { 0 };
        let groups = (0..groups).rev().map(|place| group(place) | more(place));
        [name.as_bytes(), b":"]
            .concat()
            .into_iter()
            .chain(groups)
            .collect()
    };
    let verdict = keys(highest_first, solutions::encode_instead::decode);
    observed(&verdict, "order", &[]);
    assert!(!verdict.message.contains("lowest"));
}
