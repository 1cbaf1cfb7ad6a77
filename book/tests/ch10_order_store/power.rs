//! Power cuts after every file operation, and what four rows cost.

use book::output;
use engine::Db;
use engine::vfs::MemoryVfs;

use crate::orders::Status::{New, Paid, Shipped};
use crate::orders::{ONE_BATCH, Order, Record, WAYS, Way};
use crate::orders::{changed, check, empty, get, open, order, placed, rows, write};

/// Twelve orders are placed, and two of three of them get another status.
fn script(db: &Db) -> Vec<Vec<Record>> {
    let mut calls = Vec::new();
    let mut take = |records: Vec<Record>| {
        write(db, records.clone(), ONE_BATCH);
        calls.push(records);
    };
    for id in 1..=12 {
        let user = ["ann", "bob", "anna"][id as usize % 3];
        take(placed(&order(id, user, 1000 - u64::from(id), New)));
        if id % 3 > 0 {
            let status = if id % 3 == 1 { Paid } else { Shipped };
            take(changed(&get(db, id).unwrap(), status));
        }
    }
    calls
}

/// What was found after all cuts of one way.
#[derive(Default)]
struct Found {
    cuts: usize,
    disagree: usize,
    lost: usize,
}

/// The orders' own rows: what the caller was told.
fn own_rows(db: &Db) -> Vec<(Vec<u8>, Vec<u8>)> {
    rows(db)
        .into_iter()
        .filter(|(key, _)| key[0] == b'o')
        .collect()
}

// ANCHOR: cuts
/// Runs the script in one way, cuts the power after each file operation, and opens what is left.
fn cut_everywhere(calls: &[Vec<Record>], way: Way) -> Found {
    let vfs = MemoryVfs::new().recording();
    let db = open(&vfs);
    // After each call: how many file operations there were, and the orders that were acknowledged.
    let mut history = vec![(vfs.operations(), own_rows(&db))];
    for records in calls {
        write(&db, records.clone(), way);
        history.push((vfs.operations(), own_rows(&db)));
    }
    let mut found = Found::default();
    for cut in history[0].0..=vfs.operations() {
        // Seed 1 keeps what was not synced, seed 0 loses it.
        for seed in [1, 0] {
            let db = open(&vfs.state_after(cut).crash(seed));
            found.cuts += 1;
            found.disagree += usize::from(!check(&db).is_empty());
            let left = own_rows(&db);
            let reached = history.iter().rposition(|(_, orders)| *orders == left);
            let acknowledged = history
                .iter()
                .rposition(|(operations, _)| *operations <= cut);
            found.lost += usize::from(reached < acknowledged);
        }
    }
    found
}
// ANCHOR_END: cuts

#[test]
fn only_one_batch_survives_every_cut() {
    let calls = script(&empty());
    let mut table = String::from(
        "| how a change is written | cuts | the indexes disagree | an acknowledged change is lost |\n|---|--:|--:|--:|\n",
    );
    for way in WAYS {
        let Found {
            cuts,
            disagree,
            lost,
        } = cut_everywhere(&calls, way);
        table += &format!("| {} | {cuts} | {disagree} | {lost} |\n", way.name);
        let one = (way.divide)(calls[0].clone()).len() == 1;
        assert_eq!(disagree == 0, one, "{}", way.name);
        assert_eq!(lost == 0, way.sync, "{}", way.name);
    }
    output::check("10-order-store/outputs/cuts.md", &table);
}

/// What becomes of an order's records.
type Shape = fn(&Order) -> Vec<Record>;

const SHAPES: [(&str, Shape); 3] = [
    ("the order alone", |order| placed(order)[..1].to_vec()),
    ("and three index rows", placed),
    ("the value in all four rows", |order| {
        let records = placed(order).into_iter();
        records.map(|(key, _)| (key, Some(order.value()))).collect()
    }),
];

