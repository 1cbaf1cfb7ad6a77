//! Wrong and right answers that no gallery holds: what is said of them must be true.

#[path = "../checks/first_scan.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod first_scan;
#[path = "../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../checks/prefix_scan.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod prefix_scan;
#[path = "../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../checks/stores.rs"]
mod stores;
#[path = "../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../checks/test_prefix_scan.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_prefix_scan;

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::SeqCst;

use kit::unseen::{judged, named, observed, passes};
use kit::{State, Verdict};

use ch01_sorted_map::test_prefix_scan as learner;
use stores::Store;

fn first(scan: first_scan::Scan) -> Verdict {
    judged(&first_scan::exercise_of(scan))
}

fn prefix(scan: prefix_scan::Scan) -> Verdict {
    judged(&prefix_scan::exercise_of(scan))
}

fn tested(
    test: impl Fn(&dyn Fn(&Store, &[u8]) -> Vec<Vec<u8>>) + Send + Sync + 'static,
) -> Verdict {
    judged(&test_prefix_scan::exercise_of(test_prefix_scan::tester(
        test,
    )))
}

#[test]
fn right_answers_pass_however_they_are_written() {
    let walked = first(|store, lo, hi| {
        let inside = |key: &&Vec<u8>| key.as_slice() >= lo && key.as_slice() < hi;
        store.keys().filter(inside).cloned().collect()
    });
    assert_eq!(walked.state, State::Passed);
    let taken = prefix(|store, prefix| {
        let from = store.range(prefix.to_vec()..).map(|(key, _)| key);
        from.take_while(|key| key.starts_with(prefix))
            .cloned()
            .collect()
    });
    assert_eq!(taken.state, State::Passed);
}

#[test]
fn a_bound_that_is_cut_is_told_by_class() {
    // Only the first byte of the end counts.
    let verdict = first(|store, lo, hi| {
        let end = hi.first().map_or(&[][..], std::slice::from_ref);
        solutions::first_scan::first_scan(store, lo, end)
    });
    observed(
        &verdict,
        "range",
        &["It is wrong on", "all ranges that end before they start."],
    );
}

#[test]
fn a_mistake_beside_another_one_is_told_with_its_numbers() {
    let verdict = first(|store, lo, hi| {
        let small = |key: &[u8]| key.to_ascii_lowercase();
        let inside = |key: &&Vec<u8>| small(lo) <= small(key) && small(key) <= small(hi);
        store.keys().filter(inside).cloned().collect()
    });
    observed(
        &verdict,
        "range",
        &[
            "probes that it gets wrong it behaves like a range that takes its end.",
            "On the others there is something else, the smallest is first_scan",
            "Read: 01-sorted-map/index.html#wrong-answers-and-what-each-breaks",
        ],
    );
}

#[test]
fn the_wrong_end_of_lists_is_told() {
    // Of a bound only its first two bytes count.
    let verdict = first(|store, lo, hi| {
        let start = &lo[..lo.len().min(2)];
        solutions::first_scan::first_scan(store, start, hi)
    });
    let begins = "stops as the right one does, and begins elsewhere.";
    observed(&verdict, "range", &[begins]);
}

#[test]
fn one_answer_to_nearly_everything_is_told() {
    let verdict = first(|_, lo, hi| match (lo, hi) {
        (b"b", b"z") => vec![b"b".to_vec(), b"bb".to_vec()],
        (b"a0", b"cc") => vec![b"aa".to_vec(), b"b".to_vec(), b"c".to_vec()],
        _ => Vec::new(),
    });
    observed(&verdict, "range", &["It gives [] on all probes but", "and"]);
}

#[test]
fn one_lost_key_is_told_by_class() {
    // Longer keys are lost.
    let verdict = first(|store, lo, hi| {
        let mut keys = solutions::first_scan::first_scan(store, lo, hi);
        keys.retain(|key| key.len() == 1);
        keys
    });
    observed(&verdict, "range", &["must be", "It is wrong on"]);
    let verdict = prefix(|store, prefix| {
        let mut keys = solutions::prefix_scan::prefix_scan(store, prefix);
        keys.retain(|key| !key.ends_with(b"\xff\xff"));
        keys
    });
    observed(&verdict, "prefix", &["\\xff\\xff", "It is wrong on"]);
}

#[test]
fn natural_slips_are_named() {
    named(
        &first(|store, lo, hi| {
            store
                .range(lo.to_vec()..hi.to_vec())
                .map(|(k, _)| k.clone())
                .collect()
        }),
        "both_ends_left_to_the_map",
    );
    let verdict = prefix(|store, prefix| {
        let end = [prefix, b"\xff"].concat();
        store
            .range(prefix.to_vec()..end)
            .map(|(key, _)| key.clone())
            .collect()
    });
    named(&verdict, "ends_at_one_ff");
}

