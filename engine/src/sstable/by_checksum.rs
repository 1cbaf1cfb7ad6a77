//! What is wrong first in a table whose footer, index or properties are damaged, so that nothing leads to the parts before
//! them. Each part ends in its own checksum, so they are found one after another.

use super::stored::Compression;
use crate::annotate::{Wrong, count};
use crate::bloom::LINE_BYTES;
use crate::checksum::end_by_checksum;
use crate::error::Error;
use crate::vfs::RandomFile;

/// What is wrong with a table whose footer cannot be read.
pub(super) fn without_footer(file: &dyn RandomFile, error: &Error, footer_at: u64) -> Wrong {
    let wrong = footer_wrong(error, footer_at, file.len());
    if !matches!(error, Error::Corruption { .. }) {
        return wrong.sound_to(0);
    }
    let Ok(bytes) = file.read_at(0, file.len() as usize) else {
        return wrong.sound_to(0);
    };
    let (end, len) = (whole_parts_end(&bytes, 0) as u64, file.len());
    if end == footer_at {
        return wrong.sound_to(end);
    }
    let what = if end > footer_at {
        format!(
            "another part or the footer should begin here, and the file ends after {}: it was cut off",
            count(len - end, "byte")
        )
    } else {
        let footer = match wrong.range.start > footer_at {
            true => wrong.what,
            false => format!("the footer at byte {footer_at} is damaged"),
        };
        let or = if end == 0 { ", or it is no table" } else { "" };
        format!(
            "no part of a table with a right checksum begins here, and {footer}: the file was cut off here or later, or both \
             places are damaged{or}"
        )
    };
    Wrong::new(end..len, what)
}

/// What is wrong first, if the part that `wrong` is about says where the parts before it are, and those from `from` on
/// were not looked at therefore.
pub(super) fn first_wrong(file: &dyn RandomFile, from: u64, wrong: Wrong) -> Wrong {
    let Ok(bytes) = file.read_at(0, wrong.range.start as usize) else {
        return wrong.sound_to(from);
    };
    let end = whole_parts_end(&bytes, from as usize) as u64;
    if end == wrong.range.start {
        return wrong;
    }
    let what = format!(
        "no part of a table with a right checksum begins here, and what leads to the parts, at byte {}, is damaged too",
        wrong.range.start
    );
    Wrong::new(end..wrong.range.start, what)
}

/// Where the parts end that follow one another from `from` on with right checksums. Nothing has to say where each is.
fn whole_parts_end(bytes: &[u8], from: usize) -> usize {
    let part_end = |begin: usize| {
        let may_be_compression = |byte| byte <= Compression::Lz4 as u8;
        end_by_checksum(begin as u64, bytes.get(begin..)?, may_be_compression)
            .map(|length| begin + length)
    };
    let (mut end, mut may_be_padded) = (from, true);
    loop {
        if let Some(next) = part_end(end) {
            end = next;
            continue;
        }
        // Only the filter may have zeros before it. Each place where no part begins costs a look at all bytes after it, so
        // there must not be many of them.
        let aligned = end.next_multiple_of(LINE_BYTES);
        let padding = bytes.get(end..aligned).filter(|_| may_be_padded);
        let is_padded = padding.is_some_and(|padding| padding.iter().all(|byte| *byte == 0));
        match is_padded.then(|| part_end(aligned)).flatten() {
            Some(next) => (end, may_be_padded) = (next, false),
            None => return end,
        }
    }
}

fn footer_wrong(error: &Error, footer_at: u64, len: u64) -> Wrong {
    match error {
        // A wrong magic is reported as one field, a wrong checksum as the whole footer.
        Error::Corruption { offset, what, .. } if *offset > footer_at => {
            Wrong::new(*offset..len, what.clone())
        }
        Error::Corruption { what, .. } => Wrong::new(footer_at..len, what.clone()),
        other => Wrong::new(footer_at..len, other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checksum::STEPPED;
    use crate::sstable::stored;

    fn parts(count: usize, padded: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..count {
            stored::append(&mut bytes, 0, b"contents", Compression::None);
            if padded {
                bytes.resize(bytes.len().next_multiple_of(LINE_BYTES), 0);
            }
        }
        bytes
    }

    #[test]
    fn parts_are_found_one_after_another_with_zeros_before_one() {
        let mut bytes = parts(5, false);
        assert_eq!(whole_parts_end(&bytes, 0), bytes.len());
        bytes.resize(bytes.len().next_multiple_of(LINE_BYTES), 0);
        for _ in 0..3 {
            stored::append(&mut bytes, 0, b"more", Compression::None);
        }
        let end = bytes.len();
        bytes.extend_from_slice(&[7; 100]);
        assert_eq!(whole_parts_end(&bytes, 0), end);
    }

    #[test]
    fn zeros_between_all_parts_do_not_make_each_cost_a_look_at_the_whole_file() {
        let bytes = parts(1_000, true);
        STEPPED.set(0);
        whole_parts_end(&bytes, 0);
        let stepped = STEPPED.get();
        assert!(stepped < 8 * bytes.len(), "{stepped} steps");
    }
}
