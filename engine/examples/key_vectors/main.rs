//! Prints the key vectors that the book's widgets are checked against, as JSON.
//!
//! ```text
//! cargo run -p engine --example key_vectors
//! ```
//!
//! The stored copy is `book/widgets/vectors.json`. `cargo test -p engine --test keys vectors::`
//! compares the two, and with `UPDATE_OUTPUTS=1` it rewrites the copy.

mod vectors;

fn main() {
    print!("{}", vectors::json());
}