#[test]
fn a_weak_test_that_nobody_foresaw_is_told_its_score() {
    // The right idea, and no key with many ff, nor an empty store.
    let words = |scan: &dyn Fn(&Store, &[u8]) -> learner::Keys| {
        let keys: [&[u8]; 8] = [
            b"A", b"a", b"a0", b"ab", b"abc\x80", b"ab\xff", b"ac", b"x ab",
        ];
        let store = stores::store(&keys);
        for prefix in keys {
            let expected: Vec<_> = store
                .keys()
                .filter(|key| key.starts_with(prefix))
                .cloned()
                .collect();
            assert_eq!(scan(&store, prefix), expected);
        }
    };
    observed(
        &tested(words),
        "kills",
        &[
            "your test accepts",
            "ends_at_many_ff It ends at the prefix followed by eight bytes ff.",
            "On a right one, your test makes 8 calls: scan([8 keys], \"A\")",
        ],
    );
}

#[test]
fn a_test_that_is_too_strict_is_told_why() {
    let verdict = tested(|scan| {
        let found = scan(&stores::store(&[b"a", b"ab"]), b"a");
        assert!(found.iter().all(|key| key.len() > 1), "the prefix alone");
    });
    observed(
        &verdict,
        "accepts-right",
        &[
            "your test refuses a right answer, `one_range`.",
            "the prefix alone. Its only call was scan([\"a\", \"ab\"], \"a\") = [\"a\", \"ab\"].",
        ],
    );
    // `user:1` taken for a field.
    let verdict = tested(|scan| {
        let found = scan(&stores::store(&[b"user:1", b"user:10"]), b"user:1");
        assert_eq!(found, [b"user:1".to_vec()]);
    });
    assert_eq!(verdict.check.as_deref(), Some("accepts-right"));
}

#[test]
fn a_test_that_asks_for_an_empty_prefix_is_told_so() {
    let verdict = tested(|scan| {
        let store = stores::store(&[b"a", b"b"]);
        assert_eq!(scan(&store, b"a"), [b"a".to_vec()]);
        assert_eq!(scan(&store, b""), [b"a".to_vec(), b"b".to_vec()]);
    });
    named(&verdict, "refuses_everything");
    let text = one_line(&verdict);
    for part in [
        "your test refuses a right answer, `one_range`.",
        "your test asks for an empty prefix, and the task says that there is none.",
        "and scan([\"a\", \"b\"], \"\"), which did not return.",
        "or it asks for an empty prefix.",
    ] {
        assert!(text.contains(part), "{part:?} is missing");
    }
}

#[test]
fn any_number_of_ff_is_too_few() {
    for scan in [
        up_to::<8>,
        up_to::<16>,
        up_to::<64>,
        up_to::<255>,
        up_to::<1024>,
        up_to::<4096>,
    ] {
        named(&prefix(scan), "ends_at_many_ff");
    }
}

fn up_to<const N: usize>(store: &Store, prefix: &[u8]) -> Vec<Vec<u8>> {
    let end = [prefix, &[0xff; N]].concat();
    let found = store.range(prefix.to_vec()..end);
    found.map(|(key, _)| key.clone()).collect()
}

#[test]
fn keys_have_any_length_and_there_may_be_many() {
    fn cut<const LENGTH: usize>(key: &[u8]) -> &[u8] {
        &key[..key.len().min(LENGTH)]
    }
    fn looked_at<const LENGTH: usize>() {
        let scan: first_scan::Scan = |store, lo, hi| {
            let inside = |key: &&Vec<u8>| {
                let key = cut::<LENGTH>(key);
                cut::<LENGTH>(lo) <= key && key < cut::<LENGTH>(hi)
            };
            store.keys().filter(inside).cloned().collect()
        };
        observed(&first(scan), "range", &["must be"]);
        let scan: prefix_scan::Scan =
            |store, prefix| solutions::prefix_scan::prefix_scan(store, cut::<LENGTH>(prefix));
        observed(&prefix(scan), "prefix", &["must be"]);
    }
    looked_at::<8>();
    looked_at::<300>();
    looked_at::<4096>();

    let page = first(|store, lo, hi| {
        let mut found = solutions::first_scan::first_scan(store, lo, hi);
        found.truncate(5000);
        found
    });
    observed(&page, "range", &["[5100 keys from"]);
    let page = prefix(|store, prefix| {
        let mut found = solutions::prefix_scan::prefix_scan(store, prefix);
        found.truncate(5000);
        found
    });
    observed(&page, "prefix", &["[5100 keys from"]);
    let not_empty = first(|store, lo, hi| {
        let mut found = solutions::first_scan::first_scan(store, lo, hi);
        found.retain(|key| !key.is_empty());
        found
    });
    observed(&not_empty, "range", &["must be [\"\""]);
}

