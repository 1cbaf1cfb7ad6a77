//! `cargo workbook` without a subcommand: serves the book and judges exercises as they are saved.

use std::net::IpAddr;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use book::server::{Event, ServeOptions, Server};
use kit::State;
use owo_colors::OwoColorize as _;
use tokio::sync::{mpsc, oneshot, watch};

use crate::build::Progress;
use crate::catalogue::Catalogue;
use crate::say::{self, say, say_line};
use crate::status::{self, Report};
use crate::table;
use crate::watch::{Changed, Saved, Watch};

/// Serves until Ctrl-C, or until it is asked to end, or nobody reads what it prints.
pub(crate) fn serve(
    catalogue: Catalogue,
    host: IpAddr,
    port: u16,
    open: bool,
    colour: bool,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the server's threads")?;
    let unprinted = runtime.block_on(async {
        // Before anything stands on disk that would be left behind.
        let end = asked_to_end()?;
        let (tell_unprinted, mut unprinted) = mpsc::unbounded_channel();
        say::instead_of_ending(move |error| {
            // Nobody listens when the server has ended, and neither need the process go on.
            let _ = tell_unprinted.send(error);
        });
        let (status, feed) = watch::channel(String::new());
        let mut options = ServeOptions::new(catalogue.root.join("book"), feed);
        options.host = host;
        options.port = port;
        options.on_event = Arc::new(|event| tell(&event));
        let server = Server::bind(options).await?;
        let address = format!("http://{}/", server.addr()?);
        say_line!("The book: {} (Ctrl-C ends it)", address.bold().underline());
        if !host.is_loopback() {
            say_line!("Everybody who can reach {host} can read it.");
        }
        if open {
            open_browser(&address);
        }
        // A plain thread: it spends its life in cargo and in sleep, and ends with the process.
        thread::spawn(move || judge_for_ever(&catalogue, &status, &address, colour));
        let (over, why) = oneshot::channel();
        let until = async move {
            let unprinted = tokio::select! {
                () = end => None,
                error = unprinted.recv() => error,
            };
            let _ = over.send(unprinted);
        };
        server.run(until).await?;
        anyhow::Ok(why.await.ok().flatten())
    })?;
    // With what its tasks still hold.
    drop(runtime);
    match unprinted {
        Some(error) => say::end(&error),
        None => Ok(()),
    }
}

/// Hears Ctrl-C, the signal by which other programs ask a process to end (`kill`, `timeout`), and that of a terminal that is
/// closed, from the call on. What it returns is over when one comes.
fn asked_to_end() -> Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let context = "cannot listen for signals";
        let mut interrupt = signal(SignalKind::interrupt()).context(context)?;
        let mut terminate = signal(SignalKind::terminate()).context(context)?;
        // `nohup` starts a program that is to survive its terminal.
        let mut hangup = if ignores_hangup() {
            None
        } else {
            Some(signal(SignalKind::hangup()).context(context)?)
        };
        Ok(async move {
            let closed = async {
                match &mut hangup {
                    Some(hangup) => hangup.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = closed => {}
            }
        })
    }
    #[cfg(not(unix))]
    {
        Ok(async {
            if tokio::signal::ctrl_c().await.is_err() {
                // Without the signal there is no polite end; the process can still be killed.
                std::future::pending::<()>().await;
            }
        })
    }
}

/// Whether this process was started to ignore that its terminal is closed, as far as the system tells.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut ignored = status
        .lines()
        .filter_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.find_map(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Signal 1 is the lowest bit.
    mask.is_some_and(|mask| mask & 1 == 1)
}

fn tell(event: &Event) {
    match event {
        Event::Built {
            took,
            changed,
            problems,
        } => {
            if *changed {
                say_line!(
                    "{}",
                    format!("book built in {:.1} s", took.as_secs_f64()).dimmed()
                );
            }
            for problem in problems {
                say_line!("{} {problem}", "book:".yellow().bold());
            }
        }
        Event::BuildFailed { message } => {
            say_line!("{} {message}", "the book does not build:".red().bold());
        }
    }
}

