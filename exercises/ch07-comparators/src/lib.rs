//! The exercises of chapter 7: one file each.
