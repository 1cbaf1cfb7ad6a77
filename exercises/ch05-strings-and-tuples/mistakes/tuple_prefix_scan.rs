//! What goes wrong with the two bounds around the rows of a prefix.

use std::collections::BTreeSet;
use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::sync::Arc;

use kit::{Mistake, Quirk, compose};

use crate::solutions::tuple_prefix_scan::{
    self as solution, escape, key, successor as right_successor,
};
use crate::tuple_prefix_scan::{Query, Rows, Scans, right};

const ROWS: &str = "rows-with-a-prefix";
const TASK: &str = "tuple-prefix-scan";
const REPAIR: &str = "escape-and-terminate";

fn successor_mistake(name: &str, f: fn(&[u8]) -> Option<Vec<u8>>) -> Mistake<Scans> {
    let imp = Scans {
        successor: Arc::new(f),
        ..right()
    };
    Mistake::new(name, "successor", "successor", imp).link(ROWS)
}

fn panicking(name: &str, f: fn(&[u8]) -> Option<Vec<u8>>) -> Mistake<Scans> {
    let imp = Scans {
        successor: Arc::new(f),
        ..right()
    };
    Mistake::new(name, "successor", "returns", imp).link(ROWS)
}

/// The prefix with its last byte changed.
fn with_last(prefix: &[u8], change: fn(u8) -> u8) -> Option<Vec<u8>> {
    let (&last, front) = prefix.split_last()?;
    Some([front, &[change(last)]].concat())
}

/// Adds one with carry and keeps the width; `None` if the carry leaves the front.
fn added(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut end = prefix.to_vec();
    for byte in end.iter_mut().rev() {
        let (sum, carry) = byte.overflowing_add(1);
        *byte = sum;
        if !carry {
            return Some(end);
        }
    }
    None
}

