//! What a sync that failed once means for the writes after it.

use std::sync::Arc;

use book::output;
use engine::vfs::{Fault, FaultVfs, MemoryVfs};
use engine::{Background, Db, Options, WriteBatch, WriteOptions};

use crate::orders::Status::New;
use crate::orders::{order, placed};

/// The answer to placing an order, in lines that fit the page.
fn answer(db: &Db, id: u32) -> String {
    let rows = db.default_family();
    let mut batch = WriteBatch::new();
    for (key, value) in placed(&order(id, "ann", 500, New)) {
        batch.put(&rows, key, value.unwrap());
    }
    let told = match db.write(batch, WriteOptions { sync: true }) {
        Ok(()) => "placed".to_owned(),
        Err(error) => error.to_string(),
    };
    format!("order {id}  {}\n", wrapped(&told))
}

fn wrapped(text: &str) -> String {
    let (mut lines, mut length) = (String::new(), 0);
    for word in text.split(' ') {
        if length > 0 && length + 1 + word.len() > 66 {
            lines += "\n         ";
            length = 0;
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines += word;
        length += word.len();
    }
    lines
}

#[test]
fn after_a_failed_sync_nothing_is_written() {
    let disk = FaultVfs::new(Arc::new(MemoryVfs::new()));
    let options = Options {
        vfs: Arc::new(disk.clone()),
        background: Background::Manual,
        ..Options::default()
    };
    let db = Db::open("orders", options).unwrap();

    let mut answers = answer(&db, 7);
    // The batch reaches the log, and the sync after it fails, once.
    disk.fail_nth(2, Fault::Io);
    answers += &answer(&db, 8);
    assert!(disk.failed()[0].starts_with("sync"), "{:?}", disk.failed());
    disk.heal();
    let before = disk.operations();
    answers += &answer(&db, 9);

    assert_eq!(disk.operations(), before, "the disk is not asked again");
    output::check("10-order-store/outputs/failed-sync.txt", &answers);
}
