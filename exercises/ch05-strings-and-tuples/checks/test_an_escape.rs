//! Tests of escapes, tried on right ones and on wrong ones.

use kit::tester::{watch, watch_decode};
use kit::{Candidates, Cast, Exercise, Judged, Show, Tester, Wrong};

use crate::escape_bytes::quoted;
use crate::solutions::escape_bytes as right;
use crate::{mistakes, solutions, stubs};
use ch05_strings_and_tuples::test_an_escape as learner;

/// Somebody's pair of functions.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) encode: fn(&[u8]) -> Vec<u8>,
    pub(crate) decode: fn(&[u8]) -> Option<Vec<u8>>,
}

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(tester(learner::test)))
}

/// A function of the learner's type, as a tester.
pub(crate) fn tester(
    test: impl Fn(&dyn Fn(&[u8]) -> Vec<u8>, &dyn Fn(&[u8]) -> Option<Vec<u8>>) + Send + Sync + 'static,
) -> Tester<Pair> {
    Tester::new(move |pair: &Pair| {
        let encode = |value: &[u8]| {
            let bytes = value.to_vec();
            let call = move || format!("encode({})", quoted(&bytes).text);
            watch(call, || (pair.encode)(value), Show::show)
        };
        test(&encode, &|key| watch_decode(pair.decode, key));
    })
}

/// The exercise with anybody's test in the learner's place.
pub(crate) fn exercise_of(learner: Tester<Pair>) -> Exercise<Tester<Pair>> {
    let cast = Cast {
        learner,
        stub: tester(stubs::test_an_escape::test),
        solution: tester(solutions::test_an_escape::test),
    };
    Exercise::new("test-an-escape", "05-strings-and-tuples", cast)
        .tester("test", |test| test, candidates())
        .mistakes(mistakes::test_an_escape::all())
}

fn candidates() -> Candidates<Pair> {
    let mut all = Candidates::new("escape")
        .right(
            "end_of_00_01",
            "It writes a zero byte as 00 ff and ends with 00 01.",
            Pair {
                encode: right::encode,
                decode: right::decode,
            },
        )
        .right(
            "marked_bytes",
            "It writes 02 before each byte and ends with 01.",
            Pair {
                encode: |value| {
                    let marked = value.iter().flat_map(|&byte| [0x02, byte]);
                    marked.chain([0x01]).collect()
                },
                decode: |key| {
                    let mut pairs = without_end(key, &[0x01])?;
                    let whole = pairs.len() % 2 == 0 && pairs.iter().step_by(2).all(|&mark| mark == 0x02);
                    let mut marks = [true, false].into_iter().cycle();
                    pairs.retain(|_| !marks.next().unwrap_or_default());
                    whole.then_some(pairs)
                },
            },
        )
        .right(
            "groups_of_eight",
            "It writes groups of eight bytes, filled with zeros, and after each a byte that is ff less the number of \
             zeros that were filled in.",
            Pair {
                encode: grouped,
                decode: ungrouped,
            },
        );
    let wrong = [
        wrong_ends(),
        wrong_zeros(),
        wrong_strings(),
        wrong_decoders(),
    ];
    for wrong in wrong.into_iter().flatten() {
        all = all.wrong(wrong);
    }
    all
}

/// The string with other bytes for each zero, and an end.
fn escaped(value: &[u8], zero: &[u8], end: &[u8]) -> Vec<u8> {
    let runs: Vec<&[u8]> = value.split(|&byte| byte == 0).collect();
    [&runs.join(zero), end].concat()
}

/// What comes before the end, with 00 and `zero` read as a zero byte.
fn unescaped(key: &[u8], zero: u8, end: u8) -> Option<Vec<u8>> {
    let mut value = Vec::new();
    let mut bytes = key.iter().copied();
    loop {
        match bytes.next()? {
            0x00 => match bytes.next()? {
                byte if byte == zero => value.push(0x00),
                byte if byte == end => return bytes.next().is_none().then_some(value),
                _ => return None,
            },
            byte => value.push(byte),
        }
    }
}

fn grouped(value: &[u8]) -> Vec<u8> {
    let mut key = Vec::new();
    let mut rest = value;
    loop {
        let (group, behind) = rest.split_at(rest.len().min(8));
        key.extend(group);
        key.resize(key.len() + 8 - group.len(), 0);
        key.push(0xf7 + u8::try_from(group.len()).unwrap_or(8));
        if group.len() < 8 {
            return key;
        }
        rest = behind;
    }
}