fn of_successors() -> Vec<Mistake<Scans>> {
    vec![
        successor_mistake("ff_appended", |prefix| Some([prefix, &[0xff]].concat()))
            .says("the prefix with one ff after it")
            .why(
                "Above `61 ff` there are more strings that start with 61, from `61 ff 00` on. The smallest string \
                 above them all is 62: add one to the prefix itself.",
            ),
        successor_mistake("many_ff_appended", |prefix| Some([prefix, &[0xff; 8]].concat()))
            .says("the prefix with eight ff after it")
            .why(
                "However many ff you append, a longer string with this prefix is above. Add one to the prefix \
                 itself.",
            ),
        successor_mistake("ff_appended_to_ff", |prefix| match prefix.last() {
            Some(0xff) => Some([prefix, &[0xff]].concat()),
            _ => with_last(prefix, |byte| byte + 1),
        })
            .says("one ff more after a prefix that ends in ff, and one added to the last byte of others")
            .why(
                "Above `61 ff ff` there are more strings that start with `61 ff`. Nothing that starts with it reaches 62: drop the ff at the end, and \
                 add one to the byte in front.",
            ),
        successor_mistake("zero_appended", |prefix| Some([prefix, &[0x00]].concat()))
            .says("the prefix with a zero byte after it")
            .why(
                "That is the next key, the smallest one above the prefix itself. All longer strings that start \
                 with the prefix are still to come.",
            ),
        successor_mistake("carry_dropped", |prefix| with_last(prefix, |byte| byte.wrapping_add(1)))
            .says("one added to the last byte, with ff becoming 00")
            .why(
                "`61 ff` becomes `61 00`, which is below the prefix. As in a sum, what does not fit is carried to \
                 the byte in front.",
            ),
        panicking("last_byte_overflows", |prefix| {
            with_last(prefix, |byte| byte.checked_add(1).expect("attempt to add with overflow"))
        })
        .says("one added to the last byte, which panics on ff")
        .why(
            "ff plus one does not fit into a byte. Drop the ff and add one to the byte in front: no string that \
             starts with `61 ff` reaches 62.",
        ),
        successor_mistake("last_byte_saturates", |prefix| {
            with_last(prefix, |byte| byte.saturating_add(1))
        })
        .says("one added to the last byte, with ff staying ff")
        .why(
            "Then `61 ff` is its own successor, and the range is empty. Drop the ff and add one to the byte in \
             front.",
        ),
        successor_mistake("none_after_ff", |prefix| {
            let (&last, front) = prefix.split_last()?;
            (last != 0xff).then(|| [front, &[last.wrapping_add(1)]].concat())
        })
        .says("`None` for every prefix that ends in ff")
        .why(
            "Only a prefix of nothing but ff has no successor. `61 ff` has one: 62. With `None` the scan would go \
             on to the end of the store.",
        ),
        successor_mistake("zeros_of_the_carry_kept", added)
            .says("a sum of the same width, with the zeros that the carry leaves")
            .why(
                "`61 ff` becomes `62 00`. The string 62 is below it and does not start with `61 ff`: it would be \
                 found by mistake. The zeros have to go.",
            ),
        successor_mistake("ff_kept_after_the_sum", |prefix| {
            let grows = prefix.iter().rposition(|&byte| byte != 0xff)?;
            let mut end = prefix.to_vec();
            end[grows] += 1;
            Some(end)
        })
        .says("one added to the last byte below ff, with the ff after it left in place")
        .why(
            "`61 ff` becomes `62 ff`. The string 62 is below it and does not start with `61 ff`: it would be found by mistake. \
             What comes after the byte that grows has to go.",
        ),
        successor_mistake("only_one_carry", |prefix| match prefix {
            [.., 0xff, 0xff] => None,
            [front @ .., before, 0xff] => Some([front, &[before.wrapping_add(1)]].concat()),
            _ => right_successor(prefix),
        })
        .says("a carry over one ff and no more")
        .why("There may be several ff at the end. Drop them all, then add one to the last byte that is left."),
        successor_mistake("ff_cut_and_nothing_added", |prefix| {
            let last = prefix.iter().rposition(|&byte| byte != 0xff)?;
            match prefix.last() {
                Some(0xff) => Some(prefix[..=last].to_vec()),
                _ => right_successor(prefix),
            }
        })
        .says("the ff cut from the end and nothing added")
        .why("`61` is below `61 ff`. What the ff could not take is added to the byte in front: 62."),
        panicking("looks_at_the_last_byte", |prefix| {
            let _last = prefix.last().expect("index out of bounds");
            right_successor(prefix)
        })
        .says("the right successor, and a panic for the empty prefix")
        .why(
            "The empty prefix has no last byte. It has no successor either, and `None` says so: every string starts with it. \
             `last`, `split_last` and `pop` give an `Option`; an index and `unwrap` panic.",
        ),
        successor_mistake("first_byte_raised", |prefix| {
            let place = prefix.iter().position(|&byte| byte != 0xff)?;
            let mut end = prefix[..=place].to_vec();
            end[place] += 1;
            Some(end)
        })
        .says("one added to the first byte below ff, and nothing after it")
        .why(
            "That is above all strings that start with the prefix, and above many others: between `user:` and `v` lies `usher`. The smallest \
             one comes from the *last* byte below ff.",
        ),
        successor_mistake("zero_for_the_empty_prefix", |prefix| match prefix {
            [] => Some(vec![0x00]),
            _ => right_successor(prefix),
        })
        .says("00 as the successor of the empty prefix")
        .why(
            "00 is the next string after the empty one. But every string starts with the empty prefix, so there is none above \
             them all: `None`.",
        ),
        successor_mistake("empty_for_the_empty_prefix", |prefix| match prefix {
            [] => Some(Vec::new()),
            _ => right_successor(prefix),
        })
        .says("the empty string as the successor of the empty prefix")
        .why(
            "Every string starts with the empty one, so no string is above them all: `None`. The empty string is the smallest of all, \
             and a range up to it is empty.",
        ),
        successor_mistake("ff_for_the_empty_prefix", |prefix| match prefix {
            [] => Some(vec![0xff]),
            _ => right_successor(prefix),
        })
        .says("`ff` as the successor of the empty prefix")
        .why(
            "Every string starts with the empty one, also `ff` and `ff 00`, and these are not below `ff`. No string is above them \
             all: `None`.",
        ),
        successor_mistake("a_byte_in_front_after_ff", |prefix| {
            let longer = || [&[0x01][..], &vec![0x00; prefix.len()]].concat();
            match prefix {
                [] => None,
                _ => Some(added(prefix).unwrap_or_else(longer)),
            }
        })
        .says("a sum of numbers, with the zeros and the new first byte that the carry leaves")
        .why(
            "As a number ff ff plus one is 01 00 00. But strings are compared from the front, and 01 is less than ff: after a prefix of nothing but \
             ff there is `None`. And the smallest string above `61 ff` is 62, which comes before 62 00.",
        ),
        successor_mistake("no_successor_becomes_empty", |prefix| {
            Some(right_successor(prefix).unwrap_or_default())
        })
        .says("an empty string where there is no successor")
        .why(
            "The empty string is the smallest of all, so a range up to it is empty. After a prefix of nothing \
             but ff there is no bound: the range is open.",
        ),
        successor_mistake("no_successor_becomes_longer", |prefix| {
            let longer = || [prefix, &[0xff]].concat();
            Some(right_successor(prefix).unwrap_or_else(longer))
        })
        .says("another ff where there is no successor")
        .why(
            "Above `ff ff` there are still `ff ff 00` and longer ones that start with ff. No string is above \
             them all.",
        ),
        panicking("unwraps_a_last_byte", |prefix| {
            let last = prefix.iter().rposition(|&byte| byte != 0xff).expect("a byte below ff");
            let mut end = prefix[..=last].to_vec();
            end[last] += 1;
            Some(end)
        })
        .says("a panic where all bytes are ff or there is none")
        .why("Such a prefix has no successor, and `None` says so. The empty prefix is the commonest: it asks for all."),
    ]
}

