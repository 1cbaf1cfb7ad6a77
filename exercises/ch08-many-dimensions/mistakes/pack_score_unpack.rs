//! What goes wrong with taking a score apart.

use kit::Mistake;

use crate::mistakes::pack_score::{BITS, LAYOUT, RULES};
use crate::pack_score::Packer;
use crate::solutions::pack_score::{END, pack, unpack as right};

type Fields = (u64, bool, u64);

fn mistake(
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
    unpack: fn(u64) -> Option<Fields>,
) -> Mistake<Packer> {
    Mistake::new(name, "unpack", "round-trip", Packer::new(pack, unpack))
        .says(says)
        .why(why)
        .link(link)
}

/// Without any refusal.
fn plain(score: u64) -> Fields {
    let time = score & ((1 << 29) - 1);
    (score >> 30, score >> 29 & 1 == 1, END - time)
}

/// The mistakes of `unpack`.
pub(crate) fn all() -> Vec<Mistake<Packer>> {
    let mut mistakes = fields();
    mistakes.extend(limits());
    mistakes
}

fn fields() -> Vec<Mistake<Packer>> {
    vec![
        mistake(
            "unpack_field_instead_of_second",
            "the time field as it is in the score",
            "The field counts down from `END`. The second is `END` minus the field.",
            LAYOUT,
            |score| right(score).map(|(gems, paid, second)| (gems, paid, END - second)),
        ),
        mistake(
            "unpack_in_milliseconds",
            "a time in milliseconds",
            "`pack` cut the milliseconds off, and they do not come back. The task asks for the second.",
            LAYOUT,
            |score| right(score).map(|(gems, paid, second)| (gems, paid, second * 1000)),
        ),
        mistake(
            "unpack_mask_of_30_bits",
            "a time field of 30 bits",
            "Bit 29 is `paid`. With it, the field of a paid player is 2^29 too great, and the second 17 years too \
             early.",
            LAYOUT,
            |score| {
                right(score).map(|(gems, paid, _)| (gems, paid, END - (score & ((1 << 30) - 1))))
            },
        ),
        mistake(
            "unpack_mask_of_28_bits",
            "a time field of 28 bits",
            "A mask of 29 ones is `(1 << 29) - 1`.",
            LAYOUT,
            |score| {
                right(score).map(|(gems, paid, _)| (gems, paid, END - (score & ((1 << 28) - 1))))
            },
        ),
        mistake(
            "unpack_remainder_by_the_mask",
            "a remainder in place of a mask, `% ((1 << 29) - 1)`",
            "`&` with 29 ones keeps the last 29 bits. A remainder does that by the power itself, `% (1 << 29)`, and not by the power less one.",
            LAYOUT,
            |score| right(score).map(|(gems, paid, _)| (gems, paid, END - score % ((1 << 29) - 1))),
        ),
        mistake(
            "unpack_mask_of_one_bit",
            "a mask with one bit, `1 << 29`",
            "`1 << 29` has a single 1, and that is `paid`. 29 ones are `(1 << 29) - 1`.",
            LAYOUT,
            |score| right(score).map(|(gems, paid, _)| (gems, paid, END - (score & 1 << 29))),
        ),
        mistake(
            "unpack_gems_with_paid",
            "gems shifted back by 29",
            "Below the gems are 29 bits of time and one of paid. Shifted by 29, the gems are doubled, and `paid` \
             is added.",
            LAYOUT,
            |score| right(score).map(|(_, paid, second)| (score >> 29, paid, second)),
        ),
        mistake(
            "unpack_paid_from_bit_30",
            "`paid` read from bit 30",
            "Bit 30 is the lowest one of the gems. Bits count from 0: the time takes 0 to 28, `paid` is 29.",
            LAYOUT,
            |score| right(score).map(|(gems, _, second)| (gems, score >> 30 & 1 == 1, second)),
        ),
        mistake(
            "unpack_nobody_paid",
            "`false` for every player",
            "If you compare with 1: `score & 1 << 29` is 0 or 2^29, and never 1. Compare it with 0, or shift it down first: `score >> 29 & 1 == 1`.",
            LAYOUT,
            |score| right(score).map(|(gems, _, second)| (gems, false, second)),
        ),
        mistake(
            "unpack_paid_if_anything_is_above",
            "`paid` for everything from 2^29 on",
            "`score >> 29` has the gems in it as well. Keep the lowest bit alone: `score >> 29 & 1`.",
            LAYOUT,
            |score| right(score).map(|(gems, _, second)| (gems, score >> 29 > 0, second)),
        ),
        mistake(
            "unpack_paid_without_gems_alone",
            "`paid` only for those who have no gems",
            "`score >> 29` has the gems in it as well, so it is 1 only where there are none. Keep the lowest bit alone: `score >> 29 & 1`.",
            LAYOUT,
            |score| right(score).map(|(gems, _, second)| (gems, score >> 29 == 1, second)),
        ),
        mistake(
            "unpack_paid_inverted",
            "`paid` inverted",
            "A 1 stands for a player who paid.",
            LAYOUT,
            |score| right(score).map(|(gems, paid, second)| (gems, !paid, second)),
        ),
        mistake(
            "unpack_in_decimal",
            "fields of decimal digits",
            "The fields are bits. Shifts and masks take them apart, not division by powers of ten.",
            LAYOUT,
            |score| {
                right(score)?;
                let time = score % 1_000_000_000;
                let paid = score / 1_000_000_000 % 10 == 1;
                Some((score / 10_000_000_000, paid, END - time))
            },
        ),
    ]
}