// ANCHOR: cost
#[test]
fn what_four_rows_cost() {
    const ORDERS: u32 = 2_000;
    let mut table = String::from(
        "| written for an order | records | keys and values | log | tables | written for each byte of the order | log, when it is paid |\n|---|--:|--:|--:|--:|--:|--:|\n",
    );
    let (mut logs, mut alone) = (Vec::new(), 0);
    for (name, shape) in SHAPES {
        let db = empty();
        let mut payload = 0;
        let orders = (0..ORDERS).map(|id| {
            let user = format!("user-{:04}", id % 1000);
            order(id, &user, 1_571_819_021_259 + u64::from(id), New)
        });
        for order in orders.clone() {
            let records = shape(&order);
            let len = |(key, value): &Record| key.len() + value.as_ref().map_or(0, Vec::len);
            payload += records.iter().map(len).sum::<usize>();
            write(&db, records, ONE_BATCH);
        }
        // What the order itself is: its key and its value.
        alone = alone.max(if logs.is_empty() { payload } else { 0 });
        let log = db.statistics().writes.log_bytes;
        db.flush().unwrap();
        let tables = db.statistics().families[0].bytes_written();
        for order in orders {
            write(&db, paid(shape, &order), ONE_BATCH);
        }
        let paid = db.statistics().writes.log_bytes - log;
        let each = |bytes: u64| bytes as f64 / f64::from(ORDERS);
        table += &format!(
            "| {name} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |\n",
            shape(&order(0, "", 0, New)).len(),
            each(payload as u64),
            each(log),
            each(tables),
            (log + tables) as f64 / alone as f64,
            each(paid),
        );
        logs.push(log);
    }
    output::check("10-order-store/outputs/cost.md", &table);
    // Four rows are not four times the bytes of one: the value is stored once.
    assert!(logs[1] < 4 * logs[0] && logs[1] < logs[2]);
}
// ANCHOR_END: cost

// ANCHOR: long_name
#[test]
fn what_a_long_name_in_front_costs() {
    const ORDERS: u32 = 2_000;
    let mut table = String::from(
        "| in front of each key | keys and values | log | tables |\n|---|--:|--:|--:|\n",
    );
    let mut tables = Vec::new();
    for name in ["", "shop/production/orders/"] {
        let db = empty();
        let mut payload = 0;
        for id in 0..ORDERS {
            let user = format!("user-{:04}", id % 1000);
            let order = order(id, &user, 1_571_819_021_259 + u64::from(id), New);
            let named = |(key, value): Record| ([name.as_bytes(), &key].concat(), value);
            let records: Vec<Record> = placed(&order).into_iter().map(named).collect();
            let len = |(key, value): &Record| key.len() + value.as_ref().map_or(0, Vec::len);
            payload += records.iter().map(len).sum::<usize>();
            write(&db, records, ONE_BATCH);
        }
        db.flush().unwrap();
        let statistics = db.statistics();
        let bytes = [
            payload as u64,
            statistics.writes.log_bytes,
            statistics.families[0].bytes_written(),
        ];
        let [payload, log, table_bytes] = bytes.map(|bytes| bytes as f64 / f64::from(ORDERS));
        let shown = if name.is_empty() {
            "nothing".to_owned()
        } else {
            format!("`{name}`")
        };
        table += &format!("| {shown} | {payload:.1} | {log:.1} | {table_bytes:.1} |\n");
        tables.push((payload, table_bytes));
    }
    output::check("10-order-store/outputs/long-name.md", &table);
    let [(short, without), (long, with)] = tables[..] else {
        panic!("two names");
    };
    assert!(with - without < (long - short) / 2.0);
}
// ANCHOR_END: long_name

/// The records that make an order paid: what differs between its rows before and after.
fn paid(shape: Shape, before: &Order) -> Vec<Record> {
    let after = Order {
        status: Paid,
        ..before.clone()
    };
    let (old, new) = (shape(before), shape(&after));
    let gone = old
        .iter()
        .filter(|(key, _)| new.iter().all(|(other, _)| other != key));
    let mut records: Vec<Record> = gone.map(|(key, _)| (key.clone(), None)).collect();
    records.extend(new.into_iter().filter(|record| !old.contains(record)));
    records
}
