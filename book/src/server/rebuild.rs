//! Polling the sources and building when they have changed and come to rest.
//!
//! An editor empties a file before it writes it anew. So nothing is built from files that changed between two
//! looks, and what was built while they changed is not shown.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

use super::build::{Builder, Built};
use super::{Event, ServeOptions, Site};
use crate::sources::{self, Watch};

/// Builds once, then again after each change, until told to stop, or nobody is left who could tell.
///
/// All on the thread that calls it: what a build lets go of, some 60 MB, stays with the allocator for the next build on the
/// same thread. With a thread of the runtime's for each build, a day of writing held half a gigabyte.
pub(super) fn run(
    options: &ServeOptions,
    mut builder: Builder,
    site: &watch::Sender<Site>,
    mut stop: watch::Receiver<bool>,
) {
    let mut watch = Watch::default();
    let mut built_from = None;
    let mut last_seen = None;
    loop {
        let seen = Some(watch.look(&options.book_dir));
        let at_rest = seen == last_seen || built_from.is_none();
        last_seen = seen;
        if at_rest && last_seen != built_from {
            let outcome = build(&builder, options);
            let seen = Some(watch.look(&options.book_dir));
            // Whoever has no book yet is not kept waiting by somebody who keeps writing.
            if seen == last_seen || site.borrow().dir.is_none() {
                built_from.clone_from(&last_seen);
                show(options, &mut builder, site, outcome);
            }
            last_seen = seen;
        }
        let told = timeout(options.poll_interval, stop.wait_for(|stop| *stop));
        if Handle::current().block_on(told).is_ok() {
            return;
        }
    }
}

/// What a build gave, and what is wrong with the sources besides.
struct Outcome {
    built: anyhow::Result<Built>,
    problems: Vec<String>,
    took: Duration,
}

fn build(builder: &Builder, options: &ServeOptions) -> Outcome {
    let started = Instant::now();
    // A panic of the renderer is a failed build like any other: only a build that is shown is kept.
    let built = catch_unwind(AssertUnwindSafe(|| builder.build()))
        .unwrap_or_else(|panic| Err(anyhow!("mdBook panicked: {}", message(&*panic))));
    let problems = sources::problems(&options.book_dir);
    Outcome {
        built,
        problems: problems.iter().map(ToString::to_string).collect(),
        took: started.elapsed(),
    }
}

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}

/// Tells the pages and the terminal.
fn show(
    options: &ServeOptions,
    builder: &mut Builder,
    site: &watch::Sender<Site>,
    outcome: Outcome,
) {
    match outcome.built {
        Ok(built) => {
            builder.keep();
            publish(options, site, built, outcome.problems, outcome.took);
        }
        Err(error) => fail(options, site, &error, outcome.problems),
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
