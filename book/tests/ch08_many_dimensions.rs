//! Chapter 8, run. Each test proves one claim of the chapter and prints what the page shows:
//!
//! ```text
//! cargo test -p book --test ch08_many_dimensions -- --nocapture
//! ```
//!
//! What clients say to each other's harm stands in `conversations.rs`, what published systems do in
//! `faults.rs`, the figure in `figure.rs`.

#[path = "ch08_support/board.rs"]
mod board;
#[path = "ch08_support/client.rs"]
mod client;
#[path = "ch08_many_dimensions/conversations.rs"]
mod conversations;
#[path = "ch08_many_dimensions/faults.rs"]
mod faults;
#[path = "ch08_many_dimensions/figure.rs"]
mod figure;
#[path = "ch08_support/servers.rs"]
mod servers;
#[path = "ch08_many_dimensions/wrong.rs"]
mod wrong;

use book::output;
use engine::keys::{DecodeKey as _, Desc, OrderedKey as _, hex};
use engine::{Db, Options};

use board::{
    END, GEMS_SHIFT, PLAYERS, Player, RENAMED, fields, pack, packed, stored, unpack, whole,
};
use client::Talk;
use servers::told_to_both;

/// Adds every player to a board and returns the board, the best first.
fn board_of(
    talk: &mut Talk,
    players: &[Player],
    row: impl Fn(&Player) -> (String, String),
) -> Vec<String> {
    talk.quietly("game", "DEL board");
    for player in players {
        let (score, member) = row(player);
        talk.quietly("game", &format!("ZADD board {score} {member}"));
    }
    let reply = talk.quietly("game", "ZREVRANGE board 0 -1");
    reply.texts().iter().map(|&text| text.to_owned()).collect()
}

/// Rows of a board with what the game knows of each player. `name_of` finds the name in a member.
fn listing(members: &[String], players: &[Player], name_of: fn(&str) -> &str) -> String {
    let mut table = format!("{:<18}  gems  paid  time\n", "member");
    for member in members {
        let name = name_of(member);
        let player = players.iter().find(|player| player.name == name).unwrap();
        table += &format!(
            "{member:<18}  {:>4}  {:<4}  {}\n",
            player.gems,
            if player.paid { "yes" } else { "no" },
            player.at_ms
        );
    }
    table
}

/// Tells both servers, and returns the listing.
fn shown(
    players: &[Player],
    row: fn(&Player) -> (String, String),
    name_of: fn(&str) -> &str,
) -> String {
    told_to_both(|talk| {
        let members = board_of(talk, players, row);
        talk.transcript = listing(&members, players, name_of);
    })
}

// ANCHOR: by_luck
#[test]
fn a_board_that_is_right_by_luck() {
    let gems_alone = |player: &Player| (player.gems.to_string(), player.name.to_owned());
    let members = |listing: &str| -> String {
        let rows = listing.lines().skip(1);
        rows.map(|row| &row[..1]).collect()
    };
    let right = shown(&PLAYERS, gems_alone, |member| member);
    assert_eq!(members(&right), "DECBA");
    let wrong = shown(&RENAMED, gems_alone, |member| member);
    assert_eq!(members(&wrong), "DZECA");
    output::check("08-many-dimensions/outputs/by-luck.txt", &right);
    output::check("08-many-dimensions/outputs/renamed.txt", &wrong);
}
// ANCHOR_END: by_luck

/// Method 1 as published: the name first.
fn name_first(player: &Player) -> (String, String) {
    let back = 9_999_999_999_999 - player.at_ms;
    let member = format!("{}-{}-{back:013}", player.name, u8::from(player.paid));
    (player.gems.to_string(), member)
}

/// Method 1 with the name last, after fields of fixed width.
fn name_last(player: &Player) -> (String, String) {
    let back = 9_999_999_999_999 - player.at_ms;
    let member = format!("{}-{back:013}-{}", u8::from(player.paid), player.name);
    (player.gems.to_string(), member)
}

