//! Polling the sources and building when they have changed and come to rest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
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
        // Two equal looks in a row: an editor that is still writing is not built from.
        let at_rest = seen == last_seen || built_from.is_none();
        if at_rest && seen != built_from {
            build_once(&options, &builder, &site).await;
            built_from.clone_from(&seen);
        }
        last_seen = seen;
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(options.poll_interval) => {}
        }
    }
}

async fn look(book_dir: &Path, watch: &Arc<Mutex<Watch>>) -> Option<BTreeMap<PathBuf, Stamp>> {
    let book_dir = book_dir.to_owned();
    let watch = Arc::clone(watch);
    spawn_blocking(move || {
        let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
        watch.look(&book_dir)
    })
    .await
    .ok()
}

/// Builds and publishes the outcome to the pages and the terminal.
async fn build_once(
    options: &ServeOptions,
    builder: &Arc<Mutex<Builder>>,
    site: &watch::Sender<Site>,
) {
    let started = Instant::now();
    let builder = Arc::clone(builder);
    // A panic of the renderer is a failed build like any other: the builder flips only at the end.
    let built = spawn_blocking(move || {
        let mut builder = builder.lock().unwrap_or_else(PoisonError::into_inner);
        builder.build()
    })
    .await
    .unwrap_or_else(|panic| Err(panic.into()));
    let book_dir = options.book_dir.clone();
    let problems = spawn_blocking(move || sources::problems(&book_dir))
        .await
        .unwrap_or_default()
        .iter()
        .map(ToString::to_string)
        .collect();
    match built {
        Ok(built) => publish(options, site, built, problems, started.elapsed()),
        Err(error) => fail(options, site, &error, problems),
    }
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