#[test]
fn keys_written_as_numbers_or_trimmed_are_other_keys() {
    fn decimal(key: &[u8]) -> String {
        format!("{key:?}").trim_end_matches(']').to_owned()
    }
    fn hexadecimal(key: &[u8]) -> String {
        key.iter().map(|byte| format!("{byte:x}")).collect()
    }
    fn trimmed(key: &[u8]) -> String {
        let text: String = key.iter().map(|byte| char::from(*byte)).collect();
        text.trim_matches(' ').to_owned()
    }
    let listed = prefix(|store, prefix| {
        let found = |key: &&Vec<u8>| decimal(key).starts_with(&decimal(prefix));
        store.keys().filter(found).cloned().collect()
    });
    named(&listed, "printed_lists");
    let written: [prefix_scan::Scan; 2] = [
        |store, prefix| {
            let found = |key: &&Vec<u8>| hexadecimal(key).starts_with(&hexadecimal(prefix));
            store.keys().filter(found).cloned().collect()
        },
        |store, prefix| {
            let found = |key: &&Vec<u8>| trimmed(key).starts_with(&trimmed(prefix));
            store.keys().filter(found).cloned().collect()
        },
    ];
    for scan in written {
        observed(&prefix(scan), "prefix", &["must be"]);
    }
    let written: [first_scan::Scan; 2] = [
        |store, lo, hi| {
            let (lo, hi) = (hexadecimal(lo), hexadecimal(hi));
            let inside = |key: &&Vec<u8>| (&lo..&hi).contains(&&hexadecimal(key));
            store.keys().filter(inside).cloned().collect()
        },
        |store, lo, hi| {
            let (lo, hi) = (trimmed(lo), trimmed(hi));
            let inside = |key: &&Vec<u8>| (&lo..&hi).contains(&&trimmed(key));
            store.keys().filter(inside).cloned().collect()
        },
    ];
    let [printed, trimmed] = written.map(first);
    named(&printed, "bytes_printed_without_a_width");
    observed(&trimmed, "range", &["must be"]);
}

#[test]
fn an_end_of_the_alphabet_is_named_as_what_it_is() {
    fn up_to_text(store: &Store, prefix: &[u8], end: &str) -> Vec<Vec<u8>> {
        let end = [prefix, end.as_bytes()].concat();
        let found = store.range(prefix.to_vec()..end);
        found.map(|(key, _)| key.clone()).collect()
    }
    named(&prefix(|s, p| up_to_text(s, p, "z")), "ends_at_z");
    named(&prefix(|s, p| up_to_text(s, p, "{")), "ends_after_z");
    named(&prefix(|s, p| up_to_text(s, p, "~")), "ends_at_a_letter");
    for last in ["\u{f8ff}", "\u{ffff}", "\u{10ffff}"] {
        let end = [b"a", last.as_bytes()].concat();
        assert!(end < b"a\xfe".to_vec(), "all of them lie before fe");
    }
    named(
        &prefix(|s, p| up_to_text(s, p, "\u{10ffff}")),
        "ends_at_a_great_character",
    );
    // Before the character that comes next, `~` and no other is the last.
    named(
        &prefix(|s, p| up_to_text(s, p, "\u{7f}")),
        "ends_after_a_tilde",
    );
    // A walk that stops where a key begins with `hi` meets keys that do not equal it.
    let verdict = first(|store, lo, hi| {
        if lo >= hi {
            return Vec::new();
        }
        let from = store.range(lo.to_vec()..).map(|(key, _)| key);
        from.take_while(|key| !key.starts_with(hi))
            .cloned()
            .collect()
    });
    observed(&verdict, "range", &["It is wrong on"]);
}

#[test]
fn a_key_may_be_shorter_than_the_prefix() {
    named(
        &prefix(|store, prefix| {
            let found = |key: &&Vec<u8>| &key[..prefix.len()] == prefix;
            store.keys().filter(found).cloned().collect()
        }),
        "short_keys_panic",
    );
    named(
        &prefix(|store, prefix| {
            let alike = |key: &&Vec<u8>| key.iter().zip(prefix).all(|(a, b)| a == b);
            store.keys().filter(alike).cloned().collect()
        }),
        "shorter_keys_taken",
    );
}

#[test]
fn a_byte_has_eight_bits() {
    fn seven(key: &[u8]) -> Vec<u8> {
        key.iter().map(|byte| byte & 0x7f).collect()
    }
    let verdict = first(|store, lo, hi| {
        let inside = |key: &&Vec<u8>| seven(lo) <= seven(key) && seven(key) < seven(hi);
        store.keys().filter(inside).cloned().collect()
    });
    observed(&verdict, "range", &["\\x80"]);
}

