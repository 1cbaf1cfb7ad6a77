//! Commands on hashes.

use crate::commands::hashes;
use crate::commands::table::Flag::{DenyOom, Fast, ReadOnly, Write};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "hdel", -3, [Write, Fast], [Remove: FIRST], Hash, "2.0.0", Keys(hashes::hdel);
        "Removes fields.", "O(n) for n fields",
        "key field...";
        since "2.4.0" "Several fields."
    "hexists", 3, [ReadOnly, Fast], [Ask: FIRST], Hash, "2.0.0", Keys(hashes::hexists);
        "Tells whether a field exists.", "O(1)",
        "key field"
    "hget", 3, [ReadOnly, Fast], [Read: FIRST], Hash, "2.0.0", Keys(hashes::hget);
        "Returns the value of a field.", "O(1)",
        "key field"
    "hgetall", 2, [ReadOnly], [Read: FIRST], Hash, "2.0.0", Keys(hashes::hgetall);
        "Returns all fields and their values.", "O(n) for n fields",
        "key"
    "hincrby", 4, [Write, DenyOom, Fast], [ReadAndChange: FIRST], Hash, "2.0.0", Keys(hashes::hincrby);
        "Adds an integer to the value of a field.", "O(1)",
        "key field increment:integer"
    "hincrbyfloat", 4, [Write, DenyOom, Fast], [ReadAndChange: FIRST], Hash, "2.6.0", Keys(hashes::hincrbyfloat);
        "Adds a decimal number to the value of a field.", "O(1)",
        "key field increment:double"
    "hkeys", 2, [ReadOnly], [Read: FIRST], Hash, "2.0.0", Keys(hashes::hkeys);
        "Returns all fields.", "O(n) for n fields",
        "key"
    "hlen", 2, [ReadOnly, Fast], [Ask: FIRST], Hash, "2.0.0", Keys(hashes::hlen);
        "Counts the fields.", "O(1)",
        "key"
    "hmget", -3, [ReadOnly, Fast], [Read: FIRST], Hash, "2.0.0", Keys(hashes::hmget);
        "Returns the values of several fields.", "O(n) for n fields",
        "key field..."
    "hmset", -4, [Write, DenyOom, Fast], [Change: FIRST], Hash, "2.0.0", Keys(hashes::hmset);
        "Gives fields values.", "O(n) for n fields",
        "key (field_value: field value)...";
        replaced "4.0.0" "`HSET` with multiple field-value pairs"
    "hrandfield", -2, [ReadOnly], [Read: FIRST], Hash, "6.2.0", Keys(hashes::hrandfield);
        "Returns fields chosen by chance.", "O(n) for n fields",
        "key [options: count:integer [WITHVALUES]]"
    "hscan", -3, [ReadOnly], [Read: FIRST], Hash, "2.8.0", Keys(hashes::hscan);
        "Walks over the fields, some at a time.",
        "O(m) for m elements that are looked at; O(n) for a walk over all n",
        "key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]"
    "hset", -4, [Write, DenyOom, Fast], [Change: FIRST], Hash, "2.0.0", Keys(hashes::hset);
        "Gives fields values, and counts the new ones.", "O(n) for n fields",
        "key (field_value: field value)...";
        since "4.0.0" "Several fields."
    "hsetnx", 4, [Write, DenyOom, Fast], [Add: FIRST], Hash, "2.0.0", Keys(hashes::hsetnx);
        "Gives a field a value unless it has one.", "O(1)",
        "key field value"
    "hstrlen", 3, [ReadOnly, Fast], [Ask: FIRST], Hash, "3.2.0", Keys(hashes::hstrlen);
        "Returns the length of the value of a field.", "O(1)",
        "key field"
    "hvals", 2, [ReadOnly], [Read: FIRST], Hash, "2.0.0", Keys(hashes::hvals);
        "Returns all values.", "O(n) for n fields",
        "key"
};
