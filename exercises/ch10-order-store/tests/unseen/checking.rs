//! What is said of `faults` and `rebuild`.

use engine::keys::DecodeKey as _;
use engine::{Db, WriteBatch, WriteOptions};
use kit::Verdict;
use kit::unseen::{judged, named, observed};

use crate::check_store::Checker;
use crate::order::{Fault, Order};
use crate::solutions::place_order::keys;
use crate::{check_store, faults_of, solutions};

fn checking(faults: impl Fn(&Db) -> engine::Result<Vec<Fault>> + Send + Sync + 'static) -> Verdict {
    let rebuild = solutions::check_store::rebuild;
    judged(&check_store::exercise_of(Checker::new(faults, rebuild)))
}

#[test]
fn checkers_are_shown_what_they_missed() {
    let by_length = |db: &Db| {
        let mut faults = solutions::check_store::faults(db)?;
        faults.retain(|fault| match fault {
            Fault::Ghost(key) | Fault::Missing(key) => key.len() > 4,
        });
        Ok(faults)
    };
    observed(
        &checking(by_length),
        "faults",
        &["faults(index rows that cannot be read) must be [ghost 73,"],
    );
    let twice = |db: &Db| {
        let faults = solutions::check_store::faults(db)?;
        Ok([faults.clone(), faults].concat())
    };
    observed(
        &checking(twice),
        "faults",
        &["It is right on all stores in which nothing is wrong"],
    );
}

#[test]
fn checkers_read_any_user_and_any_number_of_rows() {
    let unescaped = |db: &Db| {
        let faults = solutions::check_store::faults(db)?;
        let zero = db.default_family().iter().find_map(|row| {
            let (key, value) = row.ok()?;
            let id = u32::from_be_bytes(key.strip_prefix(b"o")?.try_into().ok()?);
            Order::read(id, &value).filter(|order| order.user.contains('\0'))
        });
        Ok(match zero {
            Some(order) => vec![Fault::Ghost(keys(&order)[1].clone())],
            None => faults,
        })
    };
    observed(
        &checking(unescaped),
        "faults",
        &["an order with a zero byte"],
    );
    let hundred = |db: &Db| {
        let mut faults = solutions::check_store::faults(db)?;
        faults.truncate(100);
        Ok(faults)
    };
    observed(
        &checking(hundred),
        "faults",
        &["faults(400 orders without any index row)"],
    );
}

#[test]
fn a_row_whose_key_is_empty_ends_no_check() {
    let ends = |db: &Db| {
        let first = db.default_family().iter().next().transpose()?;
        if first.is_some_and(|(key, _)| key.is_empty()) {
            return Ok(Vec::new());
        }
        solutions::check_store::faults(db)
    };
    let where_it_ends = "a row whose key is empty, and 8 without its row by user";
    observed(&checking(ends), "faults", &[where_it_ends]);
}

#[test]
fn a_rebuild_in_large_batches_is_named_whatever_their_size() {
    for length in [10, 100, 500, 1000] {
        let rebuild = move |db: &Db| {
            for some in solutions::check_store::faults(db)?.chunks(length) {
                let mut batch = WriteBatch::new();
                for fault in some {
                    match fault {
                        Fault::Ghost(key) => batch.delete(&db.default_family(), key.clone()),
                        Fault::Missing(key) => batch.put(&db.default_family(), key.clone(), b""),
                    };
                }
                db.write(batch, WriteOptions { sync: true })?;
            }
            Ok(())
        };
        let faults = solutions::check_store::faults;
        let verdict = judged(&check_store::exercise_of(Checker::new(faults, rebuild)));
        named(&verdict, "large_batches");
    }
}

#[test]
fn rebuilds_are_told_which_rows_go_wrong() {
    type Rows = fn(&Order) -> Vec<(Vec<u8>, Vec<u8>)>;
    let rebuilt = |rows: Rows| {
        let rebuild = move |db: &Db| {
            let mut batch = WriteBatch::new();
            batch.delete_range(&db.default_family(), b"s", b"v");
            for row in db.default_family().prefix(b"o") {
                let (key, value) = row?;
                let (_, id) = <(u8, u32)>::from_key(&key).unwrap();
                for (key, value) in rows(&Order::read(id, &value).unwrap()) {
                    batch.put(&db.default_family(), key, value);
                }
            }
            db.write(batch, WriteOptions { sync: true })
        };
        let faults = solutions::check_store::faults;
        judged(&check_store::exercise_of(Checker::new(faults, rebuild)))
    };
    let with_values = rebuilt(|order| {
        let [_, indexes @ ..] = keys(order);
        indexes.map(|key| (key, order.value())).to_vec()
    });
    observed(
        &with_values,
        "rebuilt",
        &[
            "It writes index rows with a value, and theirs is empty.",
            "It is right on all checks for half a rebuild after a power cut.",
        ],
    );
    let emptied = rebuilt(|order| keys(order).map(|key| (key, Vec::new())).to_vec());
    let changed = "It changes rows that begin with `o`, and those are the truth.";
    observed(&emptied, "rebuilt", &[changed]);
    let without_time = rebuilt(|order| {
        let [_, by_user, _, by_status] = keys(order);
        [by_user, by_status].map(|key| (key, Vec::new())).to_vec()
    });
    let by_time = "No row is ever wrong but those by time.";
    observed(&without_time, "rebuilt", &[by_time]);
}

#[test]
fn a_checker_keeps_every_user_as_it_is() {
    let changed: [fn(&str) -> String; 4] = [
        str::to_lowercase,
        |user| user.trim().to_owned(),
        |user| user.chars().take(255).collect(),
        |user| user.chars().filter(char::is_ascii).collect(),
    ];
    for change in changed {
        let of = move |order: &Order| Order {
            user: change(&order.user),
            ..order.clone()
        };
        let told = &["users of any letters"];
        observed(&checking(move |db| faults_of(db, of)), "faults", told);
    }
}
