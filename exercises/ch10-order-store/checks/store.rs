//! Stores in memory: filled, read, and cut off from their power after each file operation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use engine::Background;
use engine::Db;
use engine::FamilyOptions;
use engine::Options;
use engine::WriteBatch;
use engine::WriteOptions;
use engine::keys::{DecodeKey as _, Desc};
use engine::vfs::MemoryVfs;
use kit::answer::quoted_text;
use kit::exercise::Part;
use kit::values::bit_by_bit;
use kit::{Answer, Outcome};

use crate::order::{Order, Status};
use crate::solutions::place_order::keys;

/// An order in few words: id, user, time, status.
pub(crate) type Line = (u32, &'static str, u64, Status);

/// A row: its key and its value.
pub(crate) type Row = (Vec<u8>, Vec<u8>);

/// Large times and large ids of which every bit counts.
pub(crate) static BITS: LazyLock<Vec<Line>> = LazyLock::new(|| {
    let large = bit_by_bit(u32::MAX.into()).into_iter();
    let ids = large.filter_map(|id| u32::try_from(id).ok()).chain(1..);
    let times = bit_by_bit(u64::MAX).into_iter();
    times
        .zip(ids)
        .map(|(at, id)| (id, "ann", at, Status::New))
        .collect()
});

pub(crate) fn order(&(id, user, at, status): &Line) -> Order {
    let user = user.to_owned();
    Order {
        id,
        user,
        at,
        status,
    }
}

/// The line as it is in a call.
pub(crate) fn shown(&(id, user, at, status): &Line) -> String {
    format!("{id} {} {at} {status:?}", quoted_text(user))
}

pub(crate) fn open(vfs: &MemoryVfs) -> Db {
    let small = FamilyOptions {
        write_buffer_bytes: 64 << 10,
        ..FamilyOptions::default()
    };
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        background: Background::Manual,
        block_cache_bytes: 1 << 16,
        ..Options::default()
    };
    Db::open("orders", options.family("default", small)).expect("a store in memory opens")
}

/// All rows of orders, as they should be.
pub(crate) fn rows_of(orders: &[Line]) -> Vec<Row> {
    let rows = orders.iter().flat_map(|line| {
        let order = order(line);
        let [own, indexes @ ..] = keys(&order);
        let indexes = indexes.into_iter().map(|key| (key, Vec::new()));
        [(own, order.value())].into_iter().chain(indexes)
    });
    let mut rows: Vec<Row> = rows.collect();
    rows.sort();
    rows
}

/// A disk with a store of these rows, all of them durable.
pub(crate) fn disk(rows: &[Row]) -> MemoryVfs {
    let vfs = MemoryVfs::new();
    let db = open(&vfs);
    if !rows.is_empty() {
        fill(&db, rows);
    }
    vfs.crash(0)
}

/// Puts rows into a store.
pub(crate) fn fill(db: &Db, rows: &[Row]) {
    let mut batch = WriteBatch::new();
    for (key, value) in rows {
        batch.put(&db.default_family(), key, value);
    }
    db.write(batch, WriteOptions { sync: true })
        .expect("a store in memory takes rows");
}

/// An open store of these orders.
pub(crate) fn store(orders: &[Line]) -> Db {
    open(&disk(&rows_of(orders)))
}

/// An open store that may be lent again, as long as nobody changes its disk.
struct Lent {
    vfs: MemoryVfs,
    db: Db,
    operations: u64,
}

impl Lent {
    fn new(orders: &[Line]) -> Self {
        let vfs = disk(&rows_of(orders));
        let db = open(&vfs);
        let operations = vfs.operations();
        Self {
            vfs,
            db,
            operations,
        }
    }

    fn is_as_opened(&self) -> bool {
        self.vfs.operations() == self.operations
    }
}

/// Lends a store of these orders to one question. To open a store takes longer than a question, and most questions only
/// read: so the next one about the same orders gets the same store. Not if the answer has written to it, has panicked or
/// is still at it: nothing that an answer does can be seen by another.
pub(crate) fn lend<T>(orders: &[Line], question: impl FnOnce(&Db) -> T) -> T {
    static IDLE: Mutex<BTreeMap<Vec<Line>, Vec<Lent>>> = Mutex::new(BTreeMap::new());
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let found = idle().get_mut(orders).and_then(Vec::pop);
    let lent = found
        .filter(Lent::is_as_opened)
        .unwrap_or_else(|| Lent::new(orders));
    let answer = question(&lent.db);
    idle().entry(orders.to_vec()).or_default().push(lent);
    answer
}

pub(crate) fn rows(db: &Db) -> Vec<Row> {
    let rows: engine::Result<Vec<Row>> = db.default_family().iter().collect();
    rows.expect("a store in memory can be read")
}

/// What a power cut leaves.
pub(crate) struct Cut {
    /// The file operation after which the power failed, counted from the beginning of the call.
    pub(crate) operation: u64,
    /// How many file operations the call has.
    pub(crate) of: u64,
    /// What is found when the store is opened again.
    pub(crate) rows: Vec<Row>,
}

/// No call that is right has so many file operations. Up to here the power fails after each of them.
const CUTS_MAX: u64 = 40;

