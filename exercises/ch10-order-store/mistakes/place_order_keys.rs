//! The steps of a key that can go wrong, each with what is to be said of it.

use kit::Quirk;

use crate::order::Order;

const ROWS: &str = "four-rows";
const WRONG: &str = "wrong-answers-and-what-each-breaks";
const BYTES: &str = "the-bytes-of-a-row";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Step {
    LittleEndian,
    LittleEndianIds,
    LittleEndianTimes,
    TextNumbers,
    PaddedNumbers,
    HexNumbers,
    Seconds,
    WideIds,
    SignedTimes,
    OldestFirstByUser,
    NewestFirstEverywhere,
    TimeOfUserLeftOut,
    MinusFromSigned,
    Negated,
    IdTurnedToo,
    UserTurnedToo,
    UserUnescaped,
    UserUnterminated,
    UserZeroTerminated,
    UserLengthFirst,
    UserLengthOfFour,
    UserTwoZeros,
    NoIdByUser,
    NoIdByTime,
    NoIdByStatus,
    NoIdAnywhere,
    IdBeforeTime,
    TimeBeforeStatus,
    StatusAsText,
    StatusLeftOut,
    StatusFromOne,
    StatusAsDigit,
    Colons,
    NoLetters,
    Words,
    Exchanged,
    TimeAndStatusExchanged,
}
use Step::{
    Colons, Exchanged, HexNumbers, IdBeforeTime, IdTurnedToo, LittleEndian, LittleEndianIds,
    LittleEndianTimes, MinusFromSigned, Negated, NewestFirstEverywhere, NoIdAnywhere, NoIdByStatus,
    NoIdByTime, NoIdByUser, NoLetters, OldestFirstByUser, PaddedNumbers, Seconds, SignedTimes,
    StatusAsDigit, StatusAsText, StatusFromOne, StatusLeftOut, TextNumbers, TimeAndStatusExchanged,
    TimeBeforeStatus, TimeOfUserLeftOut, UserLengthFirst, UserLengthOfFour, UserTurnedToo,
    UserTwoZeros, UserUnescaped, UserUnterminated, UserZeroTerminated, WideIds, Words,
};

/// Of each group, keys take one step at most.
pub(crate) const APART: [&[Step]; 9] = [
    &[
        LittleEndian,
        LittleEndianIds,
        LittleEndianTimes,
        TextNumbers,
        PaddedNumbers,
        HexNumbers,
        Seconds,
        WideIds,
        SignedTimes,
        MinusFromSigned,
        Negated,
    ],
    &[
        OldestFirstByUser,
        NewestFirstEverywhere,
        TimeOfUserLeftOut,
        MinusFromSigned,
        Negated,
        IdTurnedToo,
    ],
    &[
        UserTurnedToo,
        UserUnescaped,
        UserUnterminated,
        UserZeroTerminated,
        UserLengthFirst,
        UserLengthOfFour,
        UserTwoZeros,
    ],
    &[
        NoIdByUser,
        NoIdByTime,
        NoIdByStatus,
        NoIdAnywhere,
        IdBeforeTime,
        IdTurnedToo,
    ],
    &[PaddedNumbers, IdTurnedToo],
    &[TextNumbers, IdTurnedToo],
    &[HexNumbers, IdTurnedToo],
    &[
        TimeBeforeStatus,
        StatusAsText,
        StatusLeftOut,
        StatusFromOne,
        StatusAsDigit,
    ],
    &[Colons, NoLetters, Words, Exchanged, TimeAndStatusExchanged],
];

