//! The book's crate: serves the chapters and proves what they show.

pub mod output;
