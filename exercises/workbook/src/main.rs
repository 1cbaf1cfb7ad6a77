//! The workbook command.
fn main() {}