/// Steps of a query that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // The bounds.
    EndForgotten,
    EndKept,
    NameNotEscaped,
    OneFf,
    LastExcluded,
    SignedNumbers,
    FromOne,
    GreatCharacter,
    GreatUnit,
    NoUpperBound,
    EmptyPanics,
    EmptyFindsNothing,
    OwnRowsSkipped,
    // What is returned.
    CutByLength,
    CutByCharacters,
    CutByUnits,
    LittleEndian,
    CutTo32Bits,
    GreatestFirst,
    FirstOnly,
    Sorted,
    Merged,
}
use Step::{
    CutByCharacters, CutByLength, CutByUnits, CutTo32Bits, EmptyFindsNothing, EmptyPanics,
    EndForgotten, EndKept, FirstOnly, FromOne, GreatCharacter, GreatUnit, GreatestFirst,
    LastExcluded, LittleEndian, Merged, NameNotEscaped, NoUpperBound, OneFf, OwnRowsSkipped,
    SignedNumbers, Sorted,
};

const APART: [&[Step]; 6] = [
    &[
        OneFf,
        LastExcluded,
        SignedNumbers,
        FromOne,
        GreatCharacter,
        GreatUnit,
        NoUpperBound,
        EmptyPanics,
        EmptyFindsNothing,
        EndForgotten,
        EndKept,
    ],
    &[EndKept, OwnRowsSkipped],
    // Who makes a bound by `key` or `escape` has escaped the name.
    &[FromOne, NameNotEscaped],
    &[GreatCharacter, NameNotEscaped],
    &[GreatUnit, NameNotEscaped],
    &[
        CutByLength,
        CutByCharacters,
        CutByUnits,
        LittleEndian,
        CutTo32Bits,
        GreatestFirst,
        FirstOnly,
        Sorted,
        Merged,
    ],
];

