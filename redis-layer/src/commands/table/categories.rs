//! Access-control categories: the sets of commands that `ACL` names by `@word`.
//!
//! A category follows from flags and group where possible; Redis's exceptions are listed here.

use super::{Flag, Group, Handler, Spec};

/// The access-control categories of a command, in the order in which Redis lists them.
pub fn categories(spec: &Spec) -> impl Iterator<Item = &'static str> {
    use Group::{
        Bitmap, Connection, Generic, Geo, Hash, List, Scripting, Set, SortedSet, String,
        Transactions,
    };
    let is_container = matches!(spec.handler, Handler::Container);
    let in_group = |group| spec.group == group && !is_container;
    let is_any = |names: &[&str]| names.contains(&spec.full_name);
    // Redis lists some commands in one chapter of its manual and puts them into the categories of another.
    let on_keyspace = is_any(&["flushall", "flushdb", "dbsize", "swapdb"]);
    let sorts = is_any(&["sort", "sort_ro"]);
    let is_connection = spec.full_name.starts_with("command")
        || is_any(&["wait", "asking", "readonly", "readwrite"]);
    let is_admin = spec.has(Flag::Admin) || is_any(&["lastsave", "role"]);
    let is_dangerous =
        is_admin || sorts || is_any(&["flushall", "flushdb", "info", "keys", "restore", "swapdb"]);
    let is_keyspace = (in_group(Generic) && !sorts && spec.full_name != "wait") || on_keyspace;
    [
        ("@keyspace", is_keyspace),
        ("@read", spec.has(Flag::ReadOnly) && !in_group(Scripting)),
        ("@write", spec.has(Flag::Write)),
        ("@set", in_group(Set) || sorts),
        ("@sortedset", in_group(SortedSet) || sorts),
        ("@list", in_group(List) || sorts),
        ("@hash", in_group(Hash)),
        ("@string", in_group(String)),
        ("@bitmap", in_group(Bitmap)),
        ("@geo", in_group(Geo)),
        ("@pubsub", spec.has(Flag::PubSub)),
        ("@admin", is_admin),
        ("@fast", spec.has(Flag::Fast)),
        ("@slow", !spec.has(Flag::Fast)),
        ("@blocking", spec.has(Flag::Blocking)),
        ("@dangerous", is_dangerous),
        ("@connection", in_group(Connection) || is_connection),
        ("@transaction", in_group(Transactions)),
        ("@scripting", in_group(Scripting)),
    ]
    .into_iter()
    .filter_map(|(name, applies)| applies.then_some(name))
}
