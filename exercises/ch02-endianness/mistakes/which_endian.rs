//! What goes wrong with a header in an unknown order.

use std::sync::Arc;

use kit::{Mistake, Quirk, compose};

use crate::solutions::which_endian::MAGIC;
use crate::which_endian::Order::{Big, Little};
use crate::which_endian::{Header, Order, Read};

const TASK: &str = "which-endian";
const WRONG: &str = "wrong-answers-and-what-each-breaks";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    GuessedByZero,
    GuessedBySmallerCount,
    OnlyBig,
    OnlyLittle,
    ElseBig,
    ElseLittle,
    FirstByteAlone,
    FirstTwoAlone,
    FoundAnywhere,
    OrdersExchanged,
    NamesExchanged,
    CountBig,
    CountLittle,
    CountInTheOtherOrder,
    MagicAsCount,
    ShortPanics,
    ShortPanicsWhenRead,
    ShortCountPanics,
    ShortFilledUp,
    ShortCountZero,
    LongerRefused,
    LongerPanics,
    LongCountPanics,
    HeaderAloneRefused,
}
use Step::{
    CountBig, CountInTheOtherOrder, CountLittle, ElseBig, ElseLittle, FirstByteAlone,
    FirstTwoAlone, FoundAnywhere, GuessedBySmallerCount, GuessedByZero, HeaderAloneRefused,
    LongCountPanics, LongerPanics, LongerRefused, MagicAsCount, NamesExchanged, OnlyBig,
    OnlyLittle, OrdersExchanged, ShortCountPanics, ShortCountZero, ShortFilledUp, ShortPanics,
    ShortPanicsWhenRead,
};

/// Of each group, a reader takes one step at most.
const APART: [&[Step]; 5] = [
    &[
        GuessedByZero,
        GuessedBySmallerCount,
        OnlyBig,
        OnlyLittle,
        ElseBig,
        ElseLittle,
        FirstByteAlone,
        FirstTwoAlone,
        OrdersExchanged,
        NamesExchanged,
    ],
    &[CountBig, CountLittle, CountInTheOtherOrder, MagicAsCount],
    &[
        ShortPanics,
        ShortPanicsWhenRead,
        ShortCountPanics,
        ShortFilledUp,
        ShortCountZero,
    ],
    &[
        LongerRefused,
        LongerPanics,
        LongCountPanics,
        HeaderAloneRefused,
    ],
    // Who has the magic number for a count misses no bytes of it: `magic_number_read_twice`.
    &[MagicAsCount, ShortFilledUp, ShortCountZero],
];

