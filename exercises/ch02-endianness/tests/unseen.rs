//! Wrong and right answers that no gallery holds: what is said of them must be true.

#[path = "../checks/big_endian_u32.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod big_endian_u32;
#[path = "../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../checks/scan_window.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod scan_window;
#[path = "../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../checks/test_u32_keys.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_u32_keys;
#[path = "../checks/which_endian.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod which_endian;
#[path = "../checks/width_matters.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod width_matters;

use std::sync::Arc;

use kit::unseen::{every_bit_counts, judged, named, observed, pairs_call_nothing_right};
use kit::{Codec, Judged as _, State, Verdict};

use scan_window::Rows;
use which_endian::{Header, Order};
use width_matters::Number;

fn codec(
    encode: impl Fn(u32) -> [u8; 4] + Send + Sync + 'static,
    decode: impl Fn([u8; 4]) -> u32 + Send + Sync + 'static,
) -> Verdict {
    judged(&big_endian_u32::exercise_of(Codec::fixed(encode, decode)))
}

fn widths(encode: impl Fn(Number) -> Vec<u8> + Send + Sync + 'static) -> Verdict {
    judged(&width_matters::exercise_of(Arc::new(encode)))
}

fn window(scan: impl Fn(&Rows, u64, u64) -> Vec<u64> + Send + Sync + 'static) -> Verdict {
    judged(&scan_window::exercise_of(Arc::new(scan)))
}

fn header(read: impl Fn(&[u8]) -> Header + Send + Sync + 'static) -> Verdict {
    judged(&which_endian::exercise_of(Arc::new(read)))
}

#[test]
#[expect(clippy::cast_possible_truncation, reason = "the digits are below 256")]
fn right_answers_pass_however_they_are_written() {
    let by_division = |v: u32| [v >> 24, v / 65536 % 256, v / 256 % 256, v % 256].map(|d| d as u8);
    let by_product = |k: [u8; 4]| k.iter().fold(0, |n, b| n * 256 + u32::from(*b));
    assert_eq!(codec(by_division, by_product).state, State::Passed);

    // Any bytes that sort are right: eight of them, a length in front, or padded text.
    let eight = |n: Number| u64::from(n.value()).to_be_bytes().to_vec();
    assert_eq!(widths(eight).state, State::Passed);
    let length_first = |n: Number| {
        let zeros = n.value().leading_zeros() / 8;
        let digits = &n.value().to_be_bytes()[zeros as usize..];
        [&[digits.len() as u8], digits].concat()
    };
    assert_eq!(widths(length_first).state, State::Passed);
    let padded = |n: Number| format!("{:010}", n.value()).into_bytes();
    assert_eq!(widths(padded).state, State::Passed);

    let walk = |rows: &Rows, from, to| {
        let times = rows.keys().map(|key| u64::from_be_bytes(*key));
        times.filter(|t| *t >= from && *t < to).collect()
    };
    assert_eq!(window(walk).state, State::Passed);

    let by_text = |file: &[u8]| {
        let count = file.get(4..8)?.try_into().ok()?;
        match &file[..4] {
            b"Keys" => Some((Order::Big, u32::from_be_bytes(count))),
            b"syeK" => Some((Order::Little, u32::from_le_bytes(count))),
            _ => None,
        }
    };
    assert_eq!(header(by_text).state, State::Passed);
}

#[test]
fn what_becomes_of_the_bytes_is_spelt_out() {
    let middle_swapped = |value: u32| {
        let mut key = value.to_be_bytes();
        key.swap(1, 2);
        key
    };
    observed(
        &codec(middle_swapped, u32::from_be_bytes),
        "order",
        &[
            "though 256 < 65536",
            "The numbers of two bytes are in order among themselves.",
            "its bytes in the order 0 2 1 3",
            "`decode` is right.",
        ],
    );
    observed(
        &codec(|v| (v & 0xff_ffff).to_be_bytes(), u32::from_be_bytes),
        "order",
        &[
            "0 and 16777216 are different, but both become",
            "byte 0 always 00",
        ],
    );
    observed(
        &codec(|v| v.wrapping_add(1).to_be_bytes(), u32::from_be_bytes),
        "order",
        &["though 0 < 4294967295", "plus 00 00 00 01"],
    );
}

#[test]
fn panics_are_told_by_the_size_of_the_number() {
    let narrow = |value: u32| u32::from(u16::try_from(value).unwrap()).to_be_bytes();
    observed(
        &codec(narrow, u32::from_be_bytes),
        "returns",
        &[
            "encode(65536) panics at",
            "It panics on the numbers of three and four bytes, all of them and no others.",
        ],
    );
}

