//! What each byte of a file means: the low-level surface under the tool `lsm`.