const ONE: &str = "one-user";
const BEGINNING: &str = "beginning";

const OF_ONE: [Quirk<Step>; 14] = [
    Quirk::of(
        EndForgotten,
        "end_of_the_name_forgotten",
        ONE,
        "the rows of all names that start like this one",
        "Without its end, the name is the beginning of others: `ann` finds the rows of `anna`. The prefix of \
         one user's rows is the escaped name and 00 01.",
        ROWS,
    ),
    Quirk::of(
        NameNotEscaped,
        "name_not_escaped",
        ONE,
        "a bound with the zero bytes of the name left as they are",
        "In the rows a zero byte of a name is 00 ff. A bound is compared with rows, so it is made as they were: \
         by `escape`.",
        REPAIR,
    ),
    Quirk::of(
        OneFf,
        "rows_up_to_one_ff",
        ONE,
        "an end at the prefix and one ff",
        "After the name comes the number, and a large one begins with ff: its eight bytes are greater than \
         one ff. End at the prefix successor.",
        ROWS,
    ),
    Quirk::of(
        LastExcluded,
        "last_number_excluded",
        ONE,
        "a range up to, but without, the key of `u64::MAX`",
        "A number may be `u64::MAX`. Include that key, or end at the prefix successor.",
        ROWS,
    ),
    Quirk::of(
        SignedNumbers,
        "numbers_up_to_i64_max",
        ONE,
        "a range up to the key of `i64::MAX`",
        "A number is a `u64`: half of them are greater than `i64::MAX`. End at the key of `u64::MAX`, or at the prefix successor.",
        ROWS,
    ),
    Quirk::of(
        FromOne,
        "number_zero_left_out",
        ONE,
        "a range from the key of the number 1 on",
        "A number is a `u64`, and 0 is one. Begin at the key of 0, or at the name with its end: every row of this user starts with it.",
        ROWS,
    ),
    Quirk::of(
        NoUpperBound,
        "no_upper_bound",
        ONE,
        "all rows from this user's first one to the end",
        "A prefix is a range with two bounds. Nothing stops this one after the user's last row.",
        ROWS,
    ),
    Quirk::of(
        CutTo32Bits,
        "numbers_cut_to_32_bits",
        ONE,
        "the lowest 32 bits of each number",
        "A number is a `u64`, and its row has eight bytes of it. A `u32`, also one on the way, keeps four.",
        TASK,
    ),
    Quirk::of(
        CutByLength,
        "number_cut_by_the_names_length",
        ONE,
        "numbers read right after as many bytes as the name has, and two for the end",
        "In the row the name may be longer than in the program: each of its zero bytes takes two. The number is \
         the last eight bytes of the row.",
        REPAIR,
    ),
    Quirk::of(
        CutByCharacters,
        "number_cut_by_the_names_characters",
        ONE,
        "numbers read right after as many bytes as the name has characters, and two for the end",
        "A character has one to four bytes in a row: `é` takes two. The number is the last eight bytes of the row.",
        REPAIR,
    ),
    Quirk::of(
        CutByUnits,
        "number_cut_by_the_names_utf_16",
        ONE,
        "numbers read right after as many bytes as the name has units in UTF-16, and two for the end",
        "JavaScript and Java count a text in units of UTF-16. A row holds the bytes of UTF-8: `é` is one unit and two bytes. The number is \
         the last eight bytes of the row.",
        REPAIR,
    ),
    Quirk::of(
        LittleEndian,
        "numbers_read_in_little_endian",
        ONE,
        "numbers read from the wrong end",
        "`key` writes the highest byte first, and so it has to be read.",
        TASK,
    ),
    Quirk::of(
        GreatestFirst,
        "greatest_first",
        ONE,
        "the numbers in reverse",
        "The rows come in ascending order by themselves.",
        TASK,
    ),
    Quirk::of(
        FirstOnly,
        "first_row_only",
        ONE,
        "the first row and no more",
        "A user may have many rows. They are next to each other: read on up to the end of the range.",
        TASK,
    ),
];

