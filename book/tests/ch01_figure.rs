//! Draws chapter 1's figure of an LSM engine from a run: what was written, what lies where, what
//! a scan returns.
//!
//! `cargo test -p book --test ch01_figure -- --nocapture` prints the SVG that the chapter shows.

use std::fmt::Write as _;

use book::output;
use engine::{Db, Options};

/// One write of the run.
enum Write {
    Put(&'static str),
    Delete(&'static str),
}

impl Write {
    fn key(&self) -> &'static str {
        let (Self::Put(key) | Self::Delete(key)) = self;
        key
    }

    fn shown(&self) -> String {
        match self {
            Self::Put(key) => (*key).to_owned(),
            Self::Delete(key) => format!("{key} deleted"),
        }
    }
}

/// The run: the engine is flushed after each group but the last, which stays in memory.
fn run() -> [Vec<Write>; 3] {
    use Write::{Delete, Put};
    [
        vec![Put("key:2"), Put("key:1")],
        vec![Put("key:10"), Delete("key:2")],
        vec![Put("key:9"), Put("key:3")],
    ]
}

#[test]
fn the_lsm_figure_shows_what_a_run_does() {
    let [oldest, newer, recent] = run();

    let scan = scan_of(&[&oldest, &newer, &recent]);
    assert_eq!(scan, ["key:1", "key:10", "key:3", "key:9"]);

    // A merge of all tables has nothing older to hide, so the deleted key leaves no trace.
    let compacted = scan_of(&[&oldest, &newer]);
    assert_eq!(compacted, ["key:1", "key:10"]);

    let mut svg = Svg::open(
        "Writes go to a log and a memtable; a flush makes a table of the memtable; a compaction makes one new table of two; a scan merges the memtable and all tables in one order",
    );
    svg.part(10, 20, "log, as written", &written(&recent));
    svg.part(260, 20, "memtable, sorted", &sorted(&recent));
    svg.part(260, 120, "newer table, sorted", &sorted(&newer));
    svg.part(260, 220, "older table, sorted", &sorted(&oldest));
    svg.part(510, 120, "scan, merged", &scan);
    svg.note(20, 140, "a write goes to");
    svg.note(20, 160, "both, the log first");
    svg.arrow((90, 118), (90, 92), "");
    svg.arrow((150, 140), (256, 82), "");
    svg.arrow((355, 90), (355, 118), "flush");
    svg.part(10, 220, "compacted table", &compacted);
    svg.note(20, 306, "a compaction makes one new table of two");
    svg.arrow((258, 165), (194, 232), "");
    svg.arrow((258, 252), (194, 252), "");
    svg.arrow((440, 55), (508, 130), "");
    svg.arrow((440, 155), (508, 155), "");
    svg.arrow((440, 255), (508, 180), "");
    output::check("01-sorted-map/figures/lsm-engine.svg", &svg.close());
}

/// What a scan of the engine returns after the run.
fn scan_of(groups: &[&[Write]]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(folder.path(), Options::default()).unwrap();
    let rows = db.default_family();
    for (i, group) in groups.iter().enumerate() {
        if i > 0 {
            db.flush().unwrap();
        }
        for write in *group {
            match write {
                Write::Put(key) => rows.put(key, "a value").unwrap(),
                Write::Delete(key) => rows.delete(key).unwrap(),
            }
        }
    }
    rows.iter()
        .map(|row| String::from_utf8(row.unwrap().0).unwrap())
        .collect()
}

fn written(group: &[Write]) -> Vec<String> {
    group.iter().map(Write::shown).collect()
}

fn sorted(group: &[Write]) -> Vec<String> {
    let mut group: Vec<&Write> = group.iter().collect();
    group.sort_by_key(|write| write.key());
    group.into_iter().map(Write::shown).collect()
}

/// A drawing in the colours of the page around it, light or dark.
struct Svg {
    text: String,
}

impl Svg {
    fn open(alternative: &str) -> Self {
        let text = format!(
            concat!(
                "<figure>\n",
                "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 700 315\" width=\"100%\" ",
                "fill=\"currentColor\" stroke=\"none\" font-size=\"15\">\n",
                "<defs><marker id=\"lsm-tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" ",
                "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">",
                "<path d=\"M0 0 L8 4 L0 8 z\"/></marker></defs>\n",
            ),
            alternative
        );
        Self { text }
    }

    /// A box with a title above its lines.
    fn part(&mut self, x: u32, y: u32, title: &str, lines: &[String]) {
        let height = 30 + 18 * lines.len();
        let _ = writeln!(
            self.text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"180\" height=\"{height}\" rx=\"6\" fill-opacity=\"0.06\" stroke=\"currentColor\" stroke-opacity=\"0.5\"/>",
        );
        let _ = writeln!(
            self.text,
            "<text x=\"{}\" y=\"{}\" font-weight=\"bold\" font-size=\"14\">{title}</text>",
            x + 10,
            y + 20
        );
        for (line, at) in lines.iter().zip((y + 40..).step_by(18)) {
            let _ = writeln!(
                self.text,
                "<text x=\"{}\" y=\"{at}\" font-family=\"monospace\">{line}</text>",
                x + 10
            );
        }
    }

    fn note(&mut self, x: u32, y: u32, note: &str) {
        let _ = writeln!(
            self.text,
            "<text x=\"{x}\" y=\"{y}\" font-style=\"italic\">{note}</text>"
        );
    }

    fn arrow(&mut self, from: (u32, u32), to: (u32, u32), label: &str) {
        let _ = writeln!(
            self.text,
            "<path d=\"M{} {} L{} {}\" stroke=\"currentColor\" stroke-width=\"1.5\" marker-end=\"url(#lsm-tip)\"/>",
            from.0, from.1, to.0, to.1
        );
        if !label.is_empty() {
            self.note(from.0.midpoint(to.0) + 10, from.1.midpoint(to.1) + 5, label);
        }
    }

    fn close(mut self) -> String {
        self.text.push_str("</svg>\n</figure>");
        self.text
    }
}