// ANCHOR: member_text
#[test]
fn fields_in_the_member_need_the_name_last() {
    assert_eq!(name_first(&PLAYERS[4]).1, "E-1-8428189998740");
    let front = |member: &'static str| member.split('-').next().unwrap();
    let back = |member: &'static str| member.rsplit('-').next().unwrap();
    let published = shown(&RENAMED, name_first, |member| &member[..1]);
    let mended = shown(&RENAMED, name_last, |member| &member[16..]);
    assert_eq!((front("Z-1-2"), back("1-2-Z")), ("Z", "Z"));
    output::check("08-many-dimensions/outputs/name-first.txt", &published);
    output::check("08-many-dimensions/outputs/name-last.txt", &mended);

    let names = |listing: &str, at: usize| -> String {
        let rows = listing.lines().skip(1);
        rows.map(|row| &row[at..=at]).collect()
    };
    assert_eq!(names(&published, 0), "DZECA");
    assert_eq!(names(&mended, 16), "DECZA");
}
// ANCHOR_END: member_text

// ANCHOR: packed_scores
#[test]
fn five_packed_scores() {
    let mut table = String::from(
        "| player | gems | paid | `1861891200 - s` | score | last bits of gems, paid |\n\
         |---|--:|--:|--:|--:|---|\n",
    );
    for player in PLAYERS {
        let score = pack(player.gems, player.paid, player.at_ms).unwrap();
        let (gems, paid, time) = fields(score);
        let back = (player.gems, player.paid, player.at_ms / 1000);
        assert_eq!(unpack(score), Some(back));
        table += &format!(
            "| {} | {gems} | {paid} | {time} | {score} | `…{:010b} {paid}` |\n",
            player.name, gems
        );
    }
    output::check("08-many-dimensions/outputs/packed.md", &table);

    let scores = PLAYERS.map(|player| pack(player.gems, player.paid, player.at_ms).unwrap());
    assert_eq!(
        scores,
        [
            108_201_125_491,
            215_038_436_979,
            215_575_307_891,
            429_786_801_779,
            215_575_316_911
        ]
    );
    let by_score = |player: &Player| {
        let score = pack(player.gems, player.paid, player.at_ms).unwrap();
        (score.to_string(), player.name.to_owned())
    };
    let listing = shown(&RENAMED, by_score, |member| member);
    output::check("08-many-dimensions/outputs/packed-board.txt", &listing);
    let names: String = listing.lines().skip(1).map(|row| &row[..1]).collect();
    assert_eq!(names, "DECZA");

    let told = told_to_both(|talk| {
        board_of(talk, &RENAMED, by_score);
        let (from, to) = (200_u64 << GEMS_SHIFT, 201_u64 << GEMS_SHIFT);
        talk.say("game", &format!("ZRANGEBYSCORE board {from} ({to}"));
    });
    assert!(told.contains(r#"["Z", "C", "E"]"#));
    output::check("08-many-dimensions/outputs/range.txt", &told);
}
// ANCHOR_END: packed_scores

// ANCHOR: packer
#[test]
fn the_bits_of_one_score() {
    let score = packed(200, 1, 290_072_179);
    let (gems, paid, time) = fields(score);
    let bits = stored(score).to_bits();
    let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let lines = [
        "| gems, 33 bits | paid | time, 29 bits |".to_owned(),
        "|---|---|---|".to_owned(),
        format!("| `{gems:033b}` | `{paid:b}` | `{time:029b}` |"),
        String::new(),
        "| sign | exponent | fraction |".to_owned(),
        "|---|---|---|".to_owned(),
        format!("| `0` | `{exponent:011b}` | `{fraction:052b}` |"),
    ];
    // The first 1 of the gems is not stored. All other bits stand at the left of the fraction.
    let stored_bits = format!("{score:b}");
    assert!(format!("{fraction:052b}").starts_with(&stored_bits[1..]));
    output::check("08-many-dimensions/outputs/packer.md", &lines.join("\n"));
}
// ANCHOR_END: packer

// ANCHOR: first_collision
#[test]
fn the_first_two_scores_that_are_one() {
    // Every gem count from 0 on, with the two lowest values of the time field.
    let collide = |gems| stored(packed(gems, 0, 0)) == stored(packed(gems, 0, 1));
    let first = (0..).find(|&gems| collide(gems)).unwrap();
    assert_eq!(first, 1 << 23);
    let (a, b) = (packed(first, 0, 0), packed(first, 0, 1));
    assert_eq!((a, b), (1 << 53, (1 << 53) + 1));
    // Below 2^53 every integer comes back, so nothing below collides.
    assert_eq!(whole(stored(a - 1)), a - 1);

    let told = told_to_both(|talk| {
        talk.say("game", &format!("ZADD board {a} bob"));
        talk.say("game", &format!("ZADD board {b} ann"));
        talk.say("game", "ZREVRANGE board 0 -1 WITHSCORES");
    });
    output::check("08-many-dimensions/outputs/first-collision.txt", &told);
}
// ANCHOR_END: first_collision

// ANCHOR: carry
#[test]
fn rounding_makes_a_player_paid() {
    let all_ones = (1 << 29) - 1;
    let score = packed(1 << 23, 0, all_ones);
    let kept = whole(stored(score));
    assert_eq!(fields(kept), (1 << 23, 1, 0));
    let line = |what: &str, score: u64| {
        let (gems, paid, time) = fields(score);
        format!("{what:<6}  {score}  gems {gems}  paid {paid}  time {time}\n")
    };
    let lines = line("sent", score) + &line("kept", kept);
    output::check("08-many-dimensions/outputs/carry.txt", &lines);
}
// ANCHOR_END: carry

// ANCHOR: bleed
#[test]
fn a_field_that_does_not_fit_changes_its_neighbour() {
    let b = &PLAYERS[1];
    let ms = END * 1000 - b.at_ms;
    let rows: [(&str, u64); 4] = [
        ("as it should be", packed(200, 0, 290_072_179)),
        ("paid, time of 2^29", packed(200, 1, 1 << 29)),
        ("one second too late", packed(200, 0, 0) - 1),
        ("milliseconds", packed(200, 0, ms)),
    ];
    let mut table = format!(
        "{:<20}  {:>4}  paid  {:>10}\n",
        "200 gems, and", "gems", "time"
    );
    for (what, score) in rows {
        let (gems, paid, time) = fields(score);
        table += &format!("{what:<20}  {gems:>4}  {paid:>4}  {time:>10}\n");
    }
    output::check("08-many-dimensions/outputs/bleed.txt", &table);

    assert_eq!(fields(rows[1].1), (201, 0, 0));
    assert_eq!(fields(rows[2].1), (199, 1, (1 << 29) - 1));
    assert_eq!(fields(rows[3].1).0, 470);
    // The checked one refuses them.
    let last = END * 1000;
    assert_eq!(pack(200, false, last).map(fields), Some((200, 0, 0)));
    assert_eq!(pack(200, false, last + 1000), None);
    assert_eq!(pack(1 << 23, false, last), None);
    assert_eq!(pack(200, true, (END - (1 << 29)) * 1000), None);
}
// ANCHOR_END: bleed

// ANCHOR: units
#[test]
fn a_coarser_unit_leaves_more_gems() {
    let span_ms: u64 = (1 << board::TIME_BITS) * 1000;
    let mut table = format!("{:<12}  time bits  greatest number of gems\n", "unit");
    for (unit, ms) in [
        ("millisecond", 1),
        ("second", 1000),
        ("minute", 60_000),
        ("hour", 3_600_000),
    ] {
        let bits = u64::BITS - (span_ms.div_ceil(ms) - 1).leading_zeros();
        let gems = (1_u64 << (52 - bits)) - 1;
        table += &format!("{unit:<12}  {bits:>9}  {gems:>22}\n");
    }
    output::check("08-many-dimensions/outputs/units.txt", &table);
}
// ANCHOR_END: units

// ANCHOR: negative
#[test]
fn a_negative_top_field_sorts_and_needs_a_floor() {
    let score = |gems: i64, low: i64| gems * (1 << GEMS_SHIFT) + low;
    assert!(score(-2, 7) < score(-1, 0) && score(-1, 9) < score(0, 0));
    assert_eq!(score(-1, 5) / (1 << GEMS_SHIFT), 0);
    assert_eq!(score(-1, 5).div_euclid(1 << GEMS_SHIFT), -1);
    assert_eq!(score(-1, 5) >> GEMS_SHIFT, -1);
}
// ANCHOR_END: negative

// ANCHOR: fraction
/// Method 3: the gems, and after the point the flag and the time.
fn with_fraction(gems: u64, digits: u64) -> f64 {
    format!("{gems}.{digits:010}").parse().unwrap()
}

#[test]
fn ten_decimal_digits_stay_distinct_below_two_to_the_nineteen() {
    // Are there two neighbours among the ten digits that share a double?
    let shared = |gems: u64| {
        let scores = (0..64).map(|step| with_fraction(gems, 1_290_072_179 + step));
        let scores: Vec<f64> = scores.collect();
        scores.windows(2).any(|pair| pair[0] == pair[1])
    };
    // Doubles lie as far apart from one power of two to the next, so these stand for all.
    let powers = (0..24).map(|power| 1 << power);
    let first = powers.clone().find(|&gems| shared(gems)).unwrap();
    assert_eq!(first, 1 << 19);
    assert!(!shared((1 << 19) - 1));
    // Closer together than the digits, so each of the digits has a double of its own.
    assert!(524_287.0_f64.next_up() - 524_287.0 < 1e-10);

    let mut table = format!("{:>8}  neighbouring doubles are apart by\n", "gems");
    for gems in [200.0, 524_287.0, 524_288.0, 1_048_576.0f64] {
        table += &format!("{gems:>8}  {:.3e}\n", gems.next_up() - gems);
    }
    output::check("08-many-dimensions/outputs/fraction.txt", &table);
}
// ANCHOR_END: fraction

// ANCHOR: fraction_incremented
#[test]
fn a_fraction_does_not_survive_an_addition() {
    let told = told_to_both(|talk| {
        talk.say("game", "ZADD board 200.1290072179 C");
        talk.say("game", "ZINCRBY board 100 C");
        talk.say("game", "ZADD board 300.1290072179 F");
        talk.say("game", "ZREVRANGE board 0 -1 WITHSCORES");
    });
    assert!(told.contains("300.12900721790004"));
    output::check("08-many-dimensions/outputs/fraction-incremented.txt", &told);
}
// ANCHOR_END: fraction_incremented

// ANCHOR: decimal_reading
/// The integer that a decimal type reads in digits and a power of ten.
fn decimal(printed: &str) -> u64 {
    let (digits, exponent) = printed.split_once("e+").unwrap();
    let (whole, fraction) = digits.split_once('.').unwrap();
    let zeros = exponent.parse::<usize>().unwrap() - fraction.len();
    format!("{whole}{fraction}{}", "0".repeat(zeros))
        .parse()
        .unwrap()
}

#[test]
fn the_printed_digits_name_the_double_and_not_the_integer() {
    let kept: u64 = 1_309_426_671_287_543_552;
    let printed = told_to_both(|talk| {
        talk.quietly("game", &format!("ZADD board {kept} ann"));
        talk.transcript = talk.quietly("game", "ZSCORE board ann").text().to_owned();
    });
    let read_as_double = whole(printed.parse().unwrap());
    let read_as_decimal = decimal(&printed);
    assert_eq!(read_as_double, kept);
    assert_eq!(read_as_decimal - kept, 48);

    let mut table = format!("printed       {printed}\n");
    for (how, score) in [("as a double", kept), ("as a decimal", read_as_decimal)] {
        let (gems, paid, time) = fields(score);
        table += &format!("{how:<12}  {score}  gems {gems}  paid {paid}  time {time}\n");
    }
    output::check("08-many-dimensions/outputs/decimal.txt", &table);
}
// ANCHOR_END: decimal_reading

// ANCHOR: tuple
#[test]
fn a_tuple_of_bytes_has_no_limit_of_53_bits() {
    type Row = (Desc<u64>, Desc<bool>, u64, String);
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(folder.path(), Options::default()).unwrap();
    let rows = db.default_family();
    // Ten million gems more than a packed score can hold, and milliseconds.
    for player in RENAMED {
        let gems = player.gems + 18_388_607;
        let row: Row = (
            Desc(gems),
            Desc(player.paid),
            player.at_ms,
            player.name.to_owned(),
        );
        rows.put(row.to_key(), "").unwrap();
    }
    let mut table = String::new();
    let mut names = String::new();
    for row in rows.iter() {
        let key = row.unwrap().0;
        let (Desc(gems), Desc(paid), at_ms, name) = Row::from_key(&key).unwrap();
        let [a, b, c, d] = [&key[..8], &key[8..9], &key[9..17], &key[17..]].map(hex);
        table += &format!("{a} {b} {c} {d:<4}  {gems} {paid:<5} {at_ms} {name}\n");
        names += &name;
    }
    output::check("08-many-dimensions/outputs/tuple.txt", &table);
    assert_eq!(names, "DECZA");
}
// ANCHOR_END: tuple
