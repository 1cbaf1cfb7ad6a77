//! Tiered compaction gives the same answers as leveled and writes less, and either can continue
//! where the other stopped.

use engine::vfs::MemoryVfs;
use engine::{Background, Db, FamilyOptions, FamilyStatistics, Strategy};

use crate::support::waiting::wait_until;
use crate::support::{self, Dice, Rows, seed_or, steps_or, tiny};

fn open(vfs: &MemoryVfs, strategy: Strategy, background: Background) -> Db {
    let family = FamilyOptions { strategy, ..tiny() };
    support::open(vfs, background, family)
}

/// Random puts and deletions, also applied to the model.
fn churn(db: &Db, model: &mut Rows, dice: &mut Dice, keys: u64, steps: u64) {
    for _ in 0..steps {
        let key = format!("{:06}", dice.below(keys)).into_bytes();
        if dice.one_in(5) {
            db.delete(&key).unwrap();
            model.remove(&key);
        } else {
            let value = vec![dice.next() as u8; 60];
            db.put(&key, &value).unwrap();
            model.insert(key, value);
        }
        while db.step().unwrap() {}
    }
}

fn check(db: &Db, model: &Rows) {
    let rows: engine::Result<Rows> = db.default_family().iter().collect();
    assert_eq!(rows.unwrap(), *model);
    for (key, value) in model {
        assert_eq!(db.get(key).unwrap().as_deref(), Some(&value[..]));
    }
}

fn statistics(db: &Db) -> FamilyStatistics {
    db.statistics().families.swap_remove(0)
}

#[test]
fn the_strategy_may_change_at_every_opening() {
    let vfs = MemoryVfs::new();
    let (mut model, mut dice) = (Rows::new(), Dice::new(seed_or(1)));
    let (mut tiered, mut leveled) = (0, 0);
    for round in 0..10 {
        let strategy = match round % 2 {
            0 => Strategy::Tiered,
            _ => Strategy::Leveled,
        };
        let db = open(&vfs, strategy, Background::Manual);
        churn(&db, &mut model, &mut dice, 2_000, steps_or(800));
        check(&db, &model);
        if round == 7 {
            db.compact().unwrap();
            check(&db, &model);
        }
        match strategy {
            Strategy::Tiered => tiered += statistics(&db).compactions,
            Strategy::Leveled => leveled += statistics(&db).compactions,
        }
        db.close().unwrap();
    }
    assert!(
        tiered > 5 && leveled > 5,
        "both worked: {tiered}, {leveled}"
    );
}

#[test]
fn it_writes_less_than_leveled_and_keeps_runs_few() {
    let amplification = [Strategy::Leveled, Strategy::Tiered].map(|strategy| {
        let db = open(&MemoryVfs::new(), strategy, Background::Manual);
        let (mut model, mut dice) = (Rows::new(), Dice::new(seed_or(2)));
        churn(&db, &mut model, &mut dice, 1_000_000, steps_or(12_000));
        let statistics = statistics(&db);
        println!("{strategy:?}\n{statistics}");
        check(&db, &model);
        if strategy == Strategy::Tiered {
            // The strategy's invariant: a run is at least half as large again as the next newer one.
            let mut newer = 0;
            for level in statistics.levels[2..]
                .iter()
                .filter(|level| level.bytes > 0)
            {
                assert!(2 * level.bytes > 3 * newer, "{statistics}");
                newer = level.bytes;
            }
        }
        statistics.write_amplification()
    });
    let [leveled, tiered] = amplification;
    assert!(
        tiered < 0.8 * leveled,
        "leveled {leveled:.2}, tiered {tiered:.2}"
    );
}

#[test]
fn deletions_of_everything_leave_nothing() {
    let db = open(&MemoryVfs::new(), Strategy::Tiered, Background::Manual);
    for at in 0..600_u32 {
        db.put(at.to_be_bytes(), [1; 60]).unwrap();
    }
    db.compact().unwrap();
    for at in 0..600_u32 {
        db.delete(at.to_be_bytes()).unwrap();
    }
    db.compact().unwrap();
    let levels = statistics(&db).levels;
    assert!(levels.iter().all(|level| level.tables == 0), "{levels:?}");
}

#[test]
fn it_keeps_up_with_threads_behind_it() {
    let db = open(&MemoryVfs::new(), Strategy::Tiered, Background::Threads);
    let (mut model, mut dice) = (Rows::new(), Dice::new(seed_or(3)));
    for _ in 0..steps_or(10_000) {
        let key = dice.below(3_000).to_be_bytes().to_vec();
        let value = vec![dice.next() as u8; 60];
        db.put(&key, &value).unwrap();
        model.insert(key, value);
    }
    check(&db, &model);
    // Writers are stopped at twelve tables. The threads may still be at work, on a busy machine for
    // a while, and closing writes the memtable to one more table.
    let level_0 = |db: &Db| statistics(db).levels[0].tables;
    wait_until("level 0 is short", || level_0(&db) < 8);
    db.close().unwrap();
    assert!(level_0(&db) < 12, "{} tables after close", level_0(&db));
}
