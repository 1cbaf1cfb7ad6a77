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

/// Why texts in UTF-16 do not sort.
const UTF_16: &str = "From U+10000 on a character takes two units there. The first begins with d8 to db, so it sorts before the characters \
     from U+E000 to U+FFFF. UTF-8, which `str` is, sorts as the characters do.";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // The user.
    Colon,
    Slash,
    Bar,
    Control,
    Zero,
    Ff,
    Bare,
    ZeroKept,
    EscapedWithoutEnd,
    EndOfOneZero,
    LengthInFront,
    LengthInOneByte,
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
    Bar, Bare, Colon, Control, Decimal, EndOfOneZero, EscapedWithoutEnd, Ff, LengthInFront,
    LengthInOneByte, LittleEndian, Narrowed, NoteBeforeNumber, NoteLeftOut, NumberFirst,
    NumberLeftOut, Padded, SignFlipped, Slash, Zero, ZeroKept,
};

/// Of each group, a key takes one step at most.
const APART: [&[Step]; 3] = [
    &[
        Colon,
        Slash,
        Bar,
        Control,
        Zero,
        Ff,
        Bare,
        ZeroKept,
        EscapedWithoutEnd,
        EndOfOneZero,
        LengthInFront,
        LengthInOneByte,
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

const QUIRKS: [Quirk<Step>; 21] = [
    quirk(
        Colon,
        "user_ended_by_a_colon",
        "a colon after the user",
        "A name may hold a colon, and `a!` is greater than `a` although ! is less than `:`. Nothing below the \
         end of a name may continue it. Escape and terminate.",
        SCAN,
    ),
    quirk(
        Slash,
        "user_ended_by_a_slash",
        "a sign such as `/` or `#` after the user",
        "A name may hold the sign itself, and `a!` is greater than `a` although ! is less than `/`. Nothing below the \
         end of a name may continue it. Escape and terminate.",
        SCAN,
    ),
    quirk(
        Bar,
        "user_ended_by_a_bar",
        "a sign such as `|` or `~` after the user",
        "A name may hold the sign itself, and with an end above the letters `a` sorts after `aa`. The end has to sort \
         below every continuation. Escape and terminate.",
        SCAN,
    ),
    quirk(
        Control,
        "user_ended_by_a_control_character",
        "a control character such as a tab or 1f after the user",
        "Hardly anybody types it, and any text may hold it. And a zero byte and 01 are less still: `a\\0` sorts before \
         `a`. Nothing below the end of a name may continue it. Escape and terminate.",
        REPAIR,
    ),
    quirk(
        Zero,
        "user_ended_by_a_bare_zero",
        "a zero byte after the user, and zero bytes in the user left as they are",
        "00 is below every continuation but one: a name may hold a zero byte itself. Then nothing tells it \
         from the end.",
        REPAIR,
    ),
    quirk(
        Ff,
        "user_ended_by_ff",
        "ff after the user",
        "Text never holds a byte ff, so nothing collides. But the end has to sort below every continuation: \
         with ff, `a` sorts after `aa`.",
        REPAIR,
    ),
    quirk(
        Bare,
        "nothing_after_the_user",
        "the user and the number with nothing between",
        "The first byte of the number is compared with the next letter of a longer name. Where a name ends must \
         be in the bytes.",
        END,
    ),
    quirk(
        ZeroKept,
        "zero_in_the_user_kept",
        "00 01 after the user, and zero bytes in the user left as they are",
        "The end is right, but a name may hold 00, too. Each zero byte of the name has to become 00 ff.",
        REPAIR,
    )
    .why_beside("A name may hold 00, too. Each zero byte of the name has to become 00 ff."),
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
        "an escaped user and a single 00 after it",
        "Nearly right: a number from ff00000000000000 on begins with ff, and after 00 that reads as a zero \
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
        LengthInOneByte,
        "length_of_the_user_in_one_byte",
        "the length of the user in one byte in front",
        "The length is compared before the first letter, so `b` sorts before `aa`. And 256 does not fit into a byte: \
         a name of 300 letters says that it has 44.",
        WIDTH,
    ),
    quirk(
        Padded,
        "user_of_a_fixed_width",
        "a user of a fixed width, filled with zero bytes and cut",
        "A name may end in zero bytes of its own, and it may be longer than any width. Then two users share \
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
        "The fields are in the order in which they are compared: user, number, note.",
        FIELDS,
    ),
    quirk(
        NumberFirst,
        "number_first",
        "the number in front of the user",
        "The fields are in the order in which they are compared. With the number first, the orders of one \
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
    } else if has(Slash) {
        [bytes, b"/"].concat()
    } else if has(Bar) {
        [bytes, b"|"].concat()
    } else if has(Control) {
        [bytes, &[0x1f]].concat()
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
    } else if has(LengthInOneByte) {
        [&bytes.len().to_le_bytes()[..1], bytes].concat()
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

/// The text's units of UTF-16, big-endian.
fn utf_16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
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
            "Three faults at once: a colon may be in a field, a byte below it may continue a name, and 10 \
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
        mistake("joined_by_spaces_and_padded", |user, number, note| {
            format!("{user} {number:020} {note}").into_bytes()
        })
        .says("the fields as text, joined by spaces, the number with twenty digits")
        .why(
            "The number is right now. But a name may hold a space, or go on with a byte below it, such as a zero byte or the end of a \
             line. Fields that end by themselves need no separator.",
        )
        .link(FIELDS),
        mistake("joined_by_slashes", |user, number, note| {
            format!("{user}/{number}/{note}").into_bytes()
        })
        .says("the fields as text, joined by a sign such as `/` or `#`")
        .why(
            "Three faults at once: the sign may be in a field, a byte below it may continue a name, and 10 \
             sorts before 2. Fields that end by themselves need no separator.",
        )
        .link(SCAN),
        mistake("joined_by_bars", |user, number, note| {
            format!("{user}|{number}|{note}").into_bytes()
        })
        .says("the fields as text, joined by a sign such as `|` or `~`")
        .why(
            "Three faults at once: the sign may be in a field, letters below it may continue a name, and 10 \
             sorts before 1. Fields that end by themselves need no separator.",
        )
        .link(SCAN),
        mistake("joined_by_zeros_in_decimal", |user, number, note| {
            format!("{user}\0{number}\0{note}").into_bytes()
        })
        .says("the fields as text, joined by zero bytes")
        .why(
            "Two faults at once: a name may hold a zero byte, and 10 sorts before 2. Escape the zero byte, and give the \
             number eight bytes.",
        )
        .link(REPAIR),
        mistake("joined_by_zeros_and_padded", |user, number, note| {
            format!("{user}\0{number:020}\0{note}").into_bytes()
        })
        .says("the fields as text, joined by zero bytes, the number with twenty digits")
        .why(
            "00 is the best separator there is, and still a name may hold it: then nothing tells it from the \
             end. Escape it, and make the end unmistakable.",
        )
        .link(REPAIR),
        mistake("user_ended_by_two_bare_zeros", |user, number, note| {
            [user.as_bytes(), &[0x00, 0x00], &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("two zero bytes after the user, and zero bytes in the user left as they are")
        .why("A name may hold one zero byte, or two. Then nothing tells them from the end. Each zero byte of the name has to become 00 ff.")
        .link(REPAIR),
        mistake("number_in_decimal_and_ended", |user, number, note| {
            let number = escape_and_end(number.to_string().as_bytes());
            [escape_and_end(user.as_bytes()), number, note.as_bytes().to_vec()].concat()
        })
        .says("decimal digits for the number, ended like a string")
        .why("Now it is plain where the digits end. But as text 10 sorts before 2. Eight bytes, big-endian, have the right order.")
        .link(FIELDS),
        mistake("both_texts_ended_without_escape", |user, number, note| {
            let end: &[u8] = &[0x00, 0x01];
            [user.as_bytes(), end, &number.to_be_bytes(), note.as_bytes(), end].concat()
        })
        .says("00 01 after the user and after the note, and zero bytes in both left as they are")
        .why("The end is right, but a text may hold 00, too. Each zero byte of a text has to become 00 ff.")
        .link(REPAIR),
        mistake("length_of_the_user_after_it", |user, number, note| {
            let length = u32::try_from(user.len()).unwrap_or(u32::MAX);
            [user.as_bytes(), &length.to_be_bytes(), &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("the length of the user behind it")
        .why(
            "Whoever reads from the left finds no length before the user has ended. And where `a` ends, `a\\0` goes on with a byte that its length, 00 00 00 01, begins \
             with too: the longer name comes first. What follows a name has to sort below all that may continue it.",
        )
        .link(WIDTH),
        mistake("user_of_a_larger_fixed_width", |user, number, note| {
            let mut padded = user.as_bytes().to_vec();
            padded.resize(32, 0);
            [&padded[..], &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("a user of a fixed width, filled with zero bytes and cut")
        .why("However wide the field is, a name may be longer, and a shorter one may end in zero bytes of its own. Then two users share their keys.")
        .link(WIDTH),
        mistake("user_of_a_very_large_fixed_width", |user, number, note| {
            let mut padded = user.as_bytes().to_vec();
            padded.resize(64, 0);
            [&padded[..], &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("a user of a fixed width, filled with zero bytes and cut")
        .why("However wide the field is, a name may be longer, and a shorter one may end in zero bytes of its own. Then two users share their keys.")
        .link(WIDTH),
        mistake("user_filled_up_with_spaces", |user, number, note| {
            [format!("{user:<32}").as_bytes(), &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("a user that is filled up with spaces")
        .why(
            "A space is a character like any other: `ann` and `ann ` share a key. And characters below it sort before it, so `a\\u{1}` comes before \
             `a`. Nothing below the end of a name may continue it.",
        )
        .link(WIDTH),
        mistake("number_with_ten_digits", |user, number, note| {
            [&escape_and_end(user.as_bytes())[..], format!("{number:010}").as_bytes(), note.as_bytes()].concat()
        })
        .says("the number padded to ten digits or fewer")
        .why("A `u64` has up to twenty digits. Where it has more than the width, the order breaks: 10^19 comes before 4294967296.")
        .link(WIDTH),
        mistake("pairs_of_the_user_exchanged", |user, number, note| {
            [user.replace('\0', "\0\u{1}").as_bytes(), b"\0\xff", &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("a pair for each zero byte of the user that is less than the pair after the user, as 00 01 is less than 00 ff")
        .why("Nothing collides. But where `a` ends, `a\\0` goes on, and its pair comes first: the longer name sorts before the shorter one. The end has to be the lesser of the two.")
        .link(REPAIR),
        mistake("length_of_the_note_in_one_byte", |user, number, note| {
            [&escape_and_end(user.as_bytes())[..], &number.to_be_bytes(), &[note.len() as u8], note.as_bytes()].concat()
        })
        .says("the length of the note in one byte in front of it")
        .why("Then the shorter note comes first, whatever its letters are: `b` before `aa`. The last field needs neither length nor end.")
        .link(WIDTH),
        mistake("zeros_of_the_number_dropped", |user, number, note| {
            let zeros = number.leading_zeros() as usize / 8;
            [&escape_and_end(user.as_bytes())[..], &number.to_be_bytes()[zeros..], note.as_bytes()].concat()
        })
        .says("a number without its leading zero bytes")
        .why("256 becomes 01 00 and sorts before 2, and the note begins where nobody knows. Eight bytes for every number have one width.")
        .link(FIELDS),
        mistake("lengths_of_both_texts_in_front", |user, number, note| {
            let length = |text: &str| (text.len() as u64).to_be_bytes();
            [&length(user)[..], user.as_bytes(), &number.to_be_bytes(), &length(note), note.as_bytes()].concat()
        })
        .says("the length of the user in front of it, and that of the note in front of the note")
        .why("Nothing collides. But a length is compared before the first letter, so `b` sorts before `aa`.")
        .link(WIDTH),
        mistake("as_serializers_write_it", |user, number, note| {
            let length = |text: &str| (text.len() as u64).to_le_bytes();
            [&length(user)[..], user.as_bytes(), &number.to_le_bytes(), &length(note), note.as_bytes()].concat()
        })
        .says("what serializers write: the length of each text in front of it, and lengths and number little-endian")
        .why(
            "Such bytes are made to be read back, and not to be compared. The length decides before the first letter, and of \
             the number the byte that counts least.",
        )
        .link(WIDTH),
        mistake("user_ended_by_a_space", |user, number, note| {
            [user.as_bytes(), b" ", &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("a space after the user")
        .why(
            "A name may hold a space itself. And zero bytes, line ends and other control characters are less than a space: `a\\u{1}` sorts before \
             `a`. Nothing below the end of a name may continue it. Escape and terminate.",
        )
        .link(SCAN),
        mistake("user_in_utf_16", |user, number, note| {
            [&escape_and_end(&utf_16(user))[..], &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("the user in UTF-16, as Java and JavaScript hold it")
        .why(UTF_16)
        .link(FIELDS),
        mistake("texts_in_utf_16", |user, number, note| {
            [&escape_and_end(&utf_16(user))[..], &number.to_be_bytes(), &utf_16(note)].concat()
        })
        .says("user and note in UTF-16, as Java and JavaScript hold them")
        .why(UTF_16)
        .link(FIELDS),
        mistake("length_of_the_user_in_characters", |user, number, note| {
            let length = user.chars().count() as u32;
            [&length.to_be_bytes(), user.as_bytes(), &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .or(Arc::new(|user: &str, number: u64, note: &str| {
            let length = user.encode_utf16().count() as u32;
            [&length.to_be_bytes(), user.as_bytes(), &number.to_be_bytes(), note.as_bytes()].concat()
        }))
        .says("the length of the user in front, counted in characters or in units of UTF-16")
        .why(
            "The length is compared before the first letter, whatever it counts: `b` sorts before `aa`. Where a name ends is told after it, by \
             bytes below all that may continue it.",
        )
        .link(WIDTH),
        mistake("colon_escaped_by_a_backslash", |user, number, note| {
            format!("{}:{number:020}:{note}", user.replace(':', "\\:")).into_bytes()
        })
        .says("a colon after the user, and colons of the user escaped by a backslash")
        .why(
            "Now the end can be told from a colon of the name. But the order is not mended: `a!` is greater than `a` \
             although ! is less than `:`. An end has to be below every continuation, and an escape has to begin with the \
             byte that it stands for.",
        )
        .link(REPAIR),
        mistake("printed_form", |user, number, note| {
            format!("{:?}", (user, number, note)).into_bytes()
        })
        .says("the tuple as `{:?}` prints it")
        .why(
            "The quote after a name is 22, and 10 sorts before 2. What is printed for people has no order that a store \
             could use. Give each field bytes that sort and end by themselves.",
        )
        .link(SCAN),
        mistake("texts_between_quotes", |user, number, note| format!("\"{user}\"{number:020}\"{note}\"").into_bytes())
            .or(Arc::new(|user: &str, number: u64, note: &str| format!("[\"{user}\",{number:020},\"{note}\"]").into_bytes()))
            .or(Arc::new(|user: &str, number: u64, note: &str| format!("{user:?}{number:020}{note:?}").into_bytes()))
            .or(Arc::new(|user: &str, number: u64, note: &str| format!("{user:?},{number:020},{note:?}").into_bytes()))
            .says("the texts between quotes, and the number in twenty digits")
            .why(
                "The closing quote is 22. What continues a name by less comes before the name itself: `a!` before `a`. An end has to be below every \
                 continuation, and zero bytes have to be escaped for that.",
            )
            .link(REPAIR),
        mistake("colons_in_percent", |user, number, note| {
            format!("{}:{number:020}:{note}", user.replace('%', "%25").replace(':', "%3A")).into_bytes()
        })
        .or(Arc::new(|user: &str, number: u64, note: &str| {
            let written = |text: &str| text.replace('%', "%25").replace(':', "%3A");
            format!("{}:{number:020}:{}", written(user), written(note)).into_bytes()
        }))
        .says("a colon after the user, and colons of the user written `%3A`")
        .why(
            "Now the end can be told from a colon of the name. But the order is not mended: `a!` is greater than `a` although ! is less than `:`, and \
             a colon sorts like a %. An end has to be below every continuation, and an escape has to begin with the byte that it stands for.",
        )
        .link(REPAIR),
        mistake("length_of_the_user_at_the_end", |user, number, note| {
            let length = (user.len() as u32).to_be_bytes();
            [user.as_bytes(), &number.to_be_bytes(), note.as_bytes(), &length].concat()
        })
        .says("the three fields without an end, and the length of the user after all of them")
        .why(
            "It tells where the user stops, and no two rows share a key. But a scan compares from the front and meets the number of `a` and the rest of \
             `ann` before it. The end belongs right after the user.",
        )
        .link(WIDTH),
        mistake("number_narrowed_to_u16", |user, number, note| {
            [&escape_and_end(user.as_bytes())[..], &(number as u16).to_be_bytes(), note.as_bytes()].concat()
        })
        .says("the number cut by `as u16`")
        .why("A `u64` has eight bytes. 65536 becomes 0, and two orders share a key.")
        .link(FIELDS),
        mistake("texts_in_small_letters", |user, number, note| {
            let [user, note] = [user, note].map(str::to_lowercase);
            [&escape_and_end(user.as_bytes())[..], &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .or(Arc::new(|user: &str, number: u64, note: &str| {
            let [user, note] = [user, note].map(str::to_ascii_lowercase);
            [&escape_and_end(user.as_bytes())[..], &number.to_be_bytes(), note.as_bytes()].concat()
        }))
        .says("both texts in small letters")
        .why("`Ann` and `ann` are two users, `A` and `a` two notes, and their rows share a key here. `str` compares capital letters as the bytes they are.")
        .link(FIELDS),
        mistake("number_turned_round", |user, number, note| {
            [&escape_and_end(user.as_bytes())[..], &(!number).to_be_bytes(), note.as_bytes()].concat()
        })
        .says("the greatest number of a user first")
        .why("Each bit of the number is turned round, or it is subtracted from the greatest one. That is for an order that runs backwards, and here the smallest number comes first.")
        .link(FIELDS),
        mistake("note_in_small_letters", |user, number, note| {
            [&escape_and_end(user.as_bytes())[..], &number.to_be_bytes(), note.to_lowercase().as_bytes()].concat()
        })
        .or(Arc::new(|user: &str, number: u64, note: &str| {
            [&escape_and_end(user.as_bytes())[..], &number.to_be_bytes(), note.to_ascii_lowercase().as_bytes()].concat()
        }))
        .says("the note in small letters")
        .why("`A` and `a` are two notes, and their rows share a key here. `str` compares capital letters as the bytes they are.")
        .link(FIELDS),
        mistake("number_as_a_double", |user, number, note| {
            [&escape_and_end(user.as_bytes())[..], &(number as f64).to_be_bytes(), note.as_bytes()].concat()
        })
        .says("the number as a double")
        .why("A double has 53 bits for the digits: from 2^53 on neighbours fall together. A `u64` has eight bytes of its own.")
        .link(FIELDS),
        mistake("number_with_nineteen_digits", |user, number, note| {
            let digits = format!("{number:019}");
            [&escape_and_end(user.as_bytes())[..], digits.as_bytes(), note.as_bytes()].concat()
        })
        .says("the number padded to nineteen digits")
        .why("A `u64` has up to twenty digits. From 10^19 on they do not fit, and the order breaks: 10^19 comes before 9 * 10^18.")
        .link(WIDTH),
        mistake("number_with_fifteen_hexadecimal_digits", |user, number, note| {
            let digits = format!("{number:015x}");
            [&escape_and_end(user.as_bytes())[..], digits.as_bytes(), note.as_bytes()].concat()
        })
        .says("the number padded to fifteen hexadecimal digits")
        .why("A `u64` has up to sixteen of them. From 2^60 on they do not fit, and the order breaks: 2^60 comes before 2^60 - 1.")
        .link(WIDTH),
        mistake("hexadecimal_texts_joined_by_colons", |user, number, note| {
            let digits = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
            format!("{}:{number:016x}:{}", digits(user), digits(note)).into_bytes()
        })
        .says("two hexadecimal digits for each byte of the texts, and a colon between the fields")
        .why(
            "No field holds a colon now, so nothing collides. But the end has to sort below every continuation, and a colon is above \
             the digits 0 to 9: `a` sorts after `aa`.",
        )
        .link(END),
        mistake("hexadecimal_digits_without_a_width", |user, number, note| {
            let digits = |text: &str| text.bytes().map(|byte| format!("{byte:x}")).collect::<String>();
            format!("{} {number:016x} {}", digits(user), digits(note)).into_bytes()
        })
        .says("hexadecimal digits for each byte of the texts, one digit where one is enough")
        .why(
            "The separator lies below every digit, and that is right. But a byte below 16 has one digit here, so \
             7 is compared with the 6 of 61, and comes after it. `{byte:02x}` writes two for each.",
        )
        .link(WIDTH),
        mistake("length_of_the_note_in_front", |user, number, note| {
            let length = (note.len() as u32).to_be_bytes();
            [&escape_and_end(user.as_bytes())[..], &number.to_be_bytes(), &length, note.as_bytes()].concat()
        })
        .says("the length of the note in front of it")
        .why("Then the shorter note comes first, whatever its letters are: `b` before `aa`. The last field needs neither length nor end.")
        .link(WIDTH),
        mistake("note_first", |user, number, note| {
            let ended = |text: &str| escape_and_end(text.as_bytes());
            [&ended(note)[..], &ended(user), &number.to_be_bytes()].concat()
        })
        .says("the note in front of user and number")
        .why("The fields are in the order in which they are compared: user, number, note. With the note first, the orders of one user are scattered.")
        .link(FIELDS),
        mistake("number_as_a_varint", |user, number, note| {
            let mut varint = Vec::new();
            let mut rest = number;
            while rest >= 0x80 {
                varint.push((rest & 0x7f) as u8 | 0x80);
                rest >>= 7;
            }
            varint.push(rest as u8);
            [&escape_and_end(user.as_bytes())[..], &varint, note.as_bytes()].concat()
        })
        .says("the number as a varint, seven bits a byte, the lowest ones first")
        .why(
            "A varint is made to be short, and it can be read back. But its first byte holds the lowest bits, and the first bit of each says \
             only that more follow: 256 is 80 02 and 200 is c8 01. Eight bytes, big-endian, have the right order.",
        )
        .link(FIELDS),
        mistake("number_in_hexadecimal_and_ended", |user, number, note| {
            let number = escape_and_end(format!("{number:x}").as_bytes());
            [escape_and_end(user.as_bytes()), number, note.as_bytes().to_vec()].concat()
        })
        .says("hexadecimal digits for the number, ended like a string")
        .why("Now it is plain where the digits end. But as text 3a sorts before a. Sixteen digits for each, or eight bytes, have the right order.")
        .link(FIELDS),
        mistake("user_trimmed", |user, number, note| {
            [&escape_and_end(user.trim().as_bytes())[..], &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("the user without the spaces around the name")
        .why("A space is a character like any other: the users `ann` and `ann ` are two, and here they become one. Clean up what people type before it is stored, not in the key.")
        .link(FIELDS),
        mistake("user_trimmed_at_the_end", |user, number, note| {
            [&escape_and_end(user.trim_end().as_bytes())[..], &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("the user without the spaces after the name")
        .why("A space is a character like any other: the users `ann` and `ann ` are two, and here they become one. Clean up what people type before it is stored, not in the key.")
        .link(FIELDS),
        mistake("texts_trimmed", |user, number, note| {
            [&escape_and_end(user.trim().as_bytes())[..], &number.to_be_bytes(), note.trim().as_bytes()].concat()
        })
        .says("user and note without the spaces around them")
        .why("A space is a character like any other: the notes `a` and ` a` differ, and here their rows share a key. Clean up what people type before it is stored, not in the key.")
        .link(FIELDS),
        mistake("zero_bytes_of_the_user_replaced", |user, number, note| {
            [user.replace('\0', "\u{1}").as_bytes(), b"\0", &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("the byte 01 in place of each zero byte in the user, and one zero byte after it")
        .why("The end cannot be mistaken now. But the users `a\\0` and `a\\u{1}` become one, and of two rows one is lost. An escape is two bytes: none of the others may become the same.")
        .link(REPAIR),
        mistake("zero_bytes_of_the_user_doubled", |user, number, note| {
            [user.replace('\0', "\0\0").as_bytes(), b"\0", &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("each zero byte of the user twice, and one zero byte after it")
        .why(
            "So one doubles quotes in a text. But the number after the end may begin with 00, and most do: then the end looks like a zero byte of the \
             name, and the number takes part in comparing names. What follows the first 00 has to tell the two apart, as `00 ff` and `00 01` do.",
        )
        .link(REPAIR),
        mistake("zero_bytes_of_the_user_as_backslash_zero", |user, number, note| {
            [user.replace('\0', "\\0").as_bytes(), b"\0", &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("a backslash and the digit `0` for each zero byte of the user, and one zero byte after it")
        .why(
            "The end cannot be mistaken now. But a zero byte is the least of all, and the backslash, 5c, comes after all digits and capitals. And a \
             user may hold just these two characters, and then two users have one key. Let the escape begin with the byte that it stands for.",
        )
        .link(REPAIR),
        mistake("zero_bytes_as_00_01_ended_by_one_zero", |user, number, note| {
            [user.replace('\0', "\0\u{1}").as_bytes(), b"\0", &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("00 01 for each zero byte of the user, and one zero byte after it")
        .why(
            "The number follows the end at once. If it begins with 01 or more, the end and that byte sort like a zero byte of the name, or after it. The \
             end has to be two bytes as well, and come before the escape: `00 01` and `00 ff`, or `00 00` and `00 01`.",
        )
        .link(REPAIR),
        mistake("zero_bytes_as_01_02_ended_by_one_zero", |user, number, note| {
            [user.replace('\0', "\u{1}\u{2}").as_bytes(), b"\0", &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("01 02 for each zero byte of the user, one zero byte after it, and the byte 01 as it is")
        .why(
            "The end cannot be mistaken now. But the users `a\\0` and `a\\u{1}\\u{2}` become one. A byte that begins an escape has to be escaped too: \
             01 would become 01 03, say.",
        )
        .link(REPAIR),
        mistake("zero_bytes_of_the_user_dropped", |user, number, note| {
            [user.replace('\0', "").as_bytes(), b"\0", &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("the user without its zero bytes, and one zero byte after it")
        .why("The end cannot be mistaken now. But the users `a` and `a\\0` become one, and of two rows one is lost. Do not drop the byte, escape it.")
        .link(REPAIR),
        mistake("user_in_small_letters", |user, number, note| {
            let user = user.to_lowercase();
            [&escape_and_end(user.as_bytes())[..], &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("the user in small letters")
        .why("`Ann` and `ann` are two users, and with one number and one note they share a key here. `str` compares capital letters as the bytes they are.")
        .link(FIELDS),
        mistake("user_in_small_ascii_letters", |user, number, note| {
            let user = user.to_ascii_lowercase();
            [&escape_and_end(user.as_bytes())[..], &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("the user with its letters A to Z made small")
        .why("`Ann` and `ann` are two users, and with one number and one note they share a key here. `str` compares capital letters as the bytes they are.")
        .link(FIELDS),
        mistake("note_trimmed", |user, number, note| {
            [&escape_and_end(user.as_bytes())[..], &number.to_be_bytes(), note.trim().as_bytes()].concat()
        })
        .says("the note without the white space around it")
        .why("`b` and the same note with a space after it are two notes, and their rows share a key here. What people typed is cleaned before it is stored, not in its key.")
        .link(FIELDS),
        mistake("letters_of_the_user_cut_to_bytes", |user, number, note| {
            let letters: Vec<u8> = user.chars().map(|letter| letter as u8).collect();
            [&escape_and_end(&letters)[..], &number.to_be_bytes(), note.as_bytes()].concat()
        })
        .says("the user with each letter cut by `as u8`")
        .why(
            "A letter is a number of up to 21 bits, and `as u8` keeps eight of them: many letters share a byte then. The bytes of a text are \
             `user.as_bytes()`, and they sort as its letters do.",
        )
        .link(FIELDS),
        mistake("letters_of_the_note_cut_to_bytes", |user, number, note| {
            let letters: Vec<u8> = note.chars().map(|letter| letter as u8).collect();
            [&escape_and_end(user.as_bytes())[..], &number.to_be_bytes(), &letters].concat()
        })
        .says("the note with each letter cut by `as u8`")
        .why(
            "A letter is a number of up to 21 bits, and `as u8` keeps eight of them: many letters share a byte then. The bytes of a text are \
             `note.as_bytes()`, and they sort as its letters do.",
        )
        .link(FIELDS),
        mistake("letters_of_both_texts_cut_to_bytes", |user, number, note| {
            let [user, note] = [user, note].map(|text| text.chars().map(|letter| letter as u8).collect::<Vec<u8>>());
            [&escape_and_end(&user)[..], &number.to_be_bytes(), &note].concat()
        })
        .says("both texts with each letter cut by `as u8`")
        .why(
            "A letter is a number of up to 21 bits, and `as u8` keeps eight of them: many letters share a byte then. The bytes of a text are \
             `user.as_bytes()`, and they sort as its letters do.",
        )
        .link(FIELDS),
        mistake("note_ended_and_not_the_user", |user, number, note| {
            [user.as_bytes(), &number.to_be_bytes(), &escape_and_end(note.as_bytes())].concat()
        })
        .says("the note escaped and ended, and the user left as it is")
        .why(
            "The note is the last field, and the key ends with it. The user is the one that something follows: without an end in its bytes, the number \
             takes part in comparing users.",
        )
        .link(END),
        Mistake::<Key>::new(
            "number_must_fit_into_32_bits",
            "key",
            "returns",
            Arc::new(|user, number, note| {
                let number = u32::try_from(number).expect("out of range integral type conversion attempted");
                [&escape_and_end(user.as_bytes())[..], &number.to_be_bytes(), note.as_bytes()].concat()
            }),
        )
        .says("the number as a `u32`, with a panic where it does not fit")
        .why("A number may be any `u64`. Its eight bytes have room for all of them.")
        .link(FIELDS),
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
