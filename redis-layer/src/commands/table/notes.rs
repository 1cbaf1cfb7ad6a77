//! Notes: additional explanations that Redis gives for the keys of a command.
//!
//! A note is a text in the reply of `COMMAND INFO`, for keys whose place or use is not described by any field.

use super::{Key, Place, Spec};

/// The note on some of a command's keys.
pub fn note(spec: &Spec, key: &Key) -> Option<&'static str> {
    Some(match (spec.full_name, key.place) {
        ("getex", _) => "RW and UPDATE because it changes the TTL",
        ("set", _) => "RW and ACCESS due to the optional `GET` argument",
        ("bitfield", _) => "This command allows both access and modification of the key",
        ("sort" | "sort_ro", Place::Unknown) => {
            "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from \
             the content of the key we sort"
        }
        ("sort", Place::Behind { .. }) => {
            "For the optional STORE keyword. It is marked 'unknown' because the keyword can appear \
             anywhere in the argument array"
        }
        ("eval" | "fcall", _) => {
            "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE"
        }
        ("eval_ro" | "fcall_ro", _) => {
            "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS"
        }
        _ => return None,
    })
}
