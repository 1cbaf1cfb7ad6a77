//! The appendix "how we know", run. Each test proves one claim and prints what the page shows:
//!
//! ```text
//! cargo test -p book --test how_we_know -- --nocapture
//! ```

#[path = "how_we_know/questions.rs"]
mod questions;
#[path = "how_we_know/reference.rs"]
mod reference;
#[path = "how_we_know/slot.rs"]
mod slot;
#[path = "support/solver.rs"]
mod solver;

use book::output;
use engine::keys::historical::{neokv, qdb};
use engine::keys::{OrderedKey as _, Varint, encode_i16, encode_u64, hex};

use slot::{CODECS, METHODS, RIGHT, Slot, TEN_BITS, counterexample, slots};

// ANCHOR: not_enough
#[test]
fn examples_pass_and_the_key_is_wrong() {
    let (_, examples) = METHODS[0];
    assert!(examples(&TEN_BITS));

    let (evening, midnight) = (
        Slot {
            day: 0,
            minute: 1439,
        },
        Slot { day: 1, minute: 0 },
    );
    let mut text = String::new();
    for slot in [evening, midnight] {
        let key = hex(&(TEN_BITS.encode)(slot));
        text += &format!(
            "day {}, {:02}:{:02}  {key}\n",
            slot.day,
            slot.minute / 60,
            slot.minute % 60
        );
    }
    output::check("how-we-know/outputs/ten-bits.txt", &text);
    assert!(evening < midnight && (TEN_BITS.encode)(evening) > (TEN_BITS.encode)(midnight));
}
// ANCHOR_END: not_enough

// ANCHOR: exhausted
#[test]
fn all_slots_and_all_bytes() {
    assert!(slot::round_trip(&RIGHT) && slot::neighbours(&RIGHT) && slot::all_bytes(&RIGHT));
    let count = slots().count();
    let keys = (0..=u16::MAX).filter(|bits| (RIGHT.decode)(bits.to_be_bytes()).is_some());
    let text = format!(
        "slots:                        {count}\nsteps from one to the next:   {}\npairs that follow from them:  {}\n\
         keys of two bytes:            {}\nof these, keys of a slot:     {}\n",
        count - 1,
        count * (count - 1) / 2,
        1 << 16,
        keys.count()
    );
    output::check("how-we-know/outputs/exhaustion.txt", &text);
}
// ANCHOR_END: exhausted

/// All pairs, where there are few enough: no argument is needed at all.
// ANCHOR: all_pairs
#[test]
fn every_pair_of_a_small_type() {
    for a in i8::MIN..=i8::MAX {
        for b in i8::MIN..=i8::MAX {
            assert_eq!(a < b, a.to_key() < b.to_key(), "{a} and {b}");
        }
    }
    // 16 bits by their neighbours.
    for a in i16::MIN..i16::MAX {
        assert!(encode_i16(a) < encode_i16(a + 1), "{a}");
    }
}
// ANCHOR_END: all_pairs

// ANCHOR: shrunk
#[test]
fn a_property_finds_a_pair_and_makes_it_small() {
    assert_eq!(counterexample(&RIGHT), None);
    let (a, b) = counterexample(&TEN_BITS).expect("the key is wrong");
    let text = format!("{a:?}\n{b:?}\n");
    output::check("how-we-know/outputs/shrunk.txt", &text);
    assert_ne!(a.cmp(&b), (TEN_BITS.encode)(a).cmp(&(TEN_BITS.encode)(b)));
}
// ANCHOR_END: shrunk

#[test]
fn relations_hold_without_knowing_a_single_key() {
    assert!(slot::relations_hold_everywhere(&RIGHT));
    let sunday = CODECS
        .iter()
        .find(|codec| codec.name == "Sunday in front")
        .unwrap();
    assert!(!slot::relations_hold_everywhere(sunday));
}

// ANCHOR: disagree
#[test]
fn where_two_encodings_disagree_one_of_them_is_wrong() {
    // Two published keys of doubles: they disagree on nothing but the zeros, and NaN.
    let scores = [f64::NEG_INFINITY, -1.0, -0.0, 0.0, 1.0, f64::INFINITY];
    let mut disagree = Vec::new();
    for a in scores {
        for b in scores {
            let one = neokv::encode_f64(a).cmp(&neokv::encode_f64(b));
            if one != qdb::encode_f64(a).cmp(&qdb::encode_f64(b)) {
                disagree.push((a.to_bits(), b.to_bits()));
            }
        }
    }
    let zeros = [(-0.0f64).to_bits(), 0.0f64.to_bits()];
    assert_eq!(disagree, [(zeros[0], zeros[1]), (zeros[1], zeros[0])]);

    // Two of ours, by different rules: no pair.
    let numbers = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    let numbers: Vec<u64> = numbers.collect();
    for &a in &numbers {
        for &b in &numbers {
            let varints = Varint(a).to_key().cmp(&Varint(b).to_key());
            assert_eq!(varints, encode_u64(a).cmp(&encode_u64(b)));
        }
    }
}
// ANCHOR_END: disagree

// ANCHOR: broken_once
#[test]
fn break_it_once_and_see_who_notices() {
    let mut table = String::from("| | ");
    for (method, _) in METHODS {
        // The longest word may break, so that the table fits the page.
        let method = method.replace("differential", "differ&shy;ential");
        table += &format!("{method} | ");
    }
    table += "\n|---|";
    table += &"---|".repeat(METHODS.len());
    table += "\n";
    for codec in CODECS {
        table += &format!("| {} |", codec.name);
        for (_, passes) in METHODS {
            table += if passes(&codec) {
                " passes |"
            } else {
                " **fails** |"
            };
        }
        table += "\n";
    }
    output::check("how-we-know/outputs/mutants.md", &table);
    assert!(METHODS.iter().all(|(_, passes)| passes(&RIGHT)));
    // Every broken one is noticed by somebody.
    for codec in &CODECS[1..] {
        assert!(
            METHODS.iter().any(|(_, passes)| !passes(codec)),
            "{}",
            codec.name
        );
    }
}
// ANCHOR_END: broken_once
