//! The files of the library as they were before any edit.

pub(crate) mod change_status;
pub(crate) mod check_store;
pub(crate) mod find_orders;
pub(crate) mod place_order;
pub(crate) mod predict_rows;
pub(crate) mod test_store;