#[test]
fn a_decoder_is_right_up_to_a_size() {
    let top_bit_lost = |key| u32::from_be_bytes(key) & 0x7fff_ffff;
    observed(
        &codec(u32::to_be_bytes, top_bit_lost),
        "round-trip",
        &[
            "decode(80 00 00 00) must be 2147483648, but it is 0",
            "It is right on all numbers of one byte, all numbers of two bytes.",
            "`encode` is right.",
        ],
    );
}

#[test]
fn two_misconceptions_are_named_as_two() {
    let both = |value: u32| (value & 0xffff).to_le_bytes();
    named(
        &codec(both, u32::from_be_bytes),
        "little_endian+truncated_to_16_bits",
    );
    // Two exchanges that make one slip.
    let in_pairs = |value: u32| value.rotate_left(16).to_le_bytes();
    named(
        &codec(in_pairs, u32::from_be_bytes),
        "bytes_swapped_in_pairs",
    );
    let end_for_start = |rows: &Rows, from, to| {
        let times = rows.keys().map(|key| u64::from_be_bytes(*key));
        times.filter(|t| *t > from && *t <= to).collect()
    };
    named(&window(end_for_start), "end_included+start_excluded");
}

#[test]
fn one_type_out_of_three_is_pointed_at() {
    let u16_reversed = |number| match number {
        Number::U16(value) => [[0, 0], value.to_le_bytes()].concat(),
        other => other.value().to_be_bytes().to_vec(),
    };
    observed(
        &widths(u16_reversed),
        "order",
        &[
            "though 5_u8 < 256_u16",
            "The `u8` numbers are in order among themselves.",
            "The `u16` numbers are not in order among themselves.",
            "The `u32` numbers are in order among themselves.",
        ],
    );
    let bits_in_front = |number| {
        let bits = match number {
            Number::U8(_) => 8,
            Number::U16(_) => 16,
            Number::U32(_) => 32,
        };
        [&[bits], &number.value().to_be_bytes()[..]].concat()
    };
    // Other bytes in front, and the same order.
    let verdict = widths(bits_in_front);
    named(&verdict, "type_in_front");
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains("your `encode` writes other keys, and puts all "),
        "{}",
        verdict.message
    );
}

#[test]
fn a_window_has_two_bounds() {
    named(
        &window(|rows, from, _| {
            let times = rows.range(from.to_be_bytes()..);
            times.map(|(key, _)| u64::from_be_bytes(*key)).collect()
        }),
        "end_not_looked_at",
    );
    named(
        &window(|rows, _, to| {
            let times = rows.keys().map(|key| u64::from_be_bytes(*key));
            times.take_while(|time| *time < to).collect()
        }),
        "start_not_looked_at",
    );
}

#[test]
fn a_magic_number_is_no_text() {
    let by_text = |file: &[u8]| {
        if file.len() < 8 {
            return None;
        }
        let count = file[4..8].try_into().ok()?;
        match String::from_utf8(file[..4].to_vec()).unwrap().as_str() {
            "Keys" => Some((Order::Big, u32::from_be_bytes(count))),
            "syeK" => Some((Order::Little, u32::from_le_bytes(count))),
            _ => None,
        }
    };
    named(&header(by_text), "magic_number_taken_for_text");
}

#[test]
fn javas_bytes_are_named() {
    let signed = |key: [u8; 4]| {
        let digit = |place: usize| i32::from(key[place].cast_signed()) << (24 - 8 * place);
        (digit(0) | digit(1) | digit(2) | digit(3)).cast_unsigned()
    };
    named(&codec(u32::to_be_bytes, signed), "decode_bytes_with_a_sign");
}

#[test]
fn windows_are_told_by_what_lies_in_them() {
    let signed = |rows: &Rows, from: u64, to: u64| {
        let times = rows.keys().map(|key| u64::from_be_bytes(*key));
        times
            .filter(|t| (from.cast_signed()..to.cast_signed()).contains(&t.cast_signed()))
            .collect()
    };
    named(&window(signed), "times_compared_as_signed");
    // The values are no times, so nothing is found: the bounds are right all the same.
    let values_read = |rows: &Rows, from: u64, to: u64| {
        let times = rows.values().filter_map(|value| value.parse().ok());
        times.filter(|time| (from..to).contains(time)).collect()
    };
    let verdict = window(values_read);
    named(&verdict, "nothing_found");
    assert!(verdict.message.contains("the times are in the keys"));
    let four_bytes_read = |rows: &Rows, from: u64, to: u64| {
        let times = rows.keys().map(|key| u64::from_be_bytes(*key));
        let inside = times.filter(|t| (from..to).contains(t));
        inside.map(|t| t & 0xffff_ffff).collect()
    };
    observed(
        &window(four_bytes_read),
        "window",
        &["must be [5, 4294967301], but it is [5, 5]"],
    );
    let one_row_only = |rows: &Rows, from: u64, to: u64| {
        let times = rows.keys().map(|key| u64::from_be_bytes(*key));
        times.filter(|t| (from..to).contains(t)).take(1).collect()
    };
    observed(
        &window(one_row_only),
        "window",
        &["must be [4, 5], but it is [4]"],
    );
}

