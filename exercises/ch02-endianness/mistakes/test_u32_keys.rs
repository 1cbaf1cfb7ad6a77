//! Numbers that find too little.

use kit::{Mistake, Tester};

use crate::test_u32_keys::{Keys, tester};

const SCAN: &str = "a-scan-goes-wrong";
const TASK: &str = "test-u32-keys";
const INVARIANTS: &str = "invariants";

fn numbers(name: &'static str, check: &'static str, numbers: Vec<u32>) -> Mistake<Tester<Keys>> {
    Mistake::new(name, "numbers", check, tester(move || numbers.clone())).link(TASK)
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Tester<Keys>>> {
    let mut mistakes = too_alike();
    mistakes.extend(one_side());
    mistakes
}

/// Numbers that all need the same bytes.
fn too_alike() -> Vec<Mistake<Tester<Keys>>> {
    vec![
        numbers("too_many", "accepts-right", (0..=300).collect())
            .says("a list of more than eight numbers")
            .why("Eight are enough. Choose each for a fault that it shows."),
        numbers("none", "kills", Vec::new())
            .says("an empty list")
            .why("What is not asked cannot fail. An order needs two numbers that differ, and a number below 256 comes back even from wrong encoders."),
        numbers("one_number", "kills", vec![(1 << 24) + 1])
            .says("a list of one large number")
            .why("One number finds what loses bits. An order needs two: no single number finds bytes that are in a wrong order.")
            .link(INVARIANTS),
        numbers("one_two_three", "kills", vec![1, 2, 3, 4, 5, 6, 7, 8])
            .says("a list of small numbers in a row")
            .why("These numbers need one byte. The other three are zero in all of them, so their places do not show.")
            .link(SCAN),
        numbers("up_to_ten", "kills", vec![0, 1, 2, 5, 9, 10, 100, 200])
            .says("a list of numbers below 256 with one digit, two and three")
            .why("Decimal text is found out. But all these numbers need one byte, and the other three are zero.")
            .link(SCAN),
        numbers("two_bytes_at_most", "kills", vec![0, 1, 2, 10, 255, 256, 1000, 65_535])
            .says("a list of numbers of one byte and of two")
            .why("The upper two bytes are zero in all of them. Two halves that are exchanged, or an upper half that is lost, do not show.")
            .link(SCAN),
    ]
}

/// Large and small numbers, and still a fault that they cannot show.
fn one_side() -> Vec<Mistake<Tester<Keys>>> {
    vec![
        numbers(
            "powers_of_256",
            "kills",
            vec![1, 256, 65_536, 1 << 24],
        )
        .says("a list of the powers of 256 alone")
        .why(
            "They fit into a float exactly, and none has the top bit. None needs more bytes than another one and begins with a smaller byte. \
             A number with many bits is missing, one of the upper half, and a pair such as 255 and 256.",
        ),
        numbers(
            "lower_half",
            "kills",
            vec![1, 255, 256, 65_535, 65_536, 16_777_217, 1 << 30, i32::MAX.cast_unsigned()],
        )
        .says("a list of numbers of every size up to i32::MAX")
        .why("A u32 has an upper half, and there the top bit is set. Anyone who holds the number in an i32 fails there and nowhere else."),
        numbers(
            "exact_as_f32",
            "kills",
            vec![0, 1, 255, 256, 65_535, 65_536, 1 << 24, u32::MAX],
        )
        .says("a list of both sides of each power of 256, and the ends")
        .why(
            "Well chosen, and all of them survive a float of 32 bits: they have 24 bits or fewer between their first bit and their last, \
             and u32::MAX, if it is among them, comes back by a rounding up and a stop at the end. A number with its first and last bit farther apart is missing.",
        ),
        numbers(
            "the_ends",
            "kills",
            vec![0, u32::MAX],
        )
        .says("a list of 0 and the largest number")
        .why("Such numbers come in the same order however their bytes are exchanged. Take some that do not: 255 and 256, for one, \
                and the same two bytes higher up."),
        numbers(
            "random_large",
            "kills",
            vec![0x9E37_79B9, 0x7F4A_7C15, 0xBF58_476D, 0x1CE4_E5B9, 0x94D0_49BB, 0x1331_11EB, 0x2545_F491, 0x4F6C_DD1D],
        )
        .says("a list of large numbers without any pattern")
        .why(
            "Almost every random number needs four bytes and differs from the others in its first. Faults that show between numbers of different \
             sizes are not found. Random numbers need company of all sizes.",
        ),
    ]
}
