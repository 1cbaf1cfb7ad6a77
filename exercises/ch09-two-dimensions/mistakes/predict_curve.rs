//! What people expect of the curve before they follow it.

use kit::{Mistake, letters};

use crate::predict_curve::Predictions;
use crate::solutions::predict_curve::{by_number, shared_bits};

const SCAN: &str = "a-scan-goes-wrong";
const PREDICT: &str = "predict";
const BITS: &str = "interleaving";
const CELL: &str = "a-cell-is-a-prefix";
const HILBERT: &str = "why-not-hilberts-curve";

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Predictions>> {
    let mut mistakes = of_numbers();
    mistakes.extend(of_bits());
    mistakes
}

fn of_numbers() -> Vec<Mistake<Predictions>> {
    let expects = |name, by_number| {
        let all = Predictions {
            by_number,
            shared_bits,
        };
        Mistake::new(name, "by_number", "numbers", all)
    };
    vec![
        expects("column_by_column", || letters!(g a h c e f d b))
            .says("the order of x, and of y where x is equal")
            .why(
                "That is a tuple: all bits of x, then all bits of y. Here the bits take turns, so the highest bit of y \
                 comes before the second bit of x.",
            )
            .link(SCAN),
        expects("row_by_row", || letters!(g b h c f e d a))
            .says("the order of y, and of x where y is equal")
            .why(
                "So you read a page, row by row. Here the bits of both coordinates take turns, and those of x come first.",
            )
            .link(SCAN),
        expects("y_before_x", || letters!(g h c b f e a d))
            .says("the curve with y before x")
            .why(
                "The first bit is the highest one of x: it says west or east. So a, in the north-west, comes before b, \
                 in the south-east.",
            )
            .link(BITS),
        expects("rows_from_the_north", || letters!(a e g h c d f b))
            .says("the curve on a map whose rows are numbered from the north")
            .why("On a screen the rows are counted from the top. This map counts them from the south, as latitudes grow: g, at 0, 0, is in the south-west.")
            .link(PREDICT),
        expects("by_distance", || letters!(g h c e f d a b))
            .says("the distance from g")
            .why(
                "Near on the map is not near on the curve. a and b are equally far from g, and 21 numbers apart.",
            )
            .link(PREDICT),
        expects("by_sum", || letters!(g h c a b e f d))
            .says("the order of x + y")
            .why("Interleaving adds nothing up. It keeps every bit of both coordinates.")
            .link(BITS),
        expects("lowest_bits_first", || letters!(g d h a f e b c))
            .says("the numbers with the lowest bits in front")
            .why(
                "The highest bit of x comes first: it says in which half of the map the point lies. The lowest bit only \
                 says even or odd.",
            )
            .link(BITS),
        expects("numbers_read_backwards", || letters!(g d h b e f a c))
            .says("the numbers read from the last bit to the first")
            .why(
                "The first bit that differs decides, and it is looked for from the front. The highest bit of x says in which half of the map the \
                 point lies.",
            )
            .link(BITS),
        expects("along_hilberts_curve", || letters!(g h c a e d f b))
            .says("Hilbert's curve")
            .why(
                "That curve turns each quarter so that it never jumps. The one of this chapter takes the quarters in the same \
                 order everywhere, and jumps.",
            )
            .link(HILBERT),
        expects("greatest_first", || letters!(d b f e a c h g))
            .says("the greatest number first")
            .why("The order is right, and reversed: a scan goes from small numbers to great ones.")
            .link(PREDICT),
        expects("middle_by_rows", || letters!(g h c a f e b d))
            .says("f before e")
            .why(
                "e is at 3, 4: its x begins with 0, so it is in the western half, where all numbers are smaller. That it is one \
                 row higher than f counts only after that.",
            )
            .link(PREDICT),
    ]
}

fn of_bits() -> Vec<Mistake<Predictions>> {
    let expects = |name, shared_bits| {
        let all = Predictions {
            by_number,
            shared_bits,
        };
        Mistake::new(name, "shared_bits", "shared", all)
    };
    vec![
        expects("equal_bits_anywhere", || [4, 3, 3, 4])
            .says("the bits that are equal, wherever they are")
            .why("Only the front makes a prefix. After the first bit that differs, the numbers part.")
            .link(CELL),
        expects("shared_by_each_coordinate", || [4, 3, 3, 2])
            .says("the bits that both x share at the front, and those that both y share, added up")
            .why(
                "The bits take turns, so the front of the number ends where the first of the two coordinates differs. c and e have one x, and still their second bits \
                 differ: those of y.",
            )
            .link(CELL),
        expects("cuts_counted", || [2, 0, 0, 1])
            .says("the pairs of bits that are shared")
            .why(
                "Two bits make one cut of each coordinate, and you counted cuts. A single shared bit counts too: it is half \
                 a cell.",
            )
            .link(CELL),
        expects("counted_from_the_end", || [0, 0, 1, 2])
            .says("the bits that are shared at the end")
            .why("The lowest bits say where in the smallest cell a point lies. The cell is at the front.")
            .link(CELL),
        expects("differing_bits", || [2, 3, 3, 2])
            .says("the bits that differ")
            .why("Asked are those that are the same, and only up to the first that is not.")
            .link(CELL),
        expects("bits_left", || [2, 5, 6, 4])
            .says("the bits that are left from the first difference on")
            .why("They say how large the common cell is. Asked are the bits before them, of six.")
            .link(CELL),
        expects("bits_of_the_common_cell", || [4, 0, 0, 2])
            .says("the bits of the smallest common cell, two for each cut")
            .why("A cell has an even number of bits. A single shared bit counts here too: c and e are in the same half, the western one.")
            .link(CELL),
        expects("first_difference", || [5, 2, 1, 3])
            .says("the place of the first bit that differs, counted from 1")
            .why("Before the first bit that differs, in the first place, none is shared. So it is one less each time.")
            .link(CELL),
        expects("shared_with_y_first", || [4, 0, 1, 2])
            .says("the bits that are shared with y before x")
            .why("c and f differ in the highest bit of x, and that is the first bit of all.")
            .link(BITS),
        expects("shared_with_all_of_x_first", || [2, 3, 0, 1])
            .says("the bits that are shared when all bits of `x` come first")
            .why(
                "That is a tuple. Here the bits take turns, so the highest bit of y is the second of all: c and e have one x, and differ \
                 there already.",
            )
            .link(BITS),
        expects("neighbours_share_most", || [4, 5, 5, 2])
            .says("the more bits the nearer two points are")
            .why(
                "c and e touch, and so do c and f, but the middle of the map runs between them. Neighbours may have nothing in \
                 common.",
            )
            .link(PREDICT),
    ]
}
