//! The same work on our engine and on its peers, in one run on one machine.
//!
//! Engines take turns, several rounds, one process each, so that a slow minute of the machine hits
//! all of them. The answer is the median, and the ratio to the best peer. Absolute figures say
//! little; ratios from one run do.

mod engines;
mod report;
mod work;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand, ValueEnum};
use engines::Kind;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use work::{Measured, Part, Sizes};

/// Measures this project's engine beside LevelDB, RocksDB, fjall and redb.
#[derive(Parser)]
struct Args {
    /// A tenth of the entries and one round: under two minutes.
    #[arg(long)]
    quick: bool,
    /// Rounds; the median counts.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Entries in each database.
    #[arg(long, default_value_t = 1_000_000)]
    entries: u64,
    /// Bytes of each value; a key has 16.
    #[arg(long, default_value_t = 100)]
    value_bytes: usize,
    /// Only these engines.
    #[arg(long, value_delimiter = ',', default_values_t = [Kind::Ours, Kind::Leveldb, Kind::Rocksdb, Kind::Fjall, Kind::Redb])]
    engines: Vec<Kind>,
    /// Only these parts of the work.
    #[arg(long, value_delimiter = ',', default_values_t = [Part::Sequential, Part::Random, Part::Batches, Part::Synced, Part::Closed, Part::Killed, Part::Churn, Part::Compressed])]
    only: Vec<Part>,
    /// Instead: how rates grow with entries (10^5 to 10^7) and with values (10 to 10,000 bytes). One round.
    #[arg(long)]
    growth: bool,
    /// Seconds for one engine in one round, or at one size; an engine that takes longer is left out there, and named.
    #[arg(long, default_value_t = 600)]
    at_most: u64,
    /// Where the databases live while they are measured.
    #[arg(long, default_value_os_t = std::env::temp_dir())]
    dir: PathBuf,
    /// Where table.md and chart.svg are written, or growth.md and growth-by-size.md.
    #[arg(long, default_value = "results")]
    out: PathBuf,
    #[command(subcommand)]
    child: Option<Child>,
}

