//! What goes wrong when a time becomes a key that runs backwards.

use kit::Mistake;

use crate::newest_first::Feed;
use crate::solutions::newest_first::newest;

const SORTER: &str = "look";
const RULE: &str = "the-newest-first";
const SIGNED: &str = "before-1970";
const WRONG: &str = "wrong-answers-and-what-each-breaks";

fn mistake(name: &'static str, check: &'static str, key: fn(u64) -> [u8; 8]) -> Mistake<Feed> {
    Mistake::new(name, "key", check, Feed::new(key, newest))
}

/// All mistakes in `key`.
pub(crate) fn all() -> Vec<Mistake<Feed>> {
    let mut mistakes = in_direction();
    mistakes.extend(in_width());
    mistakes
}

fn in_direction() -> Vec<Mistake<Feed>> {
    vec![
        mistake("plain_big_endian", "order", u64::to_be_bytes)
            .says("the plain big-endian bytes")
            .why(
                "They sort the oldest first. Subtract from the greatest `u64`, or invert all bits, which is the \
                 same.",
            )
            .link(SORTER),
        mistake("inverted_little_endian", "order", |time| {
            (u64::MAX - time).to_le_bytes()
        })
        .says("`u64::MAX - time` in little-endian")
        .why(
            "The subtraction is right, and its bytes are turned round. The store compares from the left, and \
             there is the byte that counts least.",
        )
        .link(WRONG),
        mistake("reversed_bytes", "order", u64::to_le_bytes)
            .says("the plain little-endian bytes")
            .why(
                "Turning the bytes round is not turning the order round. Each byte has to be inverted, and to stay in its place.",
            )
            .link(RULE),
        mistake("reversed_bits", "order", |time| {
            time.reverse_bits().to_be_bytes()
        })
        .says("the bits from the last to the first")
        .why(
            "To reverse the bits puts the least significant one first. To invert them turns each 0 into 1 and \
             each 1 into 0, in its place: `!time`.",
        )
        .link(RULE),
        mistake("negated", "order", |time| time.wrapping_neg().to_be_bytes())
            .says("`0 - time`, wrapping")
            .why(
                "It is one more than `u64::MAX - time`. For time 0 this one more does not fit: its key becomes \
                 zero, and the oldest time comes first of all.",
            )
            .link(RULE),
        mistake("sign_bit_flipped", "order", |time| {
            (time ^ 1 << 63).to_be_bytes()
        })
        .says("the first bit flipped and no other")
        .why(
            "That is the repair for signed numbers. It moves the halves and leaves each half ascending. \
             Invert all 64 bits.",
        )
        .link(SIGNED),
        mistake("first_byte_inverted", "order", |time| {
            (time ^ 0xff << 56).to_be_bytes()
        })
        .says("the first byte inverted and no other")
        .why(
            "Times of today agree in the first byte, so the others decide, and those still run upwards. Invert \
             all eight.",
        )
        .link(RULE),
    ]
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "these are the mistakes"
)]
fn in_width() -> Vec<Mistake<Feed>> {
    vec![
        mistake("minus_from_i64_max", "returns", |time| {
            let greatest = i64::MAX.cast_unsigned();
            assert!(time <= greatest, "attempt to subtract with overflow");
            (greatest - time).to_be_bytes()
        })
        .says("`i64::MAX - time`, which panics above `i64::MAX`")
        .why(
            "Many guides say `Long.MAX_VALUE - timestamp`, because Java has no unsigned type. A `u64` has twice \
             as many values. Subtract from the greatest value of the type that you have.",
        )
        .link("in-the-wild"),
        mistake("negated_as_a_signed_number", "returns", |time| {
            assert!(time != 1 << 63, "attempt to negate with overflow");
            time.wrapping_neg().to_be_bytes()
        })
        .says("`-(time as i64)`, which panics at 2^63")
        .why(
            "It is one more than `u64::MAX - time`. For time 0 this one more does not fit: its key becomes zero, and the oldest time comes \
             first of all. And of 2^63 an `i64` has no negative. Invert the bits, or subtract from `u64::MAX`: both are right for every time.",
        )
        .link(RULE),
        mistake("minus_from_i64_max_wrapped", "order", |time| {
            i64::MAX.cast_unsigned().wrapping_sub(time).to_be_bytes()
        })
        .says("`i64::MAX - time`, wrapping")
        .why(
            "Above `i64::MAX` the difference wraps around to the greatest numbers, so the latest times come \
             last. Subtract from `u64::MAX`.",
        )
        .link("in-the-wild"),
        mistake("minus_from_thirteen_nines", "returns", |time| {
            assert!(
                time <= 9_999_999_999_999,
                "attempt to subtract with overflow"
            );
            (9_999_999_999_999 - time).to_be_bytes()
        })
        .says("`9999999999999 - time`, which panics above that")
        .why(
            "Thirteen nines are enough for milliseconds until 2286. A time in microseconds is greater already. \
             Subtract from the greatest value of the type.",
        )
        .link(WRONG),
        mistake("minus_from_thirteen_nines_saturated", "order", |time| {
            9_999_999_999_999_u64.saturating_sub(time).to_be_bytes()
        })
        .says("`9999999999999 - time`, and 0 above that")
        .why(
            "All times above thirteen nines share one key, and the later row overwrites the earlier. A time in \
             microseconds is above. Subtract from the greatest value of the type.",
        )
        .link(WRONG),
        mistake("minus_from_thirteen_nines_wrapped", "order", |time| {
            9_999_999_999_999_u64.wrapping_sub(time).to_be_bytes()
        })
        .says("`9999999999999 - time`, wrapping")
        .why(
            "Above thirteen nines the difference wraps around to the greatest numbers, so the latest times come last. A time in \
             microseconds is above. Subtract from the greatest value of the type.",
        )
        .link(WRONG),
        mistake("minus_from_u32_max", "returns", |time| {
            let greatest = u64::from(u32::MAX);
            assert!(time <= greatest, "attempt to subtract with overflow");
            (greatest - time).to_be_bytes()
        })
        .says("`u32::MAX - time`, which panics above that")
        .why("32 bits are enough for seconds until 2106. A time in milliseconds needs 41 today. Subtract from the greatest value of the type that you have.")
        .link(RULE),
        mistake("minus_from_u32_max_wrapped", "order", |time| u64::from(u32::MAX).wrapping_sub(time).to_be_bytes())
            .says("`u32::MAX - time`, wrapping")
            .why(
                "Above `u32::MAX` the difference wraps around to the greatest numbers, so these times come last: all of today's in milliseconds, which \
                 need 41 bits. Subtract from `u64::MAX`.",
            )
            .link(RULE),
        mistake("cut_to_u32_and_turned", "order", |time| (u64::MAX - u64::from(time as u32)).to_be_bytes())
            .says("`u64::MAX` minus the time cut by `as u32`")
            .why(
                "A time in milliseconds needs 41 bits today. `as u32` keeps 32 of them, so times 49 days apart share a key.",
            )
            .link(RULE),
        mistake("narrowed_to_u32", "order", |time| {
            u64::from(u32::MAX - time as u32).to_be_bytes()
        })
        .says("`u32::MAX - time as u32`")
        .why(
            "A time in milliseconds needs 41 bits today. `as u32` keeps 32 of them, so times 49 days apart \
             share a key.",
        )
        .link(RULE),
        mistake("through_a_double", "order", |time| {
            ((u64::MAX as f64 - time as f64) as u64).to_be_bytes()
        })
        .says("a subtraction of doubles")
        .why(
            "A double keeps 53 bits. Next to `u64::MAX` its steps are 2048 wide, so times that are milliseconds apart \
             share one key.",
        )
        .link(RULE),
    ]
}
