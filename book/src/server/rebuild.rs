//! Polling the sources and building when they have changed and come to rest.
//!
//! An editor empties a file before it writes it anew. So nothing is built from files that changed between two
//! looks, and what was built while they changed is not shown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::spawn_blocking;

use super::build::{Builder, Built};
use super::{Event, ServeOptions, Site};
use crate::sources::{self, Stamp, Watch};

/// Builds once, then again after each change, until told to stop.
pub(super) async fn run(
    options: ServeOptions,
    builder: Builder,
    site: watch::Sender<Site>,
    mut stop: watch::Receiver<bool>,
) {
    let builder = Arc::new(Mutex::new(builder));
    let watch = Arc::default();
    let mut built_from = None;
    let mut last_seen = None;
    loop {
        let seen = look(&options.book_dir, &watch).await;
        let at_rest = seen == last_seen || built_from.is_none();
        last_seen = seen;
        if at_rest && last_seen != built_from {
            let outcome = build(&options.book_dir, &builder).await;
            let seen = look(&options.book_dir, &watch).await;
            // Whoever has no book yet is not kept waiting by somebody who keeps writing.
            if seen == last_seen || site.borrow().dir.is_none() {
                built_from.clone_from(&last_seen);
                show(&options, &builder, &site, outcome);
            }
            last_seen = seen;
        }
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(options.poll_interval) => {}
        }
    }
}

async fn look(book_dir: &Path, watch: &Arc<Mutex<Watch>>) -> Option<BTreeMap<PathBuf, Stamp>> {
    let book_dir = book_dir.to_owned();
    let watch = Arc::clone(watch);
    spawn_blocking(move || lock(&watch).look(&book_dir))
        .await
        .ok()
}

/// What a build gave, and what is wrong with the sources besides.
struct Outcome {
    built: anyhow::Result<Built>,
    problems: Vec<String>,
    took: Duration,
}

async fn build(book_dir: &Path, builder: &Arc<Mutex<Builder>>) -> Outcome {
    let started = Instant::now();
    let builder = Arc::clone(builder);
    // A panic of the renderer is a failed build like any other: only a build that is shown is kept.
    let built = spawn_blocking(move || lock(&builder).build())
        .await
        .unwrap_or_else(|panic| Err(panic.into()));
    let book_dir = book_dir.to_owned();
    let problems = spawn_blocking(move || sources::problems(&book_dir))
        .await
        .unwrap_or_default()
        .iter()
        .map(ToString::to_string)
        .collect();
    Outcome {
        built,
        problems,
        took: started.elapsed(),
    }
}

/// Tells the pages and the terminal.
fn show(
    options: &ServeOptions,
    builder: &Mutex<Builder>,
    site: &watch::Sender<Site>,
    outcome: Outcome,
) {
    match outcome.built {
        Ok(built) => {
            lock(builder).keep();
            publish(options, site, built, outcome.problems, outcome.took);
        }
        Err(error) => fail(options, site, &error, outcome.problems),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Flips to the new build. The terminal hears of it first, as in [`fail`].
fn publish(
    options: &ServeOptions,
    site: &watch::Sender<Site>,
    built: Built,
    problems: Vec<String>,
    took: Duration,
) {
    (options.on_event)(Event::Built {
        took,
        changed: site.borrow().build != built.id,
        problems: problems.clone(),
    });
    site.send_modify(|site| {
        site.dir_before = site.dir.replace(built.dir);
        site.build = built.id;
        site.problems = problems;
    });
}

/// Keeps the last good book and says what is wrong.
fn fail(
    options: &ServeOptions,
    site: &watch::Sender<Site>,
    error: &anyhow::Error,
    problems: Vec<String>,
) {
    let message = format!("{error:#}");
    (options.on_event)(Event::BuildFailed {
        message: message.clone(),
    });
    site.send_modify(|site| {
        site.problems = problems;
        let first = format!("the book does not build: {message}");
        site.problems.insert(0, first);
    });
}