const QUIRKS: [Quirk<Step>; 24] = [
    Quirk::new(GuessedByZero, "guessed_by_a_leading_zero", "header")
        .says("a guess that a count with a leading zero byte is big-endian")
        .why(
            "It holds for small counts. 16777216 is 01 00 00 00 in big-endian and begins with no zero, and in \
         little-endian it does. The count may be any number; only the magic number is known beforehand.",
        )
        .link(WRONG),
    Quirk::new(GuessedBySmallerCount, "guessed_by_the_smaller_count", "header")
        .says("a guess that the smaller count is the right one")
        .why(
            "Large counts exist. 16777216 read in the other order is 1, which is smaller and wrong. Only the \
         magic number is known beforehand.",
        )
        .link(WRONG),
    Quirk::new(OnlyBig, "only_big_endian", "header")
        .says("accepting big-endian headers alone")
        .why(
            "A little-endian writer puts the same magic number down as 73 79 65 4b. Compare in both orders. (If you \
         compare with `MAGIC.to_le()`: on a little-endian machine that is `MAGIC` itself. `swap_bytes` turns the bytes \
         round on every machine.)",
        )
        .link(TASK),
    Quirk::new(OnlyLittle, "only_little_endian", "header")
        .says("accepting little-endian headers alone")
        .why(
            "A big-endian writer puts the same magic number down as 4b 65 79 73. Compare in both orders. (If \
         you wrote `from_ne_bytes`: it reads in the order of this machine, no matter who wrote the file.)",
        )
        .link(TASK),
    Quirk::new(ElseBig, "everything_else_is_big_endian", "header")
        .says("taking every file that is not little-endian for big-endian")
        .why(
            "There are two right beginnings and about four thousand million wrong ones. Compare with the magic \
         number in both orders, and refuse what is neither.",
        )
        .link(TASK),
    Quirk::new(ElseLittle, "everything_else_is_little_endian", "header")
        .says("taking every file that is not big-endian for little-endian")
        .why(
            "There are two right beginnings and about four thousand million wrong ones. Compare with the magic \
         number in both orders, and refuse what is neither.",
        )
        .link(TASK),
    Quirk::new(FirstByteAlone, "first_byte_alone", "header")
        .says("telling the order by the first byte alone")
        .why(
            "Many files begin with 4b, a `K`, that are none of this kind. All four bytes make the magic number.",
        )
        .link(TASK),
    Quirk::new(FirstTwoAlone, "first_two_bytes_alone", "header")
        .says("telling the order by the first two bytes alone")
        .why(
            "The magic number is a `u32`, and two bytes are half of one: a file that begins with `Ke` may go on with anything. \
             Compare all four.",
        )
        .link(TASK),
    Quirk::new(FoundAnywhere, "magic_number_anywhere", "header")
        .says("looking for the magic number anywhere in the file")
        .why(
            "A header is at the start of the file. Further on, the same four bytes are content, and a count read after \
         them is nobody's count.",
        )
        .link(TASK),
    Quirk::new(OrdersExchanged, "orders_exchanged", "header")
        .says("the two orders exchanged")
        .why(
            "Big-endian starts with the big end: 0x4B657973 is written as 4b 65 79 73, as you would read it.",
        )
        .link("a-scan-goes-wrong"),
    Quirk::new(NamesExchanged, "names_exchanged", "header")
        .says("answers that name the other order")
        .why(
            "Big-endian starts with the big end: 0x4B657973 is written as 4b 65 79 73, as you would read it. (If \
         you wrote `from_ne_bytes`: it reads in the order of this machine. When the magic number comes out right, the \
         file is in the machine's order, and that need not be big-endian.)",
        )
        .link("a-scan-goes-wrong"),
    Quirk::new(CountBig, "count_always_big_endian", "header")
        .says("a count that is always read as big-endian")
        .why(
            "The program that wrote the magic number in little-endian wrote the count in little-endian too.",
        )
        .link(TASK),
    Quirk::new(CountLittle, "count_always_little_endian", "header")
        .says("a count that is always read as little-endian")
        .why(
            "The program that wrote the magic number in big-endian wrote the count in big-endian too. (If you wrote \
         `from_ne_bytes`: it reads in the order of this machine, no matter who wrote the file.)",
        )
        .link(TASK),
    Quirk::new(CountInTheOtherOrder, "count_in_the_other_order", "header")
        .says("a count that is read the other way round than the magic number")
        .why(
            "The count was written in the same order as the magic number. The function that gives the one gives \
         the other.",
        )
        .link(TASK),
    Quirk::new(MagicAsCount, "magic_number_as_count", "header")
        .says("the magic number in place of the count")
        .why(
            "The count is the second number of the header: bytes 4 to 7.",
        )
        .link(TASK),
    Quirk::new(ShortPanics, "short_files_panic", "returns")
        .says("cutting eight bytes out of files that are shorter")
        .why(
            "`file[..8]` panics where there are not so many bytes. A file may be cut short, or empty. \
              `file.get(..8)` gives `None` then, and `?` hands it on.",
        )
        .link(TASK),
    Quirk::new(ShortPanicsWhenRead, "short_files_panic_when_read", "returns")
        .says("cutting four bytes and then four more out of files that may be shorter")
        .why(
            "`file[..4]` and `file[4..8]` panic where there are not so many bytes. A file may be cut short, \
              or empty. `file.get(..4)` gives `None` then, and `?` hands it on.",
        )
        .link(TASK),
    Quirk::new(ShortCountPanics, "short_counts_panic", "returns")
        .says("taking it for granted that a count follows a magic number")
        .why(
            "A file can end after its magic number, or in the middle of the count. `file[4..8]` panics \
              then; `file.get(4..8)` gives `None`.",
        )
        .link(TASK),
    Quirk::new(ShortFilledUp, "missing_bytes_are_zero", "header")
        .says("taking missing bytes of the count for zeros")
        .why(
            "A header that is cut short is no header. Filled up with zeros it gives a count that nobody wrote.",
        )
        .link(TASK),
    Quirk::new(ShortCountZero, "missing_counts_are_zero", "header")
        .says("0 for a count that is not all there")
        .why(
            "A header that is cut short is no header, and 0 is a count like any other: nobody sees that it was made up. \
             Instead of `unwrap_or_default` or `unwrap_or`, hand the `None` on with `?`.",
        )
        .link(TASK),
    Quirk::new(LongerRefused, "longer_files_refused", "header")
        .says("refusing files that go on after the header")
        .why(
            "The header is where a file starts. What follows is the file's content, and no business of the \
         header's.",
        )
        .link(TASK),
    Quirk::new(LongerPanics, "longer_files_panic", "returns")
        .says("a panic for every file of more than eight bytes")
        .why(
            "Four bytes make a `u32`, and `file[4..]` is the whole rest of the file: `try_into` refuses it, and `unwrap` \
             panics. Take `file[4..8]`. What follows is no business of the header's.",
        )
        .link(TASK),
    Quirk::new(LongCountPanics, "longer_files_panic_after_the_magic_number", "returns")
        .says("a panic where something follows the header")
        .why(
            "Four bytes make a `u32`, and `file[4..]` is the whole rest of the file: `try_into` refuses it, and `unwrap` \
             panics. Take `file[4..8]`. What follows is no business of the header's.",
        )
        .link(TASK),
    Quirk::new(HeaderAloneRefused, "eight_bytes_refused", "header")
        .says("refusing files that end with the header")
        .why(
            "Eight bytes are a whole header. Too short is a file with fewer: `file.len() < 8`, and not `<= 8`.",
        )
        .link(TASK),
];

