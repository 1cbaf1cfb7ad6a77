//! The engine's signatures over a `BTreeMap`, until `engine::Db` has its bodies.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::{Bound, RangeBounds};
use std::path::Path;
use std::rc::Rc;

type Rows = Rc<RefCell<BTreeMap<Vec<u8>, Vec<u8>>>>;
type Result<T> = std::result::Result<T, std::convert::Infallible>;

#[derive(Default)]
pub(crate) struct Options;
pub(crate) struct Db(Rows);
pub(crate) struct Family(Rows);

impl Db {
    pub(crate) fn open(_: impl AsRef<Path>, Options: Options) -> Result<Self> {
        Ok(Self(Rows::default()))
    }
    pub(crate) fn default_family(&self) -> Family {
        Family(Rc::clone(&self.0))
    }
    pub(crate) fn flush(&self) -> Result<()> {
        Ok(())
    }
}

impl Family {
    pub(crate) fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        let (key, value) = (key.as_ref().to_vec(), value.as_ref().to_vec());
        self.0.borrow_mut().insert(key, value);
        Ok(())
    }
    pub(crate) fn delete(&self, key: impl AsRef<[u8]>) -> Result<()> {
        self.0.borrow_mut().remove(key.as_ref());
        Ok(())
    }
    pub(crate) fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>> {
        Ok(self.0.borrow().get(key.as_ref()).cloned())
    }
    pub(crate) fn iter(&self) -> impl Iterator<Item = Result<(Vec<u8>, Vec<u8>)>> {
        self.range::<Vec<u8>>(..)
    }
    pub(crate) fn range<K: AsRef<[u8]>>(
        &self,
        range: impl RangeBounds<K>,
    ) -> impl Iterator<Item = Result<(Vec<u8>, Vec<u8>)>> {
        let own = |bound: Bound<&K>| bound.map(|key| key.as_ref().to_vec());
        let bounds = (own(range.start_bound()), own(range.end_bound()));
        let rows: Vec<_> = self
            .0
            .borrow()
            .range(bounds)
            .map(|(key, value)| Ok((key.clone(), value.clone())))
            .collect();
        rows.into_iter()
    }
}