/// Keys with wrong steps.
pub(crate) fn build(steps: &[Step], order: &Order) -> [Vec<u8>; 4] {
    let has = |step| steps.contains(&step);
    let id = id(steps, order.id);
    let at = time(steps, order.at);
    let turned: Vec<u8> = if has(MinusFromSigned) {
        let from_signed = i64::MAX.cast_unsigned().wrapping_sub(order.at);
        from_signed.to_be_bytes().to_vec()
    } else if has(Negated) {
        order.at.wrapping_neg().to_be_bytes().to_vec()
    } else if has(TextNumbers) || has(PaddedNumbers) || has(HexNumbers) {
        time(steps, u64::MAX - order.at)
    } else {
        at.iter().map(|byte| !byte).collect()
    };
    let status = status(steps, order);
    let with_id = |without: bool| {
        if without || has(NoIdAnywhere) {
            Vec::new()
        } else {
            id.clone()
        }
    };
    let newest = if has(NewestFirstEverywhere) {
        &turned
    } else {
        &at
    };
    let ends = |fields: [Vec<u8>; 2]| {
        if has(IdBeforeTime) {
            let [a, b] = fields;
            [b, a]
        } else {
            fields
        }
    };
    let [a, b] = ends([newest.clone(), with_id(has(NoIdByTime))]);
    let by_time = vec![b"t".to_vec(), a, b];
    let user_time = match () {
        () if has(OldestFirstByUser) => at.clone(),
        () if has(TimeOfUserLeftOut) => Vec::new(),
        () => turned.clone(),
    };
    let mut user_id = with_id(has(NoIdByUser));
    if has(IdTurnedToo) {
        user_id = user_id.iter().map(|byte| !byte).collect();
    }
    let [a, b] = ends([user_time, user_id]);
    let by_user = vec![b"u".to_vec(), user(steps, &order.user), a, b];
    let [a, b] = ends([newest.clone(), with_id(has(NoIdByStatus))]);
    let by_status = if has(TimeBeforeStatus) {
        vec![b"s".to_vec(), a, status, b]
    } else {
        vec![b"s".to_vec(), status, a, b]
    };
    let own = vec![b"o".to_vec(), id.clone()];
    let keys = [own, by_user, by_time, by_status].map(|fields| joined(steps, fields));
    if has(Exchanged) {
        let [own, by_user, by_time, by_status] = keys;
        return [own, by_time, by_user, by_status];
    }
    if has(TimeAndStatusExchanged) {
        let [own, by_user, by_time, by_status] = keys;
        return [own, by_user, by_status, by_time];
    }
    keys
}

fn joined(steps: &[Step], mut fields: Vec<Vec<u8>>) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    if has(Words) {
        fields[0] = match fields[0][0] {
            b'o' => b"order".to_vec(),
            b'u' => b"user".to_vec(),
            b't' => b"time".to_vec(),
            _ => b"status".to_vec(),
        };
    }
    if has(NoLetters) {
        fields.remove(0);
    }
    if has(Colons) {
        return fields.join(&b":"[..]);
    }
    fields.concat()
}

fn id(steps: &[Step], id: u32) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    if has(LittleEndian) || has(LittleEndianIds) {
        id.to_le_bytes().to_vec()
    } else if has(TextNumbers) {
        id.to_string().into_bytes()
    } else if has(PaddedNumbers) {
        format!("{id:010}").into_bytes()
    } else if has(HexNumbers) {
        format!("{id:08x}").into_bytes()
    } else if has(WideIds) {
        u64::from(id).to_be_bytes().to_vec()
    } else {
        id.to_be_bytes().to_vec()
    }
}

fn time(steps: &[Step], at: u64) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    if has(LittleEndian) || has(LittleEndianTimes) {
        at.to_le_bytes().to_vec()
    } else if has(TextNumbers) {
        at.to_string().into_bytes()
    } else if has(PaddedNumbers) {
        format!("{at:020}").into_bytes()
    } else if has(HexNumbers) {
        format!("{at:016x}").into_bytes()
    } else if has(Seconds) {
        (at / 1000).to_be_bytes().to_vec()
    } else if has(SignedTimes) {
        (at ^ 1 << 63).to_be_bytes().to_vec()
    } else {
        at.to_be_bytes().to_vec()
    }
}

