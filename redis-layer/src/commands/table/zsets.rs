//! Commands on sorted sets.

use crate::commands::table::Flag::{
    Blocking, DenyOom, Fast, MovableKeys, NoScript, ReadOnly, Write,
};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, Spec, table};
use crate::commands::{zset_algebra, zset_range, zset_read, zset_remove, zset_write};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "bzmpop", -5, [Write, Blocking, MovableKeys], [Take: (counted(2))], SortedSet, "7.0.0",
        Keys(zset_remove::bzmpop);
        "Like ZMPOP, and waits if no set has a member."
    "bzpopmax", -3, [Write, NoScript, Blocking, Fast], [Take: ALL_BUT_LAST], SortedSet, "5.0.0",
        Keys(zset_remove::bzpopmax);
        "Like ZPOPMAX on the first set that has a member, and waits if none has."
    "bzpopmin", -3, [Write, NoScript, Blocking, Fast], [Take: ALL_BUT_LAST], SortedSet, "5.0.0",
        Keys(zset_remove::bzpopmin);
        "Like ZPOPMIN on the first set that has a member, and waits if none has."
    "zadd", -4, [Write, DenyOom, Fast], [Change: FIRST], SortedSet, "1.2.0", Keys(zset_write::zadd);
        "Adds members, or gives members new scores."
    "zcard", 2, [ReadOnly, Fast], [Ask: FIRST], SortedSet, "1.2.0", Keys(zset_read::zcard);
        "Counts the members."
    "zcount", 4, [ReadOnly, Fast], [Read: FIRST], SortedSet, "2.0.0", Keys(zset_read::zcount);
        "Counts the members in a range of scores."
    "zdiff", -3, [ReadOnly, MovableKeys], [Read: (counted(1))], SortedSet, "6.2.0",
        Keys(zset_algebra::zdiff);
        "Returns the members in the first of several sets and in no other."
    "zdiffstore", -4, [Write, DenyOom, MovableKeys], [Overwrite: FIRST, Read: (counted(2))], SortedSet, "6.2.0",
        Keys(zset_algebra::zdiffstore);
        "Stores the members in the first of several sets and in no other."
    "zincrby", 4, [Write, DenyOom, Fast], [ReadAndChange: FIRST], SortedSet, "1.2.0", Keys(zset_write::zincrby);
        "Adds to the score of a member."
    "zinter", -3, [ReadOnly, MovableKeys], [Read: (counted(1))], SortedSet, "6.2.0",
        Keys(zset_algebra::zinter);
        "Returns the members in all of several sets."
    "zintercard", -3, [ReadOnly, MovableKeys], [Read: (counted(1))], SortedSet, "7.0.0",
        Keys(zset_algebra::zintercard);
        "Counts the members in all of several sets."
    "zinterstore", -4, [Write, DenyOom, MovableKeys], [Overwrite: FIRST, Read: (counted(2))], SortedSet, "2.0.0",
        Keys(zset_algebra::zinterstore);
        "Stores the members in all of several sets."
    "zlexcount", 4, [ReadOnly, Fast], [Read: FIRST], SortedSet, "2.8.9", Keys(zset_read::zlexcount);
        "Counts the members in a range of members."
    "zmpop", -4, [Write, MovableKeys], [Take: (counted(1))], SortedSet, "7.0.0",
        Keys(zset_remove::zmpop);
        "Removes and returns members from an end of the first set that has any."
    "zmscore", -3, [ReadOnly, Fast], [Read: FIRST], SortedSet, "6.2.0", Keys(zset_read::zmscore);
        "Returns the scores of several members."
    "zpopmax", -2, [Write, Fast], [Take: FIRST], SortedSet, "5.0.0", Keys(zset_remove::zpopmax);
        "Removes and returns the members with the greatest scores."
    "zpopmin", -2, [Write, Fast], [Take: FIRST], SortedSet, "5.0.0", Keys(zset_remove::zpopmin);
        "Removes and returns the members with the least scores."
    "zrandmember", -2, [ReadOnly], [Read: FIRST], SortedSet, "6.2.0", Keys(zset_read::zrandmember);
        "Returns members by chance."
    "zrange", -4, [ReadOnly], [Read: FIRST], SortedSet, "1.2.0", Keys(zset_range::zrange);
        "Returns a range by rank, by score or by member."
    "zrangebylex", -4, [ReadOnly], [Read: FIRST], SortedSet, "2.8.9", Keys(zset_range::zrangebylex);
        "Returns a range of members."
    "zrangebyscore", -4, [ReadOnly], [Read: FIRST], SortedSet, "1.0.5", Keys(zset_range::zrangebyscore);
        "Returns a range of scores."
    "zrangestore", -5, [Write, DenyOom], [Overwrite: FIRST, Read: SECOND], SortedSet, "6.2.0",
        Keys(zset_range::zrangestore);
        "Stores a range by rank, by score or by member."
    "zrank", 3, [ReadOnly, Fast], [Read: FIRST], SortedSet, "2.0.0", Keys(zset_read::zrank);
        "Returns how many members stand before one."
    "zrem", -3, [Write, Fast], [Remove: FIRST], SortedSet, "1.2.0", Keys(zset_remove::zrem);
        "Removes members."
    "zremrangebylex", 4, [Write], [Remove: FIRST], SortedSet, "2.8.9",
        Keys(zset_remove::zremrangebylex);
        "Removes a range of members."
    "zremrangebyrank", 4, [Write], [Remove: FIRST], SortedSet, "2.0.0",
        Keys(zset_remove::zremrangebyrank);
        "Removes a range by rank."
    "zremrangebyscore", 4, [Write], [Remove: FIRST], SortedSet, "1.2.0",
        Keys(zset_remove::zremrangebyscore);
        "Removes a range of scores."
    "zrevrange", -4, [ReadOnly], [Read: FIRST], SortedSet, "1.2.0", Keys(zset_range::zrevrange);
        "Returns a range by rank, greatest scores first."
    "zrevrangebylex", -4, [ReadOnly], [Read: FIRST], SortedSet, "2.8.9", Keys(zset_range::zrevrangebylex);
        "Returns a range of members, greatest first."
    "zrevrangebyscore", -4, [ReadOnly], [Read: FIRST], SortedSet, "2.2.0", Keys(zset_range::zrevrangebyscore);
        "Returns a range of scores, greatest first."
    "zrevrank", 3, [ReadOnly, Fast], [Read: FIRST], SortedSet, "2.0.0", Keys(zset_read::zrevrank);
        "Returns how many members stand behind one."
    "zscan", -3, [ReadOnly], [Read: FIRST], SortedSet, "2.8.0", Keys(zset_read::zscan);
        "Walks over the members, some at a time."
    "zscore", 3, [ReadOnly, Fast], [Read: FIRST], SortedSet, "1.2.0", Keys(zset_read::zscore);
        "Returns the score of a member."
    "zunion", -3, [ReadOnly, MovableKeys], [Read: (counted(1))], SortedSet, "6.2.0",
        Keys(zset_algebra::zunion);
        "Returns the members in any of several sets."
    "zunionstore", -4, [Write, DenyOom, MovableKeys], [Overwrite: FIRST, Read: (counted(2))], SortedSet, "2.0.0",
        Keys(zset_algebra::zunionstore);
        "Stores the members in any of several sets."
};
