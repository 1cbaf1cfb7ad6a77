//! What a cursor that goes on in one direction knows of the nodes before it.
//!
//! It goes from node to node at first, and waits for memory at each, because a node's address is in the one beside it.
//! After some hundred steps it is worth a search to walk several stretches of the list in turns ([`Walk`]), which are
//! then some eighty nodes ahead.

use super::skiplist::{Node, SkipList, Walk, WalkBack};
use crate::cursor::Direction;

/// After this many steps in one direction several stretches are walked in turns.
pub(super) const STEPS_BEFORE_WALK: usize = 256;
/// A list that may be in the processor's nearest caches is walked from node to node: there is little to wait for.
pub(super) const WALK_BYTES_MIN: usize = 8 << 20;

/// The way that a cursor goes, as far as it is known.
#[derive(Debug)]
pub(super) enum Ahead {
    /// From node to node; how many steps were taken in this direction.
    Steps(Direction, usize),
    /// Boxed, because many a cursor takes few steps.
    Forward(Box<Walk>),
    Backward(Box<WalkBack>),
}

impl Ahead {
    /// After a seek.
    pub(super) const fn nothing() -> Self {
        Self::Steps(Direction::Forward, 0)
    }

    /// The node after `here`, where the cursor is.
    #[inline]
    pub(super) fn next(&mut self, list: &SkipList, here: Node) -> Option<Node> {
        match self {
            Self::Forward(walk) => walk.peek(list),
            Self::Steps(..) | Self::Backward(_) => list.next(here),
        }
    }

    /// The node before `here`, where the cursor is.
    #[inline]
    pub(super) fn before(&mut self, list: &SkipList, here: Node) -> Option<Node> {
        match self {
            Self::Backward(walk) => walk.peek(list, 0),
            Self::Steps(..) | Self::Forward(_) => list.before(here),
        }
    }

    /// The node before `before`, which is the one before the cursor.
    #[inline]
    pub(super) fn second_before(&mut self, list: &SkipList, before: Node) -> Option<Node> {
        match self {
            Self::Backward(walk) => walk.peek(list, 1),
            Self::Steps(..) | Self::Forward(_) => list.before(before),
        }
    }

    /// Follows the cursor, which moved in `direction` by one step, to `node`.
    #[inline]
    pub(super) fn step(&mut self, list: &SkipList, direction: Direction, node: Node) {
        match (&mut *self, direction) {
            (Self::Forward(walk), Direction::Forward) => walk.pass(),
            (Self::Backward(walk), Direction::Backward) => walk.pass(),
            (Self::Steps(way, steps), _) if *way == direction && *steps < STEPS_BEFORE_WALK => {
                *steps += 1;
            }
            _ => self.set_out(list, direction, node),
        }
    }

    /// Stores the nodes after `here` in `nodes`, as many as there is room for. Returns how many there are.
    ///
    /// `here` is where the cursor is, or the last node that was fetched.
    pub(super) fn fetch(&mut self, list: &SkipList, here: Node, nodes: &mut [Node]) -> usize {
        match self {
            Self::Forward(walk) => walk.fill(list, nodes),
            Self::Steps(..) | Self::Backward(_) => list.nodes_after(here, nodes),
        }
    }

    /// Counts the nodes that were fetched, up to `last`.
    pub(super) fn fetched(&mut self, list: &SkipList, count: usize, last: Node) {
        match self {
            Self::Forward(_) => {}
            Self::Steps(Direction::Forward, steps) if *steps < STEPS_BEFORE_WALK => *steps += count,
            _ => self.set_out(list, Direction::Forward, last),
        }
    }

    /// Follows the cursor, which is `count` nodes before the last one that was fetched.
    pub(super) fn take_back(&mut self, count: usize) {
        if let Self::Forward(walk) = self
            && !walk.take_back(count)
        {
            *self = Self::nothing();
        }
    }

    /// Begins to walk after enough steps, if the list is large, and to count them otherwise.
    #[cold]
    fn set_out(&mut self, list: &SkipList, direction: Direction, from: Node) {
        let is_far = matches!(self, Self::Steps(way, _) if *way == direction)
            && list.reserved() >= WALK_BYTES_MIN;
        *self = match direction {
            Direction::Forward if is_far => Self::Forward(Box::new(Walk::after(list, from))),
            Direction::Backward if is_far && list.comparator().is_bytewise() => {
                Self::Backward(Box::new(WalkBack::before(list, from)))
            }
            _ => Self::Steps(direction, 1),
        };
    }
}