/// What `unwrap` says of a slice that is no array of four.
const NOT_FOUR: &str = "called `Result::unwrap()` on an `Err` value: TryFromSliceError(())";

fn header(steps: &[Step], file: &[u8]) -> Header {
    let has = |step| steps.contains(&step);
    if has(LongerRefused) && file.len() > 8 || has(HeaderAloneRefused) && file.len() == 8 {
        return None;
    }
    assert!(!has(LongerPanics) || file.len() <= 8, "{NOT_FOUR}");
    let mut file = file.to_vec();
    if has(ShortPanics) {
        assert!(file.len() >= 8, "range end index 8 out of range");
    }
    if has(ShortPanicsWhenRead) {
        assert!(file.len() >= 4, "range end index 4 out of range");
    }
    if has(ShortFilledUp) && file.len() >= 4 {
        file.resize(file.len().max(8), 0);
    }
    if has(FoundAnywhere) {
        let known = [MAGIC.to_be_bytes(), MAGIC.to_le_bytes()];
        let start = file
            .windows(4)
            .position(|four| known.iter().any(|m| m == four));
        file.drain(..start.unwrap_or(0));
    }
    let magic: [u8; 4] = file.get(..4)?.try_into().ok()?;
    if has(ShortCountPanics) || has(ShortPanicsWhenRead) {
        let known = order(steps, magic, [0; 4]).is_some();
        assert!(!known || file.len() >= 8, "range end index 8 out of range");
    }
    if has(LongCountPanics) {
        let known = order(steps, magic, [0; 4]).is_some();
        assert!(!known || file.len() <= 8, "{NOT_FOUR}");
    }
    if has(ShortCountZero) && file.len() < 8 {
        file.splice(4.., [0; 4]);
    }
    let count: [u8; 4] = file.get(4..8)?.try_into().ok()?;
    let order = order(steps, magic, count)?;
    let exchanged = has(OrdersExchanged) || has(NamesExchanged);
    let said = match order {
        Big if exchanged => Little,
        Little if exchanged => Big,
        _ => order,
    };
    let count = if has(MagicAsCount) { magic } else { count };
    let read_as = if has(NamesExchanged) { order } else { said };
    let big = if has(CountBig) || has(CountLittle) {
        has(CountBig)
    } else {
        (read_as == Big) != has(CountInTheOtherOrder)
    };
    let count = if big {
        u32::from_be_bytes(count)
    } else {
        u32::from_le_bytes(count)
    };
    Some((said, count))
}

