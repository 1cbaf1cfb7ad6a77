//! Rows as a Rust iterator, from either end.

use std::cmp::Ordering;

use crate::comparator::Comparator;
use crate::error::Result;
use crate::iter::Cursor;

/// Rows of a family in order, from either end, as pairs of key and value.
///
/// The rows are those that existed when the iterator was made. After an error it ends.
///
/// Each row is copied. A loop that must not allocate uses a [`Cursor`].
#[must_use = "an iterator does nothing until it is asked for rows"]
pub struct Range {
    comparator: Comparator,
    /// An error from before there was a cursor becomes the first item.
    state: Result<Ends>,
    ended: bool,
}

/// The cursors at both ends. Each is made when it is first needed.
struct Ends {
    make: Box<dyn Fn() -> Result<Cursor> + Send>,
    front: Option<Cursor>,
    back: Option<Cursor>,
}

impl Range {
    /// The rows of the cursors that `make` returns, which must all have the same snapshot and bounds.
    pub(crate) fn new(
        comparator: Comparator,
        make: Result<Box<dyn Fn() -> Result<Cursor> + Send>>,
    ) -> Self {
        let state = make.map(|make| Ends {
            make,
            front: None,
            back: None,
        });
        Self {
            comparator,
            state,
            ended: false,
        }
    }

    fn step(
        &mut self,
        step: fn(&mut Ends, &Comparator) -> Result<Option<Row>>,
    ) -> Option<Result<Row>> {
        if self.ended {
            return None;
        }
        let row = match &mut self.state {
            Ok(ends) => step(ends, &self.comparator).transpose(),
            Err(_) => {
                let ended: Result<Ends> = Ok(Ends {
                    make: Box::new(|| unreachable!("an ended range makes no cursor")),
                    front: None,
                    back: None,
                });
                std::mem::replace(&mut self.state, ended).err().map(Err)
            }
        };
        self.ended = !matches!(row, Some(Ok(_)));
        row
    }
}

type Row = (Vec<u8>, Vec<u8>);

impl Ends {
    fn next(&mut self, comparator: &Comparator) -> Result<Option<Row>> {
        let front = match &mut self.front {
            Some(front) => {
                front.next()?;
                front
            }
            empty => {
                let mut front = (self.make)()?;
                front.seek_to_first()?;
                empty.insert(front)
            }
        };
        let met = self
            .back
            .as_ref()
            .is_some_and(|back| meets(comparator, front, back));
        Ok((front.valid() && !met).then(|| (front.key().to_vec(), front.value().to_vec())))
    }

    fn next_back(&mut self, comparator: &Comparator) -> Result<Option<Row>> {
        let back = match &mut self.back {
            Some(back) => {
                back.prev()?;
                back
            }
            empty => {
                let mut back = (self.make)()?;
                back.seek_to_last()?;
                empty.insert(back)
            }
        };
        let met = self
            .front
            .as_ref()
            .is_some_and(|front| meets(comparator, front, back));
        Ok((back.valid() && !met).then(|| (back.key().to_vec(), back.value().to_vec())))
    }
}

/// Whether one end has reached a row that the other end has returned.
fn meets(comparator: &Comparator, front: &Cursor, back: &Cursor) -> bool {
    front.valid() && back.valid() && comparator.compare(front.key(), back.key()) != Ordering::Less
}

impl Iterator for Range {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step(Ends::next)
    }
}

impl DoubleEndedIterator for Range {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.step(Ends::next_back)
    }
}

impl std::iter::FusedIterator for Range {}

impl std::fmt::Debug for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Range")
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}
