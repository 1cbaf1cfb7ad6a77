//! How long a learner waits: from saving a file to the verdict.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde::Serialize;

use crate::build::Progress;
use crate::catalogue::Catalogue;
use crate::status;
use crate::watch::Watch;

/// What a learner may have to wait, once everything is built.
const LIMIT_SECONDS: f64 = 2.0;
/// How long a save may take to be seen. One that is not is no wait of a learner's.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is measured.
const ROUNDS: usize = 3;

/// Measured waits.
#[derive(Debug, Serialize)]
pub(crate) struct Timing {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) seconds: Vec<f64>,
    pub(crate) limit: f64,
}

impl Timing {
    pub(crate) fn within(&self) -> bool {
        self.seconds.iter().all(|seconds| *seconds <= self.limit)
    }
}

/// Saves the file as it is, waits for the watcher as `cargo workbook` does, and judges.
pub(crate) fn measure(catalogue: &Catalogue, name: &str) -> Result<Timing> {
    let (chapter, exercise) = catalogue.find(name)?;
    let file = chapter.answer(exercise);
    let names: Vec<String> = chapter.exercises.iter().map(|e| e.name.clone()).collect();
    status::look(catalogue, chapter, &names, Progress::Shown, false)?;
    let contents = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut seconds = Vec::new();
    for _ in 0..ROUNDS {
        let mut watch = Watch::new(catalogue);
        let begin = Instant::now();
        fs::write(&file, &contents).with_context(|| format!("cannot write {}", file.display()))?;
        while watch.look(catalogue).is_none() {
            if begin.elapsed() > PATIENCE {
                bail!(
                    "{} was written, and {} s later its time is the same: it lies where saves are not watched, or its file \
                     system counts in longer steps",
                    file.display(),
                    PATIENCE.as_secs()
                );
            }
        }
        status::look(catalogue, chapter, &names, Progress::Hidden, false)?;
        seconds.push(begin.elapsed().as_secs_f64());
    }
    Ok(Timing {
        name: name.to_owned(),
        file: catalogue.relative(&file),
        seconds,
        limit: LIMIT_SECONDS,
    })
}
