//! Whether a file is, or may be, a certain log, whatever has become of it: tells a damaged log from a file of another
//! program that has the same name.

use super::{
    BLOCK_BYTES, Found, FragmentHeader, FragmentType, HEADER_BYTES, LogReader, RecoveryMode,
    stored_number,
};

/// The offset of the log's number in a header.
const NUMBER_AT: usize = 7;

/// Whether some fragment of log `number` is valid. No other program writes one, because the checksum covers its place.
///
/// Cost: one pass, up to the first fragment.
pub(crate) fn has_fragment(contents: &[u8], number: u64) -> bool {
    LogReader::new(contents, "", number, RecoveryMode::PointInTime).has_fragment()
}

/// Whether a file may be log `number`, torn by a power cut or damaged. If not, nothing in it is as in such a log.
pub(crate) fn may_be_log(contents: &[u8], number: u64) -> bool {
    let is_like_one = match Header::of(contents) {
        Some(header) => header.is_nearly_of(number, contents),
        // It is too short to tell, unless it is readable text.
        None => !is_text(contents),
    };
    // A sector that was never written is zeros.
    let is_lost = contents.iter().take(HEADER_BYTES).all(|byte| *byte == 0);
    is_lost || is_like_one || has_fragment(contents, number)
}

/// The header of the first fragment, if the file is a log.
#[derive(Clone, Copy)]
pub(crate) struct Header {
    /// Whether its type is one.
    pub(crate) has_type: bool,
    /// Whether its length fits into the file and the block.
    pub(crate) length_fits: bool,
    /// The log's number.
    pub(crate) number: u32,
}

impl Header {
    /// `None` if the file is shorter than a header.
    pub(crate) fn of(contents: &[u8]) -> Option<Self> {
        let (header, rest) = contents.split_first_chunk::<HEADER_BYTES>()?;
        let header = FragmentHeader::read(header);
        Some(Self {
            has_type: FragmentType::from_byte(header.type_byte).is_some(),
            length_fits: header.length <= rest.len().min(BLOCK_BYTES - HEADER_BYTES),
            number: header.log_number,
        })
    }

    /// Whether the header belongs to the log `number`, except for one field, which may be damaged;
    /// or to another log, under whose number some fragment is valid.
    fn is_nearly_of(self, number: u64, contents: &[u8]) -> bool {
        if self.number == stored_number(number) {
            return self.has_type || self.length_fits;
        }
        let mut mended = contents[..contents.len().min(BLOCK_BYTES)].to_vec();
        mended[NUMBER_AT..HEADER_BYTES].copy_from_slice(&stored_number(number).to_le_bytes());
        let mended = LogReader::new(&mended, "", number, RecoveryMode::PointInTime);
        matches!(mended.look(0), Found::Fragment { .. })
            || has_fragment(contents, self.number.into())
    }
}

fn is_text(bytes: &[u8]) -> bool {
    let is_control = |c: char| c.is_control() && !c.is_whitespace();
    std::str::from_utf8(bytes).is_ok_and(|text| !text.contains(is_control))
}
