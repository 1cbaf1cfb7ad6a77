//! What follows a fragment that cannot be read: the evidence for a torn end, a lost tail or damage.

use super::reader::{Found, LogReader};
use super::{FragmentType, HEADER_BYTES, SECTOR_BYTES, durable_before, next_header};

/// What is valid after a bad fragment.
#[derive(Debug, Default)]
pub(super) struct After {
    /// The first valid fragment.
    pub(super) valid: Option<usize>,
    /// The first mark that says the bad fragment was durable, and the offset before which everything was.
    pub(super) mark: Option<(usize, u64)>,
}

impl LogReader<'_> {
    /// Whether there is a valid fragment anywhere in the log.
    ///
    /// Cost: one pass, up to the first fragment.
    pub(crate) fn has_fragment(&self) -> bool {
        let is_first = matches!(self.look(0), Found::Fragment { .. });
        is_first || self.after(0).valid.is_some()
    }

    /// Looks for valid fragments at every position after `at`, until it finds a mark that covers `at`.
    ///
    /// Cost: one pass, and a checksum wherever the bytes look like a type and this log's number. In a forged log that may be
    /// every seventh byte. Even then it is linear in the log's length, because no fragment is longer than a block.
    pub(super) fn after(&self, at: usize) -> After {
        let mut after = After::default();
        let mut candidate = at + 1;
        while candidate + HEADER_BYTES <= self.log.len() {
            let next = candidate + 1;
            let fits = next_header(candidate as u64) == candidate as u64;
            // The type is checked first: it rules out most positions, and `look` formats a message.
            let plausible = FragmentType::from_byte(self.log[candidate + 6]).is_some();
            let found = (fits && plausible).then(|| self.look(candidate));
            let Some(Found::Fragment {
                fragment_type,
                payload,
            }) = found
            else {
                candidate = next;
                continue;
            };
            after.valid.get_or_insert(candidate);
            let upto = durable_before(candidate, &self.log[payload.clone()]);
            if fragment_type == FragmentType::Mark
                && let Some(upto) = upto.filter(|upto| *upto > at as u64)
            {
                after.mark = Some((candidate, upto));
                return after;
            }
            candidate = payload.end;
        }
        after
    }

    /// Whether a sector of the fragment at `at` was never written: whether it is zeros from the
    /// beginning of the fragment or sector to the sector's end.
    ///
    /// If the header is plausible, the sectors up to its payload's end are checked, otherwise only that of
    /// the header itself. The bytes before `at` in its sector were read and are valid. So if the rest of
    /// the sector was lost, it was lost after those bytes were durable, together with everything after it.
    pub(super) fn was_never_written(&self, at: usize) -> bool {
        let sectors = match self.look(at) {
            // The header is plausible; only the checksum is wrong.
            Found::Bad { at: wrong, .. } if wrong.start == at && wrong.len() >= HEADER_BYTES => {
                at..wrong.end
            }
            _ => at..at + 1,
        };
        let mut from = sectors.start;
        while from < sectors.end {
            let to = (from / SECTOR_BYTES + 1) * SECTOR_BYTES;
            let in_sector = &self.log[from..to.min(self.log.len())];
            if in_sector.iter().all(|byte| *byte == 0) {
                return true;
            }
            from = to;
        }
        false
    }
}
