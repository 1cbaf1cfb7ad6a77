//! How `SRANDMEMBER`, `HRANDFIELD` and `ZRANDMEMBER` read their count.

use crate::commands::{Args, CommandError};
use crate::types::elements::{Element, Elements};
use crate::types::{Result, Txn};

/// The longest answer with repeated elements. Redis has no limit there, and runs out of memory.
const MOST_REPEATED: u64 = 1 << 22;

/// How many elements to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// This many different ones, or all if there are no more.
    Different(u64),
    /// Exactly this many, where the same one may come several times.
    Repeating(u64),
}

impl Choice {
    /// The count at a position. If it is negative, elements may repeat.
    pub(crate) fn parse(args: Args<'_>, position: usize) -> Result<Self, CommandError> {
        let count = args.integer(position)?;
        if count == i64::MIN {
            return Err(CommandError::fixed(
                "ERR value is out of range, value must between -9223372036854775807 and \
                 9223372036854775807",
            ));
        }
        Ok(if count >= 0 {
            Self::Different(count.unsigned_abs())
        } else {
            Self::Repeating(count.unsigned_abs())
        })
    }

    /// Refuses a count that doubled does not fit into an i64. Redis does so where each element has two parts.
    pub(crate) const fn check_doubled(self) -> Result<(), CommandError> {
        let (Self::Different(count) | Self::Repeating(count)) = self;
        if count > i64::MAX.unsigned_abs() / 2 {
            return Err(CommandError::OUT_OF_RANGE);
        }
        Ok(())
    }

    /// Refuses an answer that is longer than the server can hold.
    pub(crate) const fn check_length(self) -> Result<(), CommandError> {
        match self {
            Self::Repeating(count) if count > MOST_REPEATED => Err(CommandError::OUT_OF_RANGE),
            _ => Ok(()),
        }
    }
}

/// Chooses elements of a hash or a set.
pub(crate) fn choose(
    txn: &Txn<'_>,
    elements: &Elements,
    choice: Choice,
) -> Result<Vec<Element>, CommandError> {
    choice.check_length()?;
    Ok(match choice {
        Choice::Different(count) => elements.random_different(txn, count)?,
        Choice::Repeating(count) => elements.random_repeating(txn, count)?,
    })
}
