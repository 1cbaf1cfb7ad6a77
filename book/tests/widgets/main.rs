//! The widgets, in a real browser where one is installed.

mod browser;
mod explorer;
mod pages;
#[path = "../support/site.rs"]
mod site;
mod vectors;
