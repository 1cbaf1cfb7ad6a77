//! Commands on lists.

use crate::commands::lists::{elements, pops};
use crate::commands::table::Flag::{
    Blocking, DenyOom, Fast, MovableKeys, NoScript, ReadOnly, Write,
};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "blmove", 6, [Write, DenyOom, NoScript, Blocking], [Take: FIRST, Add: SECOND], List, "6.2.0", Keys(pops::blmove);
        "Moves an element from an end of a list to an end of another, and waits until there is one.", "O(1)",
        "source:key destination:key (wherefrom: LEFT | RIGHT) (whereto: LEFT | RIGHT) timeout:double"
    "blmpop", -5, [Write, Blocking, MovableKeys], [Take: (counted(2))], List, "7.0.0", Keys(pops::blmpop);
        "Pops elements from the first list that is not empty, and waits until there is one.",
        "O(n) for n keys and the elements that are popped",
        "timeout:double numkeys:integer key... (where: LEFT | RIGHT) [COUNT count:integer]"
    "blpop", -3, [Write, NoScript, Blocking], [Take: ALL_BUT_LAST], List, "2.0.0", Keys(pops::blpop);
        "Pops the first element of the first list that is not empty, and waits until there is one.",
        "O(n) for n keys",
        "key... timeout:double";
        since "6.0.0" "The timeout may have decimals."
    "brpop", -3, [Write, NoScript, Blocking], [Take: ALL_BUT_LAST], List, "2.0.0", Keys(pops::brpop);
        "Pops the last element of the first list that is not empty, and waits until there is one.",
        "O(n) for n keys",
        "key... timeout:double";
        since "6.0.0" "The timeout may have decimals."
    "brpoplpush", 4, [Write, DenyOom, NoScript, Blocking], [Take: FIRST, Add: SECOND], List, "2.2.0", Keys(pops::brpoplpush);
        "Moves the last element of a list to the start of another, and waits until there is one.", "O(1)",
        "source:key destination:key timeout:double";
        since "6.0.0" "The timeout may have decimals.";
        replaced "6.2.0" "`BLMOVE` with the `RIGHT` and `LEFT` arguments"
    "lindex", 3, [ReadOnly], [Read: FIRST], List, "1.0.0", Keys(elements::lindex);
        "Returns the element with a number.",
        "O(1); O(log n) for n elements where the list was changed in the middle",
        "key index:integer"
    "linsert", 5, [Write, DenyOom], [Add: FIRST], List, "2.2.0", Keys(elements::linsert);
        "Puts an element before another or after it.", "O(n) for n elements up to the pivot",
        "key (where: BEFORE | AFTER) pivot element"
    "llen", 2, [ReadOnly, Fast], [Ask: FIRST], List, "1.0.0", Keys(elements::llen);
        "Counts the elements.", "O(1)",
        "key"
    "lmove", 5, [Write, DenyOom], [Take: FIRST, Add: SECOND], List, "6.2.0", Keys(pops::lmove);
        "Moves an element from an end of a list to an end of another.", "O(1)",
        "source:key destination:key (wherefrom: LEFT | RIGHT) (whereto: LEFT | RIGHT)"
    "lmpop", -4, [Write, MovableKeys], [Take: (counted(1))], List, "7.0.0", Keys(pops::lmpop);
        "Pops elements from the first list that is not empty.", "O(n) for n keys and the elements that are popped",
        "numkeys:integer key... (where: LEFT | RIGHT) [COUNT count:integer]"
    "lpop", -2, [Write, Fast], [Take: FIRST], List, "1.0.0", Keys(pops::lpop);
        "Removes and returns the first elements.", "O(n) for n elements that are popped",
        "key [count:integer]@6.2.0";
        since "6.2.0" "The option count."
    "lpos", -3, [ReadOnly], [Read: FIRST], List, "6.0.6", Keys(elements::lpos);
        "Returns the numbers of the elements that equal one.", "O(n) for n elements that are looked at",
        "key element [RANK rank:integer] [COUNT num-matches:integer] [MAXLEN len:integer]"
    "lpush", -3, [Write, DenyOom, Fast], [Add: FIRST], List, "1.0.0", Keys(elements::lpush);
        "Adds elements at the start.", "O(n) for n elements that are added",
        "key element...";
        since "2.4.0" "Several elements."
    "lpushx", -3, [Write, DenyOom, Fast], [Add: FIRST], List, "2.2.0", Keys(elements::lpushx);
        "Adds elements at the start of a list that exists.", "O(n) for n elements that are added",
        "key element...";
        since "4.0.0" "Several elements."
    "lrange", 4, [ReadOnly], [Read: FIRST], List, "1.0.0", Keys(elements::lrange);
        "Returns the elements between two numbers.",
        "O(m) for m elements that are returned; O(log n + m) where the list of n was changed in the middle",
        "key start:integer stop:integer"
    "lrem", 4, [Write], [Remove: FIRST], List, "1.0.0", Keys(elements::lrem);
        "Removes elements that equal one.", "O(n) for n elements that are looked at",
        "key count:integer element"
    "lset", 4, [Write, DenyOom], [Change: FIRST], List, "1.0.0", Keys(elements::lset);
        "Puts another element in the place of one.",
        "O(1); O(log n) for n elements where the list was changed in the middle",
        "key index:integer element"
    "ltrim", 4, [Write], [Remove: FIRST], List, "1.0.0", Keys(elements::ltrim);
        "Keeps only the elements between two numbers.",
        "O(n) for n elements that are removed; O(1) if none is kept",
        "key start:integer stop:integer"
    "rpop", -2, [Write, Fast], [Take: FIRST], List, "1.0.0", Keys(pops::rpop);
        "Removes and returns the last elements.", "O(n) for n elements that are popped",
        "key [count:integer]@6.2.0";
        since "6.2.0" "The option count."
    "rpoplpush", 3, [Write, DenyOom], [Take: FIRST, Add: SECOND], List, "1.2.0", Keys(pops::rpoplpush);
        "Moves the last element of a list to the start of another.", "O(1)",
        "source:key destination:key";
        replaced "6.2.0" "`LMOVE` with the `RIGHT` and `LEFT` arguments"
    "rpush", -3, [Write, DenyOom, Fast], [Add: FIRST], List, "1.0.0", Keys(elements::rpush);
        "Adds elements at the end.", "O(n) for n elements that are added",
        "key element...";
        since "2.4.0" "Several elements."
    "rpushx", -3, [Write, DenyOom, Fast], [Add: FIRST], List, "2.2.0", Keys(elements::rpushx);
        "Adds elements at the end of a list that exists.", "O(n) for n elements that are added",
        "key element...";
        since "4.0.0" "Several elements."
};
