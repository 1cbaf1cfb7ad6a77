//! What the program prints to standard output, with colours where they are seen.
//!
//! If it cannot be printed, the program ends: silently if the reader has gone, as `head` goes when it has read all that it
//! wanted, and otherwise with the reason. `println!` would panic.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::process::exit;

/// Prints without an end of line.
macro_rules! say {
    ($($text:tt)*) => { $crate::say::text(format_args!($($text)*)) };
}

/// Prints a line.
macro_rules! say_line {
    ($($text:tt)*) => { $crate::say::text(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {say, say_line};

pub(crate) fn text(text: Arguments<'_>) {
    let mut out = anstream::stdout().lock();
    match out.write_fmt(text).and_then(|()| out.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => exit(0),
        Err(error) => {
            anstream::eprintln!("cannot print: {error}");
            exit(2)
        }
    }
}
