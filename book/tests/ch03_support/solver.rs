//! Runs proofs of `engine/proofs` with z3, where it is installed, and shows what it said.
//!
//! A solver of another version may hand over another pair. So the page is not compared letter by
//! letter: its verdicts must be right, and each of its pairs must break the key it belongs to.

use std::path::{Path, PathBuf};
use std::process::Command;

use book::output;

/// What the solver should say of a proof.
pub(crate) enum Claim {
    /// No pair breaks it.
    Holds,
    /// There is a pair, given as bits, and this function says whether it breaks the key.
    BrokenBy(fn(u64, u64) -> bool),
}

/// Runs the proofs and holds the page's output, `chapters/<page>`, to their claims.
pub(crate) fn check(page: &str, proofs: &[(&str, Claim)]) {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let printed: Option<String> = proofs
        .iter()
        .map(|(file, _)| run(&book.join("../engine/proofs").join(file), file))
        .collect();
    match &printed {
        Some(printed) => verify(printed, proofs),
        None => println!("z3 is not installed: the proofs are not run, the page is checked"),
    }
    if let Some(printed) = printed.filter(|_| std::env::var_os("UPDATE_OUTPUTS").is_some()) {
        return output::check(page, &printed);
    }
    let path = book.join("chapters").join(page);
    let stored = std::fs::read_to_string(&path).expect("the page's output is stored");
    verify(&stored, proofs);
    print!("{stored}");
}

/// The command and what the solver printed, or `None` if there is no solver.
fn run(proof: &PathBuf, file: &str) -> Option<String> {
    assert!(proof.exists(), "no such proof: {}", proof.display());
    let done = Command::new("z3").arg(proof).output().ok()?;
    let said = String::from_utf8(done.stdout).expect("z3 prints ASCII");
    Some(format!("$ z3 engine/proofs/{file}\n{said}\n"))
}

/// Every proof is named, and what stands behind its name agrees with its claim.
fn verify(text: &str, proofs: &[(&str, Claim)]) {
    for (file, claim) in proofs {
        let command = format!("$ z3 engine/proofs/{file}\n");
        let (_, said) = text
            .split_once(&command)
            .unwrap_or_else(|| panic!("{file} is missing"));
        let said = said.split('$').next().unwrap_or_default();
        match claim {
            Claim::Holds => assert_eq!(said.trim(), "unsat", "{file}"),
            Claim::BrokenBy(breaks) => {
                assert!(said.starts_with("sat\n"), "{file}: {said}");
                let bits: Vec<u64> = said
                    .split("#x")
                    .skip(1)
                    .map(|rest| u64::from_str_radix(&rest[..16], 16).expect("16 digits"))
                    .collect();
                assert_eq!(bits.len(), 2, "{file}: {said}");
                assert!(breaks(bits[0], bits[1]), "{file}: {said}");
            }
        }
    }
}
