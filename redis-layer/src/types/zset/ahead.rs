//! Members at an end of a sorted set that are read ahead, for pops that run in one transaction.
//!
//! Each pop looks for the first row, past the rows that the pops before it have removed. That is most of what a pop
//! costs. So from the second pop on, one that has to look reads a few more members than it returns, and each time twice
//! as many more: what is read in vain is less than what was used.
//!
//! Invariant: the members are the first ones of their set, in order and without gaps, as the transaction sees them. Any
//! change of a score row, except by the pop that has taken them out of the transaction, and a return to a savepoint
//! forget them.

use std::vec;

use crate::store::Direction;
use crate::types::Result;
use crate::types::zset::{Element, Members, ScoreRange, SortedSet, Window};

/// How many members more the second pop reads, and the most that any does.
const MORE_FIRST: u64 = 4;
const MORE_MAX: u64 = 64;

/// What was read ahead at one end of one set.
#[derive(Debug)]
pub(crate) struct Ahead {
    /// The version of the set.
    version: u64,
    direction: Direction,
    members: vec::IntoIter<Element>,
    /// How many members more than it needs the next reader reads.
    more: u64,
}

impl SortedSet<'_, '_> {
    /// Takes the first members in the order of `direction`, at most `count`, out of what was read ahead, which is read
    /// if it is too little. The caller removes their rows, and gives the rest back to the transaction afterwards.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub(super) fn take_ahead(
        &mut self,
        count: u64,
        direction: Direction,
    ) -> Result<(Vec<Element>, Ahead)> {
        let known = self.txn.ahead().take();
        let known = known.filter(|ahead| ahead.is_of(self.opened.version, direction));
        let mut ahead = known.unwrap_or_else(|| Ahead {
            version: self.opened.version,
            direction,
            members: vec::IntoIter::default(),
            more: 0,
        });
        if (ahead.members.len() as u64) < count {
            let window = Window::first(count.saturating_add(ahead.more));
            let members: Members = self.by_score(&ScoreRange::ALL, direction, window)?;
            ahead.members = members.into_elements().into_iter();
            ahead.more = (2 * ahead.more).clamp(MORE_FIRST, MORE_MAX);
        }
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        Ok((ahead.members.by_ref().take(count).collect(), ahead))
    }
}

impl Ahead {
    fn is_of(&self, version: u64, direction: Direction) -> bool {
        (self.version, self.direction) == (version, direction)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::store::BTreeStore;
    use crate::types::zset::AddRule;
    use crate::types::{Shared, Txn};

    #[derive(Debug, Clone)]
    enum Step {
        Pop(u64, Direction),
        Add(u8, u8),
        Remove(u8),
        Save,
        GoBack,
    }

    fn step() -> impl Strategy<Value = Step> {
        let direction = prop_oneof![3 => Just(Direction::Forward), 1 => Just(Direction::Backward)];
        prop_oneof![
            12 => (1_u64..4, direction).prop_map(|(count, direction)| Step::Pop(count, direction)),
            2 => (any::<u8>(), any::<u8>()).prop_map(|(score, member)| Step::Add(score, member)),
            1 => any::<u8>().prop_map(Step::Remove),
            1 => Just(Step::Save),
            1 => Just(Step::GoBack),
        ]
    }

    /// The members with their scores, by score.
    type Model = BTreeSet<(u8, u8)>;

    fn add(txn: &mut Txn<'_>, model: &mut Model, (score, member): (u8, u8)) {
        let mut set = SortedSet::open_or_create(txn, b"set").unwrap();
        let rule = AddRule::default();
        set.add(&[member], f64::from(score), rule).unwrap();
        set.finish().unwrap();
        model.retain(|&(_, other)| other != member);
        model.insert((score, member));
    }

    proptest! {
        #[test]
        fn pops_take_what_is_first_whatever_else_happens_between_them(
            stored in proptest::collection::vec(any::<(u8, u8)>(), 0..200),
            steps in proptest::collection::vec(step(), 0..80),
        ) {
            let (store, shared) = (BTreeStore::new(), Shared::default());
            let mut model = Model::new();
            let mut txn = Txn::begin(&store, &shared, 0, 0).unwrap();
            for element in stored {
                add(&mut txn, &mut model, element);
            }
            txn.commit().unwrap();
            let mut txn = Txn::begin(&store, &shared, 0, 0).unwrap();
            let mut saved = (txn.savepoint(), model.clone());
            for step in steps {
                match step {
                    Step::Add(score, member) => add(&mut txn, &mut model, (score, member)),
                    Step::Save => saved = (txn.savepoint(), model.clone()),
                    Step::GoBack => {
                        txn.roll_back(&saved.0);
                        model = saved.1.clone();
                    }
                    Step::Remove(member) => {
                        if let Some(mut set) = SortedSet::open(&mut txn, b"set").unwrap() {
                            set.remove(&[member]).unwrap();
                            set.finish().unwrap();
                        }
                        model.retain(|&(_, other)| other != member);
                    }
                    Step::Pop(count, direction) => {
                        let mut popped = Vec::new();
                        if let Some(mut set) = SortedSet::open(&mut txn, b"set").unwrap() {
                            popped = set.pop(count, direction).unwrap();
                            set.finish().unwrap();
                        }
                        let mut expected = Vec::new();
                        while (expected.len() as u64) < count
                            && let Some((score, member)) = match direction {
                                Direction::Forward => model.pop_first(),
                                Direction::Backward => model.pop_last(),
                            }
                        {
                            expected.push((f64::from(score), vec![member]));
                        }
                        let popped = popped.into_iter();
                        let popped: Vec<_> = popped.map(|e| (e.score, e.member.to_vec())).collect();
                        prop_assert_eq!(popped, expected);
                    }
                }
            }
        }
    }
}
