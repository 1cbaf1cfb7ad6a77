//! The check harness.
