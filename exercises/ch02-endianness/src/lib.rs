//! Exercises of the chapter "Endianness": one file each, with the task on top.

// An answer with `unsafe` in it is judged like any other. The rest of the repository refuses the word.
#![warn(unsafe_code)]

pub mod big_endian_u32;
pub mod scan_window;
pub mod test_u32_keys;
pub mod which_endian;
pub mod width_matters;
