//! The widgets' arithmetic of tuples, scores and the Z-order, held against what Rust makes of the same inputs.

use std::cmp::Ordering;

use engine::keys::{OrderedKey, ZBox, hex, interleave};
use serde_json::{Value, json};

use crate::node;

/// A plain generator of numbers: the same ones on every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ (self.0 >> 29)
    }
}

fn texts(value: &Value) -> Vec<String> {
    serde_json::from_value(value.clone()).unwrap()
}

// ---- tuples

const TEXTS: [&str; 11] = [
    "",
    "a",
    "aa",
    "a\0",
    "a\0b",
    "\0",
    "ab",
    "a:b",
    "a:",
    "é",
    "123456789",
];
const NUMBERS: [i64; 5] = [-300, -1, 0, 7, 256];

type Row = (String, i64, String);

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for first in TEXTS {
        for number in NUMBERS {
            for last in TEXTS {
                rows.push((first.to_owned(), number, last.to_owned()));
            }
        }
    }
    rows
}

/// A text in `size` bytes: zeros behind a short one, a long one cut.
fn cut(text: &str, size: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(size, 0);
    bytes
}

fn key(scheme: &str, (first, number, last): &Row) -> Vec<u8> {
    let with_length = |text: &str| {
        let length = u16::try_from(text.len()).unwrap();
        [&length.to_be_bytes()[..], text.as_bytes()].concat()
    };
    match scheme {
        "joined" => format!("{first}:{number}:{last}").into_bytes(),
        "length" => [with_length(first), number.to_key(), with_length(last)].concat(),
        "escaped" => (first.clone(), *number, last.clone()).to_key(),
        "fixed" => [cut(first, 8), number.to_key(), cut(last, 8)].concat(),
        "plain" => [first.as_bytes(), &number.to_key(), last.as_bytes()].concat(),
        other => panic!("nobody says what {other} is"),
    }
}

/// What every key with this first field begins with.
fn start(scheme: &str, first: &str) -> Vec<u8> {
    match scheme {
        "joined" => format!("{first}:").into_bytes(),
        "escaped" => first.to_key(),
        "fixed" => cut(first, 8),
        "plain" => first.as_bytes().to_vec(),
        _ => [
            &u16::try_from(first.len()).unwrap().to_be_bytes()[..],
            first.as_bytes(),
        ]
        .concat(),
    }
}

#[test]
fn tuples_get_the_engines_keys() {
    let rows = rows();
    let typed = |text: &str| json!(["text", text.replace('\0', "\\0")]);
    let inputs: Vec<Value> = rows
        .iter()
        .map(|(first, number, last)| {
            json!([typed(first), ["i64", number.to_string()], typed(last)])
        })
        .collect();
    // One key in seven is enough: a scan for its first field, over all.
    let scanned: Vec<usize> = (0..rows.len()).step_by(7).collect();
    let scripts = ["encodings", "tuples"];
    let inputs = json!({ "tuples": inputs, "scanned": scanned });
    let Some(computed) = node::compute(&scripts, "tuples", &inputs) else {
        return;
    };
    let schemes = computed["keys"].as_object().unwrap();
    assert_eq!(schemes.len(), 5);
    for (scheme, keys) in schemes {
        let expected: Vec<Vec<u8>> = rows.iter().map(|row| key(scheme, row)).collect();
        let shown: Vec<String> = expected.iter().map(|key| hex(key)).collect();
        assert_eq!(texts(keys), shown, "{scheme}");
        for (nth, &at) in scanned.iter().enumerate() {
            let start = start(scheme, &rows[at].0);
            let met = |i: &usize| expected[*i].starts_with(&start) && rows[*i].0 != rows[at].0;
            let strangers: Vec<usize> = (0..rows.len()).filter(met).collect();
            assert_eq!(
                computed["strangers"][scheme][nth],
                json!(strangers),
                "{scheme}: {:?}",
                rows[at]
            );
        }
    }
    for (at, pair) in rows.windows(2).enumerate() {
        let order = match pair[0].cmp(&pair[1]) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        };
        assert_eq!(computed["order"][at + 1], json!(order), "{pair:?}");
    }
    let mut sorted: Vec<usize> = (0..rows.len()).collect();
    sorted.sort_by_key(|at| &rows[*at]);
    assert_eq!(computed["sorted"], json!(sorted));
    assert_eq!(
        computed["parsed"],
        json!([["text", "a:b"], ["u32", "7"], ["text", ""]])
    );
    for refusal in computed["refused"].as_array().unwrap() {
        assert!(refusal.is_string(), "{}", computed["refused"]);
    }
}

// ---- scores

/// Bits and value of each field, the most significant first.
type Fields = Vec<(u32, u64)>;

fn score_inputs() -> Vec<Fields> {
    let mut numbers = Numbers(8);
    let mut inputs: Vec<Fields> = [
        0,
        1,
        200,
        (1 << 23) - 1,
        1 << 23,
        1_219_474_567,
        (1 << 33) - 1,
    ]
    .map(|gems| vec![(33, gems), (1, 1), (29, 290_072_179)])
    .to_vec();
    for _ in 0..400 {
        let widths = [
            1 + numbers.next() % 40,
            1 + numbers.next() % 3,
            1 + numbers.next() % 30,
        ];
        let field = |width: u64| {
            // Small ones too: the number's length decides what is lost.
            let kept = if numbers.next().is_multiple_of(3) {
                1 + numbers.next() % width
            } else {
                width
            };
            (
                u32::try_from(width).unwrap(),
                numbers.next() & ((1 << kept) - 1),
            )
        };
        inputs.push(widths.map(field).to_vec());
    }
    inputs
}