const OF_MANY: [Quirk<Step>; 11] = [
    Quirk::of(
        EndKept,
        "beginning_taken_for_a_whole_name",
        BEGINNING,
        "the rows of the user whose whole name is `start`",
        "With 00 01 after it the name is complete, and `anna` does not start with that. The prefix of all names \
         that start alike is the escaped text without an end.",
        ROWS,
    ),
    Quirk::of(
        NameNotEscaped,
        "beginning_not_escaped",
        BEGINNING,
        "a bound with the zero bytes of `start` left as they are",
        "In the rows a zero byte of a name is 00 ff. A bound is compared with rows, so it is made as they were: \
         by `escape`.",
        REPAIR,
    ),
    Quirk::of(
        OwnRowsSkipped,
        "own_rows_skipped",
        BEGINNING,
        "the rows of all longer names, without those of `start` itself",
        "Every text starts with itself. The user `ann` belongs to the names that start with `ann`.",
        TASK,
    ),
    Quirk::of(
        EmptyPanics,
        "empty_beginning_panics",
        "returns",
        "a panic when everything is asked for",
        "Every name starts with \"\", and the empty prefix has no successor. Where `successor` says `None`, the \
         range is open to the end.",
        ROWS,
    ),
    Quirk::of(
        EmptyFindsNothing,
        "empty_beginning_finds_nothing",
        BEGINNING,
        "nothing where the prefix has no successor",
        "Every name starts with \"\". Where `successor` says `None`, the range is open to the end.",
        ROWS,
    ),
    Quirk::of(
        GreatCharacter,
        "ends_at_the_greatest_character",
        BEGINNING,
        "a range up to the beginning and the character `char::MAX`",
        "A name may go on with that very character, and then its rows are not before this end. The prefix successor is above them all.",
        ROWS,
    ),
    Quirk::of(
        GreatUnit,
        "ends_at_the_greatest_unit",
        BEGINNING,
        "a range up to the beginning and U+FFFF, or another of the last characters with one unit in UTF-16",
        "U+FFFF is the greatest character of one unit, and those of two units are greater: a name may go on with an emoji, and its rows come after this \
         end. The prefix successor is above them all.",
        ROWS,
    ),
    Quirk::of(
        NoUpperBound,
        "no_bound_after_the_beginning",
        BEGINNING,
        "all rows from the first such name to the end",
        "A prefix is a range with two bounds. Nothing stops this one after the last name that starts like this.",
        ROWS,
    ),
    Quirk::of(
        Sorted,
        "sorted_by_number",
        BEGINNING,
        "the right numbers, sorted",
        "The answer has the order of the rows: first all orders of one user, then those of the next. The rows come in that order by \
         themselves.",
        TASK,
    )
    .says_beside("the numbers sorted"),
    Quirk::of(
        Merged,
        "equal_numbers_merged",
        BEGINNING,
        "the right numbers, of equal ones in a row only the first",
        "Two users may have orders of one number. They are two rows, and each gives its number.",
        TASK,
    )
    .says_beside("of equal numbers in a row only the first"),
    Quirk::of(
        FirstOnly,
        "first_row_of_many",
        BEGINNING,
        "the first row and no more",
        "Many rows may start alike. They are next to each other: read on up to the end of the range.",
        TASK,
    ),
];

fn upper(steps: &[Step], name: &str, prefix: &[u8]) -> Bound<Vec<u8>> {
    let has = |step| steps.contains(&step);
    if has(OneFf) {
        Included([prefix, &[0xff]].concat())
    } else if has(LastExcluded) {
        Excluded(key(name, u64::MAX))
    } else if has(SignedNumbers) {
        Included(key(name, i64::MAX.cast_unsigned()))
    } else if has(GreatCharacter) {
        Excluded(escape(&format!("{name}{}", char::MAX)))
    } else if has(GreatUnit) {
        Excluded(escape(&format!("{name}\u{ffff}")))
    } else if has(NoUpperBound) {
        Unbounded
    } else {
        match right_successor(prefix) {
            Some(end) => Excluded(end),
            None if has(EmptyPanics) => panic!("called `Option::unwrap()` on a `None` value"),
            None if has(EmptyFindsNothing) => Excluded(prefix.to_vec()),
            None => Unbounded,
        }
    }
}

