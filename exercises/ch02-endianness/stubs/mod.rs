//! What `src` holds before anyone has edited it.

pub(crate) mod big_endian_u32;
pub(crate) mod scan_window;
pub(crate) mod test_u32_keys;
#[expect(dead_code, reason = "a stub does nothing with what it is given")]
pub(crate) mod which_endian;
#[expect(dead_code, reason = "a stub does nothing with what it is given")]
pub(crate) mod width_matters;
