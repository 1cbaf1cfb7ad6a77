//! Headers in both orders, cut short, with other magic numbers, and with more after them.

use std::sync::Arc;

use kit::{Answer, Cast, Exercise, Judged, PartOf, check};

use crate::solutions::which_endian::MAGIC;
use crate::{mistakes, solutions, stubs};
use ch02_endianness::which_endian as learner;

/// The order in which a file was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Order {
    Big,
    Little,
}

/// What is found in a file.
pub(crate) type Header = Option<(Order, u32)>;

/// Somebody's `read_header`.
pub(crate) type Read = Arc<dyn Fn(&[u8]) -> Header + Send + Sync>;

/// A module's `read_header`, which has an enum of its own.
macro_rules! read_of {
    ($($module:ident)::+) => {
        Arc::new(|file| {
            use $($module)::+::{ByteOrder as Theirs, read_header};
            let (order, count) = read_header(file)?;
            let order = match order {
                Theirs::Big => Order::Big,
                Theirs::Little => Order::Little,
            };
            Some((order, count))
        })
    };
}

/// The counts, the plainest first. Their bytes look like either order.
const COUNTS: [u32; 16] = [
    258,
    1,
    255,
    16_777_216,
    0,
    256,
    65_535,
    65_536,
    0x0102_0304,
    0x0100_0001,
    0x1200_0034,
    0x8000_0000,
    0xff00_0000,
    0x00ff_ff00,
    0x4B65_7973,
    u32::MAX,
];

const BIG: [u8; 4] = *b"Keys";
const LITTLE: [u8; 4] = *b"syeK";

/// Four bytes that are no magic number, though some look like it. The last two begin a PNG and a JPEG, and are no text.
const OTHERS: [[u8; 4]; 23] = [
    *b"Keyt",
    *b"eKsy",
    *b"yseK",
    *b"ysKe",
    *b"keys",
    *b"KEYS",
    *b"Ke\0\0",
    *b"\0\0ys",
    *b"syek",
    *b"ayeK",
    *b"sKey",
    *b"K   ",
    *b"s   ",
    [0; 4],
    *b"Kays",
    *b"Kegs",
    *b"sheK",
    *b"sysK",
    MAGIC.reverse_bits().to_be_bytes(),
    // `Keys` and `syeK` with the top bit of each byte set: seven bits are not the whole byte.
    *b"\xcb\xe5\xf9\xf3",
    *b"\xf3\xf9\xe5\xcb",
    *b"\x89PNG",
    *b"\xff\xd8\xff\xe0",
];

/// More than a buffer holds. And a length held in one byte, or in two, becomes four.
const LARGE: usize = (1 << 16) + 4;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(read_of!(learner)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Read) -> Exercise<Read> {
    let cast: Cast<Read> = Cast {
        learner,
        stub: read_of!(stubs::which_endian),
        solution: read_of!(solutions::which_endian),
    };
    Exercise::new("which-endian", "02-endianness", cast)
        .part(files())
        .check(check::answers(
            "read_header",
            "header",
            "The magic number tells the order, and the count is read in it.",
        ))
        .mistakes(mistakes::which_endian::all())
}

fn files() -> PartOf<Read> {
    let mut part = PartOf::new("read_header", "header");
    for count in COUNTS {
        let (big, little) = (count.to_be_bytes(), count.to_le_bytes());
        let mut classes = vec!["big-endian headers"];
        if big[0] != 0 {
            classes.push("headers whose count does not begin with a zero byte");
        }
        part = probe(part, &[BIG, big].concat(), &classes);
        classes[0] = "little-endian headers";
        part = probe(part, &[LITTLE, little].concat(), &classes);
    }
    for other in OTHERS {
        for count in [258_u32.to_be_bytes(), [1, 0, 0, 0]] {
            let classes = ["files with another magic number"];
            part = probe(part, &[other, count].concat(), &classes);
        }
    }
    // Whoever refuses files of eight bytes shows in longer ones what he takes for the magic number.
    for other in OTHERS {
        let classes = ["files with another magic number"];
        let file = [&other[..], &[0, 0, 1, 2], b"more"].concat();
        part = probe(part, &file, &classes);
    }
    // Every bit of the magic number counts.
    for bit in 0..u32::BITS {
        let near = MAGIC ^ 1 << bit;
        let big = [near.to_be_bytes(), 258_u32.to_be_bytes()];
        let little = [near.to_le_bytes(), 258_u32.to_le_bytes()];
        for header in [big, little] {
            let classes = ["files with another magic number"];
            part = probe(part, &header.concat(), &classes);
        }
    }
    // Written in hexadecimal without zeros in front, five bytes begin with the four of the magic number.
    let digits = [0x04, 0xb6, 0x57, 0x97, 0x03, 0x00, 0x00, 0x01];
    part = probe(part, &digits, &["files with another magic number"]);
    for start in [
        &b"\0"[..],
        b" ",
        b"\xef\xbb\xbf",
        b"Keyt",
        b"a whole line\n",
        b"12345678",
    ] {
        for header in [[BIG, [0, 0, 1, 2]], [LITTLE, [2, 1, 0, 0]]] {
            let classes = [
                "files with another magic number",
                "files with the magic number further on",
            ];
            part = probe(part, &[start, &header.concat()].concat(), &classes);
        }
    }
    for length in 0..8 {
        // Shorter beginnings of these are the same file.
        let magics = [BIG, LITTLE, *b"Keyt"];
        let distinct = match length {
            0 => 1,
            1..=3 => 2,
            _ => 3,
        };
        for magic in magics.into_iter().take(distinct) {
            let whole = [magic, 258_u32.to_be_bytes()].concat();
            part = probe(part, &whole[..length], &["files that are too short"]);
        }
    }
    for more in [&b"\0"[..], b"more after the header", &[0; 4], &[0; 8]] {
        let followed = "headers with something after them";
        let file = [&BIG, &[0, 0, 1, 2], more].concat();
        part = probe(part, &file, &["big-endian headers", followed]);
        let file = [&LITTLE, &[2, 1, 0, 0], more].concat();
        part = probe(part, &file, &["little-endian headers", followed]);
    }
    for (header, order) in [
        ([BIG, [0, 0, 1, 2]], "big-endian headers"),
        ([LITTLE, [2, 1, 0, 0]], "little-endian headers"),
    ] {
        let mut file = header.concat();
        file.resize(LARGE, b'.');
        part = probe(part, &file, &[order, "headers with something after them"]);
    }
    part
}

fn probe(part: PartOf<Read>, file: &[u8], classes: &[&'static str]) -> PartOf<Read> {
    let shown = match file {
        [.., last] if file.len() == LARGE => {
            let more = LARGE - 8;
            format!("{} and {more} bytes {last:02x}", hex(&file[..8]))
        }
        _ => hex(file),
    };
    let file = file.to_vec();
    part.probe(
        format!("read_header([{shown}])"),
        Answer::text(shown),
        classes,
        move |read: &Read| Answer::text(format!("{:?}", read(&file))),
    )
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}
