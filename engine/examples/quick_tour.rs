//! The engine in one page: `cargo run -p engine --example quick_tour`.
//!
//! It works in memory, so it leaves nothing behind. Give it a directory to work there instead:
//! `cargo run -p engine --example quick_tour -- ./tour`.

use std::sync::Arc;

use engine::comparator::NumericSuffix;
use engine::vfs::MemoryVfs;
use engine::{Comparator, Db, FamilyOptions, Options, WriteBatch, WriteOptions};

fn main() -> engine::Result<()> {
    let (dir, options) = match std::env::args().nth(1) {
        Some(dir) => (dir, Options::default()),
        None => {
            let vfs = Arc::new(MemoryVfs::new());
            (
                "tour".to_owned(),
                Options {
                    vfs,
                    ..Options::default()
                },
            )
        }
    };

    // ANCHOR: open
    // A family has its own order. The order's name is stored and never changes.
    let numeric = FamilyOptions {
        comparator: Comparator::custom(NumericSuffix),
        ..FamilyOptions::default()
    };
    let db = Db::open(dir, options.family("items", numeric))?;
    // ANCHOR_END: open

    // ANCHOR: scan
    let items = db.family("items")?;
    for key in ["item:10", "item:9", "item:1", "item:2"] {
        items.put(key, "")?;
        db.put(key, "")?;
    }
    println!("numeric:  {}", keys(items.iter())?);
    println!("bytewise: {}", keys(db.default_family().iter())?);
    // ANCHOR_END: scan

    // ANCHOR: batch
    // A batch is applied as a whole or not at all, in all its families. `sync` makes it survive a power cut.
    let mut batch = WriteBatch::new();
    batch.put(&db.default_family(), "user:7", "Ada");
    batch.put(&items, "item:11", "owned by user:7");
    batch.delete(&items, "item:1");
    db.write(batch, WriteOptions { sync: true })?;
    // ANCHOR_END: batch

    // ANCHOR: snapshot
    let before = db.snapshot();
    db.put("user:7", "Grace")?;
    let (then, now) = (
        before.get(&db.default_family(), "user:7")?,
        db.get("user:7")?,
    );
    println!("then {then:?}, now {now:?}");
    // ANCHOR_END: snapshot

    // ANCHOR: cursor
    // The last row at or before a key, and backwards from there.
    let mut cursor = items.cursor()?;
    cursor.seek_for_prev("item:10")?;
    while cursor.valid() {
        println!("back: {}", cursor.key().escape_ascii());
        cursor.prev()?;
    }
    println!("prefix: {}", keys(db.default_family().prefix("item:1"))?);
    // ANCHOR_END: cursor

    db.close()
}

fn keys(rows: engine::Range) -> engine::Result<String> {
    let mut keys = Vec::new();
    for row in rows {
        let (key, _value) = row?;
        keys.push(key.escape_ascii().to_string());
    }
    Ok(keys.join(" "))
}
