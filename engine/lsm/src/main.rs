//! `lsm`: looks into the engine's files. See `lsm --help`, and `engine/docs/lsm.md`.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut out = std::io::BufWriter::new(anstream::stdout().lock());
    let code = lsm::run(
        std::env::args_os(),
        &mut out,
        &mut anstream::stderr().lock(),
    );
    // A reader such as `head` may have gone; what it has read it wanted.
    let _ = out.flush();
    ExitCode::from(code)
}