/// The order that is told by the magic number, or guessed by the count.
fn order(steps: &[Step], magic: [u8; 4], count: [u8; 4]) -> Option<Order> {
    let has = |step| steps.contains(&step);
    let is_big = u32::from_be_bytes(magic) == MAGIC;
    let is_little = u32::from_le_bytes(magic) == MAGIC;
    let guessed = |big| if big { Big } else { Little };
    if has(GuessedByZero) || has(GuessedBySmallerCount) {
        let by_zero = count[0] == 0;
        let smaller = u32::from_be_bytes(count) <= u32::from_le_bytes(count);
        let big = if has(GuessedByZero) { by_zero } else { smaller };
        return (is_big || is_little).then(|| guessed(big));
    }
    if has(ElseBig) {
        return Some(guessed(!is_little));
    }
    if has(ElseLittle) {
        return Some(guessed(is_big));
    }
    if has(FirstByteAlone) {
        return match magic[0] {
            0x4b => Some(Big),
            0x73 => Some(Little),
            _ => None,
        };
    }
    if has(FirstTwoAlone) {
        return match [magic[0], magic[1]] {
            [0x4b, 0x65] => Some(Big),
            [0x73, 0x79] => Some(Little),
            _ => None,
        };
    }
    if is_big && !has(OnlyLittle) {
        Some(Big)
    } else if is_little && !has(OnlyBig) {
        Some(Little)
    } else {
        None
    }
}

