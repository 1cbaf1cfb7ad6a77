//! Asks the solver about the slots, and takes each pair that it shows back to the code.

use std::path::Path;

use crate::slot::{RIGHT, Slot, TEN_BITS, slots};
use crate::solver::{Claim, check};

#[test]
fn the_solver_answers_the_question_that_was_asked() {
    check(
        "how-we-know/outputs/solver.txt",
        "book/tests/how_we_know",
        &[
            ("slot_right.smt2", Claim::Holds),
            ("slot_ten_bits.smt2", Claim::BrokenBy(ten_bits_mistake_them)),
            (
                "slot_without_domain.smt2",
                Claim::BrokenBy(|values| !pair(values).into_iter().all(is_slot)),
            ),
            ("slot_vacuous.smt2", Claim::Holds),
        ],
    );
}

fn ten_bits_mistake_them(values: &[u64]) -> bool {
    let [a, b] = pair(values);
    let keys = (TEN_BITS.encode)(a).cmp(&(TEN_BITS.encode)(b));
    is_slot(a) && is_slot(b) && a.cmp(&b) != keys
}

/// The two slots of a pair: a day and a minute each.
fn pair(values: &[u64]) -> [Slot; 2] {
    let &[day_a, minute_a, day_b, minute_b] = values else {
        panic!("two days and two minutes: {values:?}");
    };
    [(day_a, minute_a), (day_b, minute_b)].map(|(day, minute)| Slot {
        day: day.try_into().expect("8 bits"),
        minute: minute.try_into().expect("16 bits"),
    })
}

/// Whether a week has it.
fn is_slot(slot: Slot) -> bool {
    slot.day < 7 && slot.minute < 1440
}

/// The formula and the code compute the same key, for every slot.
#[test]
fn the_formula_is_the_code() {
    for (name, codec) in [("slot_right", RIGHT), ("slot_ten_bits", TEN_BITS)] {
        let file = format!("tests/how_we_know/{name}.smt2");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let formula = std::fs::read_to_string(path).expect("the formula");
        let (_, shift) = formula
            .split_once("(bvor (bvshl day #x")
            .expect("a day that is shifted");
        let shift = u16::from_str_radix(&shift[..4], 16).expect("four digits");
        for slot in slots() {
            let key = u16::from(slot.day) << shift | slot.minute;
            assert_eq!((codec.encode)(slot), key.to_be_bytes(), "{name}: {slot:?}");
        }
    }
}