#[test]
fn headers_are_told_by_order_and_length() {
    let half_the_magic = |file: &[u8]| {
        let count = file.get(4..8)?.try_into().ok()?;
        match &file[2..4] {
            b"ys" => Some((Order::Big, u32::from_be_bytes(count))),
            b"eK" => Some((Order::Little, u32::from_le_bytes(count))),
            _ => None,
        }
    };
    observed(
        &header(half_the_magic),
        "header",
        &[
            "read_header([79 73 65 4b 00 00 01 02]) must be None",
            "It is right on all big-endian headers, all little-endian headers",
        ],
    );
    let last_four_bytes = |file: &[u8]| {
        let count = file.get(file.len().checked_sub(4)?..)?.try_into().ok()?;
        match &file[..4] {
            b"Keys" => Some((Order::Big, u32::from_be_bytes(count))),
            b"syeK" => Some((Order::Little, u32::from_le_bytes(count))),
            _ => None,
        }
    };
    observed(
        &header(last_four_bytes),
        "header",
        &["It is wrong on all headers with something after them."],
    );
}

fn tried(numbers: &'static [u32]) -> Verdict {
    judged(&test_u32_keys::exercise_of(test_u32_keys::tester(|| {
        numbers.to_vec()
    })))
}

#[test]
fn other_numbers_that_find_everything_pass() {
    let verdict = tried(&[1, 255, 256, 65_535, 65_536, 1 << 24, 0x1234_5678, u32::MAX]);
    assert_eq!(verdict.state, State::Passed);
    // Seven are enough, and a number may stand there twice.
    let verdict = tried(&[255, 256, 256, 65_535, 65_536, 9, 16_777_219, 4_294_967_295]);
    assert_eq!(verdict.state, State::Passed);
}

#[test]
fn numbers_that_nobody_foresaw_are_told_their_score() {
    observed(
        &tried(&[0, 9, 10, 300]),
        "kills",
        &[
            "killed",
            "On a right one, your test makes 8 calls: encode(0), encode(9), encode(10), ...",
            "It accepts 1 of 1 right implementation, and refuses",
        ],
    );
    observed(
        &tried(&[0, 1 << 16, 1 << 31]),
        "kills",
        &["On a right one, your test makes 6 calls: encode(0), encode(65536), encode(2147483648)"],
    );
    let verdict = tried(&[0; 9]);
    named(&verdict, "too_many");
}

#[test]
fn what_is_said_of_known_numbers_holds_of_others_that_find_as_much() {
    let verdict = tried(&[0, 1 << 31]);
    named(&verdict, "the_ends");
    assert!(one_line(&verdict).contains("however their bytes are exchanged"));
    let verdict = tried(&[1, 0x0100, 0x0001_0000, 0x0101_0200]);
    named(&verdict, "powers_of_256");
    assert!(
        one_line(&verdict)
            .contains("None needs more bytes than another one and begins with a smaller byte.")
    );
}

fn listed(numbers: impl Fn() -> Vec<u32> + Send + Sync + 'static) -> Verdict {
    judged(&test_u32_keys::exercise_of(test_u32_keys::tester(numbers)))
}

#[test]
fn a_list_that_panics_is_no_list() {
    let verdict = listed(|| (0..8).map(|place| 256_u32.pow(place)).collect());
    observed(
        &verdict,
        "accepts-right",
        &[
            "your test panics by itself",
            "attempt to multiply with overflow",
            "That is no failed assertion.",
        ],
    );
    let known = [1, 256];
    let verdict = listed(move || (0..3).map(|place| known[place]).collect());
    observed(
        &verdict,
        "accepts-right",
        &[
            "your test panics by itself at ",
            "unseen.rs:",
            "index out of bounds",
        ],
    );
}

#[test]
fn a_window_is_no_page() {
    let page = |rows: &Rows, from, to| {
        let mut found = solutions::scan_window::scan_window(rows, from, to);
        found.truncate(5000);
        found
    };
    observed(&window(page), "window", &["scan_window({0 to 5099}, "]);
}

#[test]
fn a_header_stands_at_the_start_alone() {
    let in_steps = |file: &[u8]| {
        file.chunks_exact(8).find_map(|header| {
            let (magic, count) = header.split_at(4);
            let count: [u8; 4] = count.try_into().ok()?;
            match magic {
                b"Keys" => Some((Order::Big, u32::from_be_bytes(count))),
                b"syeK" => Some((Order::Little, u32::from_le_bytes(count))),
                _ => None,
            }
        })
    };
    observed(&header(in_steps), "header", &["must be None"]);
}

