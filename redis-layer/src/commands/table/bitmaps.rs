//! Commands on single bits of strings.

use crate::commands::strings::{bitfield, bits};
use crate::commands::table::Flag::{DenyOom, Fast, ReadOnly, Write};
use crate::commands::table::Handler::Keys as Works;
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "bitcount", -2, [ReadOnly], [Read: FIRST], Bitmap, "2.6.0", Works(bits::bitcount);
        "Counts the bits that are 1.", "O(n) for n bytes that are counted",
        "key [index: start:integer end:integer [index_unit: BYTE | BIT]@7.0.0]";
        since "7.0.0" "The options BYTE and BIT."
    "bitfield", -2, [Write, DenyOom], [MayChange: FIRST], Bitmap, "3.2.0", Works(bitfield::bitfield);
        "Reads and changes numbers of any width.",
        "O(1) for each operation; O(n) for the first change of a part of a string of n bytes",
        "key
            [(operation: (GET encoding_offset: encoding offset:integer) |
                (write: [OVERFLOW wrap_sat_fail: WRAP | SAT | FAIL]
                    (write_operation: (SET encoding_offset_value: encoding offset:integer value:integer) |
                        (INCRBY encoding_offset_increment: encoding offset:integer increment:integer))))...]"
    "bitfield_ro", -2, [ReadOnly, Fast], [Read: FIRST], Bitmap, "6.0.0", Works(bitfield::bitfield_ro);
        "Reads numbers of any width.", "O(1) for each operation",
        "key [GET encoding_offset: encoding offset:integer]..."
    "bitop", -4, [Write, DenyOom], [Overwrite: SECOND, Read: FROM_THIRD], Bitmap, "2.6.0", Works(bits::bitop);
        "Combines strings bit by bit, and stores the result.",
        "O(n) for n bytes of the longest string, times the strings",
        "operation destkey:key key..."
    "bitpos", -3, [ReadOnly], [Read: FIRST], Bitmap, "2.8.7", Works(bits::bitpos);
        "Finds the first bit that is 0 or 1.", "O(n) for n bytes that are looked at",
        "key bit:integer [index: start:integer [end_index: end:integer [index_unit: BYTE | BIT]@7.0.0]]";
        since "7.0.0" "The options BYTE and BIT."
    "getbit", 3, [ReadOnly, Fast], [Read: FIRST], Bitmap, "2.2.0", Works(bits::getbit);
        "Returns a bit.", "O(1)",
        "key offset:integer"
    "setbit", 4, [Write, DenyOom], [ReadAndChange: FIRST], Bitmap, "2.2.0", Works(bits::setbit);
        "Changes a bit, and returns what it was.", "O(1); O(n) for the first change of a part of a string of n bytes",
        "key offset:integer value:integer"
};
