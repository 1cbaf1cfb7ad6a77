//! Commands on keys of any type.

use crate::commands::administration::replication;
use crate::commands::keys::{databases, dump, generic, object, sort, time_to_live, walk};
use crate::commands::table::Flag::{
    DenyOom, Fast, Loading, MovableKeys, NoScript, ReadOnly, Stale, Write,
};
use crate::commands::table::Handler::{Both, Container, Keys, Session};
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "copy", -3, [Write, DenyOom], [Read: FIRST, Overwrite: SECOND], Generic, "6.2.0", Keys(generic::copy);
        "Copies what a key holds to another key, in another database if wanted.", "O(n) for n elements",
        "source:key destination:key [DB destination-db:integer] [REPLACE]"
    "del", -2, [Write], [Drop: ALL], Generic, "1.0.0", Keys(generic::del);
        "Removes keys.", "O(n) for n keys",
        "key..."
    "dump", 2, [ReadOnly], [Read: FIRST], Generic, "2.6.0", Keys(dump::dump);
        "Returns what a key holds as one string, for RESTORE.", "O(n) for n elements",
        "key"
    "exists", -2, [ReadOnly, Fast], [Ask: ALL], Generic, "1.0.0", Keys(generic::exists);
        "Counts the named keys that exist.", "O(n) for n keys",
        "key...";
        since "3.0.3" "Several keys."
    "expire", -3, [Write, Fast], [Change: FIRST], Generic, "1.0.0", Keys(time_to_live::expire);
        "Lets a key expire some seconds from now.", "O(1)",
        "key seconds:integer [condition: NX | XX | GT | LT]@7.0.0";
        since "7.0.0" "The options NX, XX, GT and LT."
    "expireat", -3, [Write, Fast], [Change: FIRST], Generic, "1.2.0", Keys(time_to_live::expireat);
        "Lets a key expire at a time in seconds since 1970.", "O(1)",
        "key unix-time-seconds:unix-time [condition: NX | XX | GT | LT]@7.0.0";
        since "7.0.0" "The options NX, XX, GT and LT."
    "expiretime", 2, [ReadOnly, Fast], [Read: FIRST], Generic, "7.0.0", Keys(time_to_live::expiretime);
        "Returns when a key expires, in seconds since 1970.", "O(1)",
        "key"
    "keys", 2, [ReadOnly], [], Generic, "1.0.0", Keys(walk::keys);
        "Returns the keys that match a pattern, by a walk over all of them.", "O(n) for n keys of the database",
        "pattern:pattern"
    "move", 3, [Write, Fast], [ReadAndChange: FIRST], Generic, "1.0.0", Keys(databases::move_to);
        "Moves a key to another database.", "O(n) for n elements",
        "key db:integer"
    "object", -2, [], [], Generic, "2.2.3", Container => OBJECT;
        "Commands about how a value is kept.", "Depends on the subcommand."
    "persist", 2, [Write, Fast], [Change: FIRST], Generic, "2.2.0", Keys(time_to_live::persist);
        "Takes the expiry from a key.", "O(1)",
        "key"
    "pexpire", -3, [Write, Fast], [Change: FIRST], Generic, "2.6.0", Keys(time_to_live::pexpire);
        "Lets a key expire some milliseconds from now.", "O(1)",
        "key milliseconds:integer [condition: NX | XX | GT | LT]@7.0.0";
        since "7.0.0" "The options NX, XX, GT and LT."
    "pexpireat", -3, [Write, Fast], [Change: FIRST], Generic, "2.6.0", Keys(time_to_live::pexpireat);
        "Lets a key expire at a time in milliseconds since 1970.", "O(1)",
        "key unix-time-milliseconds:unix-time [condition: NX | XX | GT | LT]@7.0.0";
        since "7.0.0" "The options NX, XX, GT and LT."
    "pexpiretime", 2, [ReadOnly, Fast], [Read: FIRST], Generic, "7.0.0", Keys(time_to_live::pexpiretime);
        "Returns when a key expires, in milliseconds since 1970.", "O(1)",
        "key"
    "pttl", 2, [ReadOnly, Fast], [Read: FIRST], Generic, "2.6.0", Keys(time_to_live::pttl);
        "Returns the milliseconds until a key expires.", "O(1)",
        "key";
        since "2.8.0" "The answer -2."
    "randomkey", 1, [ReadOnly], [], Generic, "1.0.0", Keys(walk::randomkey);
        "Returns a key by chance.", "O(1)"
    "rename", 3, [Write], [Take: FIRST, Overwrite: SECOND], Generic, "1.0.0", Keys(generic::rename);
        "Gives a key another name.", "O(1)",
        "key newkey:key"
    "renamenx", 3, [Write, Fast], [Take: FIRST, Create: SECOND], Generic, "1.0.0", Keys(generic::renamenx);
        "Gives a key another name, if no key has it.", "O(1)",
        "key newkey:key";
        since "3.2.0" "Both names may be the same."
    "restore", -4, [Write, DenyOom], [Overwrite: FIRST], Generic, "2.6.0", Keys(dump::restore);
        "Makes a key of what DUMP returned.", "O(n) for n elements",
        "key ttl:integer serialized-value [REPLACE]@3.0.0 [ABSTTL]@5.0.0 [IDLETIME seconds:integer]@5.0.0
            [FREQ frequency:integer]@5.0.0";
        since "3.0.0" "The option REPLACE.";
        since "5.0.0" "The option ABSTTL.";
        since "5.0.0" "The options IDLETIME and FREQ."
    "scan", -2, [ReadOnly], [], Generic, "2.8.0", Keys(walk::scan);
        "Returns some of the keys, and where to go on.",
        "O(m) for m keys that are looked at; O(n) for a walk over all n keys",
        "cursor:integer [MATCH pattern:pattern] [COUNT count:integer] [TYPE type]@6.0.0";
        since "6.0.0" "The option TYPE."
    "sort", -2, [Write, DenyOom, MovableKeys], [Read: FIRST, Read: UNKNOWN, Overwrite: STORED], Generic, "1.0.0", Both(sort::sort);
        "Sorts the elements of a list, a set or a sorted set, and stores the result if wanted.",
        "O(n + m log m) for n elements, of which m are returned; O(n) if they are not sorted",
        "key [BY pattern:pattern] [LIMIT offset_count: offset:integer count:integer] [GET pattern:pattern]...
            [order: ASC | DESC] [sorting=ALPHA] [STORE destination:key]"
    "sort_ro", -2, [ReadOnly, MovableKeys], [Read: FIRST, Read: UNKNOWN], Generic, "7.0.0", Both(sort::sort_ro);
        "Sorts the elements of a list, a set or a sorted set.",
        "O(n + m log m) for n elements, of which m are returned; O(n) if they are not sorted",
        "key [BY pattern:pattern] [LIMIT offset_count: offset:integer count:integer] [GET pattern:pattern]...
            [order: ASC | DESC] [sorting=ALPHA]"
    "swapdb", 3, [Write, Fast], [], Server, "4.0.0", Keys(databases::swapdb);
        "Exchanges the keys of two databases.", "O(1)",
        "index1:integer index2:integer"
    "touch", -2, [ReadOnly, Fast], [Ask: ALL], Generic, "3.2.1", Keys(generic::touch);
        "Counts the named keys that exist.", "O(n) for n keys",
        "key..."
    "ttl", 2, [ReadOnly, Fast], [Read: FIRST], Generic, "1.0.0", Keys(time_to_live::ttl);
        "Returns the seconds until a key expires.", "O(1)",
        "key";
        since "2.8.0" "The answer -2."
    "type", 2, [ReadOnly, Fast], [Ask: FIRST], Generic, "1.0.0", Keys(generic::type_of);
        "Names the type of a key.", "O(1)",
        "key"
    "unlink", -2, [Write, Fast], [Drop: ALL], Generic, "4.0.0", Keys(generic::del);
        "Removes keys, as DEL does.", "O(n) for n keys",
        "key..."
    "wait", 3, [NoScript], [], Generic, "3.0.0", Keys(replication::wait);
        "Waits for replicas, of which there are none.", "O(1)",
        "numreplicas:integer timeout:integer"
};

const OBJECT: &[Spec] = table! { "object|":
    "encoding", 3, [ReadOnly], [Ask: SECOND], Generic, "2.2.3", Both(object::encoding);
        "Names the form that Redis would keep a value in.", "O(1)",
        "key"
    "freq", 3, [ReadOnly], [Ask: SECOND], Generic, "4.0.0", Both(object::freq);
        "Returns how often a new key was used: nobody counts. Refused unless the policy for memory is to count.", "O(1)",
        "key"
    "help", 2, [Loading, Stale], [], Generic, "6.2.0", Session(object::help);
        "Lists the subcommands.", "O(1)"
    "idletime", 3, [ReadOnly], [Ask: SECOND], Generic, "2.2.3", Both(object::idletime);
        "Returns for how many seconds nobody used a key.", "O(1)",
        "key"
    "refcount", 3, [ReadOnly], [Ask: SECOND], Generic, "2.2.3", Keys(object::refcount);
        "Returns how many share a value: 1.", "O(1)",
        "key"
};