/// 1, 256 and 65536 need ever more bytes, and keep their order without zeros in front.
#[test]
fn the_place_of_a_fault_is_not_where_it_was_tried() {
    let numbers = || vec![0, 1, 256, 65536, 1 << 24, (1 << 24) + 1, 1 << 31, u32::MAX];
    let tester = test_u32_keys::tester(numbers);
    observed(
        &judged(&test_u32_keys::exercise_of(tester)),
        "kills",
        &[
            "leading_zeros_dropped",
            "It shows where a number needs more bytes and begins with a smaller one.",
        ],
    );
}

/// What a learner's own `read_header` might look like, with the magic number compared by bytes.
fn by_magic(file: &[u8], count: impl Fn() -> Option<[u8; 4]>) -> Header {
    match file.get(..4)? {
        b"Keys" => Some((Order::Big, u32::from_be_bytes(count()?))),
        b"syeK" => Some((Order::Little, u32::from_le_bytes(count()?))),
        _ => None,
    }
}

#[test]
fn headers_that_are_cut_or_followed_are_named() {
    let four = |bytes: &[u8]| -> [u8; 4] { bytes.try_into().unwrap() };
    let rest_unwrapped = move |file: &[u8]| {
        let count = four(if file.len() < 8 {
            return None;
        } else {
            &file[4..]
        });
        by_magic(file, || Some(count))
    };
    named(&header(rest_unwrapped), "longer_files_panic");
    let rest_unwrapped_late = move |file: &[u8]| match file.len() {
        0..8 => None,
        _ => by_magic(file, || Some(four(&file[4..]))),
    };
    named(
        &header(rest_unwrapped_late),
        "longer_files_panic_after_the_magic_number",
    );
    let defaulted = |file: &[u8]| {
        let count = file.get(4..8).and_then(|count| count.try_into().ok());
        by_magic(file, || Some(count.unwrap_or_default()))
    };
    named(&header(defaulted), "missing_counts_are_zero");
    let more_than_eight = |file: &[u8]| match file.len() {
        0..=8 => None,
        _ => by_magic(file, || file[4..8].try_into().ok()),
    };
    named(&header(more_than_eight), "eight_bytes_refused");
    let whole_file = |file: &[u8]| match file {
        b"Keys" | b"syeK" => by_magic(file, || file.get(4..8)?.try_into().ok()),
        _ => None,
    };
    named(&header(whole_file), "no_file_accepted");
}

#[test]
fn words_of_the_machine_are_named() {
    let word = |bytes: &[u8]| bytes.try_into().ok();
    let as_on_this_machine = move |file: &[u8]| {
        let magic = u32::from_le_bytes(word(file.get(..4)?)?);
        let count = u32::from_le_bytes(word(file.get(4..8)?)?);
        match magic {
            0x4B65_7973 => Some((Order::Big, count)),
            0x7379_654B => Some((Order::Little, count.swap_bytes())),
            _ => None,
        }
    };
    named(&header(as_on_this_machine), "names_exchanged");
    let as_one_word = |file: &[u8]| {
        let mut bytes: [u8; 8] = file.get(..8)?.try_into().ok()?;
        if !bytes.starts_with(b"Keys") {
            bytes.reverse();
            let count = u32::from_be_bytes(bytes[4..].try_into().ok()?);
            return bytes.starts_with(b"Keys").then_some((Order::Little, count));
        }
        by_magic(file, || file[4..8].try_into().ok())
    };
    named(&header(as_one_word), "eight_bytes_turned_round");
}

/// The order and the count, if the first four bytes are magic to `known`.
fn header_if(file: &[u8], known: impl Fn([u8; 4]) -> [u8; 4]) -> Header {
    let magic = known(*file.first_chunk()?);
    let count = *file.get(4..)?.first_chunk()?;
    match &magic {
        b"Keys" => Some((Order::Big, u32::from_be_bytes(count))),
        b"syeK" => Some((Order::Little, u32::from_le_bytes(count))),
        _ => None,
    }
}

#[test]
fn a_byte_order_mark_is_no_header() {
    let skipped = header(|file| {
        let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
        header_if(file, |magic| magic)
    });
    observed(&skipped, "header", &["read_header([ef bb bf 4b 65 79 73"]);
}

