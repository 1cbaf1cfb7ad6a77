//! What is tried again and again, and may fail each time for the same reason: only the first failure is logged, and the
//! first success after it.

/// Whether the last try failed.
#[derive(Debug, Default)]
pub(super) struct Outage(bool);

impl Outage {
    /// Notes a failure. Returns whether the outage begins with it.
    pub(super) fn begins(&mut self) -> bool {
        !std::mem::replace(&mut self.0, true)
    }

    /// Notes a success. Returns whether an outage ends with it.
    pub(super) fn ends(&mut self) -> bool {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_failure_and_the_first_success_are_told() {
        let mut outage = Outage::default();
        assert!(!outage.ends());
        assert_eq!([outage.begins(), outage.begins()], [true, false]);
        assert_eq!([outage.ends(), outage.ends()], [true, false]);
        assert!(outage.begins());
    }
}
