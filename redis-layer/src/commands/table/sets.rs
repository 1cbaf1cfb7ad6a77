//! Commands on sets.

use crate::commands::sets;
use crate::commands::table::Flag::{DenyOom, Fast, MovableKeys, ReadOnly, Write};
use crate::commands::table::Handler::Keys as Works;
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "sadd", -3, [Write, DenyOom, Fast], [Add: FIRST], Set, "1.0.0", Works(sets::sadd);
        "Adds members."
    "scard", 2, [ReadOnly, Fast], [Ask: FIRST], Set, "1.0.0", Works(sets::scard);
        "Counts the members."
    "sdiff", -2, [ReadOnly], [Read: ALL], Set, "1.0.0", Works(sets::sdiff);
        "Returns the members of the first set that no other has."
    "sdiffstore", -3, [Write, DenyOom], [Overwrite: FIRST, Read: FROM_SECOND], Set, "1.0.0", Works(sets::sdiffstore);
        "Stores the members of the first set that no other has."
    "sinter", -2, [ReadOnly], [Read: ALL], Set, "1.0.0", Works(sets::sinter);
        "Returns the members that all sets have."
    "sintercard", -3, [ReadOnly, MovableKeys], [Read: (counted(1))], Set, "7.0.0", Works(sets::sintercard);
        "Counts the members that all sets have."
    "sinterstore", -3, [Write, DenyOom], [Change: FIRST, Read: FROM_SECOND], Set, "1.0.0", Works(sets::sinterstore);
        "Stores the members that all sets have."
    "sismember", 3, [ReadOnly, Fast], [Ask: FIRST], Set, "1.0.0", Works(sets::sismember);
        "Tells whether a set has a member."
    "smembers", 2, [ReadOnly], [Read: FIRST], Set, "1.0.0", Works(sets::smembers);
        "Returns all members."
    "smismember", -3, [ReadOnly, Fast], [Read: FIRST], Set, "6.2.0", Works(sets::smismember);
        "Tells for several members whether a set has them."
    "smove", 4, [Write, Fast], [Take: FIRST, Add: SECOND], Set, "1.0.0", Works(sets::smove);
        "Moves a member from one set to another."
    "spop", -2, [Write, Fast], [Take: FIRST], Set, "1.0.0", Works(sets::spop);
        "Removes and returns members chosen by chance."
    "srandmember", -2, [ReadOnly], [Read: FIRST], Set, "1.0.0", Works(sets::srandmember);
        "Returns members chosen by chance."
    "srem", -3, [Write, Fast], [Remove: FIRST], Set, "1.0.0", Works(sets::srem);
        "Removes members."
    "sscan", -3, [ReadOnly], [Read: FIRST], Set, "2.8.0", Works(sets::sscan);
        "Walks over the members, some at a time."
    "sunion", -2, [ReadOnly], [Read: ALL], Set, "1.0.0", Works(sets::sunion);
        "Returns the members that any set has."
    "sunionstore", -3, [Write, DenyOom], [Overwrite: FIRST, Read: FROM_SECOND], Set, "1.0.0", Works(sets::sunionstore);
        "Stores the members that any set has."
};