fn number(steps: &[Step], name: &str, row: &[u8]) -> u64 {
    let has = |step| steps.contains(&step);
    let length = match () {
        () if has(CutByLength) => Some(name.len()),
        () if has(CutByCharacters) => Some(name.chars().count()),
        () if has(CutByUnits) => Some(name.encode_utf16().count()),
        () => None,
    };
    let bytes = match length {
        Some(length) => row.get(length + 2..).unwrap_or_default().first_chunk(),
        None => row.last_chunk(),
    };
    let bytes = *bytes.expect("range end index out of range");
    if has(LittleEndian) {
        u64::from_le_bytes(bytes)
    } else if has(CutTo32Bits) {
        u64::from_be_bytes(bytes) & u64::from(u32::MAX)
    } else {
        u64::from_be_bytes(bytes)
    }
}

fn answer(steps: &[Step], with_end: bool, rows: &Rows, name: &str) -> Vec<u64> {
    let has = |step| steps.contains(&step);
    let mut prefix = if has(NameNotEscaped) {
        name.as_bytes().to_vec()
    } else {
        escape(name)
    };
    if (with_end || has(EndKept)) && !has(EndForgotten) {
        prefix.extend([0x00, 0x01]);
    }
    let own = [escape(name), vec![0x00, 0x01]].concat();
    let from = if has(FromOne) {
        key(name, 1)
    } else {
        prefix.clone()
    };
    let bounds = (Included(from), upper(steps, name, &prefix));
    let crossed = matches!(&bounds.1, Excluded(end) if *end <= prefix);
    let found = rows.iter().filter(|row| {
        use std::ops::RangeBounds as _;
        !crossed && bounds.contains(*row) && !(has(OwnRowsSkipped) && row.starts_with(&own))
    });
    let mut numbers: Vec<u64> = found.map(|row| number(steps, name, row)).collect();
    if has(GreatestFirst) {
        numbers.reverse();
    }
    if has(Sorted) {
        numbers.sort_unstable();
    }
    if has(Merged) {
        numbers.dedup();
    }
    if has(FirstOnly) {
        numbers.truncate(1);
    }
    numbers
}

fn query(steps: &[Step], with_end: bool) -> Option<Query> {
    let several = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(several) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Arc::new(move |rows, name| {
        answer(&steps, with_end, rows, name)
    }))
}

fn of_one(steps: &[Step]) -> Option<Scans> {
    Some(Scans {
        orders_of: query(steps, true)?,
        ..right()
    })
}

fn of_many(steps: &[Step]) -> Option<Scans> {
    Some(Scans {
        orders_starting: query(steps, false)?,
        ..right()
    })
}

