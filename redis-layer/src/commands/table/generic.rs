//! Commands on keys of any type.

use crate::commands::generic;
use crate::commands::table::Flag::{Fast, ReadOnly, Write};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "del", -2, [Write], ALL, Generic, "1.0.0", Keys(generic::del);
        "Removes keys."
    "exists", -2, [ReadOnly, Fast], ALL, Generic, "1.0.0", Keys(generic::exists);
        "Counts the named keys that exist."
    "expire", -3, [Write, Fast], FIRST, Generic, "1.0.0", Keys(generic::expire);
        "Lets a key expire some seconds from now."
    "expireat", -3, [Write, Fast], FIRST, Generic, "1.2.0", Keys(generic::expireat);
        "Lets a key expire at a time in seconds since 1970."
    "persist", 2, [Write, Fast], FIRST, Generic, "2.2.0", Keys(generic::persist);
        "Takes the expiry from a key."
    "pexpire", -3, [Write, Fast], FIRST, Generic, "2.6.0", Keys(generic::pexpire);
        "Lets a key expire some milliseconds from now."
    "pexpireat", -3, [Write, Fast], FIRST, Generic, "2.6.0", Keys(generic::pexpireat);
        "Lets a key expire at a time in milliseconds since 1970."
    "pttl", 2, [ReadOnly, Fast], FIRST, Generic, "2.6.0", Keys(generic::pttl);
        "Returns the milliseconds until a key expires."
    "ttl", 2, [ReadOnly, Fast], FIRST, Generic, "1.0.0", Keys(generic::ttl);
        "Returns the seconds until a key expires."
    "type", 2, [ReadOnly, Fast], FIRST, Generic, "1.0.0", Keys(generic::type_of);
        "Names the type of a key."
};
