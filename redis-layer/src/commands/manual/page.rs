//! `docs/commands.md`, written from the command table. A test compares the file with this. The book shows what lies between the anchors.

use std::fmt::Write as _;

use crate::commands::REDIS_VERSION;
use crate::commands::manual::docs::usage;
use crate::commands::table::{COMMANDS, Flag, Group, Spec};

/// The page about all commands.
#[must_use]
pub fn command_page() -> String {
    let mut page = format!(
        "# Commands\n\n\
         Written from the command table by `cargo test -p redis-layer --test behaviour docs::`. Do not edit; \
         run it with `UPDATE_DOCS=1`.\n\n\
         Behaviour, replies and error texts are those of Redis {REDIS_VERSION}. [differences.md](differences.md) \
         says what differs on purpose.\n\n\
         <!-- ANCHOR: commands -->\n\
         *Since* is the version of Redis that brought the \
         command. *Cost* counts rows, elements and bytes that are touched; to find a row takes a time that grows \
         with the logarithm of all rows. `COMMAND DOCS` says the same and more.\n"
    );
    for (group, title) in [
        (Group::String, "Strings"),
        (Group::Bitmap, "Bits of strings"),
        (Group::Hash, "Hashes"),
        (Group::List, "Lists"),
        (Group::Set, "Sets"),
        (Group::SortedSet, "Sorted sets"),
        (Group::Geo, "Places"),
        (Group::Generic, "Keys of any type"),
        (Group::Transactions, "Transactions"),
        (Group::Scripting, "Scripts"),
        (Group::PubSub, "Channels"),
        (Group::Connection, "Connection"),
        (Group::Server, "Server"),
        (Group::Cluster, "Clusters"),
    ] {
        if !COMMANDS.iter().any(|spec| spec.group == group) {
            continue;
        }
        // Writing to a `String` cannot fail.
        let _ = write!(
            page,
            "\n## {title}\n\n\
             | command | what it does | arguments | kind | since | cost |\n|---|---|---|---|---|---|\n"
        );
        for spec in COMMANDS.iter().filter(|spec| spec.group == group) {
            page.push_str(&row(spec));
            spec.subcommands
                .iter()
                .for_each(|sub| page.push_str(&row(sub)));
        }
    }
    page.push_str("<!-- ANCHOR_END: commands -->\n");
    page
}

fn row(spec: &Spec) -> String {
    let name = spec.full_name.to_uppercase().replace('|', " ");
    let usage = usage(spec);
    let arguments = match usage[name.len()..].trim_start() {
        "" => String::new(),
        arguments => format!("`{}`", arguments.replace('|', "\\|")),
    };
    let kind = if spec.has(Flag::Write) {
        "write"
    } else if spec.has(Flag::ReadOnly) {
        "read"
    } else {
        ""
    };
    let Spec {
        since,
        cost,
        summary,
        ..
    } = spec;
    format!("| `{name}` | {summary} | {arguments} | {kind} | {since} | {cost} |\n")
}
