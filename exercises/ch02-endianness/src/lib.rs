//! Exercises of the chapter "Endianness": one file each, with the task on top.

pub mod big_endian_u32;
pub mod scan_window;
pub mod test_u32_keys;
pub mod which_endian;
pub mod width_matters;
