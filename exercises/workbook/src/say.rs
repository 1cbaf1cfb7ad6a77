//! What the program prints to standard output, with colours where they are seen.
//!
//! If it cannot be printed, the program ends: silently if the reader has gone, as `head` goes when it has read all that it
//! wanted, and otherwise with the reason. `println!` would panic. Who has to put something away first says so once, and is
//! told instead.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::process::exit;
use std::sync::OnceLock;

/// Prints without an end of line.
macro_rules! say {
    ($($text:tt)*) => { $crate::say::text(format_args!($($text)*)) };
}

/// Prints a line.
macro_rules! say_line {
    ($($text:tt)*) => { $crate::say::text(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {say, say_line};

type Ending = Box<dyn Fn(io::Error) + Send + Sync>;
static INSTEAD: OnceLock<Ending> = OnceLock::new();

/// From now on, what cannot be printed does not end the program: `told` is, each time.
pub(crate) fn instead_of_ending(told: impl Fn(io::Error) + Send + Sync + 'static) {
    // Said again it is the same.
    let _ = INSTEAD.set(Box::new(told));
}

/// Ends the program because something could not be printed.
pub(crate) fn end(error: &io::Error) -> ! {
    if error.kind() == ErrorKind::BrokenPipe {
        exit(0);
    }
    anstream::eprintln!("cannot print: {error}");
    exit(2)
}

pub(crate) fn text(text: Arguments<'_>) {
    let mut out = anstream::stdout().lock();
    if let Err(error) = out.write_fmt(text).and_then(|()| out.flush()) {
        match INSTEAD.get() {
            Some(told) => told(error),
            None => end(&error),
        }
    }
}
