//! The book's crate: serves the chapters and proves what they show.
//!
//! - [`server`] builds the book, serves it and pushes changes to open pages.
//! - [`sources`] reads the chapters as text: their includes, code blocks and widgets.
//! - [`output`] holds the outputs that a chapter shows to what the code prints.
//!
//! Every hand-written `rust` block of a chapter is a doctest of this crate, so
//! `cargo test -p book --doc` compiles and runs them all.

pub mod output;
pub mod server;
pub mod sources;

/// The chapters, as the documentation of items that only rustdoc's test collector sees.
/// `tests/chapters.rs` fails when a chapter of `SUMMARY.md` is missing here.
#[cfg(doctest)]
mod chapters {
    #[doc = include_str!("../chapters/introduction.md")]
    mod introduction {}
    #[doc = include_str!("../chapters/01-sorted-map/index.md")]
    mod ch01_sorted_map {}
    #[doc = include_str!("../chapters/02-endianness/index.md")]
    mod ch02_endianness {}
    #[doc = include_str!("../chapters/03-twos-complement/index.md")]
    mod ch03_twos_complement {}
    #[doc = include_str!("../chapters/04-ieee-754/index.md")]
    mod ch04_ieee_754 {}
}
