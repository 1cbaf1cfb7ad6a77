//! Misconceptions as code, a file or more for each exercise.

pub(crate) mod change_status;
pub(crate) mod check_store;
pub(crate) mod find_orders;
mod find_orders_otherwise;
mod find_orders_pages;
pub(crate) mod place_order;
mod place_order_keys;
pub(crate) mod predict_rows;
pub(crate) mod test_store;