#[test]
#[expect(clippy::cast_possible_truncation, reason = "this is the wrong answer")]
fn headers_read_with_a_bit_or_a_length_too_few_are_refused() {
    let seven_bits = header(|file| header_if(file, |magic| magic.map(|byte| byte & 0x7f)));
    observed(&seven_bits, "header", &["read_header([cb e5 f9 f3"]);
    let counted_in_a_byte = header(|file| {
        let enough = file.len() as u8 >= 8;
        enough.then(|| header_if(file, |magic| magic))?
    });
    observed(
        &counted_in_a_byte,
        "header",
        &["read_header([4b 65 79 73 00 00 01 02 and 65532 bytes 2e])"],
    );
}

/// SQLite's numbers of one to five bytes, with the last number of two bytes and of three chosen.
#[expect(clippy::cast_possible_truncation, reason = "what is left is below 256")]
fn of_sqlite(number: Number, two: u32, three: u32) -> Vec<u8> {
    let n = number.value();
    let split = |n: u32| [(n / 256 % 256) as u8, (n % 256) as u8];
    match n {
        0..=240 => vec![n as u8],
        _ if n <= two => split(n - 240 + 241 * 256).to_vec(),
        _ if n <= three => [&[249][..], &split(n - 2288)].concat(),
        _ if n < 1 << 24 => [&[250], &n.to_be_bytes()[1..]].concat(),
        _ => [&[251][..], &n.to_be_bytes()].concat(),
    }
}

#[test]
fn a_short_form_that_grows_one_number_late_is_refused() {
    let right = widths(|number| of_sqlite(number, 2287, 67_823));
    assert_eq!(right.state, State::Passed);
    let late = widths(|number| of_sqlite(number, 2287, 67_824));
    observed(&late, "order", &["67824"]);
}

#[test]
fn a_row_without_a_value_is_a_row() {
    let filled = |rows: &Rows, from: u64, to: u64| {
        let found = rows.iter().filter(|(_, value)| !value.is_empty());
        let times = found.map(|(key, _)| u64::from_be_bytes(*key));
        times.filter(|time| (from..to).contains(time)).collect()
    };
    observed(
        &window(filled),
        "window",
        &["must be [4, 5], but it is [4]"],
    );
}

#[test]
fn the_greatest_number_may_not_be_the_beginning_of_others() {
    let shortened = |number: Number| {
        let key = number.value().to_be_bytes();
        let length = if key == [0xff; 4] { 3 } else { 4 };
        key[..length].to_vec()
    };
    observed(&widths(shortened), "order", &["4294967294"]);
}

#[test]
fn a_loop_over_all_times_is_told_to_go_over_rows() {
    // What takes minutes in a debug build is not waited for.
    let every_time = |rows: &Rows, from: u64, to: u64| {
        if to.saturating_sub(from) > 1_000_000 {
            kit::unseen::never_returns();
        }
        let times = (from..to).filter(|time| rows.contains_key(&time.to_be_bytes()));
        times.collect()
    };
    observed(
        &window(every_time),
        "returns",
        &[
            "Do you try every time from `from` to `to`?",
            "Go over the rows",
        ],
    );
}

#[test]
fn a_magic_number_that_is_read_in_part_is_named() {
    let by_part = |part: fn(&[u8]) -> [u8; 2], known: [[u8; 2]; 2]| {
        move |file: &[u8]| {
            let count = file.get(4..8)?.try_into().ok()?;
            let [big, little] = known;
            match part(file) {
                read if read == big => Some((Order::Big, u32::from_be_bytes(count))),
                read if read == little => Some((Order::Little, u32::from_le_bytes(count))),
                _ => None,
            }
        }
    };
    let first_two = by_part(|file| [file[0], file[1]], [*b"Ke", *b"sy"]);
    named(&header(first_two), "first_two_bytes_alone");
    let first_and_last = by_part(|file| [file[0], file[3]], [*b"Ks", *b"sK"]);
    named(&header(first_and_last), "first_and_last_byte_alone");
    let three = |file: &[u8]| {
        let right = solutions::which_endian::MAGIC;
        let magic = u32::from_be_bytes(*file.first_chunk()?);
        let count = file.get(4..8)?.try_into().ok()?;
        if magic >> 8 == right >> 8 {
            Some((Order::Big, u32::from_be_bytes(count)))
        } else {
            let is_little = magic >> 8 == right.swap_bytes() >> 8;
            is_little.then(|| (Order::Little, u32::from_le_bytes(count)))
        }
    };
    named(&header(three), "first_three_bytes_alone");
}

