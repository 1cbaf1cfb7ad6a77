//! The logs that an opening would read: point 5 of what `verify` compares.

use std::path::{Path, PathBuf};

use super::Verifier;
use crate::db::recovery::{check_batch, end_too_early, lost_its_durable_end};
use crate::db::survey::{Finding, Survey};
use crate::error::Result;
use crate::log::{LogEnd, LogReader, RecoveryMode};
use crate::version::file_name;

impl Verifier<'_> {
    /// Checks the logs from the oldest that is needed. An opening stops at the first wrong one; those after
    /// it are checked for themselves, because it is unknown with which sequence number they should begin.
    pub(super) fn logs(&mut self, survey: &Survey) {
        if survey.oldest_log > 0 && !self.names.logs.contains(&survey.oldest_log) {
            let path = file_name::log(self.dir, survey.oldest_log);
            self.damage(&path, 0, "the file is missing, and the manifest needs it");
        }
        let numbers: Vec<u64> = self
            .names
            .logs
            .range(survey.oldest_log..)
            .copied()
            .collect();
        let mut next_sequence = Some(survey.last_sequence + 1);
        let mut before = None;
        let mut last_batch = (file_name::log(self.dir, survey.oldest_log), 0);
        // Those after a gap. If an opening does not stop with an error, it leaves them out.
        let mut left_out = Vec::new();
        for number in numbers {
            self.report.logs += 1;
            let path = file_name::log(self.dir, number);
            let follows = match &before {
                Some(before) if !left_out.is_empty() => self.left_out(number, &path, before),
                _ => self.log(number, &path, survey, (next_sequence, before.as_ref())),
            };
            let follows = follows.unwrap_or_else(|error| {
                self.report.findings.push(Finding::of_error(&path, error));
                Follows::Wrong
            });
            match follows {
                Follows::On { next, end } => {
                    if next > next_sequence {
                        last_batch = (path.clone(), end);
                    }
                    next_sequence = next;
                    before = Some((path, end));
                }
                Follows::AfterGap => left_out.push(path),
                Follows::Wrong => {
                    next_sequence = None;
                    before = None;
                    left_out.clear();
                }
            }
        }
        let lost = next_sequence.filter(|next| *next <= survey.durable_sequence);
        if let Some(next) = lost {
            let (path, end) = last_batch;
            self.damage(&path, end, end_too_early(next - 1, survey.durable_sequence));
        } else if let Some((before, _)) = before {
            self.note_left_out(&left_out, &before);
        }
    }

    /// Notes which logs an opening leaves out, because `before` does not go as far as to their beginning.
    fn note_left_out(&mut self, left_out: &[PathBuf], before: &Path) {
        let what = format!(
            "it is left out at opening, because {} does not go as far as to its beginning: that one lost its end in a power cut",
            before.display()
        );
        for path in left_out {
            self.note(path, what.clone());
        }
    }

    /// Checks a log that should begin with `next_sequence`, if that is known. It may be the first one.
    fn log(
        &mut self,
        number: u64,
        path: &Path,
        survey: &Survey,
        (mut next_sequence, before): (Option<u64>, Option<&(PathBuf, u64)>),
    ) -> Result<Follows> {
        let contents = self.vfs.read(path)?;
        let mut reader = LogReader::new(&contents, path, number, RecoveryMode::PointInTime);
        let mut batches = 0;
        while let Some(record) = reader.next_record()? {
            match check_batch(record, survey.next_family, next_sequence) {
                Ok(after) => next_sequence = Some(after),
                Err(wrong) => {
                    let gap = wrong.begins_after_gap(batches == 0);
                    if let (Some(_), Some(before)) = (&gap, before) {
                        return self.left_out(number, path, before);
                    }
                    let what = gap.unwrap_or_else(|| wrong.to_string());
                    self.damage(path, reader.record_at(), what);
                    return Ok(Follows::Wrong);
                }
            }
            batches += 1;
        }
        self.report.batches += batches;
        if let Some(LogEnd::Torn { at }) = reader.end() {
            let what = format!(
                "the record at byte {at} is torn, and what came after it is lost: after a power cut that was never \
                 acknowledged as durable, otherwise the file was cut or damaged"
            );
            self.note(path, what);
        }
        let end = reader.end().map_or(contents.len() as u64, LogEnd::at);
        Ok(Follows::On {
            next: next_sequence,
            end,
        })
    }

    /// Checks that this log, which comes after a gap, may be left out as an opening does.
    fn left_out(
        &mut self,
        number: u64,
        path: &Path,
        (before, end): &(PathBuf, u64),
    ) -> Result<Follows> {
        let contents = self.vfs.read(path)?;
        let mut reader = LogReader::new(&contents, path, number, RecoveryMode::PointInTime);
        while reader.next_record()?.is_some() {}
        if let Some(upto) = reader.durable() {
            self.damage(before, *end, lost_its_durable_end(path, upto));
            return Ok(Follows::Wrong);
        }
        Ok(Follows::AfterGap)
    }
}

/// How a log continues those before it.
enum Follows {
    /// It continues them. `next` is the sequence number after it, if that is known, and its valid part ends
    /// at `end`.
    On { next: Option<u64>, end: u64 },
    /// Rows in between are missing.
    AfterGap,
    /// An opening stops here with an error.
    Wrong,
}
