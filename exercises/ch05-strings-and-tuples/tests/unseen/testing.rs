//! What is said of tests.

use kit::unseen::{named, observed};

use crate::{solutions, tester};

#[test]
fn tests_are_told_what_they_decide() {
    // A test of one rule for some strings: it decides like no weak test that we know.
    let zeros_only = |encode: &dyn Fn(&[u8]) -> Vec<u8>, _: &dyn Fn(&[u8]) -> Option<Vec<u8>>| {
        for count in 0..9_usize {
            assert!(encode(&vec![0; count]) < encode(&vec![0; count + 1]));
        }
    };
    observed(
        &tester(zeros_only),
        "kills",
        &["It accepts 3 of 3 right implementations"],
    );
    let no_zero_in_a_key = |encode: &dyn Fn(&[u8]) -> Vec<u8>,
                            _: &dyn Fn(&[u8]) -> Option<Vec<u8>>| {
        assert!(!encode(b"a").contains(&0));
    };
    observed(
        &tester(no_zero_in_a_key),
        "accepts-right",
        &["your test refuses a right answer, `end_of_00_01`"],
    );
}

#[test]
fn a_test_that_asks_for_two_bytes_at_the_end_is_refused() {
    let verdict = tester(|encode, decode| {
        solutions::test_an_escape::test(encode, decode);
        assert!(encode(b"").len() >= 2, "too short");
    });
    named(&verdict, "string_demanded_in_the_key");
}

#[test]
fn a_test_that_asks_of_some_strings_alone_is_not_said_to_ask_of_none() {
    let bytes = [0x00, 0x01, b'a', 0xfe, 0xff];
    let mut strings: Vec<Vec<u8>> = vec![vec![], vec![b'a'; 60], [&[b'a'; 60][..], b"b"].concat()];
    for byte in bytes {
        strings.push(vec![byte]);
        strings.extend(bytes.map(|next| vec![byte, next]));
        strings.extend(bytes.map(|next| vec![byte, 0x00, next]));
    }
    strings.sort();
    strings.dedup();
    let verdict = tester(move |encode, decode| {
        for pair in strings.windows(2) {
            let [a, b] = [0, 1].map(|i| encode(&pair[i]));
            assert!(a < b);
            // The zero byte is what may come after an end of one.
            assert!(pair[1].contains(&0) || !b.starts_with(&a));
        }
        for string in &strings {
            let mut key = encode(string);
            assert_eq!(decode(&key).as_ref(), Some(string));
            assert_eq!(decode(&[&key[..], b"b"].concat()), None);
            key.pop();
            assert_eq!(decode(&key), None);
        }
    });
    named(&verdict, "end_not_tested");
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains("does not ask of every two strings")
    );
}