#[test]
fn a_count_from_another_place_is_named() {
    let at = |place: fn(&[u8]) -> Option<&[u8]>| {
        move |file: &[u8]| {
            let count = place(file)?.try_into().ok()?;
            match file.get(..4)? {
                b"Keys" => Some((Order::Big, u32::from_be_bytes(count))),
                b"syeK" => Some((Order::Little, u32::from_le_bytes(count))),
                _ => None,
            }
        }
    };
    named(&header(at(|file| file.get(5..9))), "count_one_byte_late");
    let last_four = at(|file| file.get(4..)?.last_chunk::<4>().map(|four| &four[..]));
    named(&header(last_four), "count_at_the_end_of_the_file");
    let first_byte_first = |file: &[u8]| {
        let is_big = file[0] == b'K';
        let known: &[u8] = if is_big { b"Keys" } else { b"syeK" };
        (file.get(..4)? == known).then_some(())?;
        let count = file.get(4..8)?.try_into().ok()?;
        Some(if is_big {
            (Order::Big, u32::from_be_bytes(count))
        } else {
            (Order::Little, u32::from_le_bytes(count))
        })
    };
    named(&header(first_byte_first), "empty_file_panics");
}

#[test]
fn times_that_become_other_numbers_are_named() {
    let time = |key: &[u8; 8]| u64::from_be_bytes(*key);
    named(
        &window(move |rows, from, to| {
            let inside = |t: &u64| *t as f64 >= from as f64 && (*t as f64) < to as f64;
            rows.keys().map(time).filter(inside).collect()
        }),
        "times_compared_as_doubles",
    );
    named(
        &window(move |rows, from, to| {
            let last = to.wrapping_sub(1);
            let inside = |t: &u64| from <= to && from <= *t && *t <= last;
            rows.keys().map(time).filter(inside).collect()
        }),
        "end_minus_one_wraps",
    );
    named(
        &window(move |rows, from, to| {
            let width = to.wrapping_sub(from);
            let inside = |t: &u64| t.wrapping_sub(from) < width;
            rows.keys().map(time).filter(inside).collect()
        }),
        "times_measured_from_the_start",
    );
    named(
        &widths(|number| {
            let bits = format!("{:032b}", number.value());
            let zeros = bits.len() - bits.trim_start_matches('0').len();
            bits.as_bytes()[zeros.min(31)..].to_vec()
        }),
        "binary_text",
    );
    named(
        &widths(|number| (number.value() as f32).to_be_bytes().to_vec()),
        "held_as_f32",
    );
}

#[test]
fn numbers_that_one_wrong_encoder_survives_are_refused_and_told_what_for() {
    let all_but_a_float = vec![0, 1, 255, 256, 65_535, 1 << 16, 1 << 24, u32::MAX];
    let numbers = test_u32_keys::tester(move || all_but_a_float.clone());
    let verdict = judged(&test_u32_keys::exercise_of(numbers));
    named(&verdict, "exact_as_f32");
    assert_eq!(verdict.state, State::Failing);
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    let text = words.join(" ");
    assert!(text.contains("killed 13 of 14: your test accepts 1 wrong encoder."));
    assert!(text.contains("It shows with a number that needs more than 24 bits"));
    // What is missing is told, and no number that would do.
    assert!(!text.contains("2^24"));

    let all_but_the_middle = vec![0, 1, 255, 256, 0x1234_5678, 0xdead_beef, 16_777_217];
    let numbers = test_u32_keys::tester(move || all_but_the_middle.clone());
    observed(
        &judged(&test_u32_keys::exercise_of(numbers)),
        "kills",
        &[
            "killed 13 of 14",
            "middle_bytes_swapped",
            "It shows between numbers of two bytes and of three.",
        ],
    );
}

#[test]
#[expect(clippy::cast_possible_truncation, reason = "it is the mistake")]
fn shifts_and_powers_of_another_kind_are_named() {
    let right = solutions::big_endian_u32::decode;
    let digits = |n: u32| [(n >> 12) as u8, (n >> 8) as u8, (n >> 4) as u8, n as u8];
    named(&codec(digits, right), "shifts_count_digits");
    let quotients = |n: u32| [256 ^ 3, 256 ^ 2, 256, 1].map(|power| (n / power % 256) as u8);
    named(&codec(quotients, right), "powers_by_xor");
    let encode = solutions::big_endian_u32::encode;
    let weighed = |weights: [u32; 4]| {
        move |key: [u8; 4]| {
            key.iter()
                .zip(weights)
                .map(|(byte, w)| u32::from(*byte) * w)
                .sum()
        }
    };
    named(
        &codec(encode, weighed([256 ^ 3, 256 ^ 2, 256, 1])),
        "decode_takes_powers_by_xor",
    );
    named(
        &codec(encode, weighed([256 * 3, 256 * 2, 256, 1])),
        "decode_multiplies_by_the_place",
    );
}

