//! What stands behind a fragment that cannot be read: the evidence for a torn end, a lost tail or damage.

use super::reader::{Found, LogReader};
use super::{FragmentType, HEADER_BYTES, SECTOR_BYTES, durable_before, next_header};

/// What is valid behind a bad fragment.
#[derive(Debug, Default)]
pub(super) struct After {
    /// The first valid fragment.
    pub(super) valid: Option<usize>,
    /// The first mark that says that the bad fragment was durable, and before which offset everything was.
    pub(super) mark: Option<(usize, u64)>,
}

impl LogReader<'_> {
    /// Whether there is a valid fragment anywhere.
    ///
    /// Cost: one pass, as long as there is none.
    pub(crate) fn has_fragment(&self) -> bool {
        let is_first = matches!(self.look(0), Found::Fragment { .. });
        is_first || self.after(0).valid.is_some()
    }

    /// Looks for valid fragments at every position behind `at`, until a mark is found that covers it.
    ///
    /// Cost: one pass; a checksum wherever a type and this log's number happen to stand.
    pub(super) fn after(&self, at: usize) -> After {
        let mut after = After::default();
        let mut candidate = at + 1;
        while candidate + HEADER_BYTES <= self.log.len() {
            let next = candidate + 1;
            let fits = next_header(candidate as u64) == candidate as u64;
            // The type is looked at first: it rules most positions out, and `look` formats a message.
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

    /// Whether a sector of the fragment at `at` is as it was before the fragment: zeros from where the fragment or the
    /// sector begins to the sector's end.
    ///
    /// If the header can be believed, those are the sectors up to its payload's end, else only the header's own. What
    /// stands before `at` in its sector was read and is valid, so if the sector was lost, it was lost after that was
    /// durable, and nothing behind is there.
    pub(super) fn was_never_written(&self, at: usize) -> bool {
        let sectors = match self.look(at) {
            // Only the checksum is wrong.
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
