//! BYLEX among different scores: what a real server answers for a compact set.

use crate::common::StoreKind;
use crate::common::client::Client;
use crate::common::random::Random;
use crate::common::servers::{Ours, RealRedis};

/// A range of members, mostly not empty.
fn bounds(random: &mut Random) -> [String; 2] {
    let mut bound = || {
        let name = random.pick(&["", "a", "b", "c", "d", "e", "bb"]);
        match random.below(6) {
            0 => "-".to_owned(),
            1 => "+".to_owned(),
            2..=3 => format!("[{name}"),
            _ => format!("({name}"),
        }
    };
    [bound(), bound()]
}

fn question(random: &mut Random) -> Vec<String> {
    let [from, to] = bounds(random);
    let words = match random.below(7) {
        0 => format!("zrangebylex z {from} {to}"),
        1 => format!("zrevrangebylex z {from} {to}"),
        2 => format!("zrange z {from} {to} bylex"),
        3 => format!("zrange z {from} {to} bylex rev"),
        4 => format!("zlexcount z {from} {to}"),
        5 => format!("zrangestore y z {from} {to} bylex"),
        _ => format!("zremrangebylex z {from} {to}"),
    };
    let mut words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    if words[0].starts_with("zr") && words[0] != "zremrangebylex" && random.once_in(3) {
        let [offset, count] = [random.below(4), random.below(5)];
        words.extend(["limit".to_owned(), offset.to_string()]);
        words.push((count as i64 - 1).to_string());
    }
    words
}

#[test]
fn a_compact_set_of_different_scores_answers_as_in_redis() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    for kind in StoreKind::ALL {
        let ours = Ours::start(kind.open());
        let mut clients = [real.address, ours.address].map(Client::connect);
        let mut both = |words: &[String]| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let [real, ours] = &mut clients;
            let (real, ours) = (real.call(&words), ours.call(&words));
            assert_eq!(ours, real, "{words:?}");
            real
        };
        let mut random = Random::new(1);
        for _ in 0..300 {
            both(&["flushall".to_owned()]);
            let mut add = vec!["zadd".to_owned(), "z".to_owned()];
            for _ in 0..1 + random.below(6) {
                let member = random.pick(&["a", "b", "c", "d", "e", "ba", ""]);
                add.extend([random.below(3).to_string(), member.to_owned()]);
            }
            both(&add);
            for _ in 0..6 {
                both(&question(&mut random));
                both(&["zrange", "z", "0", "-1", "withscores"].map(str::to_owned));
                both(&["zrange", "y", "0", "-1", "withscores"].map(str::to_owned));
            }
        }
    }
}

/// However large the set, all of it is found between the least and the greatest bound, in the order of the set.
#[test]
fn everything_is_found_in_the_order_of_scores() {
    let ours = Ours::start(StoreKind::BTree.open());
    let mut client = Client::connect(ours.address);
    for number in 0..500_u32 {
        client.call(&[
            "zadd",
            "z",
            &(500 - number).to_string(),
            &format!("m{number:03}"),
        ]);
    }
    let firsts = ["zrange", "z", "-", "+", "bylex", "limit", "0", "2"];
    assert_eq!(
        client.call(&firsts),
        client.call(&["zrange", "z", "0", "1"])
    );
    let lasts = ["zrevrangebylex", "z", "+", "-", "limit", "2", "3"];
    assert_eq!(
        client.call(&lasts),
        client.call(&["zrevrange", "z", "2", "4"])
    );
    assert_eq!(client.call(&["zlexcount", "z", "-", "+"]), ":500\\r\\n");
    assert_eq!(
        client.call(&["zremrangebylex", "z", "-", "+"]),
        ":500\\r\\n"
    );
    assert_eq!(client.call(&["exists", "z"]), ":0\\r\\n");
}
