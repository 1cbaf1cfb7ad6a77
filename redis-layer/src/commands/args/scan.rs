//! How `SCAN`, `HSCAN`, `SSCAN` and `ZSCAN` read a cursor and options, and how they answer. The walks themselves are
//! in [`types::scan`](crate::types::scan).

use bytes::Bytes;

use crate::commands::args::glob::{Case, matches};
use crate::commands::args::is_word;
use crate::commands::{Args, CommandError, Reply};
use crate::types::number::c_text;
use crate::types::scan::Extent;

/// The cursor at a position, as C's `strtoul` reads it: an empty text is 0, and a negative number wraps around.
pub(crate) fn cursor(args: Args<'_>, position: usize) -> Result<u64, CommandError> {
    const INVALID: CommandError = CommandError::fixed("ERR invalid cursor");
    let text = c_text(args.get(position));
    if text.is_empty() {
        return Ok(0);
    }
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(INVALID);
    }
    let digits = std::str::from_utf8(digits).map_err(|_| INVALID)?;
    let number: u64 = digits.parse().map_err(|_| INVALID)?;
    Ok(if is_negative {
        number.wrapping_neg()
    } else {
        number
    })
}

/// The options after the cursor.
#[derive(Debug)]
pub(crate) struct ScanOptions {
    count: u64,
    pattern: Option<Bytes>,
    /// The name of a type, which only `SCAN` takes.
    pub(crate) type_name: Option<Bytes>,
}

impl ScanOptions {
    /// Reads `[MATCH pattern] [COUNT count]` from a position on, and `[TYPE type]` where that is allowed.
    pub(crate) fn parse(
        args: Args<'_>,
        from: usize,
        takes_type: bool,
    ) -> Result<Self, CommandError> {
        let mut options = Self {
            count: 10,
            pattern: None,
            type_name: None,
        };
        for position in (from..args.len()).step_by(2) {
            let has_value = position + 1 < args.len();
            if has_value && args.is(position, "COUNT") {
                let count = args.integer(position + 1)?;
                options.count = u64::try_from(count).unwrap_or(0);
                if options.count == 0 {
                    return Err(CommandError::SYNTAX);
                }
            } else if has_value && args.is(position, "MATCH") {
                let pattern = args.bytes(position + 1);
                options.pattern = (*pattern != *b"*").then_some(pattern);
            } else if has_value && takes_type && args.is(position, "TYPE") {
                options.type_name = Some(args.bytes(position + 1));
            } else {
                return Err(CommandError::SYNTAX);
            }
        }
        Ok(options)
    }

    /// How much one call visits of a collection of `size` elements. A collection of up to `most` elements comes
    /// whole.
    pub(crate) const fn extent(&self, size: u64, most: u64) -> Extent {
        Extent::new(self.count, size, most)
    }

    /// Whether the client wants this name.
    pub(crate) fn wants(&self, name: &[u8]) -> bool {
        let pattern = self.pattern.as_ref();
        pattern.is_none_or(|pattern| matches(pattern, name, Case::Exact))
    }

    /// Whether the client wants keys of this type.
    pub(crate) fn wants_type(&self, type_name: &str) -> bool {
        let wanted = self.type_name.as_ref();
        wanted.is_none_or(|wanted| is_word(wanted, type_name))
    }
}

/// A cursor for the next call, and what this one found.
pub(crate) fn page(next: u64, found: Vec<Reply>) -> Reply {
    let next = Reply::Bulk(next.to_string().into());
    Reply::Array(vec![next, Reply::Array(found)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::table::find;

    #[test]
    fn cursors_are_read_as_strtoul_reads_them() {
        let spec = find(b"get").unwrap();
        for (text, number) in [
            (&b"0"[..], Some(0)),
            (b"", Some(0)),
            (b"+5", Some(5)),
            (b"-1", Some(u64::MAX)),
            (b"18446744073709551615", Some(u64::MAX)),
            (b"7\x00x", Some(7)),
            (b"18446744073709551616", None),
            (b" 1", None),
            (b"1 ", None),
            (b"-", None),
            (b"x", None),
        ] {
            let args = [Bytes::from_static(b"get"), Bytes::from_static(text)];
            let read = cursor(Args::new(&args, spec), 1).ok();
            assert_eq!(read, number, "{text:?}");
        }
    }
}
