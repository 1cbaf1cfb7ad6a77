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
    #[doc = include_str!("../chapters/05-strings-and-tuples/index.md")]
    mod ch05_strings_and_tuples {}
    #[doc = include_str!("../chapters/06-key-patterns/index.md")]
    mod ch06_key_patterns {}
    #[doc = include_str!("../chapters/07-comparators/index.md")]
    mod ch07_comparators {}
    #[doc = include_str!("../chapters/08-many-dimensions/index.md")]
    mod ch08_many_dimensions {}
    #[doc = include_str!("../chapters/09-two-dimensions/index.md")]
    mod ch09_two_dimensions {}
    #[doc = include_str!("../chapters/10-order-store/index.md")]
    mod ch10_order_store {}
    #[doc = include_str!("../chapters/one-page/index.md")]
    mod one_page {}
    #[doc = include_str!("../chapters/how-we-know/index.md")]
    mod how_we_know {}
    #[doc = include_str!("../chapters/commands.md")]
    mod commands {}
    #[doc = include_str!("../chapters/workshop/index.md")]
    mod workshop {}
    #[doc = include_str!("../chapters/glossary.md")]
    mod glossary {}
}