#[test]
fn the_smallest_type_is_no_common_width() {
    let verdict = widths(|number| {
        let value = number.value();
        match (u8::try_from(value), u16::try_from(value)) {
            (Ok(small), _) => vec![small],
            (_, Ok(middle)) => middle.to_be_bytes().to_vec(),
            _ => value.to_be_bytes().to_vec(),
        }
    });
    named(&verdict, "smallest_type");
}

#[test]
fn an_end_that_is_moved_by_one_is_named() {
    let times = |rows: &Rows, from: u64, to: std::ops::Bound<[u8; 8]>| {
        let found = rows.range((std::ops::Bound::Included(from.to_be_bytes()), to));
        found
            .map(|(key, _)| u64::from_be_bytes(*key))
            .collect::<Vec<_>>()
    };
    let before = window(move |rows, from, to| {
        let last = to
            .checked_sub(1)
            .expect("attempt to subtract with overflow");
        if from > last {
            return Vec::new();
        }
        times(rows, from, std::ops::Bound::Included(last.to_be_bytes()))
    });
    named(&before, "before_the_end_panics");
    let after = window(move |rows, from, to| {
        if from >= to {
            return Vec::new();
        }
        let next = to.checked_add(1).expect("attempt to add with overflow");
        times(rows, from, std::ops::Bound::Excluded(next.to_be_bytes()))
    });
    named(&after, "end_plus_one");
}

#[test]
fn text_of_another_width_is_named_whatever_fills_it_up() {
    // Spaces and zeros in front sort alike.
    let verdict = widths(|n| format!("{:>8}", n.value()).into_bytes());
    named(&verdict, "eight_digits");
    let counted = widths(|n| {
        let digits = n.value().to_string();
        format!("{:03}{digits}", digits.len()).into_bytes()
    });
    assert_eq!(
        counted.state,
        State::Passed,
        "a length of one width in front"
    );
}

/// What a verdict says, however its lines are broken.
fn one_line(verdict: &Verdict) -> String {
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    words.join(" ")
}

#[test]
fn an_assertion_on_crossed_bounds_is_not_called_a_subtraction() {
    let verdict = window(|rows, from, to| {
        assert!(from <= to, "the window ends before it starts");
        let times = rows.keys().map(|key| u64::from_be_bytes(*key));
        times.filter(|time| (from..to).contains(time)).collect()
    });
    named(&verdict, "width_of_crossed_bounds_panics");
    assert!(one_line(&verdict).contains("If it comes from a `to - from`:"));
}

#[test]
fn numbers_that_a_float_holds_need_not_end_with_the_largest() {
    let verdict = tried(&[
        8,
        1 << 7,
        1 << 11,
        1 << 15,
        1 << 19,
        1 << 23,
        1 << 27,
        1 << 31,
    ]);
    named(&verdict, "exact_as_f32");
    assert!(one_line(&verdict).contains("u32::MAX, if it is among them,"));
}

#[test]
fn digits_of_too_small_a_width_are_told_to_be_text() {
    let four_digits = |number: Number| format!("{:04x}", number.value()).into_bytes();
    observed(
        &widths(four_digits),
        "order",
        &["Every key is text: digits, letters and signs."],
    );
}

#[test]
fn bytes_written_without_zeros_in_front_run_together() {
    let by_digits = |file: &[u8]| {
        let digits: String = file.iter().map(|byte| format!("{byte:x}")).collect();
        let count = file.get(4..8)?.try_into().ok()?;
        if digits.starts_with("4b657973") {
            return Some((Order::Big, u32::from_be_bytes(count)));
        }
        let is_little = digits.starts_with("7379654b");
        is_little.then(|| (Order::Little, u32::from_le_bytes(count)))
    };
    observed(
        &header(by_digits),
        "header",
        &["read_header([04 b6 57 97 03 00 00 01]) must be None, but it is Some((Big, 50331649))"],
    );
}

#[test]
fn keys_in_order_that_are_not_the_right_ones_are_refused() {
    // No number that is tried has the key that this one takes.
    let spared = |value: u32| value.min(u32::MAX - 1).to_be_bytes();
    observed(
        &codec(spared, u32::from_be_bytes),
        "bytes",
        &["encode(4294967295) must be ff ff ff ff, but it is ff ff ff fe."],
    );
}

#[test]
fn times_are_no_places() {
    let place = |time| usize::try_from(time).unwrap_or(usize::MAX);
    let times =
        |rows: &Rows| -> Vec<u64> { rows.keys().map(|key| u64::from_be_bytes(*key)).collect() };
    let sliced = move |rows: &Rows, from, to| {
        let times = times(rows);
        times
            .get(place(from)..place(to))
            .map_or(Vec::new(), <[u64]>::to_vec)
    };
    named(&window(sliced), "bounds_as_places");
    let skipped = move |rows: &Rows, from: u64, to: u64| {
        let width = to.saturating_sub(from);
        times(rows)
            .into_iter()
            .skip(place(from))
            .take(place(width))
            .collect()
    };
    named(&window(skipped), "bounds_as_places");
}

