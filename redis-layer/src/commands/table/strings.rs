//! Commands on strings.

use crate::commands::table::Flag::{DenyOom, Fast, ReadOnly, Write};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, Spec, table};
use crate::commands::{counters, lcs, string_parts, strings};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "append", 3, [Write, DenyOom, Fast], [Add: FIRST], String, "2.0.0", Keys(string_parts::append);
        "Adds to the end of a string."
    "decr", 2, [Write, DenyOom, Fast], [ReadAndChange: FIRST], String, "1.0.0", Keys(counters::decr);
        "Takes 1 from an integer."
    "decrby", 3, [Write, DenyOom, Fast], [ReadAndChange: FIRST], String, "1.0.0", Keys(counters::decrby);
        "Takes from an integer."
    "get", 2, [ReadOnly, Fast], [Read: FIRST], String, "1.0.0", Keys(strings::get);
        "Returns the string under a key."
    "getdel", 2, [Write, Fast], [Take: FIRST], String, "6.2.0", Keys(strings::getdel);
        "Returns a string and removes its key."
    "getex", -2, [Write, Fast], [ReadAndChange: FIRST], String, "6.2.0", Keys(strings::getex);
        "Returns a string and changes when its key expires."
    "getrange", 4, [ReadOnly], [Read: FIRST], String, "2.4.0", Keys(string_parts::getrange);
        "Returns a part of a string."
    "getset", 3, [Write, DenyOom, Fast], [ReadAndChange: FIRST], String, "1.0.0", Keys(strings::getset);
        "Stores a string and returns the old one."
    "incr", 2, [Write, DenyOom, Fast], [ReadAndChange: FIRST], String, "1.0.0", Keys(counters::incr);
        "Adds 1 to an integer."
    "incrby", 3, [Write, DenyOom, Fast], [ReadAndChange: FIRST], String, "1.0.0", Keys(counters::incrby);
        "Adds to an integer."
    "incrbyfloat", 3, [Write, DenyOom, Fast], [ReadAndChange: FIRST], String, "2.6.0", Keys(counters::incrbyfloat);
        "Adds to a decimal number."
    "lcs", -3, [ReadOnly], [Read: FIRST_TWO], String, "7.0.0", Keys(lcs::lcs);
        "Finds the longest common text of two strings, with gaps."
    "mget", -2, [ReadOnly, Fast], [Read: ALL], String, "1.0.0", Keys(strings::mget);
        "Returns the strings under several keys."
    "mset", -3, [Write, DenyOom], [Overwrite: PAIRS], String, "1.0.1", Keys(strings::mset);
        "Stores several strings."
    "msetnx", -3, [Write, DenyOom], [Create: PAIRS], String, "1.0.1", Keys(strings::msetnx);
        "Stores several strings if none of their keys exists."
    "psetex", 4, [Write, DenyOom], [Overwrite: FIRST], String, "2.6.0", Keys(strings::psetex);
        "Stores a string for some milliseconds."
    "set", -3, [Write, DenyOom], [MayChange: FIRST], String, "1.0.0", Keys(strings::set);
        "Stores a string, with conditions and an expiry if wanted."
    "setex", 4, [Write, DenyOom], [Overwrite: FIRST], String, "2.0.0", Keys(strings::setex);
        "Stores a string for some seconds."
    "setnx", 3, [Write, DenyOom, Fast], [Create: FIRST], String, "1.0.0", Keys(strings::setnx);
        "Stores a string if its key does not exist."
    "setrange", 4, [Write, DenyOom], [Change: FIRST], String, "2.2.0", Keys(string_parts::setrange);
        "Writes over a part of a string."
    "strlen", 2, [ReadOnly, Fast], [Ask: FIRST], String, "2.2.0", Keys(string_parts::strlen);
        "Returns the length of a string."
    "substr", 4, [ReadOnly], [Read: FIRST], String, "1.0.0", Keys(string_parts::getrange);
        "Returns a part of a string. The old name of GETRANGE."
};
