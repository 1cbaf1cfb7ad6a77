//! The exercises of chapter 5: one file each.