/// Judges everything once, then what is saved. Later manifests are read again as they change.
fn judge_for_ever(
    catalogue: &Catalogue,
    status: &watch::Sender<String>,
    address: &str,
    colour: bool,
) {
    let mut catalogue = catalogue.clone();
    let mut watch = Watch::new(&catalogue);
    let mut reports: Vec<Report> = Vec::new();
    let mut saved = Saved {
        changed: Changed::Everything,
        at: SystemTime::now(),
    };
    let mut progress = Progress::Shown;
    loop {
        if saved.changed == Changed::Everything {
            match Catalogue::load(&catalogue.root) {
                Ok(fresh) => catalogue = fresh,
                Err(error) => say_line!("{} {error:#}", "error:".red().bold()),
            }
        }
        let first = reports.is_empty();
        publish(&catalogue, &reports, status);
        for chapter in &catalogue.chapters {
            let chosen = match &saved.changed {
                Changed::Everything => true,
                Changed::Chapters(packages) => packages.contains(&chapter.package),
            };
            if !chosen {
                continue;
            }
            let names: Vec<String> = chapter.exercises.iter().map(|e| e.name.clone()).collect();
            match status::look(&catalogue, chapter, &names, progress, colour) {
                Ok(look) => {
                    if !first {
                        news(&reports, &look, saved.at, address);
                    }
                    merge(&mut reports, look.reports);
                    publish(&catalogue, &reports, status);
                }
                Err(error) => say_line!("{} {error:#}", "error:".red().bold()),
            }
        }
        reports.retain(|report| {
            catalogue
                .exercises()
                .any(|(_, e)| e.name == report.row.name)
        });
        publish(&catalogue, &reports, status);
        // After a save the chapter alone: the whole table would push the verdict out of the window.
        let listed = reports.iter().filter(|report| match &saved.changed {
            Changed::Everything => true,
            Changed::Chapters(packages) => packages.contains(&report.row.chapter),
        });
        say!("\n{}", table::rows(listed));
        say_line!("{}", table::summary(reports.iter().map(|r| &r.row)));
        progress = Progress::Hidden;
        saved = watch.wait(&catalogue);
    }
}

fn merge(reports: &mut Vec<Report>, fresh: Vec<Report>) {
    for report in fresh {
        match reports
            .iter_mut()
            .find(|old| old.row.name == report.row.name)
        {
            Some(old) => *old = report,
            None => reports.push(report),
        }
    }
}

fn publish(catalogue: &Catalogue, reports: &[Report], status: &watch::Sender<String>) {
    match status::told_json(catalogue, reports) {
        Ok(json) => {
            status.send_if_modified(|old| {
                let changed = *old != json;
                *old = json;
                changed
            });
        }
        Err(error) => say_line!("{} {error:#}", "error:".red().bold()),
    }
}

/// What is new in a chapter since the last look, with the whole text of each verdict that changed.
fn news(before: &[Report], look: &status::Look, saved: SystemTime, address: &str) {
    let took = match saved.elapsed() {
        Ok(elapsed) => format!("({:.1} s after it was saved)", elapsed.as_secs_f64()),
        Err(_) => "(saved with a time in the future)".to_owned(),
    };
    if let Some(rendered) = &look.broken {
        say!("\n{rendered}");
        say_line!("{}", took.dimmed());
        return;
    }
    for report in &look.reports {
        let mut before = before.iter();
        if is_news(before.find(|of| of.row.name == report.row.name), report) {
            say_line!(
                "\n{}  {} {}",
                report.row.name.bold(),
                table::state(report.row.state),
                took.dimmed()
            );
            say!("{}", with_address(&report.message, address));
        }
    }
}

/// Whether a verdict is another one than before. Of an exercise that nobody has begun there is nothing to tell when its
/// chapter compiles again.
fn is_news(before: Option<&Report>, now: &Report) -> bool {
    let was_hidden = before.is_some_and(|of| of.row.compile_error().is_some());
    let untouched = now.row.state == State::NotStarted && now.row.diagnosis.is_none();
    before != Some(now) && !(was_hidden && untouched)
}

/// A verdict names a page of the book. Here the book is served, and a terminal opens a whole address.
fn with_address(message: &str, address: &str) -> String {
    message.replace("\n  Read: ", &format!("\n  Read: {address}"))
}

fn open_browser(address: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    if let Err(error) = Command::new(program).arg(address).spawn() {
        say_line!("cannot open a browser with {program}: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::BROKEN;
    use crate::status::tests::report;

    #[test]
    fn a_slip_in_another_file_is_no_news_of_what_nobody_has_begun() {
        let hidden = report("a", State::Failing, Some(BROKEN));
        let untouched = report("a", State::NotStarted, None);
        let half_written = report(
            "a",
            State::NotStarted,
            Some("every call ends in a `todo!()`"),
        );
        let passed = report("a", State::Passed, None);
        let failing = report("a", State::Failing, Some("its keys run backwards"));
        assert!(!is_news(Some(&hidden), &untouched));
        for now in [&half_written, &passed, &failing] {
            assert!(is_news(Some(&hidden), now));
            assert!(!is_news(Some(now), now));
        }
        // It was put back.
        assert!(is_news(Some(&failing), &untouched));
    }
}
