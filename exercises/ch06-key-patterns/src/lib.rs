//! The exercises of chapter 6: one file each.
