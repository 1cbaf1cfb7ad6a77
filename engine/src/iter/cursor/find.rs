//! Finds the row to show, from the merge's entry on or back.

use super::{Cursor, Place, is_covered, parse, user_key};
use crate::cursor::{Direction, InternalCursor, STEPS_BEFORE_SEEK};
use crate::error::Result;
use crate::internal_key::{self, ValueKind};

impl Cursor {
    /// Finds the first visible put from the merge's entry on. With `skip`, versions of `self.key` are hidden.
    pub(super) fn find_forward(&mut self, mut skip: bool) -> Result<()> {
        // How many versions of `key` were passed, how many entries under range tombstones, how often those were skipped
        // since the last seek, and how many steps in a row led over entries that are too new.
        let (mut hidden, mut covered, mut skips, mut too_new) = (0, 0, 0, 0);
        while self.merge.valid() {
            let entry = parse(&self.merge)?;
            let is_seen = entry.sequence <= self.sequence;
            if skip && internal_key::is_same(entry.user_key, &self.key) {
                hidden += 1;
                if hidden > STEPS_BEFORE_SEEK {
                    self.count_jump();
                    self.leave_key_forward()?;
                    (hidden, skips) = (0, 0);
                    continue;
                }
            } else {
                if self.bounds.past_upper(&self.comparator, entry.user_key) {
                    return Ok(());
                }
                if is_seen {
                    let is_covered = is_covered(&mut self.coverage, &entry);
                    if entry.kind == ValueKind::Put && !is_covered {
                        self.place = Place::Forward;
                        return Ok(());
                    }
                    hidden = 0;
                    skip = true;
                    self.key.clear();
                    self.key.extend_from_slice(entry.user_key);
                    covered += usize::from(is_covered);
                    if is_covered
                        && covered > STEPS_BEFORE_SEEK
                        && self.skip_covered(true, &mut skips)?
                    {
                        continue;
                    }
                } else if self.are_versions_of_one_key(&mut too_new) {
                    let newest_seen = internal_key::seek_trailer(self.sequence);
                    self.seek_key.extend_from_slice(&newest_seen);
                    self.jump(Direction::Forward)?;
                    skips = 0;
                    continue;
                }
            }
            if is_seen {
                self.count_pass();
            }
            self.merge.next()?;
        }
        Ok(())
    }

    /// Finds the last key whose newest visible version is a put, from the merge's entry back.
    pub(super) fn find_backward(&mut self) -> Result<()> {
        // `passed` counts steps in a row; the other two are those of `find_forward`.
        let (mut found, mut covered, mut skips, mut passed) = (false, 0, 0, 0);
        while self.merge.valid() {
            let entry = parse(&self.merge)?;
            if found && entry.user_key != self.key {
                break;
            }
            if self.bounds.before_lower(&self.comparator, entry.user_key) {
                break;
            }
            let is_seen = entry.sequence <= self.sequence;
            if is_seen {
                let is_covered = is_covered(&mut self.coverage, &entry);
                found = entry.kind == ValueKind::Put && !is_covered;
                if found && self.merge.is_newest_row(self.sequence)? {
                    self.place = Place::BackwardHere;
                    return Ok(());
                }
                if found {
                    self.key.clear();
                    self.key.extend_from_slice(user_key(&self.merge));
                    self.value.clear();
                    self.value.extend_from_slice(self.merge.value());
                }
                covered += usize::from(is_covered);
                if is_covered
                    && covered > STEPS_BEFORE_SEEK
                    && self.skip_covered(false, &mut skips)?
                {
                    continue;
                }
            }
            if self.are_versions_of_one_key(&mut passed) {
                // The versions of a key come oldest first. So after one that is seen, a newer one may still be the row. After one
                // that is too new there is none: what is seen of the key was passed, or even shown as a row before the
                // newer versions were written.
                if is_seen {
                    self.count_jump();
                    found = self.seek_newest_version()?;
                } else {
                    self.key.clear();
                    self.key.extend_from_slice(user_key(&self.merge));
                }
                self.leave_key_backward()?;
                skips = 0;
            } else {
                if is_seen && !found {
                    self.count_pass();
                }
                self.merge.prev()?;
            }
        }
        if found {
            self.place = Place::Backward;
        }
        Ok(())
    }
}