#[test]
fn scores_are_rusts_doubles() {
    let inputs = score_inputs();
    let given: Vec<Vec<(u32, String)>> = inputs
        .iter()
        .map(|fields| {
            fields
                .iter()
                .map(|(bits, value)| (*bits, value.to_string()))
                .collect()
        })
        .collect();
    let Some(computed) = node::compute(&["scores"], "scores", &json!(given)) else {
        return;
    };
    let mut lossy = 0;
    for (fields, result) in inputs.iter().zip(computed.as_array().unwrap()) {
        let number = fields.iter().fold(0_u128, |number, (bits, value)| {
            number << bits | u128::from(*value)
        });
        let score = number as f64;
        let stored = score as u128;
        let length = u128::BITS - number.leading_zeros();
        let lost = length.saturating_sub(53);
        let name = format!("{fields:?}");
        assert_eq!(result["number"], json!(number.to_string()), "{name}");
        assert_eq!(
            result["bits"],
            json!(format!("{:064b}", score.to_bits())),
            "{name}"
        );
        assert_eq!(result["lost"], json!(lost), "{name}");
        assert_eq!(result["gap"], json!((1_u128 << lost).to_string()), "{name}");
        lossy += u32::from(stored != number);

        let mut below: Vec<u32> = Vec::new();
        let width: u32 = fields.iter().map(|(bits, _)| bits).sum();
        let mut above = 0;
        for (bits, _) in fields {
            above += bits;
            below.push(width - above);
        }
        let back: Vec<String> = (0..fields.len())
            .map(|at| {
                let rest = stored >> below[at];
                let own = if at == 0 {
                    rest
                } else {
                    rest & ((1 << fields[at].0) - 1)
                };
                own.to_string()
            })
            .collect();
        assert_eq!(texts(&result["back"]), back, "{name}");
        let raised: Vec<String> = below
            .iter()
            .map(|shift| ((score + 2_f64.powi(i32::try_from(*shift).unwrap())) as u128).to_string())
            .collect();
        assert_eq!(texts(&result["raised"]), raised, "{name}");
        let owners: Vec<usize> = (0..width)
            .map(|bit| below.iter().position(|low| *low <= bit).unwrap())
            .collect();
        assert_eq!(result["owners"], json!(owners), "{name}");
        check_indexes(stored, score, result);
    }
    assert!(lossy > 30, "only {lossy} scores lost anything");
}

/// Every bit of the fraction is the bit of the number that it claims to be.
fn check_indexes(stored: u128, score: f64, result: &Value) {
    for (at, index) in result["indexes"].as_array().unwrap().iter().enumerate() {
        let bit = (score.to_bits() >> (63 - at)) & 1;
        match index.as_u64() {
            Some(index) => assert_eq!(u128::from(bit), (stored >> index) & 1, "{stored}: bit {at}"),
            None => assert!(at < 12 || bit == 0, "{stored}: bit {at} belongs to nothing"),
        }
    }
}

// ---- the Z-order

#[test]
fn the_curve_is_the_engines() {
    let mut numbers = Numbers(9);
    let mut points: Vec<(u32, u32)> = (0..8).flat_map(|x| (0..8).map(move |y| (x, y))).collect();
    points.extend((0..200).map(|_| ((numbers.next() >> 38) as u32, (numbers.next() >> 38) as u32)));
    points.push((u32::MAX, 0));
    let mut boxes = Vec::new();
    for (x, y) in &points[..64] {
        for (u, v) in &points[..64] {
            if x <= u && y <= v {
                for limit in [1, 2, 3, 5, 1000] {
                    boxes.push(((*x, *y), (*u, *v), limit));
                }
            }
        }
    }
    let places = [
        (13.361_389, 38.115_556),
        (15.087_269, 37.502_669),
        (-180.0, -85.0),
        (179.999_999, 85.05),
    ];
    let inputs = json!({ "points": points, "boxes": boxes, "places": places });
    let Some(computed) = node::compute(&["curve"], "curve", &inputs) else {
        return;
    };
    let expected: Vec<String> = points
        .iter()
        .map(|(x, y)| interleave(*x, *y).to_string())
        .collect();
    assert_eq!(texts(&computed["numbers"]), expected);
    assert_eq!(computed["back"], json!(points));
    assert_eq!(boxes.len(), 36 * 36 * 5);
    for ((low, high, limit), ranges) in boxes.iter().zip(computed["ranges"].as_array().unwrap()) {
        let searched = ZBox::new(low.0..=high.0, low.1..=high.1).unwrap();
        let expected: Vec<[String; 2]> = searched
            .ranges(*limit)
            .into_iter()
            .map(|range| [range.start().to_string(), range.end().to_string()])
            .collect();
        assert_eq!(*ranges, json!(expected), "{low:?} {high:?} {limit}");
    }
    let geohashes = texts(&computed["geohashes"]);
    // The two that the documentation of Redis's GEOADD shows, Palermo and Catania.
    assert_eq!(geohashes[..2], ["3479099956230698", "3479447370796909"]);
    for ((lon, lat), geohash) in places.iter().zip(&geohashes) {
        let steps = f64::from(1_u32 << 26);
        let x = ((lon + 180.0) / 360.0 * steps) as u32;
        let y = ((lat + 85.051_128_78) / 170.102_257_56 * steps) as u32;
        assert_eq!(*geohash, interleave(x, y).to_string());
    }
}