fn user(steps: &[Step], user: &str) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    let bytes = user.as_bytes();
    if has(UserUnterminated) {
        bytes.to_vec()
    } else if has(UserZeroTerminated) {
        [bytes, &[0]].concat()
    } else if has(UserLengthFirst) {
        [&[bytes.len() as u8], bytes].concat()
    } else if has(UserLengthOfFour) {
        [&(bytes.len() as u32).to_be_bytes(), bytes].concat()
    } else if has(UserTwoZeros) {
        let mut key = Vec::new();
        engine::keys::escape_into(bytes, &mut key);
        key.extend([0, 0]);
        key
    } else if has(UserUnescaped) {
        [bytes, &[0, 1]].concat()
    } else {
        let mut key = Vec::new();
        engine::keys::encode_bytes_into(bytes, &mut key);
        if has(UserTurnedToo) {
            key.iter_mut().for_each(|byte| *byte = !*byte);
        }
        key
    }
}

fn status(steps: &[Step], order: &Order) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    if has(StatusAsText) {
        format!("{:?}", order.status).to_lowercase().into_bytes()
    } else if has(StatusLeftOut) {
        Vec::new()
    } else if has(StatusFromOne) {
        vec![order.status.byte() + 1]
    } else if has(StatusAsDigit) {
        vec![order.status.byte() + b'0']
    } else if has(HexNumbers) {
        format!("{:02x}", order.status.byte()).into_bytes()
    } else {
        vec![order.status.byte()]
    }
}

const fn quirk(
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk::of(id, name, "bytes", says, why, link)
}

