//! What goes wrong when a tuple becomes a key.

use std::sync::Arc;

use kit::{Mistake, Quirk, compose};

use crate::solutions::escape_bytes::encode as escape_and_end;
use crate::tuple_key::Key;

const SCAN: &str = "a-scan-goes-wrong";
const END: &str = "the-end-must-be-in-the-bytes";
const REPAIR: &str = "escape-and-terminate";
const FIELDS: &str = "one-field-after-another";
const WIDTH: &str = "a-length-or-a-width";
const SYSTEMS: &str = "three-other-systems";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // The user.
    Colon,
    Zero,
    Ff,
    Bare,
    ZeroKept,
    EscapedWithoutEnd,
    EndOfOneZero,
    LengthInFront,
    Padded,
    // The number.
    Decimal,
    LittleEndian,
    SignFlipped,
    Narrowed,
    NumberLeftOut,
    // The note, and the order of the fields.
    NoteLeftOut,
    NoteBeforeNumber,
    NumberFirst,
}
use Step::{
    Bare, Colon, Decimal, EndOfOneZero, EscapedWithoutEnd, Ff, LengthInFront, LittleEndian,
    Narrowed, NoteBeforeNumber, NoteLeftOut, NumberFirst, NumberLeftOut, Padded, SignFlipped, Zero,
    ZeroKept,
};

/// Of each group, a key takes one step at most.
const APART: [&[Step]; 3] = [
    &[
        Colon,
        Zero,
        Ff,
        Bare,
        ZeroKept,
        EscapedWithoutEnd,
        EndOfOneZero,
        LengthInFront,
        Padded,
    ],
    &[Decimal, LittleEndian, SignFlipped, Narrowed, NumberLeftOut],
    &[NoteLeftOut, NoteBeforeNumber, NumberFirst],
];

const fn quirk(
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk::of(id, name, "order", says, why, link)
}

const QUIRKS: [Quirk<Step>; 17] = [
    quirk(
        Colon,
        "user_ended_by_a_colon",
        "a colon behind the user",
        "A name may hold a colon, and `a!` is greater than `a` although ! is less than `:`. Nothing below the \
         end of a name may continue it. Escape and terminate.",
        SCAN,
    ),
    quirk(
        Zero,
        "user_ended_by_a_bare_zero",
        "a zero byte behind the user, and zero bytes in the user left as they are",
        "00 is below every continuation but one: a name may hold a zero byte itself. Then nothing tells it \
         from the end.",
        REPAIR,
    ),
    quirk(
        Ff,
        "user_ended_by_ff",
        "ff behind the user",
        "Text never holds a byte ff, so nothing collides. But the end has to sort below every continuation: \
         with ff, `a` sorts behind `aa`.",
        REPAIR,
    ),
    quirk(
        Bare,
        "nothing_behind_the_user",
        "the user and the number with nothing between",
        "The first byte of the number is compared with the next letter of a longer name. Where a name ends must \
         be in the bytes.",
        END,
    ),
    quirk(
        ZeroKept,
        "zero_in_the_user_kept",
        "00 01 behind the user, and zero bytes in the user left as they are",
        "The end is right, but a name may hold 00, too. Each zero byte of the name has to become 00 ff.",
        REPAIR,
    ),
    quirk(
        EscapedWithoutEnd,
        "user_escaped_without_end",
        "an escaped user without an end",
        "The escape makes an end possible, it is none. The first byte of the number is compared with the next \
         letter of a longer name.",
        END,
    ),
    quirk(
        EndOfOneZero,
        "user_ended_by_one_zero",
        "an escaped user and a single 00 behind it",
        "Nearly right: a number from ff00000000000000 on begins with ff, and behind 00 that reads as a zero \
         byte of the name. FoundationDB can end a string so because no field of its begins with ff.",
        SYSTEMS,
    ),
    quirk(
        LengthInFront,
        "length_of_the_user_in_front",
        "the length of the user in front",
        "Nothing collides. But the length is compared before the first letter, so `b` sorts before `aa`.",
        WIDTH,
    ),
    quirk(
        Padded,
        "user_padded_to_sixteen",
        "a user of sixteen bytes, filled with zero bytes and cut",
        "A name may end in zero bytes of its own, and it may be longer than sixteen bytes. Then two users share \
         their keys.",
        WIDTH,
    ),
    quirk(
        Decimal,
        "number_in_decimal",
        "decimal digits for the number",
        "10 sorts before 2, and in front of the note nobody sees where the digits end. Eight bytes, big-endian, \
         have one width and the right order.",
        FIELDS,
    ),
    quirk(
        LittleEndian,
        "number_in_little_endian",
        "a little-endian number",
        "Its last byte comes first: 256 sorts before 1. Chapter 2 has the repair.",
        FIELDS,
    ),
    quirk(
        SignFlipped,
        "sign_of_the_number_flipped",
        "the first bit of the number flipped",
        "That is for signed numbers. This one is a `u64`: its plain big-endian bytes are in order, and with the \
         flip the numbers from 2^63 on come first.",
        FIELDS,
    ),
    quirk(
        Narrowed,
        "number_narrowed_to_u32",
        "the number cut by `as u32`",
        "A `u64` has eight bytes. 2^32 becomes 0, and two orders share a key.",
        FIELDS,
    ),
    quirk(
        NumberLeftOut,
        "number_left_out",
        "a key without the number",
        "All fields belong to the key, or two rows share one.",
        FIELDS,
    ),
    quirk(
        NoteLeftOut,
        "note_left_out",
        "a key without the note",
        "All fields belong to the key, or two rows share one.",
        FIELDS,
    ),
    quirk(
        NoteBeforeNumber,
        "note_before_number",
        "the note in front of the number",
        "The fields stand in the order in which they are compared: user, number, note.",
        FIELDS,
    ),
    quirk(
        NumberFirst,
        "number_first",
        "the number in front of the user",
        "The fields stand in the order in which they are compared. With the number first, the orders of one \
         user are scattered.",
        FIELDS,
    ),
];