/// Rows found by a walk that takes the wrong ones for those of the name.
fn walks() -> Vec<Mistake<Scans>> {
    let walk = |mistake, own: fn(&[u8], &str) -> bool| {
        let orders_of = move |rows: &Rows, name: &str| {
            let found = rows.iter().filter(|row| own(row, name));
            found.map(|row| number(&[], name, row)).collect()
        };
        let imp = Scans {
            orders_of: Arc::new(orders_of),
            ..right()
        };
        Mistake::new(mistake, "orders_of", ONE, imp).link(REPAIR)
    };
    vec![
        walk("whole_key_taken_for_a_prefix", |row, name| row.starts_with(&key(name, 0)))
            .says("the rows that begin with the whole key of the number 0")
            .why(
                "A key ends in a number, so no other key begins with it: only the row of the number 0 is found. What all rows of this user share \
                 is the escaped name and 00 01.",
            )
            .link(ROWS),
        walk("name_read_up_to_a_zero", |row, name| {
            row.split(|byte| *byte == 0).next() == Some(name.as_bytes())
        })
        .says("the rows whose bytes before the first 00 are the name")
        .why(
            "The first zero byte of a row may be one of the name: `a\\0` is written 61 00 ff 00 01, and its rows are taken for those of `a`. The \
             byte after it tells: ff, and the name goes on; 01, and it ends.",
        ),
        walk("name_anywhere_in_the_row", |row, name| {
            let wanted = [&escape(name)[..], &[0x00, 0x01]].concat();
            row.windows(wanted.len()).any(|window| window == wanted)
        })
        .or(Scans {
            orders_of: Arc::new(|rows: &Rows, name: &str| {
                let wanted = escape(name);
                let within = |row: &&Vec<u8>| wanted.is_empty() || row.windows(wanted.len()).any(|window| window == wanted);
                rows.iter().filter(within).map(|row| number(&[], name, row)).collect()
            }),
            ..right()
        })
        .says("the rows that hold the name anywhere")
        .why("A row begins with its name. Further on it may hold the same bytes by chance: `nn` is in `ann`, and a number may be any eight bytes. Ask for the beginning.")
        .link(ROWS),
        walk("half_of_the_end", |row, name| {
            row.starts_with(&[&escape(name)[..], &[0x00]].concat())
        })
        .says("the rows that begin with the escaped name and 00")
        .why(
            "The end has two bytes. `a\\0` is written 61 00 ff 00 01, and so its rows begin with 61 00 like those of `a`. Only with 01 behind it \
             the 00 is an end.",
        ),
    ]
}

/// The right numbers, put into an order of their own.
fn rearranged() -> Vec<Mistake<Scans>> {
    type Numbers = fn(Vec<u64>) -> Vec<u64>;
    let of_one = |mistake, put: Numbers| {
        let orders_of = move |rows: &Rows, name: &str| put(solution::orders_of(rows, name));
        let imp = Scans {
            orders_of: Arc::new(orders_of),
            ..right()
        };
        Mistake::new(mistake, "orders_of", ONE, imp).link(TASK)
    };
    let of_many = |mistake, put: Numbers| {
        let orders_starting =
            move |rows: &Rows, start: &str| put(solution::orders_starting(rows, start));
        let imp = Scans {
            orders_starting: Arc::new(orders_starting),
            ..right()
        };
        Mistake::new(mistake, "orders_starting", BEGINNING, imp).link(TASK)
    };
    let as_text: Numbers = |mut numbers| {
        numbers.sort_by_key(u64::to_string);
        numbers
    };
    let as_a_set: Numbers = |numbers| BTreeSet::from_iter(numbers).into_iter().collect();
    vec![
        of_one("orders_sorted_as_text", as_text)
            .says("the right numbers in the order of their decimal text")
            .why(
                "As text 10 comes before 9: so JavaScript sorts numbers, too. The rows of one user are in the order of the numbers already, and \
                 nothing is to be sorted.",
            ),
        of_many("numbers_sorted_as_text", as_text)
            .says("the right numbers in the order of their decimal text")
            .why(
                "As text 10 comes before 9: so JavaScript sorts numbers, too. And the answer has the order of the rows: first all orders of one user, \
                 then those of the next. The rows come in that order by themselves.",
            ),
        of_many("collected_into_a_set", as_a_set)
            .says("the right numbers as a set: sorted, and each once")
            .why(
                "Two users may have orders of one number: they are two rows, and each gives its number. And a set of the numbers has their order, not \
                 that of the rows. Collect them into a `Vec`.",
            ),
    ]
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Scans>> {
    let mut mistakes = of_successors();
    mistakes.extend(walks());
    mistakes.extend(rearranged());
    mistakes.extend(compose("orders_of", &OF_ONE, of_one));
    mistakes.extend(compose("orders_starting", &OF_MANY, of_many));
    mistakes
}
