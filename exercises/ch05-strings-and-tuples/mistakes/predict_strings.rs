//! What people expect of keys before they write the bytes down.

use kit::{Mistake, letters};

use crate::predict_strings::{Letters, Orders, RIGHT};

const SCAN: &str = "a-scan-goes-wrong";
const PREDICT: &str = "predict";
const END: &str = "the-end-must-be-in-the-bytes";
const REPAIR: &str = "escape-and-terminate";
const WIDTH: &str = "a-length-or-a-width";

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Orders>> {
    let mut mistakes = of_joined();
    mistakes.extend(of_lengths());
    mistakes.extend(of_bare());
    mistakes.extend(of_escaped());
    mistakes
}

fn of_joined() -> Vec<Mistake<Orders>> {
    let expects =
        |name, joined: Letters| Mistake::new(name, "joined", "colon", Orders { joined, ..RIGHT });
    vec![
        expects("joined_like_the_strings", || letters!(b f d e a c))
            .says("the order of the strings themselves")
            .why(
                "As strings, f comes before d and e, which it begins. As a key f is `61 3a`: the colon is compared \
                 with their second bytes, and 00 and 21 are less than 3a.",
            )
            .link(SCAN),
        expects("joined_colon_below_the_mark", || letters!(b d f e a c))
            .says("the colon below !")
            .why("! is 21 and the colon is 3a. Zero bytes, spaces and digits sort below the colon as well.")
            .link(SCAN),
        expects("joined_colon_above_letters", || letters!(b d e a f c))
            .says("the colon above the letters")
            .why("The colon is 3a, and the letter a is 61: f comes before a.")
            .link(SCAN),
        expects("joined_colon_above_all", || letters!(d e a f c b))
            .says("the colon above the letters, for the empty string too")
            .why(
                "The colon is 3a, and the letters start at 61. So b, which is the colon alone, comes before all that begin with a letter, and \
                 f before a.",
            )
            .link(SCAN),
        expects("joined_zero_above", || letters!(b e f a d c))
            .says("the zero byte above everything else")
            .why("00 is the smallest byte. d is `61 00 3a`, which no other key with 61 in front gets below.")
            .link(SCAN),
        expects("joined_by_length", || letters!(b f c d e a))
            .says("shorter strings first")
            .why("No length is written here. Keys are compared from the front, and c begins with 62: it comes after all that begin with 61.")
            .link(SCAN),
        expects("joined_greatest_first", || letters!(c a f e d b))
            .says("the greatest key first")
            .why("The order is right, and reversed: a scan goes from small bytes to large ones.")
            .link(PREDICT),
        expects("joined_empty_last", || letters!(d e f a c b))
            .says("the empty string at the end")
            .why("b is nothing but the colon, 3a. All others begin with a letter, and the letters start at 61.")
            .link(SCAN),
    ]
}

fn of_lengths() -> Vec<Mistake<Orders>> {
    let expects = |name, length_first: Letters| {
        let orders = Orders {
            length_first,
            ..RIGHT
        };
        Mistake::new(name, "length_first", "length", orders)
    };
    vec![
        expects("lengths_like_the_strings", || letters!(b f d e a c))
            .says("the order of the strings themselves")
            .why(
                "The length is the first byte of the key, so it decides first: c is `01 62` and comes before all \
                 strings of two bytes.",
            )
            .link(WIDTH),
        expects("lengths_after", || letters!(b d f e a c))
            .says("lengths behind the strings")
            .why("The length is in front. It is compared before any byte of the string.")
            .link(WIDTH),
        expects("lengths_like_joined", || letters!(b d e f a c))
            .says("the order of the keys with a colon")
            .why("Here no byte comes after the string. The length comes in front, and it is compared first: c is `01 62` and comes before all strings of two bytes.")
            .link(WIDTH),
        expects("longest_first", || letters!(d e a f c b))
            .says("the longest strings first")
            .why("The lengths are bytes like any other: 00 before 01 before 02.")
            .link(WIDTH),
        expects("lengths_with_the_zero_last", || letters!(b f c e a d))
            .says("the zero byte above ! and a")
            .why("Among strings of one length the bytes decide, and 00 is the smallest.")
            .link(WIDTH),
        expects("lengths_greatest_first", || letters!(a e d c f b))
            .says("the greatest key first")
            .why("The order is right, and reversed: a scan goes from small bytes to large ones.")
            .link(PREDICT),
        expects("lengths_with_the_empty_string_last", || letters!(f c d e a b))
            .says("the empty string at the end")
            .why("b is its length alone, `00`, and no other key begins with less than 01.")
            .link(WIDTH),
        expects("lengths_up_to_the_zero", || letters!(b f d c e a))
            .says("d after f, among the strings of one byte")
            .why("In C a string ends at its zero byte, and d would have the length 1. Here a zero byte is a byte like any other, and it counts: d has the length 2.")
            .link(WIDTH),
        expects("lengths_without_the_zero", || letters!(b d f c e a))
            .says("d among the strings of one byte")
            .why("A zero byte is a byte of the string, and it counts: d has the length 2.")
            .link(WIDTH),
    ]
}