fn limits() -> Vec<Mistake<Packer>> {
    vec![
        mistake(
            "unpack_refuses_nothing",
            "fields for numbers of any size",
            "From 2^53 on neighbouring scores share a double. What you read there is not what somebody packed, so \
             say so.",
            BITS,
            |score| Some(plain(score)),
        ),
        mistake(
            "unpack_cuts_the_gems",
            "gems cut to 23 bits, for numbers of any size",
            "A mask makes a score of what is none: 2^53 becomes a player without gems. Refuse what `pack` never makes.",
            BITS,
            |score| {
                let (gems, paid, second) = plain(score);
                Some((gems & ((1 << 23) - 1), paid, second))
            },
        ),
        mistake(
            "unpack_refuses_zero",
            "a refusal of the score 0",
            "0 is a score: no gems, not paid, at the very end.",
            RULES,
            |score| right(score).filter(|_| score != 0),
        ),
        mistake(
            "unpack_takes_2_to_the_53",
            "fields for 2^53 itself",
            "2^53 has 8388608 gems, one more than fit. And 2^53 + 1 is kept as 2^53, so it may be either.",
            BITS,
            |score| (score <= 1 << 53).then(|| plain(score)),
        ),
        mistake(
            "unpack_takes_54_bits",
            "fields for numbers below 2^54",
            "That is what 24 bits of gems would make. Below the gems are 29 bits of time *and* one of paid, so 23 of the 53 bits are left for \
             them, and a score is below 2^53.",
            BITS,
            |score| (score < 1 << 54).then(|| plain(score)),
        ),
        mistake(
            "unpack_takes_63_bits",
            "fields for numbers below 2^63",
            "63 bits are what an `i64` holds. A score is a double, with room for 53.",
            BITS,
            |score| (score < 1 << 63).then(|| plain(score)),
        ),
        mistake(
            "unpack_refuses_the_last_score",
            "a refusal of 2^53 - 1",
            "It is the greatest score there is: 8388607 gems, paid, and the earliest second.",
            BITS,
            |score| right(score).filter(|_| score != (1 << 53) - 1),
        ),
        mistake(
            "unpack_refuses_no_gems",
            "a refusal of scores without gems",
            "0 gems fit, and so does a score of 0: no gems, not paid, at the very end.",
            RULES,
            |score| right(score).filter(|(gems, _, _)| *gems > 0),
        ),
        mistake(
            "unpack_through_f32",
            "a score narrowed to an `f32`",
            "An `f32` has room for 24 bits. Of a score of 53 that leaves the gems, and of the rest next to nothing.",
            BITS,
            |score| {
                right(score)?;
                #[expect(
                    clippy::cast_precision_loss,
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "this is the mistake"
                )]
                let narrowed = score as f32 as u64;
                Some(plain(narrowed))
            },
        ),
    ]
}
