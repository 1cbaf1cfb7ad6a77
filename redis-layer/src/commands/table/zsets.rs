//! Commands on sorted sets.

use crate::commands::table::Flag::{DenyOom, Fast, ReadOnly, Write};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, Spec, table};
use crate::commands::{zset_range, zset_read, zset_write};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "zadd", -4, [Write, DenyOom, Fast], FIRST, SortedSet, "1.2.0", Keys(zset_write::zadd);
        "Adds members, or gives members new scores."
    "zcard", 2, [ReadOnly, Fast], FIRST, SortedSet, "1.2.0", Keys(zset_read::zcard);
        "Counts the members."
    "zcount", 4, [ReadOnly, Fast], FIRST, SortedSet, "2.0.0", Keys(zset_read::zcount);
        "Counts the members in a range of scores."
    "zincrby", 4, [Write, DenyOom, Fast], FIRST, SortedSet, "1.2.0", Keys(zset_write::zincrby);
        "Adds to the score of a member."
    "zlexcount", 4, [ReadOnly, Fast], FIRST, SortedSet, "2.8.9", Keys(zset_read::zlexcount);
        "Counts the members in a range of members."
    "zmscore", -3, [ReadOnly, Fast], FIRST, SortedSet, "6.2.0", Keys(zset_read::zmscore);
        "Returns the scores of several members."
    "zpopmax", -2, [Write, Fast], FIRST, SortedSet, "5.0.0", Keys(zset_write::zpopmax);
        "Removes and returns the members with the greatest scores."
    "zpopmin", -2, [Write, Fast], FIRST, SortedSet, "5.0.0", Keys(zset_write::zpopmin);
        "Removes and returns the members with the least scores."
    "zrange", -4, [ReadOnly], FIRST, SortedSet, "1.2.0", Keys(zset_range::zrange);
        "Returns a range by rank, by score or by member."
    "zrangebylex", -4, [ReadOnly], FIRST, SortedSet, "2.8.9", Keys(zset_range::zrangebylex);
        "Returns a range of members."
    "zrangebyscore", -4, [ReadOnly], FIRST, SortedSet, "1.0.5", Keys(zset_range::zrangebyscore);
        "Returns a range of scores."
    "zrank", 3, [ReadOnly, Fast], FIRST, SortedSet, "2.0.0", Keys(zset_read::zrank);
        "Returns how many members stand before one."
    "zrem", -3, [Write, Fast], FIRST, SortedSet, "1.2.0", Keys(zset_write::zrem);
        "Removes members."
    "zrevrange", -4, [ReadOnly], FIRST, SortedSet, "1.2.0", Keys(zset_range::zrevrange);
        "Returns a range by rank, greatest scores first."
    "zrevrangebylex", -4, [ReadOnly], FIRST, SortedSet, "2.8.9", Keys(zset_range::zrevrangebylex);
        "Returns a range of members, greatest first."
    "zrevrangebyscore", -4, [ReadOnly], FIRST, SortedSet, "2.2.0", Keys(zset_range::zrevrangebyscore);
        "Returns a range of scores, greatest first."
    "zrevrank", 3, [ReadOnly, Fast], FIRST, SortedSet, "2.0.0", Keys(zset_read::zrevrank);
        "Returns how many members stand behind one."
    "zscore", 3, [ReadOnly, Fast], FIRST, SortedSet, "1.2.0", Keys(zset_read::zscore);
        "Returns the score of a member."
};
