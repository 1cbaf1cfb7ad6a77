//! The exercises of chapter 10: one file each.
