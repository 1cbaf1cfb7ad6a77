//! Asks the solver about the slots, where it is installed.
//!
//! A solver of another version may show another pair. So the stored answers are held to what they must be, and each
//! pair is taken back to the code.

use std::path::Path;
use std::process::Command;

use book::output;

use crate::slot::{RIGHT, Slot, TEN_BITS, slots};

const PAGE: &str = "how-we-know/outputs/solver.txt";

/// The question, and whether the solver should find a pair.
const QUESTIONS: [(&str, bool); 4] = [
    ("slot_right", false),
    ("slot_ten_bits", true),
    ("slot_without_domain", true),
    ("slot_vacuous", false),
];

#[test]
fn the_solver_answers_the_question_that_was_asked() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let asked: Option<String> = QUESTIONS
        .iter()
        .map(|(name, _)| {
            let file = format!("tests/how_we_know/{name}.smt2");
            assert!(book.join(&file).exists(), "no such question: {file}");
            let done = Command::new("z3").arg(book.join(&file)).output().ok()?;
            let said = String::from_utf8(done.stdout).expect("z3 prints ASCII");
            Some(format!("$ z3 book/{file}\n{said}\n"))
        })
        .collect();
    match &asked {
        Some(said) => verify(said),
        None => println!("z3 is not installed: the page alone is checked"),
    }
    if let Some(said) = asked.filter(|_| std::env::var_os("UPDATE_OUTPUTS").is_some()) {
        return output::check(PAGE, &said);
    }
    let stored =
        std::fs::read_to_string(book.join("chapters").join(PAGE)).expect("the page's output");
    verify(&stored);
    print!("{stored}");
}

fn verify(text: &str) {
    for (name, found) in QUESTIONS {
        let (_, said) = text
            .split_once(&format!("{name}.smt2\n"))
            .unwrap_or_else(|| panic!("{name} is missing"));
        let said = said.split('$').next().unwrap_or_default();
        assert_eq!(said.starts_with("sat\n"), found, "{name}: {said}");
        assert_eq!(said.starts_with("unsat"), !found, "{name}: {said}");
        if found {
            let [day_a, minute_a, day_b, minute_b] = numbers(said);
            let slot = |day, minute| Slot {
                day: u8::try_from(day).unwrap(),
                minute,
            };
            let (a, b) = (slot(day_a, minute_a), slot(day_b, minute_b));
            let is_slot = |slot: Slot| slot.day < 7 && slot.minute < 1440;
            if name == "slot_ten_bits" {
                assert!(is_slot(a) && is_slot(b), "{name}: {said}");
                assert_ne!(a.cmp(&b), (TEN_BITS.encode)(a).cmp(&(TEN_BITS.encode)(b)));
            } else {
                // A pair, and not of slots.
                assert!(!is_slot(a) || !is_slot(b), "{name}: {said}");
            }
        }
    }
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

/// The four numbers of a pair.
fn numbers(said: &str) -> [u16; 4] {
    let numbers: Vec<u16> = said
        .split("#x")
        .skip(1)
        .map(|rest| {
            let end = rest
                .find(|c: char| !c.is_ascii_hexdigit())
                .unwrap_or(rest.len());
            u16::from_str_radix(&rest[..end], 16).expect("hexadecimal digits")
        })
        .collect();
    numbers.try_into().expect("two days and two minutes")
}