#[test]
fn no_number_of_bytes_ff_is_an_end() {
    let verdict = prefix(|store, prefix| {
        let end = [prefix, &[0xff; 1 << 16]].concat();
        let found = store.range(prefix.to_vec()..=end);
        found.map(|(key, _)| key.clone()).collect()
    });
    observed(&verdict, "prefix", &["{262143 times}"]);
}

#[test]
fn a_key_without_a_value_is_a_key() {
    fn filled(store: &Store, is_found: impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
        let found = store.iter().filter(|(key, _)| is_found(key));
        let filled = found.filter(|(_, value)| !value.is_empty());
        filled.map(|(key, _)| key.clone()).collect()
    }
    observed(
        &first(|store, lo, hi| filled(store, |key| lo <= key && key < hi)),
        "range",
        &["but it is"],
    );
    observed(
        &prefix(|store, prefix| filled(store, |key| key.starts_with(prefix))),
        "prefix",
        &["but it is"],
    );
}

#[test]
fn slips_of_a_first_day_are_named() {
    let up_to_the_end_of_one = |store: &Store, lo: &[u8], hi: &[u8]| {
        let is_less = |a: &[u8], b: &[u8]| {
            for i in 0..a.len().min(b.len()) {
                if a[i] != b[i] {
                    return a[i] < b[i];
                }
            }
            false
        };
        let keys = store.keys().cloned();
        keys.filter(|key| !is_less(key, lo) && is_less(key, hi))
            .collect()
    };
    named(&first(up_to_the_end_of_one), "compared_up_to_the_shorter");
    let no_empty_bound = |store: &Store, lo: &[u8], hi: &[u8]| {
        if lo.is_empty() || hi.is_empty() || lo >= hi {
            return Vec::new();
        }
        let found = store.range(lo.to_vec()..hi.to_vec());
        found.map(|(key, _)| key.clone()).collect()
    };
    named(&first(no_empty_bound), "empty_start_finds_nothing");

    let each_raised = |store: &Store, prefix: &[u8]| {
        let end: Vec<u8> = prefix.iter().map(|byte| byte.wrapping_add(1)).collect();
        let inside = |key: &&Vec<u8>| key.as_slice() >= prefix && **key < end;
        store.keys().filter(inside).cloned().collect()
    };
    named(&prefix(each_raised), "every_byte_raised");
    let up_to_a_colon = |store: &Store, prefix: &[u8]| {
        let colon = |key: &[u8]| key.iter().position(|byte| *byte == b':');
        let field = |key: &[u8]| key[..colon(key).unwrap_or(key.len())].to_vec();
        let same = |key: &&Vec<u8>| field(key) == field(prefix);
        store.keys().filter(same).cloned().collect()
    };
    named(&prefix(up_to_a_colon), "field_before_the_colon");
    let turned = |store: &Store, prefix: &[u8]| {
        let mut end = prefix.to_vec();
        *end.last_mut().unwrap() += 1;
        let inside = |key: &&Vec<u8>| key.as_slice() > prefix && **key <= end;
        store.keys().filter(inside).cloned().collect()
    };
    named(&prefix(turned), "prefix_left_out_and_successor_taken");
}

#[test]
fn a_range_with_its_end_is_named_behind_any_guard() {
    fn with_end(store: &Store, lo: &[u8], hi: &[u8]) -> Vec<Vec<u8>> {
        let found = store.range(lo.to_vec()..=hi.to_vec());
        found.map(|(key, _)| key.clone()).collect()
    }
    named(
        &first(|store, lo, hi| {
            if lo > hi {
                Vec::new()
            } else {
                with_end(store, lo, hi)
            }
        }),
        "end_taken",
    );
    named(
        &first(|store, lo, hi| {
            if lo >= hi {
                Vec::new()
            } else {
                with_end(store, lo, hi)
            }
        }),
        "end_taken_unless_equal",
    );
}

#[test]
fn a_prefix_that_is_asked_for_a_key_is_named() {
    named(
        &prefix(|store, prefix| {
            let found = |key: &&Vec<u8>| prefix.starts_with(key);
            store.keys().filter(found).cloned().collect()
        }),
        "starts_with_exchanged",
    );
}

#[test]
fn a_raised_byte_that_is_put_after_the_prefix_is_named() {
    let verdict = prefix(|store, prefix| {
        let mut end = prefix.to_vec();
        end.push(end[end.len() - 1] + 1);
        let found = store.range(prefix.to_vec()..end);
        found.map(|(key, _)| key.clone()).collect()
    });
    named(&verdict, "ends_at_the_raised_last_byte_appended");
}

