//! The server program: options, the store, signals.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser};
use redis_layer::allocator::Mimalloc;
use redis_layer::commands::config::Config;
use redis_layer::server::{Listener, Options, SyncPolicy, fsck, thread_parks};
use redis_layer::store::{BTreeStore, EngineStore, Store};
use redis_layer::types::SystemClock;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// The stack of each thread that runs commands. It is large because a script may nest calls deeply.
const STACK_BYTES: usize = 8 << 20;

/// How long a thread that was needed for a while, because others were held up, waits to be needed again. It keeps memory
/// that others have freed, and of hundreds of threads that would be gigabytes.
const SPARE: Duration = Duration::from_secs(1);

/// Commands make many small allocations, on several threads.
#[global_allocator]
static ALLOCATOR: Mimalloc = Mimalloc;

/// A server that speaks the protocol of Redis and keeps its data in an ordered store.
///
/// Talk to it with redis-cli or any Redis client:
///
///     redis-layer --port 6380 --dir ./data &
///     redis-cli -p 6380 zadd board 200 ann 100 bob
///     redis-cli -p 6380 zrange board 0 -1 withscores
///
/// SIGINT (Ctrl-C) and SIGTERM stop it: what has arrived is answered, the data is synced, and the
/// directory is free again. Logs go to standard error; RUST_LOG=debug shows more of them.
///
/// Every option can be given by an environment variable instead. docs/server.md explains limits and settings;
/// CONFIG SET changes most of them while the server runs.
#[derive(Debug, Parser)]
#[command(version, verbatim_doc_comment, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Subcommand>,

    /// The directory that holds the data. It is created if it does not exist.
    #[arg(long, default_value = "./data", env = "REDIS_LAYER_DIR")]
    dir: PathBuf,

    /// Keeps everything in memory instead. Nothing survives the end of the program.
    #[arg(long, env = "REDIS_LAYER_MEMORY")]
    memory: bool,

    /// The port to listen on; 0 lets the system choose a free one.
    #[arg(long, default_value_t = 6380, env = "REDIS_LAYER_PORT")]
    port: u16,

    /// The address to listen on, or a name for it. Other machines can reach the server at any address but a loopback one.
    #[arg(long, default_value_t = Ipv4Addr::LOCALHOST.into(), value_parser = host, env = "REDIS_LAYER_HOST")]
    host: IpAddr,

    /// A Unix socket to listen on too, for clients on the same machine: redis-cli -s PATH. The file is removed when
    /// the server stops.
    #[arg(long, value_name = "PATH", env = "REDIS_LAYER_UNIXSOCKET")]
    unixsocket: Option<PathBuf>,

    /// Who may use the Unix socket: the permissions of its file, in octal, such as 770; 0 leaves them as the system
    /// sets them for new files.
    #[arg(long, default_value = "0", value_name = "MODE", value_parser = mode, env = "REDIS_LAYER_UNIXSOCKETPERM")]
    unixsocketperm: u32,

    /// The password that clients must give first, with AUTH or HELLO. Other users of the machine can see a program's
    /// options, so it is better given in the environment.
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        env = "REDIS_LAYER_REQUIREPASS",
        hide_env_values = true
    )]
    requirepass: String,

    /// Allows listening on an address that other machines can reach without asking clients for a password.
    #[arg(long, env = "REDIS_LAYER_NO_PROTECTED_MODE")]
    no_protected_mode: bool,

    /// When writes reach the disk: before each answer, once a second, or when the operating system chooses.
    #[arg(long, value_enum, default_value_t, env = "REDIS_LAYER_SYNC")]
    sync: SyncPolicy,

    /// How much of the latest writes is kept in memory before it is written to tables: in bytes, or with kb, mb or gb
    /// after the number. Up to three times as much may be in memory while writes come faster than the disk takes
    /// them. After a crash, starting reads as much again from the log. The default is 512mb; give less on a small
    /// machine.
    #[arg(long, value_name = "SIZE", value_parser = Options::write_buffer, env = "REDIS_LAYER_WRITE_BUFFER")]
    write_buffer: Option<usize>,

    /// The most connections that may be open at a time. If the limit on open files is too low for them and cannot be raised, there
    /// are fewer.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..), env = "REDIS_LAYER_MAXCLIENTS")]
    maxclients: u32,

    /// The number of idle seconds after which a connection is closed; 0 for never.
    #[arg(long, default_value_t = 0, env = "REDIS_LAYER_TIMEOUT")]
    timeout: u32,

    /// Who may use DEBUG: nobody (no), clients on this machine (local), or everybody (yes).
    #[arg(long, default_value = "local", value_parser = ["no", "local", "yes"], env = "REDIS_LAYER_ENABLE_DEBUG_COMMAND")]
    enable_debug_command: String,

    /// Any other setting that CONFIG GET knows, as NAME=VALUE. A setting that cannot be changed, such as databases,
    /// is accepted only with the value that it has. May be given several times; in the environment, separate the
    /// settings by commas.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting, value_delimiter = ',', env = "REDIS_LAYER_SET")]
    settings: Vec<(&'static str, String)>,

    /// How many threads serve connections; 0 for one less than there are processors, but at least one. The processor
    /// left over serves the network and the threads that flush, merge and sync. With clients on other machines that
    /// mostly read, one thread for each processor may serve more.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024), env = "REDIS_LAYER_THREADS")]
    threads: u16,
}

