//! Medians, ratios to the best peer, and the two pictures of them: a table and a chart.

use crate::engines::Kind;
use crate::work::Measured;
use std::collections::BTreeMap;
use std::fmt::Write;

/// All rounds of all engines.
pub type Rounds = BTreeMap<Kind, Vec<Measured>>;

/// One line of the table.
pub struct Row {
    pub work: String,
    /// Whether more is better (a rate) or less (a cost).
    pub is_rate: bool,
    pub medians: BTreeMap<Kind, f64>,
}

impl Row {
    /// The ratio that is aimed at: faster by a fifth, at no greater cost.
    fn target(&self) -> f64 {
        if self.is_rate { 1.2 } else { 1.0 }
    }

    /// How much better ours is than the best peer: above 1 is better, for rates and costs alike.
    pub fn ratio(&self) -> Option<f64> {
        let ours = *self.medians.get(&Kind::Ours)?;
        let peers = self.medians.iter().filter(|(kind, _)| **kind != Kind::Ours);
        if self.is_rate {
            let best = peers.map(|(_, rate)| *rate).reduce(f64::max)?;
            Some(ours / best)
        } else {
            let best = peers
                .filter(|(kind, _)| kind.is_lsm())
                .map(|(_, cost)| *cost)
                .reduce(f64::min)?;
            Some(best / ours)
        }
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    if figures.len() % 2 == 1 {
        figures[middle]
    } else {
        (figures[middle - 1] + figures[middle]) / 2.0
    }
}

/// One row a work, in alphabetical order of the works, rates first.
pub fn rows(rounds: &Rounds) -> Vec<Row> {
    let mut rows = Vec::new();
    for is_rate in [true, false] {
        let figures = |measured: &Measured| {
            if is_rate {
                measured.rates.clone()
            } else {
                measured.costs.clone()
            }
        };
        let mut by_work: BTreeMap<String, BTreeMap<Kind, Vec<f64>>> = BTreeMap::new();
        for (kind, measured) in rounds
            .iter()
            .flat_map(|(k, all)| all.iter().map(move |m| (k, m)))
        {
            for (work, figure) in figures(measured) {
                by_work
                    .entry(work)
                    .or_default()
                    .entry(*kind)
                    .or_default()
                    .push(figure);
            }
        }
        for (work, by_kind) in by_work {
            let medians = by_kind
                .into_iter()
                .map(|(kind, all)| (kind, median(all)))
                .collect();
            rows.push(Row {
                work,
                is_rate,
                medians,
            });
        }
    }
    rows
}

fn shown(figure: f64) -> String {
    match figure {
        f if f >= 1e6 => format!("{:.2}M", f / 1e6),
        f if f >= 1e4 => format!("{:.0}k", f / 1e3),
        f if f >= 1e3 => format!("{:.1}k", f / 1e3),
        f => format!("{f:.0}"),
    }
}

/// A Markdown table; rates are operations a second.
pub fn table(rows: &[Row], kinds: &[Kind]) -> String {
    let mut text = String::from("| work |");
    for kind in kinds {
        let _ = write!(text, " {} |", kind.name());
    }
    text.push_str(" ours to the best |\n|---|");
    text.push_str(&"---:|".repeat(kinds.len() + 1));
    text.push('\n');
    for row in rows {
        let _ = write!(text, "| {} |", row.work);
        for kind in kinds {
            let figure = row
                .medians
                .get(kind)
                .map_or_else(|| "-".into(), |figure| shown(*figure));
            let _ = write!(text, " {figure} |");
        }
        let _ = writeln!(text, " {} |", two_digits(row.ratio()));
    }
    text
}

/// What was measured at one size.
pub struct Step {
    pub entries: u64,
    pub value_bytes: usize,
    pub rows: Vec<Row>,
}

/// Three Markdown tables: how ours compares with the best peer at each size; and from the smallest number of entries to
/// the greatest, with values of one length, which part of its rate each engine keeps, and how much longer an operation
/// takes. The part alone says little: what takes ten times as long to begin with keeps more of its rate when the same
/// misses of a cache are added.
pub fn growth(steps: &[Step], kinds: &[Kind]) -> String {
    let Some(first) = steps.first() else {
        return String::new();
    };
    let mut text = String::from("| entries x bytes of a value |");
    for row in &first.rows {
        let _ = write!(text, " {} |", row.work);
    }
    let _ = writeln!(text, "\n|---|{}", "---:|".repeat(first.rows.len()));
    for step in steps {
        let _ = write!(text, "| {} x {} |", step.entries, step.value_bytes);
        for row in &step.rows {
            let _ = write!(text, " {} |", two_digits(row.ratio()));
        }
        text.push('\n');
    }

    let alike: Vec<&Step> = steps
        .iter()
        .filter(|step| step.value_bytes == first.value_bytes)
        .collect();
    let [few, .., many] = alike[..] else {
        return text;
    };
    let _ = write!(
        text,
        "\nThe part of its rate at {} entries that each keeps at {}:\n\n",
        few.entries, many.entries
    );
    text += &compared(few, many, kinds, |before, after| {
        format!("{:.2}", after / before)
    });
    text.push_str("\nNanoseconds that an operation takes longer there:\n\n");
    text += &compared(few, many, kinds, |before, after| {
        // The sum makes -0 to 0.
        format!("{:.0}", (1e9 / after - 1e9 / before).round() + 0.0)
    });
    text
}

/// A Markdown table of how the rates of each engine at two sizes compare.
fn compared(
    few: &Step,
    many: &Step,
    kinds: &[Kind],
    compare: impl Fn(f64, f64) -> String,
) -> String {
    let mut text = String::from("| work |");
    for kind in kinds {
        let _ = write!(text, " {} |", kind.name());
    }
    let _ = writeln!(text, "\n|---|{}", "---:|".repeat(kinds.len()));
    for before in few.rows.iter().filter(|row| row.is_rate) {
        let after = many.rows.iter().find(|row| row.work == before.work);
        let _ = write!(text, "| {} |", before.work);
        for kind in kinds {
            let both =
                after.and_then(|after| before.medians.get(kind).zip(after.medians.get(kind)));
            let cell = both.map_or_else(|| "-".into(), |(before, after)| compare(*before, *after));
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text
}

fn two_digits(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.2}"))
}

/// A bar for each work: how ours stands to the best peer, on a scale of doublings around 1.
pub fn chart(rows: &[Row]) -> String {
    const ROW: usize = 22;
    const LEFT: f64 = 260.0;
    const PER_DOUBLING: f64 = 110.0;
    let middle = LEFT + 2.0 * PER_DOUBLING;
    let height = ROW * (rows.len() + 2);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<style>text{{fill:#444}}@media(prefers-color-scheme:dark){{text{{fill:#ccc}}}}</style>\n\
         <text x=\"{middle}\" y=\"14\" text-anchor=\"middle\">as good as the best peer</text>\n\
         <line x1=\"{middle}\" y1=\"18\" x2=\"{middle}\" y2=\"{height}\" stroke=\"#888\"/>\n"
    );
    for (place, row) in rows.iter().enumerate() {
        let Some(ratio) = row.ratio() else { continue };
        let y = ROW * (place + 1);
        let length = (ratio.log2().clamp(-2.0, 2.5)) * PER_DOUBLING;
        let (x, width) = if length < 0.0 {
            (middle + length, -length)
        } else {
            (middle, length)
        };
        let colour = if ratio >= row.target() {
            "#2a7f62"
        } else if ratio >= 1.0 {
            "#b8860b"
        } else {
            "#b0413e"
        };
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{x:.1}\" y=\"{}\" width=\"{width:.1}\" height=\"14\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{}\">{ratio:.2}</text>",
            LEFT - 8.0,
            y + 11,
            row.work,
            y,
            middle + length.max(0.0) + 6.0,
            y + 11,
        );
    }
    svg.push_str("</svg>\n");
    svg
}
