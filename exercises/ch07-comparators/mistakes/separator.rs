//! What goes wrong with keys between keys.

use std::sync::Arc;

use kit::Mistake;

use crate::separator::Separate;
use crate::solutions::separator::{compare, separator as right};

const SEPARATORS: &str = "separators-and-the-guard";
const TASK: &str = "separator";

fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// The first `n` bytes of `a`, the last of them raised by `raise`.
fn cuts(a: &[u8], raise: fn(u8) -> Option<u8>) -> Vec<Vec<u8>> {
    let cut = |n: usize| {
        let mut cut = a[..n].to_vec();
        cut[n - 1] = raise(cut[n - 1])?;
        Some(cut)
    };
    (1..a.len()).filter_map(cut).collect()
}

fn raised(byte: u8) -> Option<u8> {
    byte.checked_add(1)
}

fn fits(a: &[u8], b: &[u8], cut: &[u8]) -> bool {
    compare(a, cut).is_le() && compare(cut, b).is_lt()
}

/// The rule for plain bytes: the byte that differs first is raised, if there is room.
fn of_bytes(a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    let n = common(a, b);
    let (&low, &high) = (a.get(n)?, b.get(n)?);
    let room = n + 1 < a.len() && low < high && low + 1 < high;
    room.then(|| [&a[..n], &[low + 1]].concat())
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Separate>> {
    let mut mistakes = unchecked();
    mistakes.extend(too_long());
    mistakes.extend(missed());
    mistakes
}

fn mistake(
    name: &str,
    check: &'static str,
    separate: fn(&[u8], &[u8]) -> Option<Vec<u8>>,
) -> Mistake<Separate> {
    Mistake::<Separate>::new(name, "separator", check, Arc::new(separate))
}

fn unchecked() -> Vec<Mistake<Separate>> {
    vec![
        mistake("bytewise_rule", "in-range", of_bytes)
            .says("the separators of plain byte order")
            .why(
                "Between `item:177` and `item:300` it gives `item:2`. Its number is 2, so in this order it comes before \
                 177, and a lookup of 177 goes to the next block and finds nothing. A separator belongs to one order.",
            )
            .link(SEPARATORS),
        mistake("bytewise_rule_of_leveldb", "in-range", |a, b| {
            let n = common(a, b);
            let (&low, &high) = (a.get(n)?, b.get(n)?);
            let room = low < high && low + 1 < high;
            room.then(|| [&a[..n], &[low + 1]].concat())
        })
        .says("the separators of plain byte order, also where they are as long as `a`")
        .why(
            "It is the rule of LevelDB's comparator of bytes. Between `item:177` and `item:300` it gives `item:2`. Its number is \
             2, so in this order it comes before 177, and a lookup of 177 goes to the next block and finds nothing. A \
             separator belongs to one order, and it saves room only if it is shorter.",
        )
        .link(SEPARATORS),
        mistake("b_up_to_the_difference", "in-range", |a, b| {
            let n = common(a, b);
            b.get(..=n).map(<[u8]>::to_vec)
        })
        .says("`b` up to the first byte in which the two keys differ")
        .why(
            "In plain byte order that is after `a`, and before `b` unless it is `b` itself, which a separator must not be. In this order it may come before `a`: \
             between `item:177` and `item:300` it gives `item:3`. Cut `a`, raise the last byte, and compare with both.",
        )
        .link(SEPARATORS),
        mistake("first_cut_unchecked", "in-range", |a, _| {
            cuts(a, raised).into_iter().next()
        })
        .says("the first byte raised, without a look at where the cut falls")
        .why("The cut must be compared with both keys. This one is after most of them.")
        .link(SEPARATORS),
        mistake("first_byte_plus_one", "returns", |a, _| Some(vec![a[0] + 1]))
            .says("the first byte plus one, whatever it is, without a look at where that falls")
            .why(
                "ff plus one does not fit into a byte, and an empty key has no first byte. And the cut must be compared with both keys: \
                 this one is after most of them.",
            )
            .link(SEPARATORS),
        mistake("greatest_byte_overflows", "returns", |a, b| {
            let before = compare(a, b).is_lt();
            let cut = |n: usize| [&a[..n - 1], &[a[n - 1] + 1]].concat();
            (1..a.len()).filter(|_| before).map(cut).find(|cut| fits(a, b, cut))
        })
        .says("the right search, with a panic where a byte ff is to be raised")
        .why(
            "ff plus one does not fit into a byte. Such a cut cannot be raised, and a longer one may do: go on with that. `checked_add` \
             gives `None` there.",
        )
        .link(TASK),
        mistake("only_before_b_checked", "in-range", |a, b| {
            cuts(a, raised).into_iter().find(|cut| compare(cut, b).is_lt())
        })
        .says("a look at `b` alone")
        .why(
            "A cut can end in a digit, and then it has another prefix and a small number: `item:2` comes before \
             `item:177`. Compare it with `a` too.",
        )
        .link(SEPARATORS),
        mistake("only_before_b_checked_with_a_guard", "in-range", |a, b| {
            let before = compare(a, b).is_lt();
            cuts(a, raised).into_iter().find(|cut| before && compare(cut, b).is_lt())
        })
        .says("a look at `b` alone, where `a` is before `b`")
        .why(
            "A cut can end in a digit, and then it has another prefix and a small number: `item:2` comes before \
             `item:177`. Compare it with `a` too.",
        )
        .link(SEPARATORS),
        mistake("first_difference_before_b_alone", "in-range", |a, b| {
            let n = common(a, b) + 1;
            let cut = cuts(a, raised).into_iter().find(|cut| cut.len() == n)?;
            (compare(a, b).is_lt() && compare(&cut, b).is_lt()).then_some(cut)
        })
        .says("the cut at the first byte that differs, with a look at `b` alone")
        .why(
            "Raised there, a cut is after `a` in byte order. In this order it need not be: a cut that ends in a digit has \
             another prefix and a small number. `item:2` comes before `item:177`. Compare it with `a` too.",
        )
        .link(SEPARATORS),
        mistake("bytewise_rule_with_a_guard", "shortest", |a, b| of_bytes(a, b).filter(|cut| fits(a, b, cut)))
            .says("the separators of plain byte order, where they fit in this order too")
            .why(
                "What it gives is right, and too often it gives nothing. Where the first bytes that differ are neighbours, as `c` and \
                 `d` in `abc:1` and `abd`, no byte is between them, but one byte further `abc;` fits. Try every cut.",
            )
            .link(SEPARATORS),
        mistake("only_after_a_checked", "in-range", |a, b| {
            let before = compare(a, b).is_lt();
            cuts(a, raised).into_iter().find(|cut| before && compare(a, cut).is_le())
        })
        .says("a look at `a` alone")
        .why("The next block begins at `b`. With an entry after `b`, its first keys would be looked for in the wrong block.")
        .link(SEPARATORS),
        mistake("b_allowed", "in-range", |a, b| {
            let fits = |cut: &Vec<u8>| compare(a, cut).is_le() && compare(cut, b).is_le();
            cuts(a, raised).into_iter().find(fits)
        })
        .says("separators that may be `b` itself")
        .why("`b` is the first key of the next block. The entry of a block is before it: `<`, not `<=`.")
        .link(SEPARATORS),
        mistake("fits_in_bytes", "in-range", |a, b| {
            cuts(a, raised).into_iter().find(|cut| a <= &cut[..] && &cut[..] < b)
        })
        .says("cuts that lie between `a` and `b` in byte order")
        .why("The index is searched in the order of the family. `<` on slices is another one; use `compare`.")
        .link(SEPARATORS),
        mistake("fits_in_bytes_with_a_guard", "in-range", |a, b| {
            let before = compare(a, b).is_lt();
            cuts(a, raised).into_iter().find(|cut| before && a <= &cut[..] && &cut[..] < b)
        })
        .says("cuts that lie between `a` and `b` in byte order, where `a` is before `b` in this one")
        .why(
            "You asked `compare` whether `a` is before `b`. Ask it of the cut too: the index is searched in the order of the family, and `<` on slices is another \
             one.",
        )
        .link(SEPARATORS),
        mistake("first_difference_unchecked", "in-range", |a, b| {
            let n = common(a, b) + 1;
            let cut = cuts(a, raised).into_iter().find(|cut| cut.len() == n)?;
            compare(a, b).is_lt().then_some(cut)
        })
        .says("the cut at the first byte that differs, without a look at where it falls")
        .why(
            "Where the bytes are neighbours, as `c` and `d` in `abc:1` and `abd`, the raised cut is `b` itself; and one that ends in a digit may come before `a`. \
             Compare it with both keys.",
        )
        .link(SEPARATORS),
        mistake("cut_not_raised", "in-range", |a, b| {
            let n = common(a, b) + 1;
            (n < a.len() && compare(a, b).is_lt()).then(|| a[..n].to_vec())
        })
        .says("`a` cut off after the first byte that differs")
        .why("The beginning of a key comes before the key. A separator is at or after `a`: raise the last byte.")
        .link(SEPARATORS),
        mistake("b_given_back", "in-range", |a, b| compare(a, b).is_lt().then(|| b.to_vec()))
            .says("`b` itself")
            .why(
                "`b` belongs to the next block. A lookup of `b` would be sent to the block before it, and find nothing. A separator \
                 comes before `b`.",
            )
            .link(TASK),
        mistake("b_given_back_always", "in-range", |_, b| Some(b.to_vec()))
            .says("`b` itself, whatever `a` is")
            .why(
                "`b` belongs to the next block. A lookup of `b` would be sent to the block before it, and find nothing. A separator \
                 comes before `b`. And where `a` is not before `b` there is none.",
            )
            .link(TASK),
        mistake("common_beginning", "in-range", |a, b| {
            compare(a, b).is_lt().then(|| a[..common(a, b)].to_vec())
        })
        .says("the bytes that `a` and `b` have in common")
        .why(
            "The beginning of a key comes before the key, and so before `a`: `a` would be looked up in the next block. The last byte of a \
             cut has to be raised.",
        )
        .link(TASK),
        mistake("common_beginning_always", "in-range", |a, b| Some(a[..common(a, b)].to_vec()))
            .says("the bytes that `a` and `b` have in common, whichever of them comes first")
            .why(
                "The beginning of a key comes before the key, and so before `a`: `a` would be looked up in the next block. The last byte of \
                 a cut has to be raised. And where `a` is not before `b` there is no separator.",
            )
            .link(TASK),
        mistake("wrong_way_round_answered", "in-range", |a, b| {
            if compare(a, b).is_gt() { right(b, a) } else { right(a, b) }
        })
        .says("the two keys put in order first")
        .why("If `a` is not before `b`, nothing lies in between. An engine that asks this has a fault, and an answer would hide it.")
        .link(TASK),
        mistake("ff_panics", "returns", |a, b| {
            for n in 1..a.len() {
                let mut cut = a[..n].to_vec();
                assert!(cut[n - 1] < 0xff, "attempt to add with overflow");
                cut[n - 1] += 1;
                if fits(a, b, &cut) {
                    return Some(cut);
                }
            }
            None
        })
        .says("a panic where a byte ff is to be raised")
        .why("255 and 1 is 256, which is no byte. `checked_add(1)` tells you: skip that cut.")
        .link(TASK),
        mistake("ff_wrapped", "in-range", |a, b| {
            let wrapped = cuts(a, |byte| Some(byte.wrapping_add(1)));
            let ends_low = |cut: &Vec<u8>| cut.last() == Some(&0) && compare(a, b).is_lt();
            wrapped.into_iter().find(|cut| fits(a, b, cut) || ends_low(cut))
        })
        .says("a byte ff raised to 00")
        .why("255 and 1 is 256, which is no byte. The cut that ends in 00 comes before `a`.")
        .link(TASK),
    ]
}

fn too_long() -> Vec<Mistake<Separate>> {
    vec![
        mistake("a_given_back", "shorter", |a, b| {
            right(a, b).or_else(|| compare(a, b).is_lt().then(|| a.to_vec()))
        })
        .says("`a` itself where no cut fits")
        .why("`a` always works, and saves nothing. Answer `None`, and the engine takes it by itself.")
        .link(TASK),
        mistake("a_given_back_always", "shorter", |a, b| compare(a, b).is_lt().then(|| a.to_vec()))
            .says("`a` itself")
            .why(
                "`a` always works, and saves nothing: the engine takes it by itself where you answer `None`. Look for a key that is shorter: a beginning of `a` \
                 whose last byte is raised.",
            )
            .link(TASK),
        mistake("a_with_a_zero", "shorter", |a, b| {
            compare(a, b).is_lt().then(|| [a, b"\0"].concat())
                .filter(|next| fits(a, b, next))
                .or_else(|| right(a, b))
        })
        .says("`a` with a byte 00 after it")
        .why("That is the next key in byte order, and it is longer than `a`. Separators are there to save room.")
        .link(SEPARATORS),
        mistake("whole_length_cut", "shorter", |a, b| {
            let last = || {
                let (&last, front) = a.split_last()?;
                let whole = [front, &[raised(last)?]].concat();
                Some(whole).filter(|cut| fits(a, b, cut))
            };
            right(a, b).or_else(last)
        })
        .says("a cut that is as long as `a`, where no shorter one fits")
        .why("It lies in range, and saves nothing. Stop before `a` is whole.")
        .link(TASK),
    ]
}

fn missed() -> Vec<Mistake<Separate>> {
    vec![
        mistake("longest_cut", "shortest", |a, b| {
            cuts(a, raised).into_iter().rev().find(|cut| fits(a, b, cut))
        })
        .says("the longest cut that fits")
        .why("Begin with the shortest one: `j` does what `item;` does.")
        .link(SEPARATORS),
        mistake("longest_cut_left_out", "shortest", |a, b| {
            let found = cuts(a, raised).into_iter().find(|cut| fits(a, b, cut))?;
            (found.len() + 1 < a.len()).then_some(found)
        })
        .says("no cut that is one byte shorter than `a`")
        .why(
            "A range leaves its end out: `1..a.len() - 1` ends one too early, and panics for an empty `a`. One byte less is shorter, \
             too: `1..a.len()`.",
        )
        .link(TASK),
        mistake("first_difference_alone", "shortest", |a, b| {
            let n = common(a, b) + 1;
            let cut = cuts(a, raised).into_iter().find(|cut| cut.len() == n)?;
            fits(a, b, &cut).then_some(cut)
        })
        .says("the cut at the first byte that differs, and no other")
        .why(
            "Where the bytes are neighbours, as `c` and `d` in `abc:1` and `abd`, there is no room there. One byte \
             further `abc;` fits.",
        )
        .link(SEPARATORS),
        mistake("first_cut_alone", "shortest", |a, b| {
            cuts(a, raised).into_iter().find(|cut| cut.len() == 1 && fits(a, b, cut))
        })
        .says("the cut after the first byte, and no other")
        .why(
            "You compared it with both keys, and that is right. Where it does not fit, a longer one may: between `abc:1` and `abd` it is `abc;`. Try every \
             cut, the shortest first.",
        )
        .link(TASK),
        mistake("beginnings_of_b_alone", "shortest", |a, b| {
            let beginnings = (1..b.len()).map(|n| b[..n].to_vec());
            beginnings.into_iter().find(|key| key.len() < a.len() && fits(a, b, key))
        })
        .says("the beginnings of `b`, and nothing else")
        .why(
            "Such a key may do where it lies in range. But each beginning of `abd` comes before `abc:1`, and a cut of `a` fits there: \
             `abc;`. Raise the last byte of a beginning of `a`.",
        )
        .link(SEPARATORS),
        mistake("after_the_difference_alone", "shortest", |a, b| {
            let n = common(a, b) + 1;
            cuts(a, raised).into_iter().find(|cut| cut.len() > n && fits(a, b, cut))
        })
        .says("only cuts after the first byte that differs")
        .why("Where there is room at the byte that differs, the cut ends there: `j` between `item:123` and `user:1`.")
        .link(SEPARATORS),
        mistake("cuts_before_the_difference_skipped", "shortest", |a, b| {
            let n = common(a, b);
            cuts(a, raised).into_iter().find(|cut| cut.len() >= n && fits(a, b, cut))
        })
        .says("no cut that is shorter than what `a` and `b` have in common")
        .why(
            "In byte order a cut that is raised there comes after `b`. In this order it need not: `a1` is between `a001` and `a00x`, \
             because 1 is no less than 001, and the prefix `a` comes before `a00x`. Try every cut, the shortest first.",
        )
        .link(TASK),
        mistake("cuts_up_to_the_difference_skipped", "shortest", |a, b| {
            let n = common(a, b);
            cuts(a, raised).into_iter().find(|cut| cut.len() > n && fits(a, b, cut))
        })
        .says("no cut before the first byte that differs")
        .why(
            "In byte order a cut that is raised there comes after `b`. In this order it need not: `a1` is between `a001` and `a00x`, \
             because 1 is no less than 001, and the prefix `a` comes before `a00x`. Try every cut, the shortest first.",
        )
        .link(TASK),
        mistake("digits_never_raised", "shortest", |a, b| {
            // Only the last byte of a cut differs from the key, so no cut is looked through.
            let first = a.iter().position(u8::is_ascii_digit);
            let before = |cut: &Vec<u8>| first.is_none_or(|at| cut.len() <= at + 1);
            let digit = |cut: &Vec<u8>| !before(cut) || cut.last().is_some_and(u8::is_ascii_digit);
            cuts(a, raised).into_iter().find(|cut| !digit(cut) && fits(a, b, cut))
        })
        .says("no cut that holds a digit")
        .why(
            "A cut with a digit in it may fit, and the digit may be the byte that is raised: `a1` is between `a001` and `a00x`, \
             because 1 is no less than 001, and the prefix `a` comes before `a00x`. The digit may also be inside the prefix: `a2c` is between \
             `a2b7` and `a3b7`. Do not rule a cut out by its bytes. Ask the comparison.",
        )
        .link(TASK),
        mistake("ascii_raised_alone", "shortest", |a, b| {
            let within = |byte: u8| (byte < 0x7f).then(|| byte + 1);
            cuts(a, within).into_iter().find(|cut| fits(a, b, cut))
        })
        .says("no cut whose last byte is 7f or more before it is raised")
        .why("ASCII ends at 7f, and a key does not: its bytes go up to ff. Every byte below ff can be raised.")
        .link(TASK),
        mistake("stops_at_ff", "shortest", |a, b| {
            let ff = a.iter().position(|byte| *byte == 0xff).unwrap_or(a.len());
            let found = cuts(a, raised).into_iter().find(|cut| fits(a, b, cut))?;
            (found.len() <= ff).then_some(found)
        })
        .says("no cut that goes as far as a byte ff")
        .why(
            "A cut that ends in ff cannot be raised, and a longer one may fit. Skip it and go on: `checked_add(1)?` would leave \
             the whole function.",
        )
        .link(TASK),
        mistake("always_none", "shortest", |_, _| None)
            .says("`None` for every pair")
            .why(
                "It is always safe, and the index gets no shorter. If you tried the beginnings of `a` as they are, or what `a` and `b` share: they \
                 come before `a`. The last byte of a cut has to be raised.",
            )
            .link(SEPARATORS),
    ]
}
