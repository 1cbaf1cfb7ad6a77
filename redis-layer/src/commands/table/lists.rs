//! Commands on lists.

use crate::commands::table::Flag::{
    Blocking, DenyOom, Fast, MovableKeys, NoScript, ReadOnly, Write,
};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, Spec, table};
use crate::commands::{list_pops, lists};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "blmove", 6, [Write, DenyOom, NoScript, Blocking], [Take: FIRST, Add: SECOND], List, "6.2.0", Keys(list_pops::blmove);
        "Moves an element from an end of a list to an end of another, and waits until there is one."
    "blmpop", -5, [Write, Blocking, MovableKeys], [Take: (counted(2))], List, "7.0.0", Keys(list_pops::blmpop);
        "Pops elements from the first list that is not empty, and waits until there is one."
    "blpop", -3, [Write, NoScript, Blocking], [Take: ALL_BUT_LAST], List, "2.0.0", Keys(list_pops::blpop);
        "Pops the first element of the first list that is not empty, and waits until there is one."
    "brpop", -3, [Write, NoScript, Blocking], [Take: ALL_BUT_LAST], List, "2.0.0", Keys(list_pops::brpop);
        "Pops the last element of the first list that is not empty, and waits until there is one."
    "brpoplpush", 4, [Write, DenyOom, NoScript, Blocking], [Take: FIRST, Add: SECOND], List, "2.2.0", Keys(list_pops::brpoplpush);
        "Moves the last element of a list to the start of another, and waits until there is one."
    "lindex", 3, [ReadOnly], [Read: FIRST], List, "1.0.0", Keys(lists::lindex);
        "Returns the element with a number."
    "linsert", 5, [Write, DenyOom], [Add: FIRST], List, "2.2.0", Keys(lists::linsert);
        "Puts an element in front of another or behind it."
    "llen", 2, [ReadOnly, Fast], [Ask: FIRST], List, "1.0.0", Keys(lists::llen);
        "Counts the elements."
    "lmove", 5, [Write, DenyOom], [Take: FIRST, Add: SECOND], List, "6.2.0", Keys(list_pops::lmove);
        "Moves an element from an end of a list to an end of another."
    "lmpop", -4, [Write, MovableKeys], [Take: (counted(1))], List, "7.0.0", Keys(list_pops::lmpop);
        "Pops elements from the first list that is not empty."
    "lpop", -2, [Write, Fast], [Take: FIRST], List, "1.0.0", Keys(list_pops::lpop);
        "Removes and returns the first elements."
    "lpos", -3, [ReadOnly], [Read: FIRST], List, "6.0.6", Keys(lists::lpos);
        "Returns the numbers of the elements that equal one."
    "lpush", -3, [Write, DenyOom, Fast], [Add: FIRST], List, "1.0.0", Keys(lists::lpush);
        "Adds elements at the start."
    "lpushx", -3, [Write, DenyOom, Fast], [Add: FIRST], List, "2.2.0", Keys(lists::lpushx);
        "Adds elements at the start of a list that exists."
    "lrange", 4, [ReadOnly], [Read: FIRST], List, "1.0.0", Keys(lists::lrange);
        "Returns the elements between two numbers."
    "lrem", 4, [Write], [Remove: FIRST], List, "1.0.0", Keys(lists::lrem);
        "Removes elements that equal one."
    "lset", 4, [Write, DenyOom], [Change: FIRST], List, "1.0.0", Keys(lists::lset);
        "Puts another element in the place of one."
    "ltrim", 4, [Write], [Remove: FIRST], List, "1.0.0", Keys(lists::ltrim);
        "Keeps only the elements between two numbers."
    "rpop", -2, [Write, Fast], [Take: FIRST], List, "1.0.0", Keys(list_pops::rpop);
        "Removes and returns the last elements."
    "rpoplpush", 3, [Write, DenyOom], [Take: FIRST, Add: SECOND], List, "1.2.0", Keys(list_pops::rpoplpush);
        "Moves the last element of a list to the start of another."
    "rpush", -3, [Write, DenyOom, Fast], [Add: FIRST], List, "1.0.0", Keys(lists::rpush);
        "Adds elements at the end."
    "rpushx", -3, [Write, DenyOom, Fast], [Add: FIRST], List, "2.2.0", Keys(lists::rpushx);
        "Adds elements at the end of a list that exists."
};
