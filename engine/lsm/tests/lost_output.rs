//! A command whose output is lost must fail, unless its reader went away.

use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::PathBuf;

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

/// `lsm verify db | head -3` must not say that all is well, however much there was to say.
#[test]
fn damage_is_told_by_the_exit_code_even_if_nobody_reads_on() {
    let dir = tempfile::tempdir().unwrap();
    let db = engine::Db::open(dir.path(), engine::Options::default()).unwrap();
    db.put("key", "value").unwrap();
    db.flush().unwrap();
    db.close().unwrap();
    let table = fs::read_dir(dir.path())
        .unwrap()
        .map(|of| of.unwrap().path());
    let is_table = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "sst");
    let table = table.into_iter().find(is_table).unwrap();
    let mut bytes = fs::read(&table).unwrap();
    let in_footer = bytes.len() - 40;
    bytes[in_footer] ^= 1;
    fs::write(&table, bytes).unwrap();

    let (dir, table) = (dir.path().to_str().unwrap(), table.to_str().unwrap());
    for args in [
        &["verify", dir][..],
        &["verify", dir, "--json"],
        &["stats", dir],
        &["stats", dir, "--json"],
        &["explain", table],
        &["dump", dir],
        &["dump", table],
        &["repair", dir],
    ] {
        let args = [&["lsm"], args].concat();
        // A dump stops where nobody reads on, so there it must have come to the damage.
        let read = if args[1..] == ["dump", dir] {
            before_damage(&args, table)
        } else {
            0
        };
        let code = lsm::run(&args, &mut ReadTo(read), &mut Vec::new());
        assert_eq!(code, 1, "{args:?}");
    }
}

/// How much a command says before it names the damaged file.
fn before_damage(args: &[&str], damaged: &str) -> usize {
    let mut out = Vec::new();
    lsm::run(args, &mut out, &mut Vec::new());
    let text = String::from_utf8(out).unwrap();
    text.find(damaged).expect("the damage is named")
}

/// A pipe whose reader goes away after so many bytes.
struct ReadTo(usize);

impl Write for ReadTo {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        if taken == 0 && !bytes.is_empty() {
            return Err(ErrorKind::BrokenPipe.into());
        }
        self.0 -= taken;
        Ok(taken)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
