//! The recorded race: held to its shape, not to its values, and drawn.
//!
//! `cargo run --release -p benches --example comparator_race MACHINE DATE` records it.

use std::fmt::Write as _;

use book::output;
use serde_json::Value;

const RACE: &str = include_str!("../../chapters/07-comparators/outputs/race.json");

/// The width of the longest bar.
const BAR: f64 = 380.0;
const LEFT: usize = 250;
const ROW: usize = 22;

fn race() -> Value {
    serde_json::from_str(RACE).expect("the record is JSON")
}

fn text<'a>(of: &'a Value, field: &str) -> &'a str {
    of[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} is text"))
}

fn list<'a>(of: &'a Value, field: &str) -> &'a [Value] {
    of[field]
        .as_array()
        .unwrap_or_else(|| panic!("{field} is a list"))
}

#[test]
fn the_record_says_what_was_run_where_and_when() {
    let race = race();
    assert!(text(&race, "command").starts_with("cargo run --release -p benches"));
    for field in ["title", "machine", "date"] {
        assert!(!text(&race, field).is_empty());
    }
    assert_eq!(text(&race, "unit"), "ns");
    let names = |heat: &Value| -> Vec<String> {
        list(heat, "lanes")
            .iter()
            .map(|lane| text(lane, "name").to_owned())
            .collect()
    };
    let heats = list(&race, "heats");
    assert_eq!(heats.len(), 3);
    for heat in heats {
        assert_eq!(
            names(heat),
            names(&heats[0]),
            "the same lanes in every heat"
        );
        for lane in list(heat, "lanes") {
            assert!(lane["ns_per_op"].as_u64().is_some_and(|ns| ns > 0));
            assert!(
                lane["bytes_per_key"]
                    .as_f64()
                    .is_some_and(|bytes| bytes > 1.0)
            );
        }
    }
}

#[test]
fn the_race_as_a_table_and_a_figure() {
    let race = race();
    let heats = list(&race, "heats");
    let mut table = String::from("| how | bytes a key |");
    for heat in heats {
        write!(table, " {} |", text(heat, "what")).unwrap();
    }
    table += "\n|---|--:|--:|--:|--:|\n";
    for (n, lane) in list(&heats[0], "lanes").iter().enumerate() {
        write!(
            table,
            "| {} | {} |",
            text(lane, "name"),
            lane["bytes_per_key"]
        )
        .unwrap();
        for heat in heats {
            write!(table, " {} ns |", heat["lanes"][n]["ns_per_op"]).unwrap();
        }
        table += "\n";
    }
    write!(
        table,
        "\n`{} MACHINE DATE` on {}, {}.\n",
        text(&race, "command"),
        text(&race, "machine"),
        text(&race, "date")
    )
    .unwrap();
    output::check("07-comparators/outputs/race.md", &table);
    output::check("07-comparators/figures/race.svg", &drawn(&race));
}

/// How many times as long each comparator takes as keys in big-endian bytes, in every heat.
#[test]
fn what_a_comparator_adds() {
    let race = race();
    let mut table =
        String::from("| times the big-endian keys | on digits | that parses |\n|---|--:|--:|\n");
    for heat in list(&race, "heats") {
        let time = |name: &str| {
            let lane = list(heat, "lanes")
                .iter()
                .find(|lane| text(lane, "name").contains(name));
            lane.and_then(|lane| lane["ns_per_op"].as_f64())
                .expect("the lane was recorded")
        };
        let bytes = time("big-endian");
        let (digits, parses) = (time("on digits") / bytes, time("that parses") / bytes);
        writeln!(
            table,
            "| {} | {digits:.1} | {parses:.1} |",
            text(heat, "what")
        )
        .unwrap();
    }
    output::check("07-comparators/outputs/factors.md", &table);
}

/// One group of bars a heat, all on one scale.
fn drawn(race: &Value) -> String {
    let heats = list(race, "heats");
    let times = |heat: &Value| -> Vec<f64> {
        list(heat, "lanes")
            .iter()
            .filter_map(|lane| lane["ns_per_op"].as_f64())
            .collect()
    };
    let longest = heats.iter().flat_map(times).fold(1.0, f64::max);
    let lanes = list(&heats[0], "lanes").len();
    let height = heats.len() * (lanes + 2) * ROW;
    let mut svg = format!(
        "<svg role=\"img\" viewBox=\"0 0 700 {height}\" width=\"700\" style=\"max-width:100%;height:auto\" fill=\"currentColor\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<title>{}</title>\n",
        text(race, "title")
    );
    let mut y = 0;
    for heat in heats {
        y += ROW;
        writeln!(
            svg,
            "<text x=\"0\" y=\"{}\" font-weight=\"bold\">{}</text>",
            y - 6,
            text(heat, "what")
        )
        .unwrap();
        for lane in list(heat, "lanes") {
            let time = lane["ns_per_op"].as_f64().unwrap_or_default();
            let width = time / longest * BAR;
            let shade = if text(lane, "name").contains("comparator") {
                0.75
            } else {
                0.35
            };
            writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.0}\" height=\"{}\" \
                 fill-opacity=\"{shade}\"/><text x=\"{:.0}\" y=\"{}\">{time} ns</text>",
                LEFT - 8,
                y + 15,
                text(lane, "name"),
                ROW - 4,
                LEFT as f64 + width + 6.0,
                y + 15,
            )
            .unwrap();
            y += ROW;
        }
        y += ROW;
    }
    svg + "</svg>"
}