/// What the program asks of itself in a process apart.
#[derive(Subcommand)]
enum Child {
    /// Parts of the work for one engine; prints what was measured as JSON.
    #[command(hide = true)]
    Run {
        kind: Kind,
        dir: PathBuf,
        sizes: String,
        parts: String,
    },
    /// Fills a write buffer and waits to be killed.
    #[command(hide = true)]
    FillAndHang {
        kind: Kind,
        dir: PathBuf,
        sizes: String,
    },
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.to_possible_value();
        f.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

fn main() -> Result<()> {
    let args = Args::parse();
    match &args.child {
        Some(Child::Run {
            kind,
            dir,
            sizes,
            parts,
        }) => {
            let (sizes, parts): (_, Vec<Part>) =
                (serde_json::from_str(sizes)?, serde_json::from_str(parts)?);
            let measured = work::run(*kind, sizes, &parts, dir)?;
            println!("{}", serde_json::to_string(&measured)?);
            Ok(())
        }
        Some(Child::FillAndHang { kind, dir, sizes }) => {
            work::fill_and_hang(*kind, serde_json::from_str(sizes)?, dir)
        }
        None => {
            // Now, and not after ten minutes of measuring.
            for folder in [&args.dir, &args.out] {
                fs::create_dir_all(folder)
                    .with_context(|| format!("the folder {}", folder.display()))?;
            }
            if args.growth {
                growth(&args)
            } else {
                compare(&args)
            }
        }
    }
}

fn compare(args: &Args) -> Result<()> {
    let (entries, rounds) = if args.quick {
        (args.entries / 10, 1)
    } else {
        (args.entries, args.rounds)
    };
    ensure!(
        entries >= 1000 && rounds >= 1,
        "at least 1000 entries and one round"
    );
    let sizes = Sizes::of(entries, args.value_bytes);
    let bar = progress(rounds * args.engines.len())?;
    let mut all = report::Rounds::new();
    let mut left_out = String::new();
    for round in 1..=rounds {
        for &kind in &args.engines {
            bar.set_message(format!("round {round}: {kind}"));
            bar.tick();
            match in_a_process(kind, sizes, &args.only, args)? {
                Some(measured) => all.entry(kind).or_default().push(measured),
                None => left_out += &note_of(kind, &format!("in round {round}"), args),
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let rows = report::rows(&all);
    let table = format!(
        "{entries} entries of 16 + {} bytes, medians of {rounds} round(s), operations a second.\n\n{}{left_out}",
        args.value_bytes,
        report::table(&rows, &args.engines)
    );
    println!("{table}");
    fs::write(args.out.join("table.md"), &table)?;
    fs::write(args.out.join("chart.svg"), report::chart(&rows))?;
    println!("written: {0}/table.md, {0}/chart.svg", args.out.display());
    Ok(())
}

/// Entries and bytes of a value, for each step of the growth.
const GROWTH: [(u64, usize); 6] = [
    (100_000, 100),
    (1_000_000, 100),
    (10_000_000, 100),
    (1_000_000, 10),
    (100_000, 1_000),
    (100_000, 10_000),
];

/// How rates change with the size: what matters is the course of a line, not its height.
fn growth(args: &Args) -> Result<()> {
    let bar = progress(GROWTH.len() * args.engines.len())?;
    let mut tables = String::new();
    let mut all_left_out = String::new();
    let mut steps = Vec::new();
    for (entries, value_bytes) in GROWTH {
        let sizes = Sizes::of(entries, value_bytes);
        let mut all = report::Rounds::new();
        let mut left_out = String::new();
        for &kind in &args.engines {
            bar.set_message(format!("{entries} x {value_bytes}: {kind}"));
            bar.tick();
            match in_a_process(kind, sizes, &[Part::Growth], args)? {
                Some(measured) => all.entry(kind).or_default().push(measured),
                None => {
                    let at = format!("at {entries} x {value_bytes}");
                    left_out += &note_of(kind, &at, args);
                }
            }
            bar.inc(1);
        }
        let rows = report::rows(&all);
        let table = report::table(&rows, &args.engines);
        tables.push_str(&format!(
            "{entries} entries, values of {value_bytes} bytes.\n\n{table}{left_out}\n"
        ));
        all_left_out += &left_out;
        steps.push(report::Step {
            entries,
            value_bytes,
            rows,
        });
    }
    bar.finish_and_clear();
    let summary = report::growth(&steps, &args.engines) + &all_left_out;
    println!("{tables}{summary}");
    fs::write(args.out.join("growth-by-size.md"), &tables)?;
    fs::write(args.out.join("growth.md"), &summary)?;
    println!(
        "written: {0}/growth.md, {0}/growth-by-size.md",
        args.out.display()
    );
    Ok(())
}

fn progress(steps: usize) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}")?;
    Ok(ProgressBar::new(steps as u64).with_style(style))
}

/// Says that an engine took too long.
fn note_of(kind: Kind, at: &str, args: &Args) -> String {
    format!(
        "\n{kind} is left out {at}: it took more than {} s.\n",
        args.at_most
    )
}

/// What the process before gave back goes back to the host of a virtual machine meanwhile. Else some engines get memory that is
/// at hand, and others wait for theirs.
const REST: Duration = Duration::from_secs(4);
/// The same where there are two minutes for all.
const REST_QUICK: Duration = Duration::from_secs(2);

/// What a process apart measured, or nothing if it took too long.
fn in_a_process(kind: Kind, sizes: Sizes, parts: &[Part], args: &Args) -> Result<Option<Measured>> {
    std::thread::sleep(if args.quick { REST_QUICK } else { REST });
    let folder = tempfile::Builder::new()
        .prefix("peers-")
        .tempdir_in(&args.dir)?;
    let mut child = Command::new(std::env::current_exe()?)
        .args(["run", kind.name()])
        .arg(folder.path())
        .arg(serde_json::to_string(&sizes)?)
        .arg(serde_json::to_string(parts)?)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let begin = Instant::now();
    // What it prints fits into the pipes.
    while child.try_wait()?.is_none() {
        if begin.elapsed() > Duration::from_secs(args.at_most) {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output()?;
    ensure!(
        output.status.success(),
        "{kind} failed: {}",
        String::from_utf8_lossy(&output.stderr).trim_end()
    );
    serde_json::from_slice(&output.stdout)
        .map(Some)
        .with_context(|| format!("what {kind} printed"))
}
