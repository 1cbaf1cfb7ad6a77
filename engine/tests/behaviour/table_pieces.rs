//! Claim: a table is written in pieces of 2 MiB that begin at multiples of that, whatever the
//! lengths of its blocks; only the last piece is shorter. A page cache can then hold the table in
//! huge pages. Where entries are longer than a page, pieces have 1 MiB. A flush writes shorter pieces.

use engine::comparator::Comparator;
use engine::error::Result;
use engine::internal_key::{self, ValueKind};
use engine::sstable::{Table, TableBuilder, TableOptions};
use engine::vfs::{MemoryVfs, Syncer, Vfs, WritableFile};
use engine::{Background, Db, Options};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::support::hooked::Hooked;

const PIECE_BYTES: u64 = 2 << 20;
const LONG_ENTRIES_PIECE_BYTES: u64 = 1 << 20;

/// Records where appends begin and end.
#[derive(Debug)]
struct Noting {
    file: Box<dyn WritableFile>,
    appends: Arc<Mutex<Vec<(u64, u64)>>>,
}

impl WritableFile for Noting {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        let begin = self.file.len();
        self.file.append(data)?;
        self.appends.lock().unwrap().push((begin, self.file.len()));
        Ok(())
    }

    fn syncer(&self) -> Arc<dyn Syncer> {
        self.file.syncer()
    }

    fn len(&self) -> u64 {
        self.file.len()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

type Appends = Vec<(u64, u64)>;

fn key_of(number: usize) -> Vec<u8> {
    internal_key::encode(&(number as u64).to_be_bytes(), 1, ValueKind::Put)
}

/// Writes a table of values with these lengths, looks each of them up, and returns where the appends begin and end.
fn appends_of(lengths: &[usize]) -> Appends {
    let (vfs, path) = (MemoryVfs::new(), Path::new("1.sst"));
    let appends = Arc::default();
    let file = Noting {
        file: vfs.create(path).unwrap(),
        appends: Arc::clone(&appends),
    };
    let options = TableOptions::new(Comparator::Bytewise);
    let mut builder = TableBuilder::new(Box::new(file), options).unwrap();
    for (number, length) in lengths.iter().enumerate() {
        builder
            .add(&key_of(number), &vec![number as u8; *length])
            .unwrap();
    }
    let summary = builder.finish().unwrap();

    let table = Table::open(vfs.open_mapped(path).unwrap(), Comparator::Bytewise).unwrap();
    for (number, length) in lengths.iter().enumerate() {
        let found = table.get(&key_of(number)).unwrap().unwrap();
        assert_eq!((found.value.len(), found.value[0]), (*length, number as u8));
    }
    let appends = appends.lock().unwrap().clone();
    assert_eq!(appends.last().unwrap().1, summary.file_bytes);
    appends
}

#[test]
fn all_pieces_but_the_last_are_whole_and_aligned() {
    for (value_bytes, piece_bytes) in [
        (1000, PIECE_BYTES),
        (10_000, LONG_ENTRIES_PIECE_BYTES),
        (700_000, LONG_ENTRIES_PIECE_BYTES),
        (5_000_000, LONG_ENTRIES_PIECE_BYTES),
    ] {
        let appends = appends_of(&vec![value_bytes; 11_000_000 / value_bytes]);
        let (_, pieces) = appends.split_last().unwrap();
        for (begin, end) in pieces {
            let is_whole = begin % piece_bytes == 0 && end % piece_bytes == 0;
            assert!(is_whole, "{begin}..{end}, values of {value_bytes} bytes");
            let single = end - begin == piece_bytes || value_bytes as u64 > piece_bytes / 2;
            assert!(single, "{begin}..{end}, values of {value_bytes} bytes");
        }
        let whole: u64 = pieces.iter().map(|(begin, end)| end - begin).sum();
        assert!(whole >= 8 << 20, "{whole} bytes in whole pieces");
    }
}

/// After an odd number of short pieces, one more of them comes before the next long one.
#[test]
fn pieces_are_aligned_again_where_short_entries_follow_long_ones() {
    let long = vec![10_000; 350];
    let short = vec![100; 50_000];
    let appends = appends_of(&[long, short].concat());
    let (_, pieces) = appends.split_last().unwrap();
    let lengths: Vec<u64> = pieces
        .iter()
        .map(|(begin, end)| (end - begin) >> 20)
        .collect();
    assert_eq!(lengths, [1, 1, 1, 1, 2, 2], "in MiB: {appends:?}");
}

/// It is rewritten soon, and pages for short pieces come sooner.
#[test]
fn what_a_flush_writes_has_shorter_pieces() {
    const ROWS: u32 = 3_000;
    let appends: Arc<Mutex<BTreeMap<PathBuf, u64>>> = Arc::default();
    let vfs = Hooked::new(&MemoryVfs::new(), {
        let appends = Arc::clone(&appends);
        move |operation, path| {
            if operation == "append" && path.extension().is_some_and(|of| of == "sst") {
                *appends.lock().unwrap().entry(path.to_owned()).or_default() += 1;
            }
        }
    });
    let options = Options {
        vfs: Arc::new(vfs),
        background: Background::Manual,
        ..Options::default()
    };
    let db = Db::open("db", options).unwrap();
    for _ in 0..2 {
        for row in 0..ROWS {
            db.put(row.to_be_bytes(), [7; 1000]).unwrap();
        }
        db.flush().unwrap();
    }
    let flushed: Vec<u64> = appends.lock().unwrap().values().copied().collect();
    assert_eq!(flushed, [24, 24], "3.1 MB in pieces of 128 KiB");
    db.compact().unwrap();
    let all: Vec<u64> = appends.lock().unwrap().values().copied().collect();
    assert_eq!(all[2..], [2], "3.1 MB in a piece of 2 MiB and the rest");
}
