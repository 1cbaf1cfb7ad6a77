//! Commands on sorted sets.

use crate::commands::sorted_sets::{algebra, range, read, remove, write};
use crate::commands::table::Flag::{
    Blocking, DenyOom, Fast, MovableKeys, NoScript, ReadOnly, Write,
};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "bzmpop", -5, [Write, Blocking, MovableKeys], [Take: (counted(2))], SortedSet, "7.0.0",
        Keys(remove::bzmpop);
        "Like ZMPOP, and waits if no set has a member.",
        "O(k) for k keys, and O(log n) for each member of n that is popped",
        "timeout:double numkeys:integer key... (where: MIN | MAX) [COUNT count:integer]"
    "bzpopmax", -3, [Write, NoScript, Blocking, Fast], [Take: ALL_BUT_LAST], SortedSet, "5.0.0",
        Keys(remove::bzpopmax);
        "Like ZPOPMAX on the first set that has a member, and waits if none has.", "O(n) for n keys",
        "key... timeout:double";
        since "6.0.0" "The timeout may have decimals."
    "bzpopmin", -3, [Write, NoScript, Blocking, Fast], [Take: ALL_BUT_LAST], SortedSet, "5.0.0",
        Keys(remove::bzpopmin);
        "Like ZPOPMIN on the first set that has a member, and waits if none has.", "O(n) for n keys",
        "key... timeout:double";
        since "6.0.0" "The timeout may have decimals."
    "zadd", -4, [Write, DenyOom, Fast], [Change: FIRST], SortedSet, "1.2.0", Keys(write::zadd);
        "Adds members, or gives members new scores.",
        "O(log n) for each member that is added or moved, in a set of n",
        "key [condition: NX | XX]@3.0.2 [comparison: GT | LT]@6.2.0 [change=CH]@3.0.2 [increment=INCR]@3.0.2
            (score_member: score:double member)...";
        since "2.4.0" "Several members.";
        since "3.0.2" "The options XX, NX, CH and INCR.";
        since "6.2.0" "The options GT and LT."
    "zcard", 2, [ReadOnly, Fast], [Ask: FIRST], SortedSet, "1.2.0", Keys(read::zcard);
        "Counts the members.", "O(1)",
        "key"
    "zcount", 4, [ReadOnly, Fast], [Read: FIRST], SortedSet, "2.0.0", Keys(read::zcount);
        "Counts the members in a range of scores.", "O(log n) for n members",
        "key min:double max:double"
    "zdiff", -3, [ReadOnly, MovableKeys], [Read: (counted(1))], SortedSet, "6.2.0",
        Keys(algebra::zdiff);
        "Returns the members in the first of several sets and in no other.",
        "O(n) for n members of all sets, and O(m log m) for m members of the result",
        "numkeys:integer key... [WITHSCORES]"
    "zdiffstore", -4, [Write, DenyOom, MovableKeys], [Overwrite: FIRST, Read: (counted(2))], SortedSet, "6.2.0",
        Keys(algebra::zdiffstore);
        "Stores the members in the first of several sets and in no other.",
        "O(n) for n members of all sets, and O(m log m) for m members of the result",
        "destination:key numkeys:integer key..."
    "zincrby", 4, [Write, DenyOom, Fast], [ReadAndChange: FIRST], SortedSet, "1.2.0", Keys(write::zincrby);
        "Adds to the score of a member.", "O(log n) for n members",
        "key increment:integer member"
    "zinter", -3, [ReadOnly, MovableKeys], [Read: (counted(1))], SortedSet, "6.2.0",
        Keys(algebra::zinter);
        "Returns the members in all of several sets.",
        "O(n * k) for n members of the smallest of k sets, and O(m log m) for m members of the result",
        "numkeys:integer key... [WEIGHTS weight:integer...] [AGGREGATE aggregate: SUM | MIN | MAX] [WITHSCORES]"
    "zintercard", -3, [ReadOnly, MovableKeys], [Read: (counted(1))], SortedSet, "7.0.0",
        Keys(algebra::zintercard);
        "Counts the members in all of several sets.", "O(n * k) for n members of the smallest of k sets",
        "numkeys:integer key... [LIMIT limit:integer]"
    "zinterstore", -4, [Write, DenyOom, MovableKeys], [Overwrite: FIRST, Read: (counted(2))], SortedSet, "2.0.0",
        Keys(algebra::zinterstore);
        "Stores the members in all of several sets.",
        "O(n * k) for n members of the smallest of k sets, and O(m log m) for m members of the result",
        "destination:key numkeys:integer key... [WEIGHTS weight:integer...] [AGGREGATE aggregate: SUM | MIN | MAX]"
    "zlexcount", 4, [ReadOnly, Fast], [Read: FIRST], SortedSet, "2.8.9", Keys(read::zlexcount);
        "Counts the members in a range of members.",
        "O(log n) for n members of one score; O(m) for the m in the range if scores differ",
        "key min max"
    "zmpop", -4, [Write, MovableKeys], [Take: (counted(1))], SortedSet, "7.0.0",
        Keys(remove::zmpop);
        "Removes and returns members from an end of the first set that has any.",
        "O(k) for k keys, and O(log n) for each member of n that is popped",
        "numkeys:integer key... (where: MIN | MAX) [COUNT count:integer]"
    "zmscore", -3, [ReadOnly, Fast], [Read: FIRST], SortedSet, "6.2.0", Keys(read::zmscore);
        "Returns the scores of several members.", "O(n) for n members",
        "key member..."
    "zpopmax", -2, [Write, Fast], [Take: FIRST], SortedSet, "5.0.0", Keys(remove::zpopmax);
        "Removes and returns the members with the greatest scores.", "O(log n) for each member of n that is popped",
        "key [count:integer]"
    "zpopmin", -2, [Write, Fast], [Take: FIRST], SortedSet, "5.0.0", Keys(remove::zpopmin);
        "Removes and returns the members with the least scores.", "O(log n) for each member of n that is popped",
        "key [count:integer]"
    "zrandmember", -2, [ReadOnly], [Read: FIRST], SortedSet, "6.2.0", Keys(read::zrandmember);
        "Returns members by chance.", "O(log n) for each member of n that is returned",
        "key [options: count:integer [WITHSCORES]]"
    "zrange", -4, [ReadOnly], [Read: FIRST], SortedSet, "1.2.0", Keys(range::zrange);
        "Returns a range by rank, by score or by member.", "O(log n + m) for m members of n that are returned",
        "key start stop [sortby: BYSCORE | BYLEX]@6.2.0 [REV]@6.2.0
            [LIMIT offset_count: offset:integer count:integer]@6.2.0 [WITHSCORES]";
        since "6.2.0" "The options REV, BYSCORE, BYLEX and LIMIT."
    "zrangebylex", -4, [ReadOnly], [Read: FIRST], SortedSet, "2.8.9", Keys(range::zrangebylex);
        "Returns a range of members.", "O(log n + m) for m members of n that are returned",
        "key min max [LIMIT offset_count: offset:integer count:integer]";
        replaced "6.2.0" "`ZRANGE` with the `BYLEX` argument"
    "zrangebyscore", -4, [ReadOnly], [Read: FIRST], SortedSet, "1.0.5", Keys(range::zrangebyscore);
        "Returns a range of scores.", "O(log n + m) for m members of n that are returned",
        "key min:double max:double [WITHSCORES]@2.0.0 [LIMIT offset_count: offset:integer count:integer]";
        since "2.0.0" "The option WITHSCORES.";
        replaced "6.2.0" "`ZRANGE` with the `BYSCORE` argument"
    "zrangestore", -5, [Write, DenyOom], [Overwrite: FIRST, Read: SECOND], SortedSet, "6.2.0",
        Keys(range::zrangestore);
        "Stores a range by rank, by score or by member.", "O(log n + m) for m members of n that are stored",
        "dst:key src:key min max [sortby: BYSCORE | BYLEX] [REV] [LIMIT offset_count: offset:integer count:integer]"
    "zrank", 3, [ReadOnly, Fast], [Read: FIRST], SortedSet, "2.0.0", Keys(read::zrank);
        "Returns how many members come before one.", "O(log n) for n members",
        "key member"
    "zrem", -3, [Write, Fast], [Remove: FIRST], SortedSet, "1.2.0", Keys(remove::zrem);
        "Removes members.", "O(log n) for each member of n that is removed",
        "key member...";
        since "2.4.0" "Several members."
    "zremrangebylex", 4, [Write], [Remove: FIRST], SortedSet, "2.8.9",
        Keys(remove::zremrangebylex);
        "Removes a range of members.", "O(log n) for each member of n that is removed",
        "key min max"
    "zremrangebyrank", 4, [Write], [Remove: FIRST], SortedSet, "2.0.0",
        Keys(remove::zremrangebyrank);
        "Removes a range by rank.", "O(log n) for each member of n that is removed",
        "key start:integer stop:integer"
    "zremrangebyscore", 4, [Write], [Remove: FIRST], SortedSet, "1.2.0",
        Keys(remove::zremrangebyscore);
        "Removes a range of scores.", "O(log n) for each member of n that is removed",
        "key min:double max:double"
    "zrevrange", -4, [ReadOnly], [Read: FIRST], SortedSet, "1.2.0", Keys(range::zrevrange);
        "Returns a range by rank, greatest scores first.", "O(log n + m) for m members of n that are returned",
        "key start:integer stop:integer [WITHSCORES]";
        replaced "6.2.0" "`ZRANGE` with the `REV` argument"
    "zrevrangebylex", -4, [ReadOnly], [Read: FIRST], SortedSet, "2.8.9", Keys(range::zrevrangebylex);
        "Returns a range of members, greatest first.", "O(log n + m) for m members of n that are returned",
        "key max min [LIMIT offset_count: offset:integer count:integer]";
        replaced "6.2.0" "`ZRANGE` with the `REV` and `BYLEX` arguments"
    "zrevrangebyscore", -4, [ReadOnly], [Read: FIRST], SortedSet, "2.2.0", Keys(range::zrevrangebyscore);
        "Returns a range of scores, greatest first.", "O(log n + m) for m members of n that are returned",
        "key max:double min:double [WITHSCORES] [LIMIT offset_count: offset:integer count:integer]";
        since "2.1.6" "Bounds that are left out.";
        replaced "6.2.0" "`ZRANGE` with the `REV` and `BYSCORE` arguments"
    "zrevrank", 3, [ReadOnly, Fast], [Read: FIRST], SortedSet, "2.0.0", Keys(read::zrevrank);
        "Returns how many members come after one.", "O(log n) for n members",
        "key member"
    "zscan", -3, [ReadOnly], [Read: FIRST], SortedSet, "2.8.0", Keys(read::zscan);
        "Walks over the members, some at a time.",
        "O(m) for m elements that are looked at; O(n) for a walk over all n",
        "key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]"
    "zscore", 3, [ReadOnly, Fast], [Read: FIRST], SortedSet, "1.2.0", Keys(read::zscore);
        "Returns the score of a member.", "O(1)",
        "key member"
    "zunion", -3, [ReadOnly, MovableKeys], [Read: (counted(1))], SortedSet, "6.2.0",
        Keys(algebra::zunion);
        "Returns the members in any of several sets.",
        "O(n) for n members of all sets, and O(m log m) for m members of the result",
        "numkeys:integer key... [WEIGHTS weight:integer...] [AGGREGATE aggregate: SUM | MIN | MAX] [WITHSCORES]"
    "zunionstore", -4, [Write, DenyOom, MovableKeys], [Overwrite: FIRST, Read: (counted(2))], SortedSet, "2.0.0",
        Keys(algebra::zunionstore);
        "Stores the members in any of several sets.",
        "O(n) for n members of all sets, and O(m log m) for m members of the result",
        "destination:key numkeys:integer key... [WEIGHTS weight:integer...] [AGGREGATE aggregate: SUM | MIN | MAX]"
};
