//! What published systems do with strings, and wrong answers that people give.

use book::output;
use engine::keys::historical::upper_bound;
use engine::keys::{self, OrderedKey as _, escape_into, hex};

use crate::{Scheme, fixed, joined, length_first};

// ANCHOR: wrong_schemes
pub(crate) fn bare(owner: &[u8], title: &[u8]) -> Vec<u8> {
    [owner, title].concat()
}

pub(crate) fn zero_ended(owner: &[u8], title: &[u8]) -> Vec<u8> {
    [owner, b"\x00", title].concat()
}

pub(crate) fn zero_kept(owner: &[u8], title: &[u8]) -> Vec<u8> {
    [owner, b"\x00\x01", title].concat()
}

fn escaped_and(owner: &[u8], end: &[u8], title: &[u8]) -> Vec<u8> {
    let mut key = Vec::new();
    escape_into(owner, &mut key);
    [&key, end, title].concat()
}

pub(crate) fn escaped_without_end(owner: &[u8], title: &[u8]) -> Vec<u8> {
    escaped_and(owner, b"", title)
}

pub(crate) fn ended_by_ff(owner: &[u8], title: &[u8]) -> Vec<u8> {
    escaped_and(owner, b"\xff", title)
}

pub(crate) fn ended_by_one_zero(owner: &[u8], title: &[u8]) -> Vec<u8> {
    escaped_and(owner, b"\x00", title)
}
// ANCHOR_END: wrong_schemes

type Pair = (&'static [u8], &'static [u8]);

// ANCHOR: wrong_answers
#[test]
fn each_wrong_answer_breaks_on_a_pair() {
    let gallery: [(&str, Scheme, Pair, Pair); 9] = [
        ("joined by a colon", joined, (b"a", b"z"), (b"a!", b"b")),
        ("nothing between", bare, (b"a", b"z"), (b"aa", b"b")),
        (
            "ended by a bare zero",
            zero_ended,
            (b"a", b"\x01"),
            (b"a\x00", b""),
        ),
        ("length first", length_first, (b"aa", b""), (b"b", b"")),
        ("eight bytes", fixed, (b"a", b""), (b"a\x00", b"")),
        (
            "escaped, no end",
            escaped_without_end,
            (b"a", b"z"),
            (b"aa", b"b"),
        ),
        (
            "escaped, ended by ff",
            ended_by_ff,
            (b"a", b""),
            (b"aa", b""),
        ),
        (
            "escaped, ended by 00",
            ended_by_one_zero,
            (b"a", b"\xff\x01"),
            (b"a\x00", b""),
        ),
        (
            "zero kept, ended by 00 01",
            zero_kept,
            (b"a", b""),
            (b"a\x00", b""),
        ),
    ];
    // The page has room for 80 characters in a line.
    let short = |key: &[u8]| match hex(key) {
        long if long.len() > 8 => format!("{}..{}", &long[..4], &long[long.len() - 2..]),
        key => key,
    };
    let show = |(owner, title): Pair| {
        format!(
            "(\"{}\", \"{}\")",
            owner.escape_ascii(),
            title.escape_ascii()
        )
    };
    let mut table = format!(
        "{:<27}{:<19}{:<15}{:<10}{}\n",
        "scheme", "a", "b, greater", "key of a", "key of b"
    );
    for (name, scheme, a, b) in gallery {
        let (low, high) = (scheme(a.0, a.1), scheme(b.0, b.1));
        assert!(a < b && low >= high, "{name}: a must not sort before b");
        table += &format!(
            "{name:<27}{:<19}{:<15}{:<10}{}\n",
            show(a),
            show(b),
            short(&low),
            short(&high)
        );
    }
    output::check("05-strings-and-tuples/outputs/wrong-answers.txt", &table);
}
// ANCHOR_END: wrong_answers

// ANCHOR: pika
/// Pika 4.0.1, storage_define.h: 00 becomes 00 01, and 00 00 ends the key. The bytes behind the last
/// zero are copied, but the place to write at is not moved on, so the end is written over them.
fn pika_escape(key: &[u8]) -> Vec<u8> {
    let Some(last_zero) = key.iter().rposition(|&byte| byte == 0) else {
        return [key, &[0x00, 0x00]].concat();
    };
    let mut written = Vec::new();
    for &byte in &key[..=last_zero] {
        written.push(byte);
        if byte == 0 {
            written.push(0x01);
        }
    }
    written.extend([0x00, 0x00]);
    written
}

#[test]
fn two_keys_of_pika_become_one() {
    let mut table = String::from("key           as meant            as written\n");
    for key in [&b"ann"[..], b"ann\x00", b"ann\x00b", b"ann\x00c"] {
        let meant = key.iter().flat_map(|&byte| match byte {
            0 => vec![0x00, 0x01],
            byte => vec![byte],
        });
        let meant: Vec<u8> = meant.chain([0x00, 0x00]).collect();
        let quoted = format!("\"{}\"", key.escape_ascii());
        table += &format!(
            "{quoted:<12}  {:<18}  {}\n",
            hex(&meant),
            hex(&pika_escape(key))
        );
    }
    output::check("05-strings-and-tuples/outputs/pika.txt", &table);
    assert_eq!(pika_escape(b"ann\x00b"), pika_escape(b"ann\x00c"));
}
// ANCHOR_END: pika

// ANCHOR: qdb
#[test]
fn qdb_sorts_equal_scores_by_the_length_of_the_member() {
    let mut members = ["aa", "abc", "b"];
    assert!(members.is_sorted(), "the order of Redis");
    let score = keys::historical::qdb::encode_f64(1.0);
    members.sort_by_key(|member| {
        let length = u8::try_from(member.len()).expect("a short member");
        [&score[..], &[length], member.as_bytes()].concat()
    });
    output::check(
        "05-strings-and-tuples/outputs/qdb.txt",
        &format!("Redis: aa, abc, b\nQDB:   {}\n", members.join(", ")),
    );
    assert_eq!(members, ["b", "aa", "abc"]);
}
// ANCHOR_END: qdb

// ANCHOR: lossy
#[test]
fn two_members_become_one_text() {
    let [a, b] = [&b"\xfe"[..], b"\xff"].map(String::from_utf8_lossy);
    assert_eq!(a, b);
    // As bytes they are two members.
    assert_ne!(b"\xfe".to_key(), b"\xff".to_key());
}
// ANCHOR_END: lossy

#[test]
fn one_ff_loses_rows_where_a_number_follows() {
    let prefix = "ann".to_key();
    let end = upper_bound::with_ff(&prefix);
    assert!(("ann", 1_u64).to_key() < end);
    assert!(("ann", u64::MAX).to_key() > end, "missed");
    // Behind text alone it would do: no byte of UTF-8 is ff.
    assert!(('\0'..=char::MAX).all(|c| !c.to_string().as_bytes().contains(&0xff)));
}
