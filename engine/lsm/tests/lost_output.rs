//! A command whose output is lost must fail, unless its reader went away.

use std::io::{self, BufWriter, ErrorKind, Write};

/// A writer that refuses everything.
struct Refusing(ErrorKind);

impl Write for Refusing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_is_lost_from_a_buffer_is_told() {
    let dir = tempfile::tempdir().unwrap();
    drop(engine::Db::open(dir.path(), engine::Options::default()).unwrap());
    let stats = ["lsm", "stats", dir.path().to_str().unwrap()];
    for args in [&stats[..], &["lsm", "--help"]] {
        for (kind, code) in [(ErrorKind::StorageFull, 2), (ErrorKind::BrokenPipe, 0)] {
            let mut out = BufWriter::with_capacity(1 << 20, Refusing(kind));
            let mut err = Vec::new();
            assert_eq!(lsm::run(args, &mut out, &mut err), code, "{args:?} {kind}");
            let told = String::from_utf8(err).unwrap();
            assert_eq!(
                told.contains("cannot write the output"),
                code == 2,
                "{told}"
            );
            // What the buffer still holds must not be written again.
            let _ = out.into_parts();
        }
    }
}
