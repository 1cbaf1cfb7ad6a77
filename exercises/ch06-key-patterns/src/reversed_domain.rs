//! # reversed-domain: all hosts of a domain
//!
//! **Why.** `www.example.com` and `mail.example.com` belong together, and text sorts them far apart. With the
//! labels in reverse, a domain and all below it share a prefix. A *label* is what comes between the dots.
//!
//! **Task.** Write
//!
//! 1. `key`: the labels of a host from the last to the first, each followed by a dot, as bytes;
//! 2. `hosts_of`: the host `domain` itself, if it is there, and all hosts below it, in the order of the rows, each as
//!    people write it. `rows` are keys as in 1.
//!
//! | host               | key                  |
//! |--------------------|----------------------|
//! | `com`              | `com.`               |
//! | `example.com`      | `com.example.`       |
//! | `www.example.com`  | `com.example.www.`   |
//! | `example-shop.com` | `com.example-shop.`  |
//!
//! | domain        | of these hosts `hosts_of` gives                                                           |
//! |---------------|------------------------------------------------------------------------------------------|
//! | `example.com` | `example.com`, `mail.example.com`, `a.www.example.com`                                     |
//! |               | and not `example2.com`, `example-shop.com`, `badexample.com`, `com`                         |
//!
//! Hosts and domains here are small letters, digits and hyphens, at least one label, no dot at either end. Labels and hosts
//! may have any length.
//! `BTreeSet::range` finds the first row in one step; only the answers are checked.
//!
//! **Check.** `cargo workbook check reversed-domain`, or `cargo test -p ch06-key-patterns reversed-domain`.
//! It is *not started* while both functions are `todo!()`. You may begin with either.

use std::collections::BTreeSet;

/// The key of a host: its labels from the last to the first, each followed by a dot.
pub fn key(host: &str) -> Vec<u8> {
    todo!("the labels of {host} in reverse")
}

/// `domain`, if it is there, and the hosts below it.
pub fn hosts_of(rows: &BTreeSet<Vec<u8>>, domain: &str) -> Vec<String> {
    todo!("the hosts of {domain} among {} rows", rows.len())
}