fn ungrouped(key: &[u8]) -> Option<Vec<u8>> {
    let mut value = Vec::new();
    let mut groups = key.chunks(9);
    loop {
        let (&last, group) = groups
            .next()?
            .split_last()
            .filter(|(_, group)| group.len() == 8)?;
        let length = usize::from(last.checked_sub(0xf7)?);
        value.extend(&group[..length]);
        if length < 8 {
            let filled = group[length..].iter().all(|&byte| byte == 0);
            return (filled && groups.next().is_none()).then_some(value);
        }
    }
}

/// The string cut off in front of this end, if it stands there.
fn without_end(key: &[u8], end: &[u8]) -> Option<Vec<u8>> {
    key.strip_suffix(end).map(<[u8]>::to_vec)
}

/// The next pair of strings compares as its keys do.
fn in_order(pair: &Pair, a: &[u8], b: &[u8]) -> bool {
    (pair.encode)(a) < (pair.encode)(b)
}

fn not_the_beginning(pair: &Pair, a: &[u8], b: &[u8]) -> bool {
    !(pair.encode)(b).starts_with(&(pair.encode)(a))
}

fn comes_back(pair: &Pair, value: &[u8]) -> bool {
    (pair.decode)(&(pair.encode)(value)).as_deref() == Some(value)
}

fn wrong_ends() -> Vec<Wrong<Pair>> {
    vec![
        Wrong::new(
            "raw",
            Pair {
                encode: <[u8]>::to_vec,
                decode: |key| Some(key.to_vec()),
            },
        )
        .says("It writes the bytes of the string and nothing else.")
        .shows("when one string is the beginning of another", |pair| {
            not_the_beginning(pair, b"a", b"ab")
        }),
        Wrong::new(
            "length_first",
            Pair {
                encode: |value| [&(value.len() as u64).to_be_bytes()[..], value].concat(),
                decode: |key| {
                    let (length, value) = key.split_first_chunk()?;
                    let length = u64::from_be_bytes(*length);
                    (length == value.len() as u64).then(|| value.to_vec())
                },
            },
        )
        .says("It writes the length of the string in front.")
        .shows("between strings of different lengths", |pair| {
            in_order(pair, b"aa", b"b")
        }),
        Wrong::new(
            "no_end",
            Pair {
                encode: |value| escaped(value, &[0x00, 0xff], &[]),
                decode: |key| {
                    let ended = [key, &[0x00, 0x01]].concat();
                    unescaped(&ended, 0xff, 0x01)
                },
            },
        )
        .says("It writes a zero byte as 00 ff, and no end.")
        .shows("when one string is the beginning of another", |pair| {
            not_the_beginning(pair, b"a", b"ab")
        }),
        Wrong::new(
            "end_of_ff",
            Pair {
                encode: |value| escaped(value, &[0x00, 0xff], &[0xff]),
                decode: |key| {
                    let ended = [&without_end(key, &[0xff])?[..], &[0x00, 0x01]].concat();
                    unescaped(&ended, 0xff, 0x01)
                },
            },
        )
        .says("It writes a zero byte as 00 ff and ends with ff.")
        .shows(
            "between a string and a longer one that starts with it",
            |pair| in_order(pair, b"a", b"ab"),
        ),
        Wrong::new(
            "end_of_one_zero",
            Pair {
                encode: |value| escaped(value, &[0x00, 0xff], &[0x00]),
                decode: |key| {
                    let ended = [&without_end(key, &[0x00])?[..], &[0x00, 0x01]].concat();
                    unescaped(&ended, 0xff, 0x01)
                },
            },
        )
        .says("It writes a zero byte as 00 ff and ends with 00 alone.")
        .shows(
            "between a string and the same with a zero byte after it",
            |pair| not_the_beginning(pair, b"a", b"a\x00"),
        ),
    ]
}

