//! The logs that an opening would read: point 5 of what is compared.

use std::path::PathBuf;

use super::Verifier;
use crate::batch::BatchView;
use crate::db::survey::{Finding, Survey};
use crate::error::Result;
use crate::internal_key::MAX_SEQUENCE;
use crate::log::{LogEnd, LogReader, RecoveryMode};
use crate::version::file_name;

impl Verifier<'_> {
    /// The logs from the oldest that is needed, up to the first that is left out or damaged.
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
        let mut next_sequence = survey.last_sequence + 1;
        for (at, number) in numbers.into_iter().enumerate() {
            self.report.logs += 1;
            let path = file_name::log(self.dir, number);
            match self.log(number, &path, survey, (next_sequence, at == 0)) {
                Ok(Some(next)) => next_sequence = next,
                Ok(None) => return,
                Err(error) => {
                    self.report.findings.push(Finding::of_error(&path, error));
                    return;
                }
            }
        }
    }

    /// Checks a log, which may be the first, and returns the sequence number that follows it; `None` if what comes after is left
    /// out at opening.
    fn log(
        &mut self,
        number: u64,
        path: &PathBuf,
        survey: &Survey,
        (mut next_sequence, is_first): (u64, bool),
    ) -> Result<Option<u64>> {
        let contents = self.vfs.read(path)?;
        let mut reader = LogReader::new(&contents, path, number, RecoveryMode::PointInTime);
        let mut batches = 0;
        while let Some(record) = reader.next_record()? {
            let checked = check_batch(record, survey, next_sequence);
            let at = reader.record_at();
            match checked {
                Ok(next) => next_sequence = next,
                Err(Batch::Wrong(what)) => {
                    self.damage(path, at, what);
                    return Ok(None);
                }
                Err(Batch::Beyond(first)) if batches == 0 && !is_first && first > next_sequence => {
                    let what = format!(
                        "it begins with the sequence number {first}, and {next_sequence} follows: a log before it lost its \
                         end in a power cut, so this one is left out at opening"
                    );
                    self.note(path, what);
                    return Ok(None);
                }
                Err(Batch::Beyond(first)) => {
                    let what =
                        format!("its sequence number is {first}, and {next_sequence} follows");
                    self.damage(path, at, what);
                    return Ok(None);
                }
            }
            batches += 1;
        }
        self.report.batches += batches;
        if let Some(LogEnd::Torn { at }) = reader.end() {
            let what = format!(
                "the record at byte {at} is torn: its write was never acknowledged as durable"
            );
            self.note(path, what);
        }
        Ok(Some(next_sequence))
    }
}

/// What is wrong with a batch.
enum Batch {
    Wrong(String),
    /// It does not follow what came before; it begins with this number.
    Beyond(u64),
}

fn check_batch(record: &[u8], survey: &Survey, next_sequence: u64) -> Result<u64, Batch> {
    let batch = BatchView::decode(record).map_err(Batch::Wrong)?;
    if batch.sequence != next_sequence {
        return Err(Batch::Beyond(batch.sequence));
    }
    let end = batch.sequence.saturating_add(u64::from(batch.count));
    if end > MAX_SEQUENCE + 1 {
        return Err(Batch::Wrong(format!(
            "it runs past the last sequence number, {MAX_SEQUENCE}"
        )));
    }
    for record in batch.records() {
        let record = record.map_err(Batch::Wrong)?;
        if record.family.0 >= survey.next_family {
            return Err(Batch::Wrong(format!(
                "it is for family {}, which never was",
                record.family.0
            )));
        }
    }
    Ok(end)
}
