//! Outputs that a chapter shows, held to what the code prints.
//!
//! A demonstration test builds the text it wants to show and calls [`check`]. The text is printed,
//! so that `--nocapture` shows the reader what the page shows, and compared with the file that the
//! chapter includes. Run with `UPDATE_OUTPUTS=1` to write the file anew, then read the difference.

use std::fs;
use std::path::Path;

/// Prints `actual` and compares it with `chapters/<file>`.
///
/// # Panics
/// When the stored file is missing or differs: the message names the file, the first line that
/// differs and the command that rewrites it. With `UPDATE_OUTPUTS` set, writes the file instead.
pub fn check(file: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("chapters")
        .join(file);
    let actual = format!("{}\n", actual.trim_end());
    print!("{actual}");
    if std::env::var_os("UPDATE_OUTPUTS").is_some() {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .unwrap_or_else(|e| panic!("cannot create {}: {e}", folder.display()));
        }
        fs::write(&path, &actual)
            .unwrap_or_else(|e| panic!("cannot write {}: {e}", path.display()));
        return;
    }
    let stored = fs::read_to_string(&path).unwrap_or_else(|e| {
        panic!(
            "cannot read {}: {e}\nto write it: UPDATE_OUTPUTS=1 cargo test -p book",
            path.display()
        )
    });
    if stored != actual {
        let same = stored
            .lines()
            .zip(actual.lines())
            .take_while(|(a, b)| a == b)
            .count();
        panic!(
            "chapters/{file} differs from line {}:\n  the chapter shows: {}\n  the code prints:   {}\nto accept: UPDATE_OUTPUTS=1 cargo test -p book",
            same + 1,
            stored.lines().nth(same).unwrap_or("(nothing)"),
            actual.lines().nth(same).unwrap_or("(nothing)"),
        );
    }
}
