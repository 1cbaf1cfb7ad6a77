//! Commands on strings.

use crate::commands::strings::{counters, lcs, parts, whole};
use crate::commands::table::Flag::{DenyOom, Fast, ReadOnly, Write};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "append", 3, [Write, DenyOom, Fast], [Add: FIRST], String, "2.0.0", Keys(parts::append);
        "Adds to the end of a string.", "O(1) for each KiB that is added; O(n) for the first change of a part of a string of n bytes",
        "key value"
    "decr", 2, [Write, DenyOom, Fast], [ReadAndChange: FIRST], String, "1.0.0", Keys(counters::decr);
        "Takes 1 from an integer.", "O(1)",
        "key"
    "decrby", 3, [Write, DenyOom, Fast], [ReadAndChange: FIRST], String, "1.0.0", Keys(counters::decrby);
        "Takes from an integer.", "O(1)",
        "key decrement:integer"
    "get", 2, [ReadOnly, Fast], [Read: FIRST], String, "1.0.0", Keys(whole::get);
        "Returns the string under a key.", "O(1)",
        "key"
    "getdel", 2, [Write, Fast], [Take: FIRST], String, "6.2.0", Keys(whole::getdel);
        "Returns a string and removes its key.", "O(1)",
        "key"
    "getex", -2, [Write, Fast], [ReadAndChange: FIRST], String, "6.2.0", Keys(whole::getex);
        "Returns a string and changes when its key expires.", "O(1)",
        "key
            [expiration: EX seconds:integer | PX milliseconds:integer | EXAT unix-time-seconds:unix-time |
                PXAT unix-time-milliseconds:unix-time | PERSIST]"
    "getrange", 4, [ReadOnly], [Read: FIRST], String, "2.4.0", Keys(parts::getrange);
        "Returns a part of a string.", "O(n) for n bytes that are returned",
        "key start:integer end:integer"
    "getset", 3, [Write, DenyOom, Fast], [ReadAndChange: FIRST], String, "1.0.0", Keys(whole::getset);
        "Stores a string and returns the old one.", "O(1)",
        "key value";
        replaced "6.2.0" "`SET` with the `GET` argument"
    "incr", 2, [Write, DenyOom, Fast], [ReadAndChange: FIRST], String, "1.0.0", Keys(counters::incr);
        "Adds 1 to an integer.", "O(1)",
        "key"
    "incrby", 3, [Write, DenyOom, Fast], [ReadAndChange: FIRST], String, "1.0.0", Keys(counters::incrby);
        "Adds to an integer.", "O(1)",
        "key increment:integer"
    "incrbyfloat", 3, [Write, DenyOom, Fast], [ReadAndChange: FIRST], String, "2.6.0", Keys(counters::incrbyfloat);
        "Adds to a decimal number.", "O(1)",
        "key increment:double"
    "lcs", -3, [ReadOnly], [Read: FIRST_TWO], String, "7.0.0", Keys(lcs::lcs);
        "Finds the longest common text of two strings, with gaps.", "O(n * m) for strings of n and m bytes",
        "key1:key key2:key [LEN] [IDX] [MINMATCHLEN len:integer] [WITHMATCHLEN]"
    "mget", -2, [ReadOnly, Fast], [Read: ALL], String, "1.0.0", Keys(whole::mget);
        "Returns the strings under several keys.", "O(n) for n keys",
        "key..."
    "mset", -3, [Write, DenyOom], [Overwrite: PAIRS], String, "1.0.1", Keys(whole::mset);
        "Stores several strings.", "O(n) for n keys",
        "(key_value: key value)..."
    "msetnx", -3, [Write, DenyOom], [Create: PAIRS], String, "1.0.1", Keys(whole::msetnx);
        "Stores several strings if none of their keys exists.", "O(n) for n keys",
        "(key_value: key value)..."
    "psetex", 4, [Write, DenyOom], [Overwrite: FIRST], String, "2.6.0", Keys(whole::psetex);
        "Stores a string for some milliseconds.", "O(1)",
        "key milliseconds:integer value"
    "set", -3, [Write, DenyOom], [MayChange: FIRST], String, "1.0.0", Keys(whole::set);
        "Stores a string, with conditions and an expiry if wanted.", "O(1)",
        "key value [condition: NX | XX]@2.6.12 [GET]@6.2.0
            [expiration: EX seconds:integer@2.6.12 | PX milliseconds:integer@2.6.12 |
                EXAT unix-time-seconds:unix-time@6.2.0 | PXAT unix-time-milliseconds:unix-time@6.2.0 |
                KEEPTTL@6.0.0]";
        since "2.6.12" "The options EX, PX, NX and XX.";
        since "6.0.0" "The option KEEPTTL.";
        since "6.2.0" "The options GET, EXAT and PXAT.";
        since "7.0.0" "NX together with GET."
    "setex", 4, [Write, DenyOom], [Overwrite: FIRST], String, "2.0.0", Keys(whole::setex);
        "Stores a string for some seconds.", "O(1)",
        "key seconds:integer value"
    "setnx", 3, [Write, DenyOom, Fast], [Create: FIRST], String, "1.0.0", Keys(whole::setnx);
        "Stores a string if its key does not exist.", "O(1)",
        "key value"
    "setrange", 4, [Write, DenyOom], [Change: FIRST], String, "2.2.0", Keys(parts::setrange);
        "Writes over a part of a string.", "O(1) for each KiB that is written; O(n) for the first change of a part of a string of n bytes",
        "key offset:integer value"
    "strlen", 2, [ReadOnly, Fast], [Ask: FIRST], String, "2.2.0", Keys(parts::strlen);
        "Returns the length of a string.", "O(1)",
        "key"
    "substr", 4, [ReadOnly], [Read: FIRST], String, "1.0.0", Keys(parts::getrange);
        "Returns a part of a string. The old name of GETRANGE.", "O(n) for n bytes that are returned",
        "key start:integer end:integer";
        replaced "2.0.0" "`GETRANGE`"
};