fn with(steps: &[Step]) -> Option<Read> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Arc::new(move |file| header(&steps, file)))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Read>> {
    let mistake = |name, read: fn(&[u8]) -> Header| {
        Mistake::<Read>::new(name, "read_header", "header", Arc::new(read))
    };
    let mut mistakes = vec![
        mistake("magic_number_not_read", |file| {
            let count = file.get(4..8)?.try_into().ok()?;
            Some((Big, u32::from_be_bytes(count)))
        })
        .says("taking every file for big-endian without reading its first four bytes")
        .why("The first four bytes are there to be compared: they tell what the file is, and its order.")
        .link(TASK),
        mistake("magic_number_read_twice", |file| {
            let magic = *file.first_chunk()?;
            Some((order(&[], magic, [0; 4])?, MAGIC))
        })
        .says("the magic number in place of the count, whether a count follows or not")
        .why("The count is the second number of the header: bytes 4 to 7. A file that ends before them has no header.")
        .link(TASK),
        mistake("no_file_accepted", |_| None)
            .says("`None` for every file")
            .why(
                "For no file does your comparison come out true. See what is compared with what: it is the first *four* bytes \
                 that make the magic number, and not the whole file.",
            )
            .link(TASK),
        mistake("eight_bytes_turned_round", |file| {
            let eight = u64::from_be_bytes(file.get(..8)?.try_into().ok()?);
            let count = |eight: u64| {
                let count = eight.checked_sub(u64::from(MAGIC) << 32)?;
                u32::try_from(count).ok()
            };
            let big = count(eight).map(|count| (Big, count));
            big.or_else(|| Some((Little, count(eight.swap_bytes())?)))
        })
        .says("turning all eight bytes round for little-endian")
        .why(
            "A header is two numbers, and each is written in the writer's order by itself. The magic number comes first in \
             both orders. Turn each four bytes round.",
        )
        .link(TASK),
        mistake("bits_turned_round", |file| {
            let word = |at: usize| Some(u32::from_be_bytes(file.get(at..at + 4)?.try_into().ok()?));
            let (magic, count) = (word(0)?, word(4)?);
            match magic {
                MAGIC => Some((Big, count)),
                _ if magic == MAGIC.reverse_bits() => Some((Little, count.reverse_bits())),
                _ => None,
            }
        })
        .says("turning the bits round for little-endian, and not the bytes")
        .why(
            "The order is one of bytes. The bits within a byte stay as they are: 4b is 4b in both orders. \
             `swap_bytes` turns the bytes round, `reverse_bits` the bits.",
        )
        .link(TASK),
        mistake("guessed_without_the_magic_number", |file| {
            let count: [u8; 4] = file.get(4..8)?.try_into().ok()?;
            Some(if count[0] == 0 {
                (Big, u32::from_be_bytes(count))
            } else {
                (Little, u32::from_le_bytes(count))
            })
        })
        .says("a guess by the first byte of the count without a look at the magic number")
        .why(
            "A large count begins with no zero in big-endian: 16777216 is 01 00 00 00. And a file without \
             the magic number has no count at all.",
        )
        .link(WRONG),
        mistake("one_order_for_both", |file| {
            let (magic, rest) = file.split_first_chunk()?;
            let (count, _) = rest.split_first_chunk()?;
            let known = [*magic, [magic[3], magic[2], magic[1], magic[0]]];
            let known = known.iter().any(|m| u32::from_be_bytes(*m) == MAGIC);
            known.then(|| (Big, u32::from_be_bytes(*count)))
        })
        .says("accepting both magic numbers and answering big-endian for both")
        .why("The two spellings of the magic number are two answers: 73 79 65 4b is little-endian.")
        .link(TASK),
        Mistake::<Read>::new("magic_number_taken_for_text", "read_header", "returns", Arc::new(|file: &[u8]| {
            let magic = std::str::from_utf8(file.get(..4)?).unwrap_or_else(|e| panic!("{e}"));
            let count = file.get(4..8)?.try_into().ok()?;
            match magic {
                "Keys" => Some((Big, u32::from_be_bytes(count))),
                "syeK" => Some((Little, u32::from_le_bytes(count))),
                _ => None,
            }
        }))
        .says("making text of the first four bytes, and a panic where they are none")
        .why(
            "`Keys` happens to be text. Another file begins with any bytes: a JPEG with ff d8. Compare bytes with bytes, \
             `b\"Keys\"`, or the number with the number.",
        )
        .link(TASK),
        Mistake::<Read>::new("large_files_panic", "read_header", "returns", Arc::new(|file: &[u8]| {
            assert!(file.len() <= 64, "range end index out of range");
            header(&[], file)
        }))
        .says("copying the whole file into an array, and a panic where the file is longer")
        .why(
            "An array has a length, and a file may have any other. The first eight bytes are all that is needed: \
             `file.get(..8)?`, or `file.first_chunk()?`.",
        )
        .link(TASK),
        Mistake::<Read>::new("other_magic_numbers_panic", "read_header", "returns", Arc::new(|file: &[u8]| {
            let found = header(&[], file);
            assert!(file.len() < 8 || found.is_some(), "not a file of this kind");
            found
        }))
        .says("a panic for another magic number")
        .why("Most files are none of this kind, and to say so is the function's work: `None`. A panic would end the program that asked.")
        .link(TASK),
        // What `from_ne_bytes` does on nearly every machine.
        mistake("read_in_the_order_of_this_machine", |file| {
            let magic = u32::from_le_bytes(file.get(..4)?.try_into().ok()?);
            let count = u32::from_le_bytes(file.get(4..8)?.try_into().ok()?);
            match magic {
                MAGIC => Some((Big, count)),
                _ if magic.swap_bytes() == MAGIC => Some((Little, count)),
                _ => None,
            }
        })
        .says("both numbers read as little-endian, and a magic number that comes out right taken for big-endian")
        .why(
            "Did you write `from_ne_bytes`? It reads in the order of this machine, which is little-endian, no matter who wrote the file. A \
             magic number that comes out right then says little-endian. Say the order: `from_be_bytes`, or `from_le_bytes`.",
        )
        .link(TASK),
        mistake("first_and_last_byte_alone", |file| {
            let count = file.get(4..8)?.try_into().ok()?;
            match (file[0], file[3]) {
                (0x4b, 0x73) => Some((Big, u32::from_be_bytes(count))),
                (0x73, 0x4b) => Some((Little, u32::from_le_bytes(count))),
                _ => None,
            }
        })
        .says("telling the order by the first and the fourth byte alone")
        .why("The two in between belong to the magic number as well: a file may begin with 4b 61 79 73. Compare all four bytes.")
        .link(TASK),
        mistake("first_three_bytes_alone", |file| {
            let count = file.get(4..8)?.try_into().ok()?;
            match &file[..3] {
                b"Key" => Some((Big, u32::from_be_bytes(count))),
                b"sye" => Some((Little, u32::from_le_bytes(count))),
                _ => None,
            }
        })
        .says("telling the order by the first three bytes alone")
        .why("The magic number is a `u32`: the fourth byte belongs to it. A file may begin with 4b 65 79 74. If you took `..3`: a range leaves out its end.")
        .link(TASK),
        mistake("count_of_zero_refused", |file| {
            let count: [u8; 4] = file.get(4..8)?.try_into().ok()?;
            match file.get(..4)? {
                _ if count == [0; 4] => None,
                b"Keys" => Some((Big, u32::from_be_bytes(count))),
                b"syeK" => Some((Little, u32::from_le_bytes(count))),
                _ => None,
            }
        })
        .says("no answer where the count is 0")
        .why("A file with nothing in it has a header as well, and its count is 0. `None` is for files without this header.")
        .link(TASK),
        mistake("count_one_byte_late", |file| {
            let count = file.get(5..9)?.try_into().ok()?;
            match file.get(..4)? {
                b"Keys" => Some((Big, u32::from_be_bytes(count))),
                b"syeK" => Some((Little, u32::from_le_bytes(count))),
                _ => None,
            }
        })
        .says("a count that is read from bytes 5 to 8, one too late")
        .why("Bytes are counted from 0. The magic number has the bytes 0 to 3, and the count those from 4 to 7: `file[4..8]`.")
        .link(TASK),
        mistake("count_at_the_end_of_the_file", |file| {
            let count = *file.get(4..)?.last_chunk()?;
            match file.get(..4)? {
                b"Keys" => Some((Big, u32::from_be_bytes(count))),
                b"syeK" => Some((Little, u32::from_le_bytes(count))),
                _ => None,
            }
        })
        .says("the right order, and the last four bytes of the file as the count")
        .why("A file may go on after its header, and then its last four bytes are content. The count is the bytes 4 to 7.")
        .link(TASK),
        Mistake::<Read>::new("empty_file_panics", "read_header", "returns", Arc::new(|file: &[u8]| {
            assert!(!file.is_empty(), "index out of bounds: the len is 0 but the index is 0");
            header(&[], file)
        }))
        .says("the right header, with a panic for a file without a byte")
        .why("An empty file is a file that is too short. `file[0]` panics there; `file.first()`, or `file.get(..4)`, gives `None`.")
        .link(TASK),
        mistake("count_of_sixteen_bits", |file| header(&[], file).map(|(order, count)| (order, count & 0xffff)))
            .says("the right order, and the lower 16 bits of the count")
            .why("The count is a `u32`: four bytes, 4 to 7. With two of them, or `as u16`, 65536 becomes 0.")
            .link(TASK),
        mistake("spaces_in_front_skipped", |file| header(&[], file.trim_ascii_start()))
            .says("skipping spaces and ends of lines in front of the header")
            .why(
                "A space is a byte, and a file that begins with it has another magic number. Only what people \
                 write as text is trimmed.",
            )
            .link(TASK),
    ];
    mistakes.extend(compose("read_header", &QUIRKS, with));
    mistakes
}
