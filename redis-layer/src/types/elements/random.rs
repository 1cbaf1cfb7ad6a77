//! Random elements, each equally likely.
//!
//! Names are spread evenly over the range of their hashes. A window of that range, wide enough for
//! `WINDOW_MEAN` elements on average, starts at a random point. A die with `WINDOW_MOST` faces chooses one of the
//! elements in the window; if it shows a number that no element has, another window is tried. Each element is equally
//! likely, however large the gap before it is: it lies in as many windows as every other element, and each window
//! gives it one face. That takes about three seeks and no walk over the collection. In a collection of up to `SMALL`
//! elements, one is found by counting instead.
//! If a window holds more elements than the die has faces, the names were chosen to crowd (by chance it happens once
//! in ten thousand million windows), and the element is found by counting, too.
//!
//! Many elements are found by a walk over all: see `draw`.

use std::collections::HashSet;
use std::iter;

use super::{Element, Elements, element};
use crate::types::draw::Draw;
use crate::types::name_hash::NAME_HASH_END;
use crate::types::{Result, Txn};

/// How many elements a window holds on average.
const WINDOW_MEAN: u64 = 16;
/// How many elements a window may hold. The nearer to the mean, the fewer windows find nothing: a seek costs as much as
/// some fifty steps.
const WINDOW_MOST: usize = 48;
/// Two of three windows find nothing. This many failures in a row do not happen by chance.
const TRIES: usize = 100;
/// In a collection of up to this many elements, a random one is found by counting.
const SMALL: u64 = 64;
/// About how many steps of a walk cost as much as a random element, with its three seeks.
const STEPS_A_RANDOM: u64 = 256;

impl Elements {
    /// One element, each equally likely. `None` if there are none.
    ///
    /// Cost: see the module.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn random(&self, txn: &Txn<'_>) -> Result<Option<Element>> {
        if self.opened.size <= SMALL {
            return self.random_by_counting(txn);
        }
        let width = NAME_HASH_END / self.opened.size * WINDOW_MEAN;
        for _ in 0..TRIES {
            let start = fastrand::u64(..NAME_HASH_END);
            let face = fastrand::usize(..WINDOW_MOST);
            let (size, element) = self.in_window(txn, start, width, face)?;
            if size > WINDOW_MOST {
                break;
            }
            if element.is_some() {
                return Ok(element);
            }
        }
        self.random_by_counting(txn)
    }

    /// Different elements, each equally likely: `count` of them in any order, or all if there are no more, in the order
    /// of [`Elements::all`].
    ///
    /// Cost: for a small part of the elements, that of [`Elements::random`] for each; otherwise one walk over all.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn random_different(&self, txn: &Txn<'_>, count: u64) -> Result<Vec<Element>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if count >= self.opened.size {
            return self.all(txn);
        }
        if self.is_walked_for(count) {
            return self.drawn(txn, Draw::different(count, self.opened.size));
        }
        let mut names = HashSet::new();
        let mut chosen = Vec::new();
        while (chosen.len() as u64) < count {
            let Some(element) = self.random(txn)? else {
                break;
            };
            if names.insert(element.name.clone()) {
                chosen.push(element);
            }
        }
        Ok(chosen)
    }

    /// `count` elements, each chosen independently, so the same one may come again.
    ///
    /// Cost: as [`Elements::random_different`].
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn random_repeating(&self, txn: &Txn<'_>, count: u64) -> Result<Vec<Element>> {
        if self.is_walked_for(count) {
            return self.drawn(txn, Draw::repeating(count, self.opened.size));
        }
        let mut chosen = Vec::new();
        for _ in 0..count {
            chosen.extend(self.random(txn)?);
        }
        Ok(chosen)
    }

    /// Whether a walk over all elements finds this many random ones faster than they are found one by one.
    const fn is_walked_for(&self, count: u64) -> bool {
        self.opened.size <= SMALL || count > self.opened.size / STEPS_A_RANDOM
    }

    /// The elements that are drawn, in any order, by a walk over all.
    fn drawn(&self, txn: &Txn<'_>, mut draw: Draw) -> Result<Vec<Element>> {
        let mut chosen = Vec::new();
        self.each(txn, |name, value| {
            let times = draw.times();
            if times > 0 {
                chosen.extend(iter::repeat_n(element(name, value), times));
            }
            Ok(!draw.is_over())
        })?;
        fastrand::shuffle(&mut chosen);
        Ok(chosen)
    }

    fn random_by_counting(&self, txn: &Txn<'_>) -> Result<Option<Element>> {
        if self.opened.size == 0 {
            return Ok(None);
        }
        let mut skip = fastrand::u64(..self.opened.size);
        let mut found = None;
        self.each(txn, |name, value| {
            if skip == 0 {
                found = Some(element(name, value));
                return Ok(false);
            }
            skip -= 1;
            Ok(true)
        })?;
        Ok(found)
    }

    /// How many elements have the `width` hashes from `start` on, continuing at 0 after the last hash, and the one of them
    /// with this number. Stops once there are more elements than the die has faces.
    fn in_window(
        &self,
        txn: &Txn<'_>,
        start: u64,
        width: u64,
        number: usize,
    ) -> Result<(usize, Option<Element>)> {
        let (mut size, mut found) = (0, None);
        let end = start + width;
        let parts = [
            Some((start, end.min(NAME_HASH_END))),
            end.checked_sub(NAME_HASH_END).map(|end| (0, end)),
        ];
        for (from, end) in parts.into_iter().flatten() {
            let rows = self.opened.prefix.name_hashes(from, end);
            self.each_of(txn, &rows, |_, name, value| {
                if size == number {
                    found = Some(element(name, value));
                }
                size += 1;
                Ok(size <= WINDOW_MOST)
            })?;
        }
        Ok((size, found))
    }
}