pub(crate) const QUIRKS: [Quirk<Step>; 37] = [
    quirk(
        LittleEndian,
        "little_endian",
        "little-endian numbers",
        "256 becomes `00 01`, which sorts before 1. Every number in a key is big-endian: `to_be_bytes`, or the \
         number itself as a field of a tuple.",
        WRONG,
    ),
    quirk(
        LittleEndianIds,
        "little_endian_ids",
        "little-endian ids",
        "The times are right, and orders of one time, or all rows `o`, come in the wrong order: 256 before 1.",
        WRONG,
    ).why_beside("Orders of one time, or all rows `o`, come in the wrong order: 256 before 1."),
    quirk(
        LittleEndianTimes,
        "little_endian_times",
        "little-endian times",
        "A range of times is no range of keys any more. The highest byte has to come first.",
        WRONG,
    ),
    quirk(
        TextNumbers,
        "numbers_as_text",
        "numbers as decimal text without padding",
        "10 sorts before 9, and no field has a width: where one number ends and the next begins, no reader can \
         tell.",
        WRONG,
    ),
    quirk(
        PaddedNumbers,
        "numbers_as_padded_text",
        "numbers as decimal digits, ten for an id and twenty for a time",
        "They sort, and people can read them. But the table says binary: four bytes for an id and eight for a time. A number in a tuple becomes these bytes by itself.",
        BYTES,
    ).why_beside("People can read them. But the table says binary: four bytes for an id and eight for a time. A number in a tuple becomes these bytes by itself."),
    quirk(
        HexNumbers,
        "numbers_as_hexadecimal_text",
        "numbers as hexadecimal digits, two for each byte",
        "The table prints bytes as two digits each. The key holds the bytes themselves, half as many as you have digits: four \
         for an id, eight for a time, one for a status.",
        BYTES,
    ),
    quirk(
        Seconds,
        "times_in_seconds",
        "times in seconds, with the last three digits cut off",
        "`at` is in milliseconds, and so are the keys. Orders of one second would come by id, and a query that begins in the \
         middle of a second would not find its rows.",
        BYTES,
    ),
    quirk(
        WideIds,
        "ids_of_eight_bytes",
        "ids of eight bytes",
        "The order is right, and each of four rows is four bytes longer than need be. The table says four bytes: an \
         id is a `u32`.",
        BYTES,
    )
    .why_beside("Each of four rows is four bytes longer than need be. The table says four bytes: an id is a `u32`."),
    quirk(
        SignedTimes,
        "times_as_signed",
        "times with a flipped sign bit",
        "That is the key of an `i64`. A `u64` has no sign: its big-endian bytes sort by themselves.",
        BYTES,
    ),
    quirk(
        OldestFirstByUser,
        "oldest_first_by_user",
        "rows by user with the oldest order first",
        "A page of a user's orders begins with the newest. `Desc(at)` turns the field round, and a scan with a limit \
         then reads just the page.",
        ROWS,
    ),
    quirk(
        NewestFirstEverywhere,
        "newest_first_everywhere",
        "the newest order first in all three indexes",
        "Only the rows by user are turned round. A range of times, and the queue of a status, are read from the \
         oldest on.",
        ROWS,
    ),
    quirk(
        TimeOfUserLeftOut,
        "no_time_by_user",
        "rows by user without the time",
        "They sort by id then. That is the order of time only as long as ids are given in that order.",
        ROWS,
    ),
    quirk(
        MinusFromSigned,
        "user_time_minus_from_i64_max",
        "`i64::MAX - at` in the rows by user",
        "That is how one does it in Java, which has no unsigned numbers. A `u64` has twice as many values: turn it round by \
         `Desc(at)`, which inverts all bits. (`Desc(at as i64)` makes the same bytes: an `i64` in a tuple has its first bit flipped.)",
        ROWS,
    ),
    quirk(
        Negated,
        "user_time_negated",
        "`-at` in the rows by user",
        "A negated number is all its bits inverted, plus 1. That turns the order round for all times but one: 0 stays 0, and comes \
         first where it should come last. `Desc(at)` inverts the bits and adds nothing.",
        ROWS,
    ),
    quirk(
        IdTurnedToo,
        "user_id_turned_too",
        "rows by user with the id turned round as well",
        "Newest first is about the time. Orders of one millisecond come by id, upwards: only `at` is in a `Desc`.",
        ROWS,
    ),
    quirk(
        UserTurnedToo,
        "user_turned_too",
        "rows by user with the name turned round as well",
        "Newest first is about the time. Users come in their own order: only `at` is in a `Desc`.",
        ROWS,
    ),
    quirk(
        UserUnescaped,
        "user_not_escaped",
        "a user's name that ends with `00 01` and has its own zero bytes as they are",
        "The end is right. But a name may hold a zero byte, and a reader takes it for the beginning of the end: inside the name it \
         is written `00 ff`. A `&str` in a tuple does both.",
        WRONG,
    ).why_beside("A name may hold a zero byte, and a reader takes it for the beginning of the end: inside the name it is written `00 ff`. A `&str` in a tuple does both."),
    quirk(
        UserUnterminated,
        "user_unterminated",
        "a user's name that nothing ends",
        "The rows of `ann` lie among those of `anna`: where the name stops, the bytes of the time go on. A scan over \
         the prefix of `ann` finds both.",
        WRONG,
    ),
    quirk(
        UserZeroTerminated,
        "user_zero_terminated",
        "a user's name with one zero byte after it",
        "It ends every name, as long as no name holds a zero byte. `a\\0b` does: escape the zeros, and end with `00 \
         01`. A `&str` in a tuple does both.",
        WRONG,
    ),
    quirk(
        UserLengthFirst,
        "user_length_first",
        "the length in front of the user's name",
        "No two names are confused, but `zoe` now sorts before `anna`, since she is shorter. A range over users is \
         lost.",
        WRONG,
    ),
    quirk(
        UserLengthOfFour,
        "user_length_of_four_bytes_first",
        "the length in front of the user's name, in four bytes",
        "No two names are confused, but `zoe` now sorts before `anna`, since she is shorter. A range over users is \
         lost.",
        WRONG,
    ),
    quirk(
        UserTwoZeros,
        "user_ends_in_two_zeros",
        "a user's name that ends with `00 00`",
        "The engine's strings end with `00 01`. Let the tuple do it: two ways to write one name are two keys.",
        BYTES,
    ),
    quirk(
        NoIdByUser,
        "no_id_by_user",
        "rows by user without the id",
        "Two orders of one user in one millisecond have one key. The second put overwrites the first, and an order \
         is gone from the index.",
        WRONG,
    ),
    quirk(
        NoIdByTime,
        "no_id_by_time",
        "rows by time without the id",
        "Two orders placed in one millisecond have one key, and one of them is gone from the index.",
        WRONG,
    ),
    quirk(
        NoIdByStatus,
        "no_id_by_status",
        "rows by status without the id",
        "Two new orders of one millisecond have one key, and one of them is gone from the index.",
        WRONG,
    ),
    quirk(
        NoIdAnywhere,
        "no_id_in_any_index",
        "index rows without the id",
        "The id makes a key unique, and it is what the index is read for: it leads to the order.",
        WRONG,
    ),
    quirk(
        IdBeforeTime,
        "id_before_time",
        "the id in front of the time",
        "No two orders share an id, so nothing after it ever decides: the rows sort by id, and the time is of no \
         use.",
        WRONG,
    ),
    quirk(
        TimeBeforeStatus,
        "time_before_status",
        "the time in front of the status",
        "The rows of one status are scattered over all times. What a query fixes comes first, what it ranges over \
         comes after.",
        WRONG,
    ),
    quirk(
        StatusAsText,
        "status_as_text",
        "the name of the status",
        "Readable, longer, and without an end: the status is one byte here, `status.byte()`.",
        BYTES,
    ),
    quirk(
        StatusLeftOut,
        "no_status_in_its_index",
        "rows by status without the status",
        "That is the index by time under another letter.",
        ROWS,
    ),
    quirk(
        StatusAsDigit,
        "status_as_digit",
        "the status as an ASCII digit",
        "The digit 0 is the byte 30, and the table has 00. The order is right, and no query finds the row: it is asked for by \
         `status.byte()`.",
        BYTES,
    )
    .why_beside(
        "The digit 0 is the byte 30, and the table has 00. No query finds the row: it is asked for by `status.byte()`.",
    ),
    quirk(
        StatusFromOne,
        "status_from_one",
        "the byte of the status plus one",
        "The order is right, and no query finds the row: it is asked for by `status.byte()`, which begins at 0.",
        BYTES,
    ).why_beside("No query finds the row: it is asked for by `status.byte()`, which begins at 0."),
    quirk(
        Colons,
        "colons_between_fields",
        "colons between the fields",
        "The fields end by themselves. A colon is byte 3a, which occurs in ids, times and names, so it marks \
         nothing.",
        BYTES,
    ),
    quirk(
        NoLetters,
        "no_letters",
        "keys without their letter",
        "Four kinds of rows lie in one sorted map. Without the letter they mix, and a scan of one index runs into \
         the others.",
        ROWS,
    ),
    quirk(
        Words,
        "words_for_letters",
        "a word in place of the letter",
        "It would work, for no word here is a prefix of another. The letter says the same in one byte, in every row \
         of the store.",
        BYTES,
    ),
    quirk(
        Exchanged,
        "user_and_time_exchanged",
        "the key by time in the place of the key by user",
        "Each key is right by itself. The order of the four is: the order, by user, by time, by status.",
        "place-order",
    ).why_beside("The order of the four keys is: the order, by user, by time, by status."),
    quirk(
        TimeAndStatusExchanged,
        "time_and_status_exchanged",
        "the key by status in the place of the key by time",
        "Each key is right by itself. The order of the four is: the order, by user, by time, by status.",
        "place-order",
    ).why_beside("The order of the four keys is: the order, by user, by time, by status."),
];