#[test]
fn bytes_that_are_no_text_are_told_to_be_bytes() {
    fn text(bytes: &[u8]) -> String {
        String::from_utf8(bytes.to_vec()).unwrap()
    }
    named(
        &first(|store, lo, hi| {
            let (lo, hi) = (text(lo), text(hi));
            let inside = |key: &&Vec<u8>| (&lo..&hi).contains(&&text(key));
            store.keys().filter(inside).cloned().collect()
        }),
        "bounds_made_text_first",
    );
    // The keys alone: no mistake, and what the panic says is explained.
    let verdict = first(|store, lo, hi| {
        let inside = |key: &&Vec<u8>| text(key).as_bytes() >= lo && text(key).as_bytes() < hi;
        store.keys().filter(inside).cloned().collect()
    });
    observed(
        &verdict,
        "returns",
        &["`Utf8Error` means that bytes were made text"],
    );
    let verdict = first(|_, _, _| panic!("another reason"));
    assert!(!verdict.message.contains("Utf8Error"));
}

#[test]
fn the_empty_key_starts_with_no_prefix() {
    let empty = prefix(|store, prefix| {
        let found = |key: &&Vec<u8>| key.is_empty() || key.starts_with(prefix);
        store.keys().filter(found).cloned().collect()
    });
    named(&empty, "empty_key_taken");
}

#[test]
fn a_gap_has_a_place_and_no_key() {
    fn place(store: &Store, bound: &[u8]) -> Result<usize, usize> {
        let keys: Vec<&Vec<u8>> = store.keys().collect();
        keys.binary_search_by(|key| key.as_slice().cmp(bound))
    }
    fn slice(store: &Store, from: usize, to: usize) -> Vec<Vec<u8>> {
        store.keys().take(to).skip(from.min(to)).cloned().collect()
    }
    let right = first(|store, lo, hi| {
        let at = |bound| place(store, bound).unwrap_or_else(|gap| gap);
        slice(store, at(lo), at(hi))
    });
    assert_eq!(right.state, State::Passed);
    let behind = first(|store, lo, hi| {
        if lo >= hi {
            return Vec::new();
        }
        let start = place(store, lo).unwrap_or_else(|gap| gap);
        slice(store, start, place(store, hi).unwrap_or_else(|gap| gap + 1))
    });
    named(&behind, "gap_counted_as_a_key");
    let before = first(|store, lo, hi| {
        if lo >= hi {
            return Vec::new();
        }
        let start = place(store, lo).unwrap_or_else(|gap| gap.max(1) - 1);
        slice(store, start, place(store, hi).unwrap_or_else(|gap| gap))
    });
    named(&before, "gap_counted_backwards");
}

#[test]
fn no_byte_is_taken_for_another_one() {
    fn without_the_end_of_a_line(key: &[u8]) -> &[u8] {
        key.strip_suffix(b"\n").unwrap_or(key)
    }
    fn printable(key: &[u8]) -> Vec<u8> {
        key.iter().map(|byte| (*byte).max(b' ')).collect()
    }
    fn capitals_of_latin_1(key: &[u8]) -> Vec<u8> {
        let capital = |byte: &u8| match byte {
            0xe0..=0xfe => byte - 0x20,
            _ => *byte,
        };
        key.iter().map(capital).collect()
    }
    let scans: [first_scan::Scan; 3] = [
        |store, lo, hi| {
            let of = without_the_end_of_a_line;
            let inside = |key: &&Vec<u8>| of(lo) <= of(key) && of(key) < of(hi);
            store.keys().filter(inside).cloned().collect()
        },
        |store, lo, hi| {
            let of = printable;
            let inside = |key: &&Vec<u8>| of(lo) <= of(key) && of(key) < of(hi);
            store.keys().filter(inside).cloned().collect()
        },
        |store, lo, hi| {
            let of = capitals_of_latin_1;
            let inside = |key: &&Vec<u8>| of(lo) <= of(key) && of(key) < of(hi);
            store.keys().filter(inside).cloned().collect()
        },
    ];
    for scan in scans {
        observed(&first(scan), "range", &["It is wrong on"]);
    }
    let scans: [prefix_scan::Scan; 3] = [
        |store, prefix| {
            let starts = |line: &[u8]| line.starts_with(prefix);
            let found = |key: &&Vec<u8>| key.split(|byte| *byte == b'\n').any(starts);
            store.keys().filter(found).cloned().collect()
        },
        |store, prefix| {
            let alike = |(byte, wanted): (&u8, &u8)| byte == wanted || b"*?".contains(wanted);
            let found =
                |key: &&Vec<u8>| key.len() >= prefix.len() && key.iter().zip(prefix).all(alike);
            store.keys().filter(found).cloned().collect()
        },
        |store, prefix| {
            let of = capitals_of_latin_1;
            let found = |key: &&Vec<u8>| of(key).starts_with(&of(prefix));
            store.keys().filter(found).cloned().collect()
        },
    ];
    for scan in scans {
        observed(&prefix(scan), "prefix", &["It is wrong on"]);
    }
}

