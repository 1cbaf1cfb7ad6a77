//! What several clients say to one server, word for word: updates that are lost, and updates that
//! are not.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use book::output;

use crate::board::{fields, packed};
use crate::client::{Client, Reply, Talk};
use crate::servers::{ours, told_to_both};

/// B has 200 gems and has not paid.
const B: u64 = 215_038_436_979;
/// Five gems more, as a delta of the packed score.
const FIVE_GEMS: u64 = 5 << 30;

// ANCHOR: cas_script
/// Sets the score of a member if it still is what the caller has read.
const COMPARE_AND_SET: &str = "
    if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then
        redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
        return 1
    end
    return 0";
// ANCHOR_END: cas_script
const CAS: (&str, &str) = ("compare-and-set", COMPARE_AND_SET);

fn board_with_b(talk: &mut Talk) {
    talk.quietly("game", &format!("ZADD board {B} B"));
}

/// The fields of B's score in the end.
fn fields_of_b(talk: &mut Talk) -> (u64, u64, u64) {
    let score = talk.quietly("game", "ZSCORE board B");
    fields(score.text().parse().unwrap())
}

// ANCHOR: top_field
#[test]
fn the_top_field_takes_one_command() {
    let told = told_to_both(|talk| {
        board_with_b(talk);
        talk.say("game", &format!("ZINCRBY board {FIVE_GEMS} B"));
        assert_eq!(fields_of_b(talk), (205, 0, 290_072_179));
    });
    output::check("08-many-dimensions/outputs/zincrby.txt", &told);
}
// ANCHOR_END: top_field

// ANCHOR: lost_update
#[test]
fn a_read_and_a_write_lose_what_came_between() {
    let told = told_to_both(|talk| {
        board_with_b(talk);
        // The shop will set `paid`: it reads, and writes what it has computed from that.
        let read = talk.say("shop", "ZSCORE board B");
        let paid = read.text().parse::<u64>().unwrap() | 1 << 29;
        talk.say("game", &format!("ZINCRBY board {FIVE_GEMS} B"));
        talk.say("shop", &format!("ZADD board {paid} B"));
        let (gems, paid, time) = fields_of_b(talk);
        talk.transcript += &format!("\ngems {gems}  paid {paid}  time {time}\n");
        assert_eq!((gems, paid), (200, 1), "five gems are gone");
    });
    output::check("08-many-dimensions/outputs/lost-update.txt", &told);
}
// ANCHOR_END: lost_update

// ANCHOR: compare_and_set
#[test]
fn compare_and_set_in_a_script_notices() {
    let told = told_to_both(|talk| {
        board_with_b(talk);
        let read = talk.say("shop", "ZSCORE board B");
        let paid = |read: &Reply| read.text().parse::<u64>().unwrap() | 1 << 29;
        talk.say("game", &format!("ZINCRBY board {FIVE_GEMS} B"));
        let words = format!("1 board B {} {}", read.text(), paid(&read));
        assert_eq!(talk.eval("shop", CAS, &words), Reply::Integer(0));
        // Again, from the reading on.
        let read = talk.say("shop", "ZSCORE board B");
        let words = format!("1 board B {} {}", read.text(), paid(&read));
        assert_eq!(talk.eval("shop", CAS, &words), Reply::Integer(1));
        let (gems, paid, time) = fields_of_b(talk);
        talk.transcript += &format!("\ngems {gems}  paid {paid}  time {time}\n");
        assert_eq!((gems, paid), (205, 1));
    });
    output::check("08-many-dimensions/outputs/compare-and-set.txt", &told);
}
// ANCHOR_END: compare_and_set

// ANCHOR: watch
#[test]
fn watch_notices_too_and_more_often() {
    let told = told_to_both(|talk| {
        board_with_b(talk);
        talk.say("shop", "WATCH board");
        let read = talk.say("shop", "ZSCORE board B");
        let paid = read.text().parse::<u64>().unwrap() | 1 << 29;
        // Nobody touches B, but somebody touches the board.
        talk.say("game", "ZADD board 1073741824 Y");
        talk.say("shop", "MULTI");
        talk.say("shop", &format!("ZADD board {paid} B"));
        assert_eq!(talk.say("shop", "EXEC"), Reply::Nil);
    });
    output::check("08-many-dimensions/outputs/watch.txt", &told);
}
// ANCHOR_END: watch

