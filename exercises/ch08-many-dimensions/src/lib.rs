//! The exercises of chapter 8: one file each.