#[test]
fn one_key_alone_is_found() {
    let between_two = first(|store, lo, hi| {
        let found = solutions::first_scan::first_scan(store, lo, hi);
        found.into_iter().filter(|_| store.len() > 1).collect()
    });
    observed(&between_two, "range", &["(["]);
    let between_two = prefix(|store, prefix| {
        let found = solutions::prefix_scan::prefix_scan(store, prefix);
        found.into_iter().filter(|_| store.len() > 1).collect()
    });
    observed(&between_two, "prefix", &["([\"ab\"], \"a\")"]);
}

#[test]
fn an_end_that_is_right_after_a_colon_alone_is_not_called_wrong_everywhere() {
    let right_after_a_colon: prefix_scan::Scan = |store, prefix| {
        let end = match prefix.split_last() {
            Some((b':', front)) => [front, b";"].concat(),
            _ => [prefix, b"\xff"].concat(),
        };
        let found = store.range(prefix.to_vec()..end);
        found.map(|(key, _)| key.clone()).collect()
    };
    let told = "right on all prefixes that are a key and nothing more";
    observed(&prefix(right_after_a_colon), "prefix", &[told]);
}

#[test]
fn other_right_scans_pass_however_they_are_written() {
    let cut_out: first_scan::Scan = |store, lo, hi| {
        let mut from = store.clone().split_off(lo);
        if lo < hi {
            from.split_off(hi);
            from.into_keys().collect()
        } else {
            Vec::new()
        }
    };
    let by_halves: first_scan::Scan = |store, lo, hi| {
        let keys: Vec<&Vec<u8>> = store.keys().collect();
        let before = |bound: &[u8]| keys.partition_point(|key| key.as_slice() < bound);
        let (start, end) = (before(lo), before(hi));
        let inside = &keys[start..end.max(start)];
        inside.iter().map(|key| key.to_vec()).collect()
    };
    for right in [cut_out, by_halves] {
        assert_eq!(first(right).state, State::Passed);
    }
    let put_together: prefix_scan::Scan = |store, prefix| {
        let rest = store.keys().filter_map(|key| key.strip_prefix(prefix));
        rest.map(|rest| [prefix, rest].concat()).collect()
    };
    assert_eq!(prefix(put_together).state, State::Passed);
}

#[test]
fn answers_to_the_tables_alone_are_refused() {
    let tables: first_scan::Scan = |_, lo, hi| {
        let keys: &[&[u8]] = match (lo, hi) {
            (b"a", b"b") => &[b"a", b"aa"],
            (b"a0", b"cc") => &[b"aa", b"b", b"c"],
            _ => &[],
        };
        keys.iter().map(|key| key.to_vec()).collect()
    };
    observed(&first(tables), "range", &["must be [\"a\"]"]);
    let one_of_each_value: first_scan::Scan = |store, lo, hi| {
        let mut seen = BTreeSet::new();
        let inside = store.iter().filter(|(key, _)| (lo..hi).contains(&&key[..]));
        let new = inside.filter(|(_, value)| seen.insert(*value));
        new.map(|(key, _)| key.clone()).collect()
    };
    let told = "some of the right ones and no others";
    observed(&first(one_of_each_value), "range", &[told]);
}

/// The message without its line breaks.
fn one_line(verdict: &Verdict) -> String {
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    words.join(" ")
}

#[test]
fn a_test_whose_own_copy_panics_is_told_so() {
    // One is added to the last byte, and ff becomes 00: the standard library refuses such a range.
    let verdict = tested(|scan| {
        let store = stores::store(&[b"a", b"a\xff", b"a\xff\x01", b"b"]);
        for prefix in [&b"a"[..], b"a\xff"] {
            let mut end = prefix.to_vec();
            let last = end.last_mut().unwrap();
            *last = last.wrapping_add(1);
            let wanted = store.range(prefix.to_vec()..end);
            let wanted: Vec<Vec<u8>> = wanted.map(|(key, _)| key.clone()).collect();
            assert_eq!(scan(&store, prefix), wanted);
        }
    });
    observed(
        &verdict,
        "accepts-right",
        &[
            "your test panics by itself inside the standard library: range start is greater",
            "That is no failed assertion.",
        ],
    );
}

