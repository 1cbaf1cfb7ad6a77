//! What `SRANDMEMBER`, `HRANDFIELD` and `ZRANDMEMBER` share: how they read a count.

use crate::commands::{Args, CommandError};
use crate::types::elements::{Element, Elements};
use crate::types::{Result, Txn};

/// The longest answer with repeated elements. Redis has no limit there, and runs out of memory.
const MOST_REPEATED: u64 = 1 << 22;

/// How many elements to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// So many different ones, or all there are.
    Different(u64),
    /// Exactly so many, the same ones again if it happens.
    Repeating(u64),
}

impl Choice {
    /// The count at a position: if negative, elements may repeat.
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

    /// Refuses a count whose double is no i64, as Redis does where each element has two parts.
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

/// So many elements of a hash or a set.
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