fn wrong_zeros() -> Vec<Wrong<Pair>> {
    vec![
        Wrong::new(
            "zero_kept",
            Pair {
                encode: |value| escaped(value, &[0x00], &[0x00, 0x01]),
                decode: |key| without_end(key, &[0x00, 0x01]),
            },
        )
        .says("It ends with 00 01 and leaves zero bytes as they are.")
        .shows(
            "between a string and the same with a zero byte after it",
            |pair| in_order(pair, b"a", b"a\x00"),
        ),
        Wrong::new(
            "pairs_exchanged",
            Pair {
                encode: |value| escaped(value, &[0x00, 0x01], &[0x00, 0xff]),
                decode: |key| unescaped(key, 0x01, 0xff),
            },
        )
        .says("It writes a zero byte as 00 01 and ends with 00 ff.")
        .shows(
            "between a string and the same with a zero byte after it",
            |pair| in_order(pair, b"a", b"a\x00"),
        ),
        Wrong::new(
            "zero_dropped",
            Pair {
                encode: |value| escaped(value, &[], &[0x00, 0x01]),
                decode: right::decode,
            },
        )
        .says("It leaves zero bytes out.")
        .shows("in strings with a zero byte", |pair| {
            comes_back(pair, b"a\x00")
        }),
        Wrong::new(
            "tail_forgotten",
            Pair {
                encode: |value| {
                    let tail = value
                        .iter()
                        .rposition(|&byte| byte == 0)
                        .map(|last| last + 1);
                    right::encode(&value[..tail.unwrap_or(value.len())])
                },
                decode: right::decode,
            },
        )
        .says("It forgets what comes after the last zero byte.")
        .shows("in strings that go on after a zero byte", |pair| {
            comes_back(pair, b"a\x00b")
        }),
        Wrong::new(
            "first_zero_only",
            Pair {
                encode: |value| match value.iter().position(|&byte| byte == 0) {
                    Some(zero) => {
                        let (front, tail) = value.split_at(zero + 1);
                        [front, &[0xff], tail, &[0x00, 0x01]].concat()
                    }
                    None => right::encode(value),
                },
                decode: |key| {
                    let mut value = without_end(key, &[0x00, 0x01])?;
                    if let Some(zero) = value.iter().position(|&byte| byte == 0) {
                        (value.get(zero + 1) == Some(&0xff)).then(|| value.remove(zero + 1))?;
                    }
                    Some(value)
                },
            },
        )
        .says("It writes the first zero byte as 00 ff, and leaves the others as they are.")
        .shows("in strings with two zero bytes", |pair| {
            in_order(pair, b"\x00", b"\x00\x00")
        }),
    ]
}

fn wrong_strings() -> Vec<Wrong<Pair>> {
    vec![
        Wrong::new(
            "lossy_text",
            Pair {
                encode: |value| right::encode(String::from_utf8_lossy(value).as_bytes()),
                decode: right::decode,
            },
        )
        .says("It makes text of the string, and bytes that are not UTF-8 become a replacement character.")
        .shows("in strings that are not UTF-8", |pair| comes_back(pair, b"\xff")),
        Wrong::new(
            "filled_with_zeros",
            Pair {
                encode: |value| {
                    let mut key = value.to_vec();
                    key.resize(value.len().max(512), 0);
                    key
                },
                decode: |key| {
                    let last = key.iter().rposition(|&byte| byte != 0);
                    (key.len() == 512).then(|| key[..last.map_or(0, |at| at + 1)].to_vec())
                },
            },
        )
        .says("It fills the string with zeros up to 512 bytes.")
        .shows("in strings that end in a zero byte", |pair| comes_back(pair, b"a\x00")),
        Wrong::new(
            "cut_to_32_bytes",
            Pair {
                encode: |value| right::encode(&value[..value.len().min(32)]),
                decode: right::decode,
            },
        )
        .says("It drops what comes after the first 32 bytes.")
        .shows("in long strings", |pair| comes_back(pair, &[b'a'; 33])),
    ]
}

fn wrong_decoders() -> Vec<Wrong<Pair>> {
    let refused = |pair: &Pair, key: &[u8]| (pair.decode)(key).is_none();
    vec![
        Wrong::new(
            "decode_stops_at_zero",
            Pair {
                encode: right::encode,
                decode: |key| {
                    right::decode(key)?;
                    key.split(|&byte| byte == 0).next().map(<[u8]>::to_vec)
                },
            },
        )
        .says("Its keys are right. Its `decode` stops at the first zero byte.")
        .shows("when a string with a zero byte is read back", |pair| {
            comes_back(pair, b"a\x00b")
        }),
        Wrong::new(
            "decode_takes_more",
            Pair {
                encode: right::encode,
                decode: |key| {
                    let end = key.windows(2).position(|pair| pair == [0x00, 0x01])?;
                    right::decode(&key[..end + 2])
                },
            },
        )
        .says("Its keys are right. Its `decode` ignores what comes after the end.")
        .shows("when something is put after a key", move |pair| {
            refused(pair, &[&(pair.encode)(b"a")[..], b"b"].concat())
        }),
        Wrong::new(
            "decode_takes_less",
            Pair {
                encode: right::encode,
                decode: |key| {
                    let whole = right::decode(key);
                    whole.or_else(|| right::decode(&[key, &[0x01]].concat()))
                },
            },
        )
        .says("Its keys are right. Its `decode` takes a key from which the last byte is missing.")
        .shows("when a key is cut off", move |pair| {
            let mut key = (pair.encode)(b"a");
            key.pop();
            refused(pair, &key)
        }),
    ]
}
