//! The window of the chapter, in an ascending index and in one with the newest first, drawn as SVG.

use book::output;
use engine::keys::{Desc, OrderedKey as _, Raw};

use crate::direction::EVENTS;

const BOX: usize = 88;
const LEFT: usize = 64;
const WIDTH: usize = LEFT + 5 * BOX + 64;
const FROM: u64 = 20;
const TO: u64 = 40;

/// The events in the order of their keys, and where the bare keys of the bounds would stand among them.
struct Line {
    caption: &'static str,
    events: Vec<(u64, &'static str)>,
    key_of_from: usize,
    key_of_to: usize,
}

impl Line {
    fn new(caption: &'static str, key: fn(u64) -> Vec<u8>) -> Self {
        let row = |(time, name): &(u64, &str)| [key(*time), Raw(name).to_key()].concat();
        let mut events = EVENTS.to_vec();
        events.sort_by_key(row);
        let place = |time| events.partition_point(|event| row(event) < key(time));
        Self {
            caption,
            key_of_from: place(FROM),
            key_of_to: place(TO),
            events,
        }
    }

    /// The first place of the window and the one after its last.
    fn window(&self) -> (usize, usize) {
        let inside = |(time, _): &(u64, &str)| (FROM..TO).contains(time);
        let first = self.events.iter().position(inside);
        let last = self.events.iter().rposition(inside);
        (first.unwrap(), last.unwrap() + 1)
    }

    fn draw(&self, top: usize) -> String {
        let x = |place: usize| LEFT + place * BOX;
        let (first, end) = self.window();
        let mut svg = format!(
            "<text x=\"1\" y=\"{}\" text-anchor=\"start\" font-family=\"sans-serif\" font-size=\"13\">{}</text>\n",
            top + 14,
            self.caption
        );
        for (place, (time, name)) in self.events.iter().enumerate() {
            let shade = if (first..end).contains(&place) {
                0.16
            } else {
                0.03
            };
            svg += &format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{BOX}\" height=\"34\" fill-opacity=\"{shade}\" stroke=\"currentColor\" stroke-opacity=\"0.4\"/>\n\
                 <text x=\"{}\" y=\"{}\" font-size=\"15\" font-weight=\"bold\">{time} {name}</text>\n",
                x(place),
                top + 44,
                x(place) + BOX / 2,
                top + 66,
            );
        }
        svg += &format!(
            "<path d=\"M{0} {2}V{3}M{1} {2}V{3}M{0} {4}H{1}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2.5\"/>\n\
             <text x=\"{5}\" y=\"{6}\">the window</text>\n",
            x(first),
            x(end),
            top + 32,
            top + 84,
            top + 38,
            usize::midpoint(x(first), x(end)),
            top + 33,
        );
        for (name, place) in [("key(20)", self.key_of_from), ("key(40)", self.key_of_to)] {
            svg += &format!(
                "<path d=\"M{0} {1}V{2}M{3} {4}L{0} {1}L{5} {4}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.75\"/>\n\
                 <text x=\"{0}\" y=\"{6}\">{name}</text>\n",
                x(place),
                top + 88,
                top + 104,
                x(place) - 4,
                top + 94,
                x(place) + 4,
                top + 117,
            );
        }
        svg
    }
}

#[test]
fn the_window_in_both_directions() {
    let ascending = Line::new(
        "Ascending: the bare keys are where the window starts and ends.",
        |time| time.to_key(),
    );
    let newest = Line::new(
        "Newest first: each bare key comes before its rows, not after them.",
        |time| Desc(time).to_key(),
    );
    assert_eq!(
        ascending.window(),
        (ascending.key_of_from, ascending.key_of_to)
    );
    assert_eq!(
        newest.window(),
        (newest.key_of_to + 1, newest.key_of_from + 2)
    );

    let title = "Ascending, the rows are 10 a, 20 b, 20 c, 30 d, 40 e. The window from 20 to 40 starts at the key of \
                 20 and ends at the key of 40. Newest first, the rows are 40 e, 30 d, 20 b, 20 c, 10 a. The window \
                 starts after 40 e and ends after 20 c, and the keys of 40 and 20 come before 40 e and 20 b.";
    let lines = ascending.draw(0) + &newest.draw(136);
    let svg = format!(
        "<svg role=\"img\" viewBox=\"0 0 {WIDTH} 262\" width=\"{WIDTH}\" style=\"max-width:100%;height:auto\" \
         fill=\"currentColor\" stroke=\"none\" font-family=\"monospace\" font-size=\"12\" text-anchor=\"middle\">\n\
         <title>{title}</title>\n{lines}</svg>"
    );
    output::check("06-key-patterns/figures/window.svg", &svg);
}
