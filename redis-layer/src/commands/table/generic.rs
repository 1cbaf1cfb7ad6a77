//! Commands on keys of any type.

use crate::commands::table::Flag::{
    DenyOom, Fast, Loading, MovableKeys, NoScript, ReadOnly, Stale, Write,
};
use crate::commands::table::Handler::{Both, Container, Keys, Session};
use crate::commands::table::{Group, Spec, table};
use crate::commands::{dump, expiry, generic, keyspace, object, sort};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "copy", -3, [Write, DenyOom], [Read: FIRST, Overwrite: SECOND], Generic, "6.2.0", Keys(generic::copy);
        "Copies what a key holds to another key, in another database if wanted."
    "del", -2, [Write], [Drop: ALL], Generic, "1.0.0", Keys(generic::del);
        "Removes keys."
    "dump", 2, [ReadOnly], [Read: FIRST], Generic, "2.6.0", Keys(dump::dump);
        "Returns what a key holds as one string, for RESTORE."
    "exists", -2, [ReadOnly, Fast], [Ask: ALL], Generic, "1.0.0", Keys(generic::exists);
        "Counts the named keys that exist."
    "expire", -3, [Write, Fast], [Change: FIRST], Generic, "1.0.0", Keys(expiry::expire);
        "Lets a key expire some seconds from now."
    "expireat", -3, [Write, Fast], [Change: FIRST], Generic, "1.2.0", Keys(expiry::expireat);
        "Lets a key expire at a time in seconds since 1970."
    "expiretime", 2, [ReadOnly, Fast], [Read: FIRST], Generic, "7.0.0", Keys(expiry::expiretime);
        "Returns when a key expires, in seconds since 1970."
    "keys", 2, [ReadOnly], [], Generic, "1.0.0", Keys(keyspace::keys);
        "Returns the keys that match a pattern, by a walk over all of them."
    "move", 3, [Write, Fast], [ReadAndChange: FIRST], Generic, "1.0.0", Keys(generic::move_to);
        "Moves a key to another database."
    "object", -2, [], [], Generic, "2.2.3", Container => OBJECT;
        "Commands about how a value is kept."
    "persist", 2, [Write, Fast], [Change: FIRST], Generic, "2.2.0", Keys(expiry::persist);
        "Takes the expiry from a key."
    "pexpire", -3, [Write, Fast], [Change: FIRST], Generic, "2.6.0", Keys(expiry::pexpire);
        "Lets a key expire some milliseconds from now."
    "pexpireat", -3, [Write, Fast], [Change: FIRST], Generic, "2.6.0", Keys(expiry::pexpireat);
        "Lets a key expire at a time in milliseconds since 1970."
    "pexpiretime", 2, [ReadOnly, Fast], [Read: FIRST], Generic, "7.0.0", Keys(expiry::pexpiretime);
        "Returns when a key expires, in milliseconds since 1970."
    "pttl", 2, [ReadOnly, Fast], [Read: FIRST], Generic, "2.6.0", Keys(expiry::pttl);
        "Returns the milliseconds until a key expires."
    "randomkey", 1, [ReadOnly], [], Generic, "1.0.0", Keys(keyspace::randomkey);
        "Returns a key by chance."
    "rename", 3, [Write], [Take: FIRST, Overwrite: SECOND], Generic, "1.0.0", Keys(generic::rename);
        "Gives a key another name."
    "renamenx", 3, [Write, Fast], [Take: FIRST, Create: SECOND], Generic, "1.0.0", Keys(generic::renamenx);
        "Gives a key another name, if no key has it."
    "restore", -4, [Write, DenyOom], [Overwrite: FIRST], Generic, "2.6.0", Keys(dump::restore);
        "Makes a key of what DUMP returned."
    "scan", -2, [ReadOnly], [], Generic, "2.8.0", Keys(keyspace::scan);
        "Returns some of the keys, and where to go on."
    "sort", -2, [Write, DenyOom, MovableKeys], [Read: FIRST, Read: UNKNOWN, Overwrite: STORED], Generic, "1.0.0", Keys(sort::sort);
        "Sorts the elements of a list, a set or a sorted set, and stores the result if wanted."
    "sort_ro", -2, [ReadOnly, MovableKeys], [Read: FIRST, Read: UNKNOWN], Generic, "7.0.0", Keys(sort::sort_ro);
        "Sorts the elements of a list, a set or a sorted set."
    "swapdb", 3, [Write, Fast], [], Server, "4.0.0", Keys(generic::swapdb);
        "Exchanges the keys of two databases."
    "touch", -2, [ReadOnly, Fast], [Ask: ALL], Generic, "3.2.1", Keys(generic::touch);
        "Counts the named keys that exist."
    "ttl", 2, [ReadOnly, Fast], [Read: FIRST], Generic, "1.0.0", Keys(expiry::ttl);
        "Returns the seconds until a key expires."
    "type", 2, [ReadOnly, Fast], [Ask: FIRST], Generic, "1.0.0", Keys(generic::type_of);
        "Names the type of a key."
    "unlink", -2, [Write, Fast], [Drop: ALL], Generic, "4.0.0", Keys(generic::del);
        "Removes keys, as DEL does."
    "wait", 3, [NoScript], [], Generic, "3.0.0", Keys(generic::wait);
        "Waits for replicas, of which there are none."
};

const OBJECT: &[Spec] = table! { "object|":
    "encoding", 3, [ReadOnly], [Ask: SECOND], Generic, "2.2.3", Both(object::encoding);
        "Names the form that Redis would keep a value in."
    "freq", 3, [ReadOnly], [Ask: SECOND], Generic, "4.0.0", Keys(object::freq);
        "Refused: nobody counts how often a key is used."
    "help", 2, [Loading, Stale], [], Generic, "6.2.0", Session(object::help);
        "Lists the subcommands."
    "idletime", 3, [ReadOnly], [Ask: SECOND], Generic, "2.2.3", Keys(object::idletime);
        "Returns for how many seconds nobody used a key."
    "refcount", 3, [ReadOnly], [Ask: SECOND], Generic, "2.2.3", Keys(object::refcount);
        "Returns how many share a value: 1."
};
