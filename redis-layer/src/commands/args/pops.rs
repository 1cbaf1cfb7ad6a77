//! The arguments of commands that pop: how many elements, from which keys, at which end. And how such a command waits.

use std::ops::Range;

use crate::commands::{Args, CommandError, Reply};

/// The count after the key of a command such as `LPOP key [count]`, if there is one.
///
/// # Errors
/// It is negative, or no number.
pub(crate) fn count_after_key(args: Args<'_>) -> Result<Option<u64>, CommandError> {
    if args.len() == 2 {
        return Ok(None);
    }
    let count = args.not_negative(2).ok_or(CommandError::NOT_POSITIVE)?;
    Ok(Some(count))
}

/// The answer of a command that finds nothing to pop: its client waits.
pub(crate) fn wait(timeout_ms: u64, on_timeout: Reply) -> Reply {
    let on_timeout = Box::new(on_timeout);
    Reply::Wait {
        timeout_ms,
        on_timeout,
    }
}

/// `numkeys key [key ...] END [COUNT count]`: what `LMPOP`, `ZMPOP` and their blocking forms share.
#[derive(Debug)]
pub(crate) struct MultiPop<E> {
    /// The positions of the keys.
    pub(crate) keys: Range<usize>,
    /// At which end to pop.
    pub(crate) end: E,
    /// How many elements to pop at most.
    pub(crate) count: u64,
}

impl<E> MultiPop<E> {
    /// Reads the arguments from the number of keys on, with the checks in Redis's order. `end` reads the end at a
    /// position.
    ///
    /// # Errors
    /// Redis's texts.
    pub(crate) fn parse(
        args: Args<'_>,
        numkeys_at: usize,
        end: impl FnOnce(Args<'_>, usize) -> Result<E, CommandError>,
    ) -> Result<Self, CommandError> {
        let at_least_one = |position, refusal| {
            let number = args.not_negative(position).filter(|&number| number > 0);
            number.ok_or(CommandError::fixed(refusal))
        };
        let keys = at_least_one(numkeys_at, "ERR numkeys should be greater than 0")?;
        let first_key = numkeys_at + 1;
        let behind_keys = usize::try_from(keys)
            .ok()
            .and_then(|keys| keys.checked_add(first_key))
            .filter(|&behind| behind < args.len())
            .ok_or(CommandError::SYNTAX)?;
        let end = end(args, behind_keys)?;
        let mut count = None;
        for position in (behind_keys + 1..args.len()).step_by(2) {
            let has_number = position + 1 < args.len();
            if count.is_some() || !args.is(position, "COUNT") || !has_number {
                return Err(CommandError::SYNTAX);
            }
            count = Some(at_least_one(
                position + 1,
                "ERR count should be greater than 0",
            )?);
        }
        Ok(Self {
            keys: first_key..behind_keys,
            end,
            count: count.unwrap_or(1),
        })
    }
}
