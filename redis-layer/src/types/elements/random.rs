//! Random elements, each equally likely.
//!
//! Names are spread evenly over the range of their hashes. A window of that range, wide enough for
//! `WINDOW_MEAN` elements on average, starts at a random point. A die with `WINDOW_MOST` faces chooses one of the
//! elements in the window; if it shows a number that no element has, another window is tried. Each element is equally
//! likely, however large the gap before it is: it lies in as many windows as every other element, and each window
//! gives it one face. That takes about four seeks and no walk over the collection. In a collection of up to `SMALL`
//! elements, one is found by counting instead.
//! If a window holds more elements than the die has faces, the names were chosen to crowd (by chance it happens once
//! in ten thousand million windows), and the element is found by counting, too.

use std::collections::BTreeSet;

use super::{Element, Elements, element};
use crate::types::name_hash::NAME_HASH_END;
use crate::types::{Result, Txn};

/// How many elements a window holds on average.
const WINDOW_MEAN: u64 = 8;
/// How many elements a window may hold.
const WINDOW_MOST: usize = 32;
/// Three of four windows find nothing. This many failures in a row do not happen by chance.
const TRIES: usize = 100;
/// In a collection of up to this many elements, a random one is found by counting.
const SMALL: u64 = 64;
/// About how many steps of a walk cost as much as a random element, with its four seeks.
const STEPS_A_RANDOM: u64 = 64;

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
            let window = self.window(txn, fastrand::u64(..NAME_HASH_END), width)?;
            if window.len() > WINDOW_MOST {
                break;
            }
            let face = fastrand::usize(..WINDOW_MOST);
            if let Some(element) = window.into_iter().nth(face) {
                return Ok(Some(element));
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
            return self.random_part(txn, count);
        }
        let mut names = BTreeSet::new();
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
            let all = self.all(txn)?;
            if all.is_empty() {
                return Ok(all);
            }
            let choose = |_| all[fastrand::usize(..all.len())].clone();
            return Ok((0..count).map(choose).collect());
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

    /// `count` elements, by a walk over all. Each is chosen with a chance of those still wanted among those still to come
    /// (Knuth's algorithm S).
    fn random_part(&self, txn: &Txn<'_>, count: u64) -> Result<Vec<Element>> {
        let (mut wanted, mut to_come) = (count, self.opened.size);
        let mut chosen = Vec::new();
        self.each(txn, |name, value| {
            if fastrand::u64(..to_come.max(1)) < wanted {
                chosen.push(element(name, value));
                wanted -= 1;
            }
            to_come = to_come.saturating_sub(1);
            Ok(wanted > 0)
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

    /// The elements with the `width` hashes from `start` on, continuing at 0 after the last hash. Stops once there are
    /// more elements than the die has faces.
    fn window(&self, txn: &Txn<'_>, start: u64, width: u64) -> Result<Vec<Element>> {
        let mut window = Vec::with_capacity(WINDOW_MOST);
        let end = start + width;
        let parts = [
            Some((start, end.min(NAME_HASH_END))),
            end.checked_sub(NAME_HASH_END).map(|end| (0, end)),
        ];
        for (from, end) in parts.into_iter().flatten() {
            let mut cursor = self.scan(txn, &self.opened.prefix.from_name_hash(from))?;
            while let Some((row, stored)) = cursor.row() {
                let (hash, name) = self.opened.prefix.hash_and_name(row)?;
                let (_, value) = self.order_and_value(row, stored)?;
                if hash >= end || window.len() > WINDOW_MOST {
                    break;
                }
                window.push(element(name, value));
                cursor.advance()?;
            }
        }
        Ok(window)
    }
}
