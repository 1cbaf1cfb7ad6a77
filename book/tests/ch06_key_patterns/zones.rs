//! Local times: text that does not sort by the moment.

use book::output;

use crate::store::Store;

/// Midnight of 2019-10-23 in UTC.
const MIDNIGHT: i64 = 1_571_788_800_000;

/// A reading of a clock: its local time and how far it is ahead of UTC, in minutes.
type Reading = (i64, i64);

const READINGS: [Reading; 3] = [(10 * 60, 2 * 60), (9 * 60 + 30, 60), (13 * 60, 5 * 60 + 30)];

fn clock(minutes: i64) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

// ANCHOR: zones
/// The form of ISO 8601: local time, then how far it is ahead.
fn local_text((local, ahead): Reading) -> String {
    format!("2019-10-23T{}+{}", clock(local), clock(ahead))
}

/// The moment in UTC, in milliseconds since 1970.
fn moment((local, ahead): Reading) -> i64 {
    MIDNIGHT + (local - ahead) * 60_000
}
// ANCHOR_END: zones

#[test]
fn local_times_do_not_sort_by_the_moment() {
    let scan = |key: fn(Reading) -> Vec<u8>| {
        let store = Store::new();
        for reading in READINGS {
            let utc = (moment(reading) - MIDNIGHT) / 60_000;
            let value = format!("{} in UTC", clock(utc));
            store.put(key(reading), &value);
        }
        store
    };
    let by_text = scan(|reading| local_text(reading).into_bytes());
    output::check("06-key-patterns/outputs/zones.txt", &by_text.shown());
    let by_moment = scan(|reading| engine::keys::encode_i64(moment(reading)).to_vec());
    assert!(!by_text.all().is_sorted());
    assert!(by_moment.all().is_sorted());
}
