//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Shows what the files of the engine hold: logs, manifests, tables.
#[derive(Debug, Parser)]
#[command(
    name = "lsm",
    version,
    arg_required_else_help = true,
    after_help = "Begin with `lsm stats DIR`, then `lsm explain` one of its files.\n\
                  Exit codes: 0 all is well, 1 damage was found, 2 the command could not be carried out."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what a file says: the entries of a table, the batches of a log, the edits of a manifest
    #[command(
        after_help = "Examples:\n  lsm dump db/000007.sst\n  lsm dump db --keys hex\n  lsm dump db/000009.log --json"
    )]
    Dump(DumpArgs),
    /// Show what each byte of a file means, and stop at the first that is wrong
    #[command(
        after_help = "Examples:\n  lsm explain db/CURRENT\n  lsm explain db/000007.sst --block 2\n  \
                      lsm explain db/000009.log --limit 3\n\n\
                      Any file of the engine will do, under any name. For a damaged file it names the first wrong byte, or the\n\
                      bytes whose checksum is wrong, and among them the changed byte if only one was changed."
    )]
    Explain(ExplainArgs),
    /// Show families, levels and tables of a database, which may be open elsewhere
    #[command(after_help = "Examples:\n  lsm stats db\n  lsm stats db --json")]
    Stats(DirArgs),
    /// Check every checksum, order and count of a database that is not open
    #[command(after_help = "Example:\n  lsm verify db && echo sound\n\n\
                      Exit codes: 0 all is well, 1 damage was found, 2 it could not be checked, for example because it is open.\n\
                      It reads every byte and writes nothing. In a family with a custom order it cannot check the order of the\n\
                      keys, and says so; the function engine::verify can.")]
    Verify(DirArgs),
    /// Make a damaged database open again; what it cannot keep goes to the folder lost
    #[command(after_help = "Examples:\n  cp -r db db.before && lsm repair db\n\n\
                      Nothing is deleted, but a repair decides what counts. Copy the directory first.")]
    Repair(RepairArgs),
    /// Make a copy of a database out of links, in a directory that does not exist yet
    #[command(after_help = "Example:\n  lsm checkpoint db backups/monday\n\n\
                      The database must not be open elsewhere, and no family may have a custom order: the program that knows it\n\
                      calls Db::checkpoint, which also works while the database is in use.")]
    Checkpoint(CheckpointArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// A file, or a database's directory for all its files
    pub(crate) path: PathBuf,
    /// How keys and values are written
    #[arg(long, value_enum, default_value_t = Keys::Auto)]
    pub(crate) keys: Keys,
    /// Show at most this many entries or records of each file
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    pub(crate) limit: usize,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

/// How bytes are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Keys {
    /// As text where they are printable text, else as hex
    Auto,
    /// As hexadecimal bytes
    Hex,
    /// As text, with escapes where needed
    Text,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A log, a manifest, a table or CURRENT
    pub(crate) file: PathBuf,
    /// Only this data block of a table, counted from 0
    #[arg(long)]
    pub(crate) block: Option<usize>,
    /// Show at most this many entries of a block, records of a batch, lines of a filter
    #[arg(long, default_value_t = 16)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct DirArgs {
    /// The database's directory
    pub(crate) dir: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    /// The database's directory
    pub(crate) dir: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CheckpointArgs {
    /// The database's directory
    pub(crate) dir: PathBuf,
    /// Where the copy goes; it must not exist
    pub(crate) target: PathBuf,
}
