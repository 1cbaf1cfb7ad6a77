//! `lsm`: looks into the engine's files. See `lsm --help`, and `engine/docs/lsm.md`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut out = std::io::BufWriter::new(anstream::stdout().lock());
    let code = lsm::run(
        std::env::args_os(),
        &mut out,
        &mut anstream::stderr().lock(),
    );
    ExitCode::from(code)
}
