//! Commands on sets.

use crate::commands::sets;
use crate::commands::table::Flag::{DenyOom, Fast, MovableKeys, ReadOnly, Write};
use crate::commands::table::Handler::Keys as Works;
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "sadd", -3, [Write, DenyOom, Fast], [Add: FIRST], Set, "1.0.0", Works(sets::sadd);
        "Adds members.", "O(n) for n members",
        "key member...";
        since "2.4.0" "Several members."
    "scard", 2, [ReadOnly, Fast], [Ask: FIRST], Set, "1.0.0", Works(sets::scard);
        "Counts the members.", "O(1)",
        "key"
    "sdiff", -2, [ReadOnly], [Read: ALL], Set, "1.0.0", Works(sets::sdiff);
        "Returns the members of the first set that no other has.",
        "O(n) for n members of all sets; less if the first set is small beside the others",
        "key..."
    "sdiffstore", -3, [Write, DenyOom], [Overwrite: FIRST, Read: FROM_SECOND], Set, "1.0.0", Works(sets::sdiffstore);
        "Stores the members of the first set that no other has.",
        "O(n) for n members of all sets; less if the first set is small beside the others",
        "destination:key key..."
    "sinter", -2, [ReadOnly], [Read: ALL], Set, "1.0.0", Works(sets::sinter);
        "Returns the members that all sets have.", "O(n * k) for n members of the smallest of k sets",
        "key..."
    "sintercard", -3, [ReadOnly, MovableKeys], [Read: (counted(1))], Set, "7.0.0", Works(sets::sintercard);
        "Counts the members that all sets have.", "O(n * k) for n members of the smallest of k sets",
        "numkeys:integer key... [LIMIT limit:integer]"
    "sinterstore", -3, [Write, DenyOom], [Change: FIRST, Read: FROM_SECOND], Set, "1.0.0", Works(sets::sinterstore);
        "Stores the members that all sets have.", "O(n * k) for n members of the smallest of k sets",
        "destination:key key..."
    "sismember", 3, [ReadOnly, Fast], [Ask: FIRST], Set, "1.0.0", Works(sets::sismember);
        "Tells whether a set has a member.", "O(1)",
        "key member"
    "smembers", 2, [ReadOnly], [Read: FIRST], Set, "1.0.0", Works(sets::smembers);
        "Returns all members.", "O(n) for n members",
        "key"
    "smismember", -3, [ReadOnly, Fast], [Read: FIRST], Set, "6.2.0", Works(sets::smismember);
        "Tells for several members whether a set has them.", "O(n) for n members",
        "key member..."
    "smove", 4, [Write, Fast], [Take: FIRST, Add: SECOND], Set, "1.0.0", Works(sets::smove);
        "Moves a member from one set to another.", "O(1)",
        "source:key destination:key member"
    "spop", -2, [Write, Fast], [Take: FIRST], Set, "1.0.0", Works(sets::spop);
        "Removes and returns members chosen by chance.", "O(n) for n members",
        "key [count:integer]@3.2.0";
        since "3.2.0" "The option count."
    "srandmember", -2, [ReadOnly], [Read: FIRST], Set, "1.0.0", Works(sets::srandmember);
        "Returns members chosen by chance.", "O(n) for n members",
        "key [count:integer]@2.6.0";
        since "2.6.0" "The option count."
    "srem", -3, [Write, Fast], [Remove: FIRST], Set, "1.0.0", Works(sets::srem);
        "Removes members.", "O(n) for n members",
        "key member...";
        since "2.4.0" "Several members."
    "sscan", -3, [ReadOnly], [Read: FIRST], Set, "2.8.0", Works(sets::sscan);
        "Walks over the members, some at a time.",
        "O(m) for m elements that are looked at; O(n) for a walk over all n",
        "key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]"
    "sunion", -2, [ReadOnly], [Read: ALL], Set, "1.0.0", Works(sets::sunion);
        "Returns the members that any set has.", "O(n) for n members of all sets",
        "key..."
    "sunionstore", -3, [Write, DenyOom], [Overwrite: FIRST, Read: FROM_SECOND], Set, "1.0.0", Works(sets::sunionstore);
        "Stores the members that any set has.", "O(n) for n members of all sets",
        "destination:key key..."
};
