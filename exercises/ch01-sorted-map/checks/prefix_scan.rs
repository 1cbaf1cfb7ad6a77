//! Prefixes over stores whose keys go on with every awkward byte.

use kit::values::{LENGTHS, woven_bytes};
use kit::{Answer, Cast, Exercise, Judged, PartOf, check};

use crate::stores::{Store, list, long, many, quoted, store, store_shown, with_byte};
use crate::{mistakes, solutions, stubs};
use ch01_sorted_map::prefix_scan as learner;

/// Somebody's `prefix_scan`.
pub(crate) type Scan = fn(&Store, &[u8]) -> Vec<Vec<u8>>;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(learner::prefix_scan))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Scan) -> Exercise<Scan> {
    Exercise::<Scan>::new(
        "prefix-scan",
        "01-sorted-map",
        Cast {
            learner,
            stub: stubs::prefix_scan::prefix_scan,
            solution: solutions::prefix_scan::prefix_scan,
        },
    )
    .part(scans())
    .check(check::answers(
        "prefix_scan",
        "prefix",
        "The keys that start with the prefix, all of them and no others, in order.",
    ))
    .mistakes(mistakes::prefix_scan::all())
}

/// Longer than an end that somebody makes of many ff.
static FAR: [u8; 5001] = followed_by_ff();
/// Longer than any. Asked for once: its length takes time.
static FARTHEST: [u8; 1 << 18] = followed_by_ff();

const fn followed_by_ff<const LENGTH: usize>() -> [u8; LENGTH] {
    let mut key = [0xff; LENGTH];
    key[0] = b'a';
    key
}

fn scans() -> PartOf<Scan> {
    let stores: [&[&[u8]]; 5] = [
        &[b"a", b"ab", b"b"],
        &[
            b"USER:1", b"User:1", b"user", b"user:", b"user:1", b"user:10", b"user:2", b"user;",
            b"users", b"vser:1",
        ],
        &[
            b"a", b"a\x00", b"ab", b"az", b"a}", b"a~", b"a\x7f", b"a\x80", b"a\xfe", b"a\xff",
            b"b", b"ba",
        ],
        &[b"a\xff\x00", b"a\xff\xff", &FAR, b"b"],
        &[],
    ];
    let prefixes: [&[u8]; 14] = [
        b"a", b"b", b"ab", b"aa", b"c", b"user:", b"user:1", b"user", b"us", b"u", b"a\x00",
        b"a\xfe", b"\x00", b"a\x7f",
    ];
    let mut part = PartOf::new("prefix_scan", "list");
    for keys in stores {
        for prefix in prefixes {
            part = probe(part, keys, prefix);
        }
    }
    part = probe(part, &[b"a", &FARTHEST, b"b"], b"a");
    // It is not the length of a key by which it is lost.
    part = probe(part, &[b"a", &[b'a'; 5001], b"b"], b"a");
    // The empty byte string is a key that starts with no prefix of these.
    part = probe(part, &[b"", b"\x00", b"a", b"ab"], b"a");
    // Spaces are bytes of a key.
    part = probe(part, &[b" a", b"a", b"a ", b"a b"], b"a ");
    // A byte ff may follow a separator as well as a letter.
    part = probe(
        part,
        &[b"user:", b"user:1", b"user:\xff", b"user;"],
        b"user:",
    );
    // Written as numbers without a width, 6 is the beginning of 60 and of 65.
    part = probe(part, &[b"a\x06", b"a\x06b", b"a`", b"aA"], b"a\x06");
    // The last length is more than two bytes hold.
    for length in LENGTHS.into_iter().chain([65_537]) {
        let keys = long(length, &[b"", b"a", b"ab", b"b"]);
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        part = probe(part, &keys, keys[1]);
        part = probe(part, &keys, keys[0]);
    }
    // One key alone is first and last.
    part = probe(part, &[b"ab"], b"a");
    // A star and a question mark are bytes as well, and so is the end of a line.
    part = probe(
        part,
        &[b"a*", b"a*b", b"a\nb", b"a?", b"ab", b"b\na*"],
        b"a*",
    );
    part = probe(part, &[b"a*", b"a?", b"a?b", b"ab"], b"a?");
    // And so is a dot; the bytes in the middle of a prefix count too.
    part = probe(part, &[b"a.c", b"a.cd", b"abc", b"abcd"], b"a.c");
    // Of two bytes that are raised, the second is one too many.
    part = probe(part, &[b"a", b"bba"], b"ab");
    // Of the bytes none equals another, and none is skipped.
    let bytes: Vec<[u8; 2]> = (0..=u8::MAX).map(|byte| [b'a', byte]).collect();
    let keys: Vec<&[u8]> = bytes.iter().map(<[u8; 2]>::as_slice).collect();
    for key in keys.iter().step_by(15).filter(|key| key[1] != 0xff) {
        part = probe(part, &keys, key);
    }
    for woven in woven_bytes() {
        let [before, behind, between, twice, often, longer] = woven.each_ref().map(Vec::as_slice);
        let keys: [&[u8]; 7] = [before, behind, between, twice, often, longer, b"35"];
        let mut prefixes = vec![before, behind, between, twice];
        // Above the letters, the stores at the top tell one end from another.
        if between < b"3{" {
            prefixes.extend([b"3", &often[..often.len() - 1]]);
        }
        for prefix in prefixes
            .into_iter()
            .filter(|prefix| !prefix.starts_with(b"\xff") && !prefix.ends_with(b"\xff"))
        {
            part = probe(part, &keys, prefix);
        }
    }
    // A key is found whatever its bytes are, right behind the prefix and further on, and so is a prefix.
    for byte in 0..=u8::MAX {
        let keys = with_byte(byte);
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        part = probe(part, &keys, b"a");
        if byte != 0xff {
            part = probe(part, &keys, &[b'a', byte]);
        }
    }
    let keys = many(b"user:");
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    probe(part, &keys, b"user:")
}

fn probe(part: PartOf<Scan>, keys: &[&[u8]], prefix: &[u8]) -> PartOf<Scan> {
    let found: Vec<&&[u8]> = keys.iter().filter(|key| key.starts_with(prefix)).collect();
    let class = match (keys.contains(&prefix), found.len()) {
        (_, 0) => "prefixes without keys",
        (true, 1) => "prefixes that are a key and nothing more",
        (true, _) => "prefixes that are a key and begin longer ones",
        (false, _) => "prefixes that only longer keys have",
    };
    let mut classes = vec![class];
    if found
        .iter()
        .any(|key| key[prefix.len()..].starts_with(b"\xff"))
    {
        classes.push("prefixes that a byte ff follows");
    }
    let call = format!("prefix_scan({}, {})", store_shown(keys), quoted(prefix));
    let (store, input, prefix) = (store(keys), Answer::text(quoted(prefix)), prefix.to_vec());
    part.probe(call, input, &classes, move |scan| {
        list(scan(&store, &prefix))
    })
}
