//! What published systems met, modelled. The chapter names project, place and year.

use engine::keys::{self, OrderedKey as _};

use crate::store::Store;

// ANCHOR: fractions
#[test]
fn text_times_need_one_form() {
    // A fraction without its trailing zeros: `.` sorts before `Z`.
    let (whole, later) = ("2020-01-02T00:03:04Z", "2020-01-02T00:03:04.1Z");
    assert!(later < whole);
    // With all digits, always, it is right again.
    let (whole, later) = ("2020-01-02T00:03:04.0Z", "2020-01-02T00:03:04.1Z");
    assert!(whole < later);
    // What JavaScript's toISOString writes for the years 10000 and -1.
    assert!("+010000-01-01T00:00:00.000Z" < "1970-01-01T00:00:00.000Z");
    assert!("-000001-01-01T00:00:00.000Z" < "-000002-01-01T00:00:00.000Z");
}
// ANCHOR_END: fractions

// ANCHOR: signed_bytes
#[test]
fn big_endian_signed_bytes_put_1969_last() {
    let store = Store::new();
    for number in [-100_i64, 0, 100] {
        store.put(number.to_be_bytes(), &number.to_string());
    }
    assert_eq!(store.all(), ["0", "100", "-100"]);
}
// ANCHOR_END: signed_bytes

// ANCHOR: guessed_unit
/// The unit guessed by size: what needs more than 32 bits is milliseconds.
fn seconds_of(time: u64) -> u64 {
    const SECOND_MASK: u64 = 0xffff_ffff_0000_0000;
    if time & SECOND_MASK != 0 {
        time / 1000
    } else {
        time
    }
}

#[test]
fn a_guessed_unit_is_wrong_for_small_times() {
    assert_eq!(seconds_of(1_571_819_021_259), 1_571_819_021);
    // 100000 s, given in milliseconds.
    assert_eq!(seconds_of(100_000_000), 100_000_000);
    // The guess is wrong for the first 49 days of 1970.
    assert_eq!((1_u64 << 32) / 86_400_000, 49);
}
// ANCHOR_END: guessed_unit

// ANCHOR: crossed
#[test]
fn a_scan_whose_start_lies_after_its_end_is_empty() {
    let key = |time: i64| (i64::MAX - time).to_be_bytes();
    let store = Store::new();
    for time in [10, 20, 30] {
        store.put(key(time), &time.to_string());
    }
    assert!(store.range(key(10)..key(30)).is_empty());
    // Exchanged: 30 is in, 10 is out.
    assert_eq!(store.range(key(30)..key(10)), ["30", "20"]);
    // Here nothing follows the time, so closing one end and opening the other suffices.
    use std::ops::Bound::{Excluded, Included};
    let window = (Excluded(key(30)), Included(key(10)));
    assert_eq!(store.range(window), ["20", "10"]);
}
// ANCHOR_END: crossed

// ANCHOR: backwards
#[test]
fn a_reversed_scan_keeps_the_lower_bound_below() {
    let store = Store::new();
    for key in ["a", "b", "c", "d", "e"] {
        store.put(key, key);
    }
    // From e down to b: the bounds of the range stay in the order of the keys.
    let rows = store.rows.range("b"..="e").rev();
    let keys: Vec<_> = rows.map(|row| row.unwrap().0).collect();
    assert_eq!(keys, [b"e", b"d", b"c", b"b"]);
    assert_eq!(store.rows.range("e"..="b").rev().count(), 0);
}
// ANCHOR_END: backwards

// ANCHOR: suffix
#[test]
fn a_domain_is_no_suffix_of_letters() {
    assert!("ads-twitter.com".ends_with("twitter.com"));
    assert!(!"ads-twitter.com".ends_with(".twitter.com"));
}

#[test]
fn a_test_with_a_symmetric_name_proves_nothing() {
    let reversed = |host: &str| host.rsplit('.').collect::<Vec<_>>().join(".");
    // Stored reversed, looked up as they are.
    let table = ["com.br", "br.com", "co.uk"].map(reversed);
    let found = |host: &str| table.iter().any(|suffix| suffix == host);
    assert!(found("com.br"), "by chance: br.com is a suffix too");
    assert!(!found("co.uk"));
    assert!(found(&reversed("co.uk")));
}
// ANCHOR_END: suffix

// ANCHOR: answers
#[test]
fn what_the_model_answers_say() {
    // Question 2: two's complement of the other's bits.
    for time in [i64::MIN + 1, -1, 0, 1, i64::MAX] {
        assert_eq!(!time, -1 - time);
        assert_eq!(i64::MAX.wrapping_sub(time), !time ^ i64::MIN);
    }
    // The text: the successor of the newest-first key of `t` is that of `t - 1`, but for 0.
    for time in [1, 2, 256, u64::MAX] {
        let key = keys::Desc(time).to_key();
        let next = u64::from_be_bytes(key.clone().try_into().unwrap()) + 1;
        assert_eq!(next.to_be_bytes().to_vec(), keys::Desc(time - 1).to_key());
    }
    assert_eq!(keys::prefix_successor(&keys::Desc(0_u64).to_key()), None);
    // Question 5: an end of `ff ff` after inverted text, without an escape.
    let ended = |text: &[u8]| {
        let mut key: Vec<u8> = text.iter().map(|byte| !byte).collect();
        key.extend([0xff, 0xff]);
        key
    };
    assert!(
        ended(b"") < ended(b"\0"),
        "the longer text should come first"
    );
}
// ANCHOR_END: answers