// ANCHOR: twice
#[test]
fn adding_the_flag_twice_makes_a_gem_of_it() {
    let told = told_to_both(|talk| {
        board_with_b(talk);
        let flag = 1u64 << 29;
        talk.say("shop", &format!("ZINCRBY board {flag} B"));
        talk.say("shop", &format!("ZINCRBY board {flag} B"));
        let (gems, paid, time) = fields_of_b(talk);
        talk.transcript += &format!("\ngems {gems}  paid {paid}  time {time}\n");
        assert_eq!((gems, paid), (201, 0));
    });
    output::check("08-many-dimensions/outputs/twice.txt", &told);
}
// ANCHOR_END: twice

// ANCHOR: lua_numbers
#[test]
fn a_script_that_makes_text_of_a_number_rounds_it() {
    // 93,132 gems still have fourteen digits as a score; one gem more has fifteen.
    let (fourteen, fifteen) = (packed(93_132, 0, 1), packed(93_133, 0, 1));
    assert_eq!(fourteen.to_string().len(), 14);
    assert_eq!(fifteen.to_string().len(), 15);
    let told = told_to_both(|talk| {
        for score in [fourteen, fifteen] {
            let script = (
                "'return tostring(ARGV[1] + 1)'",
                "return tostring(ARGV[1] + 1)",
            );
            talk.eval("game", script, &format!("0 {score}"));
        }
        let script = (
            "'return bit.lshift(ARGV[1], 30)'",
            "return bit.lshift(ARGV[1], 30)",
        );
        talk.eval("game", script, "0 200");
    });
    output::check("08-many-dimensions/outputs/lua-numbers.txt", &told);

    // A number that goes straight to a command keeps all its digits.
    told_to_both(|talk| {
        let script = "redis.call('ZADD', KEYS[1], ARGV[1] + 1, 'B') return redis.call('ZSCORE', KEYS[1], 'B')";
        let reply = talk.eval("game", ("add", script), &format!("1 board {fifteen}"));
        assert_eq!(reply.text(), (fifteen + 1).to_string());
    });
}
// ANCHOR_END: lua_numbers

/// One attempt of a client to count B's time field down by one.
type Attempt = fn(&mut Client) -> bool;

fn by_script(client: &mut Client) -> bool {
    let read = client.call(&["ZSCORE", "board", "B"]);
    let next = (read.text().parse::<u64>().unwrap() - 1).to_string();
    let words = [
        "EVAL",
        COMPARE_AND_SET,
        "1",
        "board",
        "B",
        read.text(),
        &next,
    ];
    client.call(&words) == Reply::Integer(1)
}

fn by_watch(client: &mut Client) -> bool {
    client.call(&["WATCH", "board"]);
    let read = client.call(&["ZSCORE", "board", "B"]);
    let next = (read.text().parse::<u64>().unwrap() - 1).to_string();
    client.call(&["MULTI"]);
    client.call(&["ZADD", "board", &next, "B"]);
    client.call(&["EXEC"]) != Reply::Nil
}

// ANCHOR: race
#[test]
fn four_clients_race_and_nothing_is_lost() {
    const TIMES: usize = 50;
    for attempt in [by_script as Attempt, by_watch as Attempt] {
        let server = ours();
        let mut game = Client::connect(server.address);
        game.call(&["ZADD", "board", &B.to_string(), "B"]);
        let attempts = AtomicUsize::new(0);
        thread::scope(|scope| {
            // Two clients add a gem, two count the time down.
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut client = Client::connect(server.address);
                    for _ in 0..TIMES {
                        let gem = (1u64 << 30).to_string();
                        client.call(&["ZINCRBY", "board", &gem, "B"]);
                    }
                });
                scope.spawn(|| {
                    let mut client = Client::connect(server.address);
                    for _ in 0..TIMES {
                        while !attempt(&mut client) {
                            attempts.fetch_add(1, Ordering::Relaxed);
                        }
                        attempts.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        let reply = game.call(&["ZSCORE", "board", "B"]);
        let score: u64 = reply.text().parse().unwrap();
        assert_eq!(fields(score), (200 + 100, 0, 290_072_179 - 100));
        println!("100 updates took {} attempts", attempts.into_inner());
    }
}
// ANCHOR_END: race
