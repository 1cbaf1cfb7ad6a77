//! `lsm explain`: offset, bytes, meaning.

use std::io::{self, Write};
use std::path::Path;

use engine::Error;
use engine::inspect::{self, ExplainOptions, Note, Wrong};
use engine::vfs::StdVfs;

use crate::args::ExplainArgs;
use crate::{DAMAGED, FINE, Failure, Outcome, shown_name, style, told};

const BYTES_A_LINE: usize = 16;
const LINES_A_FIELD_MAX: usize = 4;

pub(crate) fn run(args: &ExplainArgs, out: &mut dyn Write) -> Outcome {
    let options = ExplainOptions {
        block: args.block,
        limit: args.limit,
    };
    if args.file.is_dir() {
        let dir = args.file.display();
        let what = format!(
            "{dir} is a directory, and `lsm explain` takes one of its files, for example {dir}/CURRENT; `lsm dump {dir}` \
             shows what all of them say"
        );
        return Err(Error::invalid(what).into());
    }
    let mut written: io::Result<()> = Ok(());
    let wrong = inspect::explain(&StdVfs, &args.file, options, &mut |note| {
        if written.is_ok() {
            written = show(&note, out);
        }
    });
    let Some(wrong) = wrong? else {
        return told(FINE, written.map_err(Failure::from));
    };
    let written = written.and_then(|()| show_wrong(&wrong, &args.file, out));
    told(DAMAGED, written.map_err(Failure::from))
}

fn show_wrong(wrong: &Wrong, file: &Path, out: &mut dyn Write) -> io::Result<()> {
    let (from, to) = (wrong.range.start, wrong.range.end);
    let place = match to.saturating_sub(from) {
        0 | 1 => format!("at byte {from}"),
        _ => format!("in bytes {from} to {}", to - 1),
    };
    writeln!(out)?;
    writeln!(
        out,
        "{} {}.",
        style::wrong(&format!("wrong {place} of {}:", shown_name(file))),
        wrong.what
    )?;
    if let Some((at, byte)) = wrong.byte {
        writeln!(
            out,
            "If one byte is to blame, it is the one at {}: {byte:02x} there would make the checksum right.",
            style::wrong(&at.to_string()),
        )?;
    }
    let looked_at = match wrong.sound {
        0 => "The rest of the file was not looked at.".to_owned(),
        sound if sound == from => {
            "Everything before it is as the engine reads it. What comes after was not looked at."
                .to_owned()
        }
        sound => format!(
            "Everything before byte {sound} is as the engine reads it. The rest was not looked at."
        ),
    };
    writeln!(out, "{}", style::dim(&looked_at))?;
    writeln!(
        out,
        "{}",
        style::dim("`lsm verify` of the directory says what else is damaged, and what to do.")
    )
}

fn show(note: &Note<'_>, out: &mut dyn Write) -> io::Result<()> {
    match note {
        Note::Part { at, title } => writeln!(
            out,
            "{} {}",
            style::dim(&format!("-- {at:>6}")),
            style::title(title)
        ),
        Note::Field { at, bytes, meaning } => field(*at, bytes, meaning, out),
    }
}

fn field(at: u64, bytes: &[u8], meaning: &str, out: &mut dyn Write) -> io::Result<()> {
    for (number, line) in bytes.chunks(BYTES_A_LINE).enumerate() {
        if number == LINES_A_FIELD_MAX && bytes.len() > (LINES_A_FIELD_MAX + 1) * BYTES_A_LINE {
            let all = format!("... {} bytes in all", bytes.len());
            return writeln!(out, "{:9} {}", "", style::dim(&all));
        }
        let offset = format!("{:>9}", at + (number * BYTES_A_LINE) as u64);
        let hex: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let hex = hex.join(" ");
        let meaning = if number == 0 { meaning } else { "" };
        match meaning.is_empty() {
            true => writeln!(out, "{} {hex}", style::dim(&offset))?,
            false => writeln!(out, "{} {hex:<47}  {meaning}", style::dim(&offset))?,
        }
    }
    if bytes.is_empty() && !meaning.is_empty() {
        writeln!(
            out,
            "{} {:<47}  {meaning}",
            style::dim(&format!("{at:>9}")),
            ""
        )?;
    }
    Ok(())
}
