//! `lsm checkpoint`: makes a copy out of hard links.

use std::io::Write;

use engine::{Db, Options};

use crate::args::CheckpointArgs;
use crate::{FINE, Outcome, style};

pub(crate) fn run(args: &CheckpointArgs, out: &mut dyn Write) -> Outcome {
    let options = Options {
        create_if_missing: false,
        ..Options::default()
    };
    let db = Db::open(&args.dir, options)?;
    db.checkpoint(&args.target)?;
    db.close()?;
    let text = format!(
        "{} holds what {} holds",
        args.target.display(),
        args.dir.display()
    );
    writeln!(out, "{}", style::good(&text))?;
    writeln!(
        out,
        "The tables are shared by links where the file system has them; a later compaction parts them."
    )?;
    Ok(FINE)
}
