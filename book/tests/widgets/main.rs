//! The widgets, in a real browser where one is installed.

mod arithmetic;
mod node;
#[path = "../support/site.rs"]
mod site;
mod suite;
mod vectors;
