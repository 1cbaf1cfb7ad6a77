//! `LCS`: the longest text that two strings have in common, with gaps.
//!
//! The usual table is used: for each pair of prefixes of the two strings the length of what they have in common,
//! computed from three neighbouring entries. It takes four bytes for each pair; a table larger than the longest
//! allowed string is refused.

use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::strings::LONGEST;
use crate::types::{self, Txn};

#[derive(Debug, Default)]
struct Options {
    only_length: bool,
    positions: bool,
    with_lengths: bool,
    least_length: usize,
}

impl Options {
    fn parse(args: Args<'_>) -> Result<Self, CommandError> {
        let mut options = Self::default();
        let mut position = 3;
        while position < args.len() {
            if args.is(position, "IDX") {
                options.positions = true;
            } else if args.is(position, "LEN") {
                options.only_length = true;
            } else if args.is(position, "WITHMATCHLEN") {
                options.with_lengths = true;
            } else if args.is(position, "MINMATCHLEN") && position + 1 < args.len() {
                position += 1;
                options.least_length = usize::try_from(args.integer(position)?).unwrap_or(0);
            } else {
                return Err(CommandError::SYNTAX);
            }
            position += 1;
        }
        if options.positions && options.only_length {
            return Err(CommandError::fixed(
                "ERR If you want both the length and indexes, please just use IDX.",
            ));
        }
        Ok(options)
    }
}

/// `LCS key1 key2 [LEN] [IDX] [MINMATCHLEN length] [WITHMATCHLEN]`
pub(crate) fn lcs(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let string = |key| match txn.get_string(key) {
        Err(types::Error::WrongType) => Err(CommandError::fixed(
            "ERR The specified keys must contain string values",
        )),
        text => Ok(text?.unwrap_or_default()),
    };
    // Both are looked up before either is checked.
    let (a, b) = (string(args.get(1)), string(args.get(2)));
    let (a, b) = (a?, b?);
    let options = Options::parse(args)?;
    let table = Table::new(&a, &b)?;
    if options.only_length {
        return Ok(Reply::Integer(table.length().into()));
    }
    let runs = table.runs();
    if !options.positions {
        let texts = runs.iter().rev().map(|run| &a[run.a..run.a + run.length]);
        return Ok(Reply::Bulk(texts.collect::<Vec<_>>().concat().into()));
    }
    let runs = runs.iter().filter(|run| run.length >= options.least_length);
    let number = |number: usize| Reply::count(number as u64);
    let range =
        |start: usize, length: usize| Reply::Array(vec![number(start), number(start + length - 1)]);
    let matches = runs.map(|run| {
        let mut found = vec![range(run.a, run.length), range(run.b, run.length)];
        if options.with_lengths {
            found.push(number(run.length));
        }
        Reply::Array(found)
    });
    Ok(Reply::Map(vec![
        (Reply::text("matches"), Reply::Array(matches.collect())),
        (Reply::text("len"), Reply::Integer(table.length().into())),
    ]))
}

/// Bytes that are consecutive in both strings.
struct Run {
    a: usize,
    b: usize,
    length: usize,
}

/// The lengths for all pairs of prefixes.
struct Table<'t> {
    a: &'t [u8],
    b: &'t [u8],
    lengths: Vec<u32>,
}

impl<'t> Table<'t> {
    fn new(a: &'t [u8], b: &'t [u8]) -> Result<Self, CommandError> {
        let cells = (a.len() + 1).checked_mul(b.len() + 1);
        let cells = cells.filter(|cells| cells.saturating_mul(4) - 1 <= LONGEST);
        let cells = cells.ok_or(CommandError::fixed(
            "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len",
        ))?;
        let width = b.len() + 1;
        let mut lengths = vec![0; cells];
        for (i, byte) in a.iter().enumerate() {
            let (above, row) = lengths[i * width..(i + 2) * width].split_at_mut(width);
            for (j, other) in b.iter().enumerate() {
                row[j + 1] = if byte == other {
                    above[j] + 1
                } else {
                    above[j + 1].max(row[j])
                };
            }
        }
        Ok(Self { a, b, lengths })
    }

    /// The length for the first `i` and the first `j` bytes.
    fn at(&self, i: usize, j: usize) -> u32 {
        self.lengths[i * (self.b.len() + 1) + j]
    }

    fn length(&self) -> u32 {
        self.at(self.a.len(), self.b.len())
    }

    /// The runs of one common text, last first.
    fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let (mut i, mut j) = (self.a.len(), self.b.len());
        while i > 0 && j > 0 {
            if self.a[i - 1] == self.b[j - 1] {
                match runs.last_mut() {
                    Some(run) if run.a == i && run.b == j => {
                        run.a -= 1;
                        run.b -= 1;
                        run.length += 1;
                    }
                    _ => runs.push(Run {
                        a: i - 1,
                        b: j - 1,
                        length: 1,
                    }),
                }
                i -= 1;
                j -= 1;
            } else if self.at(i - 1, j) > self.at(i, j - 1) {
                i -= 1;
            } else {
                j -= 1;
            }
        }
        runs
    }
}