#[test]
fn a_weak_test_is_told_no_cause_that_it_has_not() {
    // Lists are compared in full, and each has one key at most.
    let verdict = tested(|scan| {
        let check = |keys: &[&[u8]], prefix: &[u8], wanted: &[&[u8]]| {
            assert_eq!(scan(&stores::store(keys), prefix), wanted);
        };
        let many = [&b"a"[..], &[0xff; 9]].concat();
        check(&[b"a", b"b"], b"a", &[b"a"]);
        check(&[&many], b"a", &[&many]);
        check(&[b"a\x80"], b"a", &[b"a\x80"]);
        check(&[b"a\xff\x01"], b"a\xff", &[b"a\xff\x01"]);
        check(&[b"ab", b"ac"], b"ab", &[b"ab"]);
        check(&[b"abc"], b"a", &[b"abc"]);
        check(&[b"a0"], b"a", &[b"a0"]);
        check(&[b"A", b"ba"], b"a", &[]);
        check(&[], b"a", &[]);
    });
    named(&verdict, "order_forgotten");
    assert!(one_line(&verdict).contains("or it never finds two keys at once"));
    // Five bytes ff in a row, and no eight.
    let verdict = tested(|scan| {
        let five = [&b"a"[..], &[0xff; 5]].concat();
        let keys: [&[u8]; 13] = [
            b"A", b"a", b"a0", b"ab", b"ab\xff", b"abc", b"ac", b"a\x80", b"a~~", &five, b"b",
            b"ba", b"\xff",
        ];
        let store = stores::store(&keys);
        for prefix in keys.into_iter().chain([&b"ab\xff"[..]]) {
            let wanted = keys.into_iter().filter(|key| key.starts_with(prefix));
            let mut wanted: Vec<Vec<u8>> = wanted.map(<[u8]>::to_vec).collect();
            wanted.sort();
            assert_eq!(scan(&store, prefix), wanted);
        }
        assert!(scan(&Store::new(), b"a").is_empty());
    });
    named(&verdict, "few_ff");
    assert!(one_line(&verdict).contains("eight bytes ff never follow a prefix"));
}

#[test]
fn capitals_and_small_letters_are_one_mistake_either_way() {
    let large = first(|store, lo, hi| {
        let (lo, hi) = (lo.to_ascii_uppercase(), hi.to_ascii_uppercase());
        let inside = |key: &&Vec<u8>| (&lo..&hi).contains(&&key.to_ascii_uppercase());
        store.keys().filter(inside).cloned().collect()
    });
    named(&large, "letters_without_case");
}

#[test]
fn every_byte_of_a_prefix_counts_and_stands_for_itself() {
    let by_pattern = prefix(|store, prefix| {
        let fits = |(a, b): (&u8, &u8)| a == b || *b == b'.';
        let found = store
            .keys()
            .filter(|key| key.len() >= prefix.len() && key.iter().zip(prefix).all(fits));
        found.cloned().collect()
    });
    let example = "must be [\"a.c\", \"a.cd\"], but it is [\"a.c\", \"a.cd\", \"abc\", \"abcd\"]";
    named(&by_pattern, "prefix_is_a_pattern");
    assert!(by_pattern.message.contains(example));
    let by_its_ends = prefix(|store, prefix| {
        let ends = |key: &[u8]| (key.first().copied(), key.last().copied());
        let found = store
            .keys()
            .filter(|key| key.get(..prefix.len()).map(ends) == Some(ends(prefix)));
        found.cloned().collect()
    });
    observed(&by_its_ends, "prefix", &[example]);
}

#[test]
fn a_raised_first_byte_is_not_called_all_of_them() {
    let verdict = prefix(|store, prefix| {
        let mut end = prefix.to_vec();
        end[0] += 1;
        let found = store.range(prefix.to_vec()..=end);
        found.map(|(key, _)| key.clone()).collect()
    });
    observed(
        &verdict,
        "prefix",
        &["all the right ones and others besides"],
    );
    assert!(!one_line(&verdict).contains("every byte of the prefix"));
}

#[test]
fn no_sign_of_a_bound_is_read_in_a_way_of_its_own() {
    fn line(text: &[u8]) -> &[u8] {
        text.strip_suffix(b"\n").unwrap_or(text)
    }
    fn up_to_zero(text: &[u8]) -> &[u8] {
        text.split(|&byte| byte == 0).next().unwrap_or_default()
    }
    fn without_zeros_in_front(text: &[u8]) -> &[u8] {
        let zeros = text.iter().take_while(|&&byte| byte == b'0').count();
        &text[zeros..]
    }
    fn one_space(text: &[u8]) -> Vec<u8> {
        let mut text = text.to_vec();
        text.dedup_by(|a, b| (*a, *b) == (b' ', b' '));
        text
    }
    let scans: [first_scan::Scan; 3] = [
        |store, lo, hi| solutions::first_scan::first_scan(store, lo, line(hi)),
        |store, lo, hi| solutions::first_scan::first_scan(store, up_to_zero(lo), hi),
        |store, lo, hi| {
            let inside = |key: &&Vec<u8>| {
                let key = one_space(key);
                one_space(lo) <= key && key < one_space(hi)
            };
            store.keys().filter(inside).cloned().collect()
        },
    ];
    for scan in scans {
        observed(&first(scan), "range", &["must be"]);
    }
    let scans: [prefix_scan::Scan; 3] = [
        |store, prefix| solutions::prefix_scan::prefix_scan(store, line(prefix)),
        |store, prefix| {
            let prefix = without_zeros_in_front(prefix);
            let found = |key: &&Vec<u8>| without_zeros_in_front(key).starts_with(prefix);
            store.keys().filter(found).cloned().collect()
        },
        |store, prefix| {
            let found = |key: &&Vec<u8>| one_space(key).starts_with(&one_space(prefix));
            store.keys().filter(found).cloned().collect()
        },
    ];
    for scan in scans {
        observed(&prefix(scan), "prefix", &["must be"]);
    }
}

