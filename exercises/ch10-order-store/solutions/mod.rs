//! Reference solutions, one file an exercise.

pub(crate) mod change_status;
pub(crate) mod check_store;
pub(crate) mod find_orders;
pub(crate) mod place_order;
pub(crate) mod predict_rows;
pub(crate) mod test_store;
