//! Commands on strings.

use crate::commands::strings;
use crate::commands::table::Flag::{DenyOom, Fast, ReadOnly, Write};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "get", 2, [ReadOnly, Fast], FIRST, String, "1.0.0", Keys(strings::get);
        "Returns the string under a key."
    "set", -3, [Write, DenyOom], FIRST, String, "1.0.0", Keys(strings::set);
        "Stores a string, with conditions and an expiry if wanted."
};
