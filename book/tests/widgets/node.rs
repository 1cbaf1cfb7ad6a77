//! The widgets' arithmetic, run by Node: scripts of `chapters/widgets/` and one of `compute/` that asks them.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::site;
use crate::suite::installed;

/// What `compute/{question}.js` makes of the inputs with these scripts before it. `None` without Node, and outside of `CI`.
pub(crate) fn compute(scripts: &[&str], question: &str, inputs: &Value) -> Option<Value> {
    let node = installed(&["node"])?;
    let text = |file: &str| fs::read_to_string(site::book_dir().join(file)).unwrap();
    let mut program = String::new();
    for script in scripts {
        program += &text(&format!("chapters/widgets/{script}.js"));
    }
    let question = text(&format!("tests/widgets/compute/{question}.js"));
    // A BigInt has no form in JSON; it travels as its digits.
    program += &format!(
        "\nconst digits = (_, value) => (typeof value === \"bigint\" ? String(value) : value);\
         \nprocess.stdout.write(JSON.stringify(({question})({inputs}), digits));"
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("compute.js");
    fs::write(&file, program).unwrap();
    let output = Command::new(node).arg(&file).output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}