#[test]
fn bytes_of_a_magic_number_are_counted_in_longer_files_too() {
    // Two bytes are looked at, and files of eight bytes are refused.
    let verdict = header(|file| {
        if file.len() <= 8 {
            return None;
        }
        let count = file[4..8].try_into().ok()?;
        match &file[..2] {
            b"Ke" => Some((Order::Big, u32::from_be_bytes(count))),
            b"sy" => Some((Order::Little, u32::from_le_bytes(count))),
            _ => None,
        }
    });
    named(&verdict, "first_two_bytes_alone+eight_bytes_refused");
}

#[test]
fn nothing_is_called_right_beside_a_mistake() {
    pairs_call_nothing_right(&big_endian_u32::exercise_of(Codec::fixed(
        solutions::big_endian_u32::encode,
        solutions::big_endian_u32::decode,
    )));
    pairs_call_nothing_right(&width_matters::exercise_of(Arc::new(|_| Vec::new())));
    pairs_call_nothing_right(&scan_window::exercise_of(Arc::new(|_, _, _| Vec::new())));
}

#[test]
#[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
#[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
#[expect(
    clippy::cast_sign_loss,
    reason = "a logarithm of at least 1 is none below zero"
)]
fn digits_that_are_counted_by_a_float_are_miscounted() {
    // As an `f32`, the logarithm of 9,999,999 is 7, and so it is said to have eight digits.
    let counted = |n: Number| {
        let digits = (n.value().max(1) as f32).log10() as u8 + 1;
        [&[digits][..], n.value().to_string().as_bytes()].concat()
    };
    observed(&widths(counted), "order", &["9999999_u32 < "]);
}

#[test]
fn every_bit_of_a_time_counts() {
    for bit in [2, 20, 47, 62] {
        let verdict = window(move |rows, from, to| {
            let without = |time: u64| time & !(1 << bit);
            let inside = |time: &u64| without(from) <= without(*time) && *time < to;
            let times = rows.keys().map(|key| u64::from_be_bytes(*key));
            times.filter(inside).collect()
        });
        observed(&verdict, "window", &["must be"]);
    }
}

#[test]
fn every_bit_of_a_magic_number_counts() {
    let right = solutions::which_endian::MAGIC;
    for bit in [1, 11, 20, 30] {
        let without = move |magic: u32| magic & !(1 << bit);
        let read = move |file: &[u8]| {
            let magic = u32::from_be_bytes(*file.first_chunk()?);
            let count = file.get(4..8)?.try_into().ok()?;
            if without(magic) == without(right) {
                Some((Order::Big, u32::from_be_bytes(count)))
            } else {
                let is_little = magic == right.swap_bytes();
                is_little.then(|| (Order::Little, u32::from_le_bytes(count)))
            }
        };
        observed(
            &header(read),
            "header",
            &["must be None, but it is Some((Big"],
        );
    }
}

#[test]
fn every_bit_of_a_large_time_counts() {
    every_bit_counts(0..64, 1 << 40, |astray| {
        scan_window::exercise_of(Arc::new(move |rows, from, to| {
            solutions::scan_window::scan_window(rows, astray.of(from), to)
        }))
    });
    every_bit_counts(0..64, 1 << 40, |astray| {
        scan_window::exercise_of(Arc::new(move |rows, from, to| {
            solutions::scan_window::scan_window(rows, from, astray.of(to))
        }))
    });
    every_bit_counts(0..64, 1 << 40, |astray| {
        scan_window::exercise_of(Arc::new(move |rows, from, to| {
            let found = solutions::scan_window::scan_window(rows, from, to);
            found.into_iter().map(|time| astray.of(time)).collect()
        }))
    });
}

#[test]
fn the_first_wide_window_is_one_that_no_walk_over_all_times_ends() {
    let exercise = scan_window::exercise_of(Arc::new(solutions::scan_window::scan_window));
    let probes = &exercise.sheet().parts[0].probes;
    let is_wide = |class: &&str| class.contains("more than a million");
    let wide = probes.iter().find(|p| p.classes.iter().any(is_wide));
    let call = &wide.unwrap().call;
    assert!(call.ends_with(", 4, 4294967296)"), "{call}");
}

#[test]
fn every_bit_of_a_number_of_any_width_counts() {
    every_bit_counts(0..32, 1 << 17, |astray| {
        width_matters::exercise_of(Arc::new(move |number: Number| {
            let strayed = u32::try_from(astray.of(number.value().into())).unwrap();
            strayed.to_be_bytes().to_vec()
        }))
    });
}
