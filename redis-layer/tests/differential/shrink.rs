//! The fewest commands that still show a difference: delta debugging (Zeller and Hildebrandt,
//! 2002). Chunks are left out, large ones first, as long as the rest still fails. What must come before a `SORT` stays.

use crate::common::client::Command;
use crate::generate::with_good_numbers;
use crate::{Mismatch, Pair};

pub(crate) fn shrink(
    pair: &mut Pair,
    mut script: Vec<Command>,
    mut mismatch: Mismatch,
) -> (Vec<Command>, Mismatch) {
    script.truncate(mismatch.at + 1);
    let mut chunk = script.len() / 2;
    while chunk > 0 {
        let mut start = 0;
        let mut shrunk = false;
        while start < script.len() {
            let mut rest = script.clone();
            rest.drain(start..(start + chunk).min(rest.len()));
            let rest = with_good_numbers(rest);
            let found = (rest.len() < script.len()).then(|| pair.run(&rest));
            match found.flatten() {
                Some(found) => {
                    let mut rest = rest;
                    rest.truncate(found.at + 1);
                    (script, mismatch) = (rest, found);
                    shrunk = true;
                }
                None => start += chunk,
            }
        }
        if !shrunk {
            chunk /= 2;
        } else {
            chunk = chunk
                .min(script.len() / 2)
                .max(usize::from(script.len() > 1));
        }
    }
    (script, mismatch)
}