/// Makes a call, and finds what a power cut after each of its file operations leaves: once with all
/// that was not synced, once without.
pub(crate) fn cuts<T>(disk: &MemoryVfs, call: impl FnOnce(&Db) -> T) -> (T, Vec<Cut>) {
    let vfs = disk.recording();
    let db = open(&vfs);
    let begin = vfs.operations();
    let result = call(&db);
    let end = vfs.operations();
    let cut = |operation: u64| {
        [1, 0].map(|seed| Cut {
            operation: operation - begin,
            of: end - begin,
            rows: rows(&open(&vfs.state_after(operation).crash(seed))),
        })
    };
    // A call that syncs each of a thousand rows is cut here and there: every cut opens the store twice.
    let step = usize::try_from((end - begin) / CUTS_MAX).unwrap_or(usize::MAX);
    let operations = (begin..=end).step_by(step.max(1));
    (result, operations.flat_map(cut).collect())
}

/// A row in words: its letter, its fields, and the value of an order.
pub(crate) fn name((key, value): &Row) -> String {
    let key_name = key_name(key);
    let order = key_name.strip_prefix("o ").and_then(|id| {
        let read = Order::read(id.parse().ok()?, value)?;
        Some(format!(
            "{key_name} = {:?} {} {:?}",
            read.user, read.at, read.status
        ))
    });
    match order {
        Some(order) => order,
        None if value.is_empty() => key_name,
        None => format!("{key_name} = {}", kit::answer::hex(value)),
    }
}

/// A key in words, or its bytes.
pub(crate) fn key_name(key: &[u8]) -> String {
    let status = |byte| Status::ALL.into_iter().find(|status| status.byte() == byte);
    let named = match key.first() {
        Some(b'o') => <(u8, u32)>::from_key(key)
            .ok()
            .map(|(_, id)| format!("o {id}")),
        Some(b't') => <(u8, u64, u32)>::from_key(key)
            .ok()
            .map(|(_, at, id)| format!("t {at} {id}")),
        Some(b's') => <(u8, u8, u64, u32)>::from_key(key)
            .ok()
            .and_then(|(_, byte, at, id)| Some(format!("s {:?} {at} {id}", status(byte)?))),
        Some(b'u') => <(u8, String, Desc<u64>, u32)>::from_key(key)
            .ok()
            .map(|(_, user, at, id)| format!("u {} {} {id}", quoted_text(&user), at.0)),
        _ => None,
    };
    named.unwrap_or_else(|| kit::answer::hex(key))
}

/// Rows in words.
pub(crate) fn names(rows: &[Row]) -> String {
    let names: Vec<String> = rows.iter().map(name).collect();
    format!("[{}]", names.join(", "))
}

/// What was done to these rows. The rows themselves would fill the screen.
pub(crate) fn changes(before: &[Row], after: &[Row]) -> String {
    let only_in = |rows: &[Row], others: &[Row]| -> Vec<Row> {
        let only = rows.iter().filter(|row| !others.contains(row));
        only.cloned().collect()
    };
    let removed = only_in(before, after);
    let added = only_in(after, before);
    match (removed.as_slice(), added.as_slice()) {
        ([], []) => "no change".to_owned(),
        (removed, []) => format!("rows removed: {}", names(removed)),
        ([], added) => format!("rows added: {}", names(added)),
        (removed, added) => {
            format!(
                "rows removed: {}, rows added: {}",
                names(removed),
                names(added)
            )
        }
    }
}

/// The rows of an answer, each with what is said of it: `missing`, `rows added`.
pub(crate) fn rows_in(answer: &Answer) -> BTreeSet<(&str, &str)> {
    let mut pieces = answer.text.split(['[', ']']);
    let mut rows = BTreeSet::new();
    while let (Some(said), Some(list)) = (pieces.next(), pieces.next()) {
        for row in list.split(", ").filter(|row| !row.is_empty()) {
            let fault = row.split_once(' ');
            rows.insert(match fault {
                Some((kind @ ("ghost" | "missing"), row)) => (kind, row),
                _ => (said.trim_matches([',', ' ', ':']), row),
            });
        }
    }
    rows
}

/// What it says where the rows that are ever wrong begin with one letter.
pub(crate) fn only_one_kind(kinds: &BTreeSet<&str>) -> Option<String> {
    let kinds: Vec<&str> = kinds.iter().copied().collect();
    let index = match kinds[..] {
        ["s"] => "status",
        ["t"] => "time",
        ["u"] => "user",
        _ => return None,
    };
    Some(format!("No row is ever wrong but those by {index}."))
}

/// What it says of a call that a power cut leaves a half of it, in whatever order its rows were written.
pub(crate) fn divided(_: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let is_half = |outcome: &Outcome| {
        let answer = outcome.answer();
        answer.is_some_and(|answer| answer.text.starts_with("half a"))
    };
    let said = outcomes.iter().any(is_half).then(|| {
        "A power cut leaves a half only between two writes, and one batch is whole or not at all. So put all that the call changes \
         into one `WriteBatch`, and call `db.write` once."
            .to_owned()
    });
    said.into_iter().collect()
}