fn user_bytes(steps: &[Step], user: &str) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    let bytes = user.as_bytes();
    let mut ended = escape_and_end(bytes);
    if has(Colon) {
        [bytes, b":"].concat()
    } else if has(Zero) {
        [bytes, &[0x00]].concat()
    } else if has(Ff) {
        [bytes, &[0xff]].concat()
    } else if has(Bare) {
        bytes.to_vec()
    } else if has(ZeroKept) {
        [bytes, &[0x00, 0x01]].concat()
    } else if has(EscapedWithoutEnd) {
        ended.truncate(ended.len() - 2);
        ended
    } else if has(EndOfOneZero) {
        ended.pop();
        ended
    } else if has(LengthInFront) {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        [&length.to_be_bytes()[..], bytes].concat()
    } else if has(Padded) {
        let mut padded = bytes.to_vec();
        padded.resize(16, 0);
        padded
    } else {
        ended
    }
}

fn number_bytes(steps: &[Step], number: u64) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    if has(Decimal) {
        number.to_string().into_bytes()
    } else if has(LittleEndian) {
        number.to_le_bytes().to_vec()
    } else if has(SignFlipped) {
        (number ^ 1 << 63).to_be_bytes().to_vec()
    } else if has(Narrowed) {
        #[expect(clippy::cast_possible_truncation, reason = "it is the mistake")]
        (number as u32).to_be_bytes().to_vec()
    } else if has(NumberLeftOut) {
        Vec::new()
    } else {
        number.to_be_bytes().to_vec()
    }
}

fn key(steps: &[Step], user: &str, number: u64, note: &str) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    let user = user_bytes(steps, user);
    let number = number_bytes(steps, number);
    if has(NoteLeftOut) {
        [user, number].concat()
    } else if has(NoteBeforeNumber) {
        [user, escape_and_end(note.as_bytes()), number].concat()
    } else if has(NumberFirst) {
        [number, user, note.as_bytes().to_vec()].concat()
    } else {
        [user, number, note.as_bytes().to_vec()].concat()
    }
}

fn with(steps: &[Step]) -> Option<Key> {
    let several = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    // What is said of these holds only if the rest is right.
    let alone = [EndOfOneZero, NumberLeftOut];
    let single = steps.iter().any(|step| alone.contains(step)) && steps.len() > 1;
    // A missing or moved field goes along with wrong bytes of the number, not with a wrong end of the user.
    let [users, _, moved] = APART;
    let apart = |step: &Step| moved.contains(step);
    let mixed = steps.iter().any(apart) && steps.iter().any(|s| users.contains(s) || *s == Decimal);
    if APART.iter().any(several) || single || mixed {
        return None;
    }
    let steps = steps.to_vec();
    Some(Arc::new(move |user, number, note| {
        key(&steps, user, number, note)
    }))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Key>> {
    let mistake = |name, key: fn(&str, u64, &str) -> Vec<u8>| {
        Mistake::<Key>::new(name, "key", "order", Arc::new(key))
    };
    let mut mistakes = vec![
        mistake("joined_by_colons", |user, number, note| {
            format!("{user}:{number}:{note}").into_bytes()
        })
        .says("the fields as text, joined by colons")
        .why(
            "Three faults at once: a colon may stand in a field, a byte below it may continue a name, and 10 \
             sorts before 2. Fields that end by themselves need no separator.",
        )
        .link(SCAN),
        mistake("joined_by_colons_and_padded", |user, number, note| {
            format!("{user}:{number:020}:{note}").into_bytes()
        })
        .says("the fields as text, joined by colons, the number with twenty digits")
        .why(
            "The number is right now. But a name may hold a colon, or go on with a byte below it, such as !. \
             Fields that end by themselves need no separator.",
        )
        .link(SCAN),
        mistake("joined_by_zeros", |user, number, note| {
            [user.as_bytes(), b"\0", &number.to_be_bytes(), b"\0", note.as_bytes()].concat()
        })
        .says("fields joined by zero bytes")
        .why(
            "00 is the best separator there is, and still a name may hold it: then nothing tells it from the \
             end. Escape it, and make the end unmistakable.",
        )
        .link(REPAIR),
    ];
    mistakes.extend(compose("key", &QUIRKS, with));
    mistakes
}