impl Cli {
    /// Reads the options. Unlike clap's own check, this lets a directory stand beside `REDIS_LAYER_MEMORY=false`.
    fn read() -> Self {
        let matches = Self::command().get_matches();
        let has_dir = matches.value_source("dir") != Some(ValueSource::DefaultValue);
        if has_dir && matches.get_flag("memory") {
            let text = "--memory keeps nothing in a directory, so --dir cannot be used with it";
            Self::command()
                .error(ErrorKind::ArgumentConflict, text)
                .exit();
        }
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// Reads one `--set` option: a setting that the server knows, with a value that it takes.
fn setting(text: &str) -> Result<(&'static str, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Config::check(name, value)
}

/// Reads an address, or the name of one. Of several it is one of IPv4, at which clients look first.
fn host(text: &str) -> Result<IpAddr, String> {
    let found = (text, 0).to_socket_addrs().ok();
    let first = found.and_then(|addresses| addresses.min_by_key(SocketAddr::is_ipv6));
    first.map(|address| address.ip()).ok_or_else(|| {
        "expected an address of this machine, such as 127.0.0.1 or ::1, or a name that leads to one".to_owned()
    })
}

/// The permissions of a file in octal, as Redis takes them.
fn mode(text: &str) -> Result<u32, String> {
    let mode = u32::from_str_radix(text, 8).ok();
    let mode = mode.filter(|&mode| mode <= 0o777);
    mode.ok_or("expected octal digits, at most 777".to_owned())
}

/// What the program does instead of serving.
#[derive(Debug, clap::Subcommand)]
enum Subcommand {
    /// Checks the data in a directory that no server uses: every file, every row, every type.
    ///
    /// Exit code: 0 if all is sound, 1 if something is wrong, 2 if it cannot be checked.
    Fsck {
        /// The directory that holds the data.
        #[arg(long, default_value = "./data", env = "REDIS_LAYER_DIR")]
        dir: PathBuf,
    },
}

fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let colour = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(colour)
        // Nobody may be reading any more. A complaint about that would fail as well, and end what is running.
        .log_internal_errors(false)
        .init();
    let cli = Cli::read();
    if let Some(Subcommand::Fsck { dir }) = &cli.command {
        return match fsck(dir, &mut std::io::stdout().lock()) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(error) => {
                eprintln!("error: {}", in_full(&error.into()));
                ExitCode::from(2)
            }
        };
    }
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", in_full(&error));
            ExitCode::FAILURE
        }
    }
}

/// The error with its causes, leaving out each cause whose text it already quotes.
fn in_full(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let options = Options {
        host: cli.host,
        port: cli.port,
        unix_socket: cli.unixsocket.clone(),
        unix_socket_mode: cli.unixsocketperm,
        protected: !cli.no_protected_mode,
        sync: cli.sync,
        max_clients: cli.maxclients as usize,
        password: cli.requirepass.clone(),
        dir: cli.dir.display().to_string(),
        config: [
            ("timeout", cli.timeout.to_string()),
            ("enable-debug-command", cli.enable_debug_command.clone()),
        ]
        .into_iter()
        .chain(cli.settings.iter().cloned())
        .collect(),
    };
    let threads = match cli.threads {
        0 => default_threads(),
        threads => usize::from(threads),
    };
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if threads == 1 {
        // With several threads, they would take the waiting answers from one another, and wake one another for it.
        builder.on_thread_park(thread_parks);
    }
    let runtime = builder
        .worker_threads(threads)
        .thread_stack_size(STACK_BYTES)
        .thread_keep_alive(SPARE)
        .enable_all()
        .build()
        .context("cannot start the threads of the server")?;
    runtime.block_on(async {
        // Installed before the first client is served, so that no signal is missed.
        let stop = stop_signal()?;
        let listener = Listener::bind(options).await?;
        let store = open_store(cli)?;
        tracing::info!("listening at {}", listener.address());
        if let Some(path) = &cli.unixsocket {
            tracing::info!("listening at the Unix socket {}", path.display());
        }
        let clock = Arc::new(SystemClock);
        listener.serve(store, clock, stop).await?;
        tracing::info!("stopped, the data is synced");
        Ok(())
    })
}

/// One less than there are processors, but at least one.
fn default_threads() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    processors.saturating_sub(1).max(1)
}

fn open_store(cli: &Cli) -> anyhow::Result<Arc<dyn Store>> {
    if cli.memory {
        return Ok(Arc::new(BTreeStore::new()));
    }
    let dir = cli.dir.display();
    let options = engine::Options {
        total_write_buffer_bytes: cli.write_buffer,
        ..engine::Options::default()
    };
    let store = EngineStore::open_with(&cli.dir, options);
    let store = store.with_context(|| format!("cannot open {dir}"))?;
    Ok(Arc::new(store))
}

/// Completes when somebody asks the program to stop.
fn stop_signal() -> anyhow::Result<impl Future<Output = ()>> {
    let context = "cannot listen for signals";
    let mut interrupt = signal(SignalKind::interrupt()).context(context)?;
    let mut terminate = signal(SignalKind::terminate()).context(context)?;
    // The terminal is closed: a server goes on, as Redis does. Whoever listens for a signal does not end by it.
    let hangup = signal(SignalKind::hangup()).context(context)?;
    Ok(async move {
        let _hangup = hangup;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_can_be_given_in_the_environment() {
        let command = Cli::command();
        let options = command.get_arguments();
        let without = options.filter(|option| option.get_env().is_none());
        let without: Vec<&str> = without.map(|option| option.get_id().as_str()).collect();
        assert_eq!(without, Vec::<&str>::new());
    }

    #[test]
    fn a_host_is_an_address_or_a_name() {
        assert_eq!(host("0.0.0.0").unwrap(), IpAddr::from([0, 0, 0, 0]));
        assert!(host("::1").unwrap().is_loopback());
        assert!(host("localhost").unwrap().is_loopback());
        for wrong in ["", "127.0.0.1:6380", "a host"] {
            assert!(host(wrong).is_err(), "{wrong:?}");
        }
    }
}