fn of_bare() -> Vec<Mistake<Orders>> {
    let expects =
        |name, bare: Letters| Mistake::new(name, "bare", "next-field", Orders { bare, ..RIGHT });
    vec![
        expects("bare_like_the_strings", || letters!(b f d e a c))
            .says("the order of the strings themselves")
            .why(
                "The string ends, the key does not. f is `61 ff`: its number is compared with the second bytes of d, e \
                 and a, and is greater than all three. And b is the number alone.",
            )
            .link(END),
        expects("bare_like_joined", || letters!(b d e f a c))
            .says("the order of the keys with a colon")
            .why("There it was 3a that came after the string. Now it is ff, and that is above every letter.")
            .link(END),
        expects("bare_empty_first", || letters!(b d e a f c))
            .says("the empty string in front")
            .why("b has no byte of its own, so its key is the number alone: ff. Every other key begins with 61 or 62.")
            .link(PREDICT),
        expects("bare_reversed", || letters!(c a e d f b))
            .says("the strings in reverse")
            .why(
                "ff after a string does not turn the order round. It only moves a string after those that it \
                 begins.",
            )
            .link(END),
        expects("bare_by_length", || letters!(b f c d e a))
            .says("shorter strings first")
            .why(
                "No length is written here. The next field follows at once: f is `61 ff` and comes after a, which is `61 61 ff`, and b is `ff` alone.",
            )
            .link(END),
        expects("bare_greatest_first", || letters!(b c f a e d))
            .says("the greatest key first")
            .why("The order is right, and reversed: a scan goes from small bytes to large ones.")
            .link(PREDICT),
        expects("bare_f_after_c", || letters!(d e a c f b))
            .says("f after c")
            .why("f is `61 ff` and c is `62 ff`. The first byte decides before any ff is looked at.")
            .link(END),
    ]
}

fn of_escaped() -> Vec<Mistake<Orders>> {
    let expects = |name, escaped: Letters| {
        Mistake::new(name, "escaped", "escape", Orders { escaped, ..RIGHT })
    };
    vec![
        expects("escaped_zero_before_the_end", || letters!(b d f e a c))
            .says("an order that has d before f")
            .why(
                "Both go on with 00. In d it is a zero byte, so ff follows; in f it is the end, so 01 follows. 01 is \
                 less: f comes first.",
            )
            .link(REPAIR),
        expects("escaped_ff_above_letters", || letters!(b f e a d c))
            .says("d after e and a, because of its ff")
            .why(
                "d is `61 00 ff 00 01`. Its second byte is 00 and decides against 21 and 61; the ff after it is never \
                 looked at.",
            )
            .link(REPAIR),
        expects("escaped_like_joined", || letters!(b d e f a c))
            .says("the order of the keys with a colon")
            .why("The colon is above some bytes. The end, 00 01, is below everything that may continue a string.")
            .link(REPAIR),
        expects("escaped_by_length", || letters!(b f c d e a))
            .says("shorter strings first")
            .why("No length is written here. The first byte that differs decides, and c begins with 62.")
            .link(REPAIR),
        expects("escaped_greatest_first", || letters!(c a e d f b))
            .says("the greatest key first")
            .why("The order is right, and reversed: a scan goes from small bytes to large ones.")
            .link(PREDICT),
        expects("escaped_like_bare", || letters!(d e a f c b))
            .says("the order of the keys that go on with ff")
            .why(
                "There it was ff that came after the string. Now it is the end, 00 01, and that is below everything that may continue a string. The \
                 ff of d stands after its 00.",
            )
            .link(REPAIR),
        expects("escaped_empty_last", || letters!(f d e a c b))
            .says("the empty string at the end")
            .why("b is the end alone, `00 01`. Its first byte is below every letter.")
            .link(REPAIR),
    ]
}
