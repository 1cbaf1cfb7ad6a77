//! `lsm checkpoint`: makes a copy out of hard links.

use std::io::Write;

use engine::{Db, Error, Options, overview};

use crate::args::CheckpointArgs;
use crate::{FINE, Outcome, check_no_file, style};

pub(crate) fn run(args: &CheckpointArgs, out: &mut dyn Write) -> Outcome {
    let options = Options {
        create_if_missing: false,
        ..Options::default()
    };
    // The engine refuses it too, but opening a database writes, and then something would have changed.
    if args.target.symlink_metadata().is_ok() {
        let target = args.target.display();
        let what = format!("{target} exists, and a checkpoint takes a name that is free");
        return Err(Error::invalid(what).into());
    }
    check_no_file(&args.dir)?;
    // This says of a directory without a database what the other commands say.
    overview(&args.dir, &options)?;
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
