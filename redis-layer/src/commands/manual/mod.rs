//! What the table says of the commands, for clients and for people.
//!
//! ```text
//! command    COMMAND: names, flags, keys, as programs read them
//! docs       COMMAND DOCS, and the HELP of commands that have subcommands
//! page       docs/commands.md
//! ```

pub(crate) mod command;
pub(crate) mod docs;
pub(crate) mod page;

pub(crate) use docs::help_lines;
