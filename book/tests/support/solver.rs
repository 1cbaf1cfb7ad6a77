//! Asks z3 the questions of a page, and shows what it said.
//!
//! A solver of another version may hand over other values. So the page is not compared letter by letter: its verdicts
//! must be right, and the values it shows must break the key they belong to.
//!
//! Without z3 the stored page alone is held to the claims. Where `CI` is set, that fails instead.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use book::output;

/// What the solver should say of a question.
pub(crate) enum Claim {
    /// No values break the key.
    Holds,
    /// There are values, given in the order of the question, and this function says whether they break the key.
    BrokenBy(fn(&[u64]) -> bool),
}

/// Asks the questions of `folder`, a path from the repository's root, and holds the answers and the page's output,
/// `chapters/<page>`, to their claims.
pub(crate) fn check(page: &str, folder: &str, questions: &[(&str, Claim)]) {
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    if is_installed() {
        let said: String = questions
            .iter()
            .map(|(file, _)| ask(&book.join(".."), &format!("{folder}/{file}")))
            .collect();
        verify(&said, questions);
        if std::env::var_os("UPDATE_OUTPUTS").is_some() {
            return output::check(page, &said);
        }
    }
    let path = book.join("chapters").join(page);
    let stored = std::fs::read_to_string(&path).expect("the page's output is stored");
    verify(&stored, questions);
    print!("{stored}");
}

fn is_installed() -> bool {
    match Command::new("z3").arg("--version").output() {
        Ok(output) => output.status.success(),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let advice = "z3 is not installed: `sudo apt-get install z3` or `brew install z3`";
            assert!(std::env::var_os("CI").is_none(), "{advice}");
            println!("{advice}; the page alone is checked");
            false
        }
        Err(error) => panic!("z3 does not start: {error}"),
    }
}

/// The command and what the solver printed.
fn ask(root: &Path, file: &str) -> String {
    let question = root.join(file);
    assert!(question.exists(), "no such question: {file}");
    // It answers in less than a second, or says that it found no answer in time.
    let done = Command::new("z3").arg("-T:300").arg(question).output();
    let said = String::from_utf8(done.expect("z3 starts").stdout).expect("z3 prints ASCII");
    format!("$ z3 {file}\n{said}\n")
}

/// Every question is named, and what stands behind its name agrees with its claim.
fn verify(text: &str, questions: &[(&str, Claim)]) {
    for (file, claim) in questions {
        let (_, said) = text
            .split_once(&format!("/{file}\n"))
            .unwrap_or_else(|| panic!("{file} is missing"));
        let said = said.split('$').next().unwrap_or_default();
        match claim {
            Claim::Holds => assert_eq!(said.trim(), "unsat", "{file}"),
            Claim::BrokenBy(breaks) => {
                assert!(said.starts_with("sat\n"), "{file}: {said}");
                assert!(breaks(&values(said)), "{file}: {said}");
            }
        }
    }
}

/// The numbers that an answer shows, `#x` and hexadecimal digits, in its order.
fn values(said: &str) -> Vec<u64> {
    said.split("#x")
        .skip(1)
        .map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_hexdigit());
            u64::from_str_radix(&rest[..end.unwrap_or(rest.len())], 16).expect("64 bits at most")
        })
        .collect()
}
