//! What the server does, a module for each behaviour, in one program: so the tests are linked once, and one that waits
//! does not hold up the others.
//!
//! ```text
//! cargo test -p redis-layer --test behaviour               all of them
//! cargo test -p redis-layer --test behaviour pubsub::      those of one module, and of any whose name ends like it
//! ```
//!
//! Beside this folder stand `limits`, which raises the process's own limit of files and weighs its memory, and
//! `differential`, which is run by itself for hours.

mod batching;
mod bits;
mod blocking;
mod client;
mod clients;
mod command_docs;
mod command_table;
mod concurrency;
mod config;
mod connection;
mod disk_full;
mod docs;
mod dump;
mod durability;
mod expiry;
mod faults;
mod found_expired;
mod generic;
mod geo;
mod hashes;
mod info;
mod invariants;
mod kill;
mod known_differences;
mod large_writes;
mod lex;
mod linearizability;
mod lists;
mod long_commands;
mod long_strings;
mod lookups;
mod losses;
mod memory;
mod monitor;
mod own_events;
mod program;
mod pubsub;
mod queue;
mod ranks;
mod reclaim;
mod redis_cli;
mod renames;
mod resp_fuzz;
mod saving;
mod scripting;
mod sets;
mod shared_syncs;
mod sort;
mod store_conformance;
mod strings;
mod subcommands;
mod tracking;
mod transactions;
mod unix_socket;
mod users;
mod zset_algebra;
mod zset_blocking;

#[path = "../common/mod.rs"]
mod common;
