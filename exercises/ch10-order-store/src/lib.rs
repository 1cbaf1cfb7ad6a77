//! Exercises of the chapter "An order store": one file each, with the task on top.

#![expect(
    clippy::missing_errors_doc,
    reason = "all of them pass on what the engine says"
)]

pub mod order;

pub mod change_status;
pub mod check_store;
pub mod find_orders;
pub mod place_order;
pub mod predict_rows;
pub mod test_store;
