//! Encodings.

fn main() {}
