//! Commands on strings bit by bit.

use crate::commands::table::Flag::{DenyOom, Fast, ReadOnly, Write};
use crate::commands::table::Handler::Keys as Works;
use crate::commands::table::{Group, Spec, table};
use crate::commands::{bitfield, bits};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "bitcount", -2, [ReadOnly], [Read: FIRST], Bitmap, "2.6.0", Works(bits::bitcount);
        "Counts the bits that are 1."
    "bitfield", -2, [Write, DenyOom], [MayChange: FIRST], Bitmap, "3.2.0", Works(bitfield::bitfield);
        "Reads and changes numbers of any width."
    "bitfield_ro", -2, [ReadOnly, Fast], [Read: FIRST], Bitmap, "6.0.0", Works(bitfield::bitfield_ro);
        "Reads numbers of any width."
    "bitop", -4, [Write, DenyOom], [Overwrite: SECOND, Read: FROM_THIRD], Bitmap, "2.6.0", Works(bits::bitop);
        "Combines strings bit by bit, and stores the result."
    "bitpos", -3, [ReadOnly], [Read: FIRST], Bitmap, "2.8.7", Works(bits::bitpos);
        "Finds the first bit that is 0 or 1."
    "getbit", 3, [ReadOnly, Fast], [Read: FIRST], Bitmap, "2.2.0", Works(bits::getbit);
        "Returns a bit."
    "setbit", 4, [Write, DenyOom], [ReadAndChange: FIRST], Bitmap, "2.2.0", Works(bits::setbit);
        "Changes a bit, and returns what it was."
};
