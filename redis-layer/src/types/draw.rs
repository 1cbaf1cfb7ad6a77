//! Which elements of a collection a walk over all of it takes, if it takes some at random.
//!
//! What is drawn are places in the order of the walk, before it begins. So the walk only counts, and copies nothing
//! but what it takes.

use std::iter::Peekable;
use std::vec;

/// The places that are drawn and that the walk has not reached, in ascending order.
pub(crate) struct Draw {
    places: Peekable<vec::IntoIter<u64>>,
    /// Where the walk is.
    at: u64,
}

impl Draw {
    /// `count` different ones of `size` elements, or all if there are no more. Each set of so many is equally likely:
    /// a place is drawn with a chance of those still wanted among those still to come (Knuth's algorithm S).
    pub(crate) fn different(count: u64, size: u64) -> Self {
        let mut wanted = count.min(size);
        let is_drawn = |place: &u64| {
            let is_drawn = fastrand::u64(..size - place) < wanted;
            wanted -= u64::from(is_drawn);
            is_drawn
        };
        Self::of((0..size).filter(is_drawn).collect())
    }

    /// `count` of `size` elements, each drawn from all, so the same one may come again.
    pub(crate) fn repeating(count: u64, size: u64) -> Self {
        let count = if size == 0 { 0 } else { count };
        let mut places: Vec<u64> = (0..count).map(|_| fastrand::u64(..size)).collect();
        places.sort_unstable();
        Self::of(places)
    }

    fn of(places: Vec<u64>) -> Self {
        let places = places.into_iter().peekable();
        Self { places, at: 0 }
    }

    /// How many times the next element of the walk is drawn.
    #[inline]
    pub(crate) fn times(&mut self) -> usize {
        let at = self.at;
        self.at += 1;
        let mut times = 0;
        while self.places.next_if_eq(&at).is_some() {
            times += 1;
        }
        times
    }

    /// Whether the walk has passed all that are drawn.
    #[inline]
    pub(crate) fn is_over(&mut self) -> bool {
        self.places.peek().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks over so many elements, and returns how often each was drawn.
    fn walk(mut draw: Draw, size: usize) -> Vec<usize> {
        let times: Vec<usize> = (0..size).map(|_| draw.times()).collect();
        assert!(draw.is_over());
        times
    }

    #[test]
    fn as_many_are_drawn_as_there_are() {
        for (count, size, drawn) in [(0, 5, 0), (3, 5, 3), (5, 5, 5), (9, 5, 5), (1, 0, 0)] {
            let different = walk(Draw::different(count, size), 5);
            assert_eq!(different.iter().sum::<usize>(), drawn);
            assert!(different.iter().all(|&times| times <= 1));
            let repeating = walk(Draw::repeating(count, size), 5);
            let drawn = if size == 0 { 0 } else { count };
            assert_eq!(repeating.iter().sum::<usize>() as u64, drawn);
        }
    }

    /// Not only each element: two neighbours come together as often as two that are far apart.
    #[test]
    fn each_pair_is_equally_likely() {
        fastrand::seed(7);
        let (size, rounds) = (6, 15_000);
        let mut together = vec![vec![0; size]; size];
        for _ in 0..rounds {
            let times = walk(Draw::different(2, size as u64), size);
            let drawn: Vec<usize> = (0..size).filter(|&place| times[place] > 0).collect();
            together[drawn[0]][drawn[1]] += 1;
        }
        // There are 15 pairs. Each is expected 1,000 times, give or take 31.
        for (first, with) in together.iter().enumerate() {
            for &times in &with[first + 1..] {
                assert!((850..1150).contains(&times), "{together:?}");
            }
        }
    }
}
