//! Wrong ways to pack, each with the two players that it puts in the wrong order.

use book::output;

use crate::board::{END, Player};

/// A way to pack a player into an integer.
type Pack = fn(&Player) -> u64;

fn seconds(player: &Player) -> u64 {
    END - player.at_ms / 1000
}

fn paid(player: &Player) -> u64 {
    u64::from(player.paid)
}

const WAYS: [(&str, Pack); 6] = [
    ("time not reversed", |p| {
        p.gems << 30 | paid(p) << 29 | (p.at_ms / 1000 - 1_325_020_288)
    }),
    ("paid above gems", |p| {
        paid(p) << 62 | p.gems << 29 | seconds(p)
    }),
    ("time above paid", |p| {
        p.gems << 30 | seconds(p) << 1 | paid(p)
    }),
    ("gems shifted by 29", |p| {
        (p.gems << 29) + (paid(p) << 29) + seconds(p)
    }),
    ("paid inverted", |p| {
        p.gems << 30 | (1 - paid(p)) << 29 | seconds(p)
    }),
    ("milliseconds", |p| {
        (p.gems << 30) + (paid(p) << 29) + (END * 1000 - p.at_ms)
    }),
];

/// Pairs, the better player first.
const PAIRS: [[Player; 2]; 4] = {
    const fn player(gems: u64, paid: bool, at_ms: u64) -> Player {
        Player {
            name: "",
            gems,
            paid,
            at_ms,
        }
    }
    const OLD: u64 = 1_571_810_001_259;
    const NEW: u64 = 1_571_819_021_259;
    [
        [player(200, true, OLD), player(200, true, NEW)],
        [player(200, true, NEW), player(200, false, OLD)],
        [player(201, false, NEW), player(200, true, OLD)],
        // Twenty days apart.
        [
            player(201, false, NEW),
            player(200, false, NEW - 1_728_000_000),
        ],
    ]
};

#[test]
fn each_wrong_way_has_its_pair() {
    let mut table = format!(
        "{:<18}  {:<21}  but is\n",
        "way to pack", "should come first"
    );
    let show = |p: &Player| {
        let paid = if p.paid { "paid" } else { "unpaid" };
        format!("{} {paid:<6} {}", p.gems, p.at_ms / 1000)
    };
    for (name, pack) in WAYS {
        let [better, worse] = PAIRS
            .iter()
            .find(|[better, worse]| pack(better) <= pack(worse))
            .unwrap_or_else(|| panic!("{name} sorts all pairs"));
        let sign = if pack(better) == pack(worse) {
            "equal to"
        } else {
            "below"
        };
        table += &format!("{name:<18}  {:<21}  {sign} {}\n", show(better), show(worse));
    }
    output::check("08-many-dimensions/outputs/wrong-answers.txt", &table);
}
