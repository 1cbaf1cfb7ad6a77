//! What is wrong first in a table whose footer, index or properties are damaged, so that nothing leads to the parts before
//! them. Each part ends in its own checksum, so they are found one after another.

use super::stored::Compression;
use crate::annotate::Wrong;
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
            "another part or the footer should begin here, and the file ends after {} bytes: it was cut off",
            len - end
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
    let mut end = from;
    loop {
        // A filter may have zeros before it.
        let aligned = end.next_multiple_of(LINE_BYTES);
        let is_padded = bytes
            .get(end..aligned)
            .is_some_and(|padding| padding.iter().all(|byte| *byte == 0));
        let mut begins = std::iter::once(end).chain(is_padded.then_some(aligned));
        match begins.find_map(part_end) {
            Some(next) => end = next,
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