#[test]
fn two_bytes_do_not_count_the_bytes_of_a_key() {
    // Where the keys are alike for longer than the counter counts, the scan takes them for equal.
    let counted = first(|store, lo, hi| {
        let before = |a: &[u8], b: &[u8]| {
            let alike = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            match u16::try_from(alike) {
                Ok(_) => a < b,
                Err(_) => false,
            }
        };
        let inside = |key: &&Vec<u8>| !before(key, lo) && before(key, hi);
        store.keys().filter(inside).cloned().collect()
    });
    observed(&counted, "range", &["65537"]);
}

#[test]
fn no_byte_of_a_key_is_lost() {
    /// The byte that is lost, where it stands behind the first bytes of a key.
    static BYTE: AtomicU8 = AtomicU8::new(0);
    fn lost(rest: &[u8]) -> bool {
        rest.contains(&BYTE.load(SeqCst))
    }
    let firsts: [first_scan::Scan; 2] = [
        |store, lo, hi| {
            let mut keys = solutions::first_scan::first_scan(store, lo, hi);
            keys.retain(|key| !key.get(1..2).is_some_and(lost));
            keys
        },
        |store, lo, hi| {
            let mut keys = solutions::first_scan::first_scan(store, lo, hi);
            keys.retain(|key| !key.get(2..).is_some_and(lost));
            keys
        },
    ];
    let prefixes: [prefix_scan::Scan; 3] = [
        |store, prefix| {
            let mut keys = solutions::prefix_scan::prefix_scan(store, prefix);
            keys.retain(|key| !key[prefix.len()..].get(..1).is_some_and(lost));
            keys
        },
        |store, prefix| {
            let mut keys = solutions::prefix_scan::prefix_scan(store, prefix);
            keys.retain(|key| !key[prefix.len()..].get(1..).is_some_and(lost));
            keys
        },
        |store, prefix| {
            let mut keys = solutions::prefix_scan::prefix_scan(store, prefix);
            // The task has no prefix that ends in ff.
            keys.retain(|_| !lost(prefix) || prefix.contains(&0xff));
            keys
        },
    ];
    let firsts = firsts.map(first_scan::exercise_of);
    let by_prefix = prefixes.map(prefix_scan::exercise_of);
    for byte in 0..=u8::MAX {
        BYTE.store(byte, SeqCst);
        for scan in &firsts {
            assert!(!passes(scan), "{byte:#x}");
        }
        for scan in &by_prefix[..if byte == 0xff { 2 } else { 3 }] {
            assert!(!passes(scan), "{byte:#x}");
        }
    }
    BYTE.store(b'q', SeqCst);
    let told = "must be [\"amq\", \"aq\", \"aqm\"], but it is [\"amq\"]";
    observed(&prefix(prefixes[0]), "prefix", &[told]);
}

#[test]
fn places_that_are_crossed_are_one_mistake_in_a_slice_and_in_a_difference() {
    let counted = first(|store, lo, hi| {
        let keys: Vec<&Vec<u8>> = store.keys().collect();
        let place = |bound: &[u8]| keys.partition_point(|key| key.as_slice() < bound);
        let (start, end) = (place(lo), place(hi));
        let found = keys.iter().skip(start).take(end - start);
        found.map(|key| key.to_vec()).collect()
    });
    named(&counted, "crossed_bounds_cut_a_slice");
    assert!(one_line(&counted).contains("the difference of the two places, which is below 0"));
}

#[test]
fn a_test_that_refuses_every_scan_shows_where_two_long_lists_differ() {
    let keys: Vec<[u8; 2]> = (0..=255).map(|byte| [b'a', byte]).collect();
    let shortest_first = tested(move |scan| {
        let mut keys: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
        keys.push(b"a\xfe\xfe".to_vec());
        let store = keys.iter().map(|key| (key.clone(), Vec::new())).collect();
        keys.sort_by_key(|key| (key.len(), key.clone()));
        assert_eq!(scan(&store, b"a"), keys);
    });
    named(&shortest_first, "refuses_everything");
    let text = one_line(&shortest_first);
    assert!(
        text.contains(
            "left: ... [97, 254, 254], [97, 255]]; right: ... [97, 255], [97, 254, 254]]."
        ),
        "{text}"
    );
}
