//! What people expect of bit patterns before they look.

use kit::{Mistake, letters};

use crate::predict_floats::Orders;
use crate::solutions::predict_floats::{by_bytes, by_value};

const SCAN: &str = "a-scan-goes-wrong";
const PREDICT: &str = "predict";
const FIELDS: &str = "sign-exponent-fraction";

const MINUS_INFINITY: &str = "ff f0 has the greatest bytes of all, and the smallest value: the sign bit is set, the exponent all ones and the \
    fraction all zeros. That is -inf. A NaN has a fraction that is not zero.";

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Orders>> {
    let mut mistakes = of_values();
    mistakes.extend(of_bytes());
    mistakes
}

fn of_values() -> Vec<Mistake<Orders>> {
    let expects = |name, by_value| {
        let orders = Orders { by_value, by_bytes };
        Mistake::new(name, "by_value", "values", orders)
    };
    vec![
        expects("values_like_bytes", by_bytes)
            .says("the order of the bytes")
            .why(
                "A pattern whose first digit is 8 or more has the sign bit set: it is negative. Those come \
                 first, and the one farthest from zero before the others.",
            )
            .link(SCAN),
        expects("negative_values_backwards", || letters!(e a c g d b h f))
            .says("the negative values in front, the nearest to zero first")
            .why(
                "Below zero, farther away is smaller. The bits after the sign say how far, so among \
                 negative patterns the largest one is the smallest value.",
            )
            .link(SCAN),
        expects("negative_values_last", || letters!(d b h f g c a e))
            .says("the negative values in order, but after the others")
            .why("The sign bit is a minus, and what is less than zero comes first. Only as a plain byte is 80 more than 7f.")
            .link(SCAN),
        expects("values_by_distance", || letters!(e d a b h c g f))
            .says("the distances from zero")
            .why("The sign counts. a is -1 and b is 1: they are equally far from zero, on either side of it.")
            .link(FIELDS),
        expects("values_by_distance_positive_first", || letters!(e d b a h c f g))
            .says("the distances from zero")
            .why("The sign counts. a is -1 and b is 1: they are equally far from zero, on either side of it.")
            .link(FIELDS),
        expects("values_by_distance_negative_infinity_last", || letters!(e d a b h c f g))
            .says("the distances from zero")
            .why("The sign counts. a is -1 and b is 1: they are equally far from zero, on either side of it.")
            .link(FIELDS),
        expects("values_by_distance_infinity_last", || letters!(e d b a h c g f))
            .says("the distances from zero")
            .why("The sign counts. a is -1 and b is 1: they are equally far from zero, on either side of it.")
            .link(FIELDS),
        expects("minus_one_before_minus_two", || letters!(g a c e d b h f))
            .says("a before c")
            .why("a is -1, and c is -2: the exponent is greater by one, and the sign bit is set. Below zero, farther away is smaller.")
            .link(FIELDS),
        expects("infinities_exchanged", || letters!(f c a e d b h g))
            .says("f and g exchanged")
            .why("In both, the exponent is all ones and the fraction all zeros: they are infinite. g has the sign bit set, so it is -inf.")
            .link(FIELDS),
        expects("minus_infinity_last", || letters!(c a e d b h f g))
            .says("g at the end")
            .why(MINUS_INFINITY)
            .link(FIELDS),
        expects("minus_infinity_among_the_greatest", || letters!(c a e d b h g f))
            .says("g before f, after all others")
            .why(MINUS_INFINITY)
            .link(FIELDS),
        expects("infinities_taken_for_nans", || letters!(f g c a e d b h))
            .or(Orders { by_value: || letters!(g f c a e d b h), by_bytes })
            .says("f and g in front of all others")
            .why(
                "In both, the exponent is all ones and the fraction all zeros: they are infinite, and numbers. f has no sign bit: it is +inf, \
                 greater than all others. A NaN has a fraction that is not zero.",
            )
            .link(FIELDS),
        expects("largest_value_first", || letters!(f h b d e a c g))
            .says("the largest value first")
            .why("The order is right, and reversed: the smallest value comes first, and that is g.")
            .link(PREDICT),
        expects("minus_zero_smallest", || letters!(e g c a d b h f))
            .says("e in front of all others")
            .why(
                "The bits of e look like the smallest integer there is. As a double, e has the sign bit and \
                 nothing else: it is -0.0, which is not less than 0.",
            )
            .link(PREDICT),
        expects("minus_zero_after", || letters!(g c a d e b h f))
            .says("e after d")
            .why("e is -0.0. d has one bit, the lowest: it is the smallest number above zero.")
            .link(FIELDS),
        expects("subnormal_taken_for_one", || letters!(g c a e b d h f))
            .says("d after b")
            .why(
                "d would be 1 as an integer. As a double its exponent is all zeros, so it is a subnormal \
                 number, the smallest above zero.",
            )
            .link(FIELDS),
        expects("fraction_below_one", || letters!(g c a e d h b f))
            .says("h before b")
            .why(
                "b and h have the same exponent, and h has a fraction besides: 1.5 is more than 1. The \
                 fraction adds to 1, it does not divide it.",
            )
            .link(FIELDS),
    ]
}

fn of_bytes() -> Vec<Mistake<Orders>> {
    let expects = |name, by_bytes| {
        let orders = Orders { by_value, by_bytes };
        Mistake::new(name, "by_bytes", "bytes", orders)
    };
    vec![
        expects("bytes_like_values", by_value)
            .says("the order of the values")
            .why(
                "Bytes have no sign. The first bit of a negative number is set, which makes its first byte \
                 80 or more: the negative patterns come after the others.",
            )
            .link(PREDICT),
        expects("negative_patterns_upwards", || letters!(d b h f g c a e))
            .says("the negative patterns after the others, in the order of their values")
            .why(
                "The half is right, its order is not. After the sign bit comes the distance from zero, so \
                 -0.0 is the first of them and -inf the last.",
            )
            .link(PREDICT),
        expects("sign_flipped", || letters!(e a c g d b h f))
            .says("the order after a flip of the sign bit")
            .why("Nothing is flipped here. These are the patterns as they are: 80 comes after 7f.")
            .link(SCAN),
        expects("bytes_by_distance", || letters!(e d b a h c f g))
            .says("the bytes without the sign bit, and a positive one before a negative one that is alike")
            .why("The sign bit is the first bit of the first byte. It decides before anything else.")
            .link(FIELDS),
        expects("minus_zero_first", || letters!(e d b h f a c g))
            .says("e in front, as if it were all zeros")
            .why("e is -0.0, and its first byte is 80. d begins with 00.")
            .link(PREDICT),
        expects("bytes_from_the_right", || letters!(e c b f a g h d))
            .says("the order of the bytes from the last to the first")
            .why("A scan compares from the left, and the first byte that differs decides. From the right is how little-endian bytes would be read.")
            .link(SCAN),
        expects("largest_bytes_first", || letters!(g c a e f h b d))
            .says("the largest bytes first")
            .why("The order is right, and reversed: a scan goes from small bytes to large ones.")
            .link(PREDICT),
    ]
}
