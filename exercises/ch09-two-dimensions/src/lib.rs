//! The exercises of chapter 9: one file each.
