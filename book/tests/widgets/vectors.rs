//! The widgets' arithmetic of numbers, held against vectors that `engine::keys` exported.

use std::collections::BTreeMap;

use engine::keys::hex;
use serde_json::{Map, Value, json};

use crate::node;

struct Vector {
    kind: String,
    fields: Map<String, Value>,
}

impl Vector {
    fn get(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    fn is_nan(&self) -> bool {
        self.get("value") == Some("NaN")
    }

    fn is_float(&self) -> bool {
        self.kind.starts_with('f')
    }

    /// The key that an encoding of the widgets must give, if one was exported: NeoKV and QDB are for doubles
    /// only, and follow the same rule elsewhere; how a float is spelled is the widgets' own affair.
    fn key(&self, encoding: &str) -> Option<String> {
        let field = match encoding {
            "le" => "little_endian",
            "be" => "big_endian",
            "sign-flip" if self.is_float() => "wrong_sign_flipped_only",
            "sign-flip" | "total-order" => "encoded",
            "inverted" => "descending",
            "invert-all" => "wrong_all_inverted",
            "ledis" | "neokv" | "qdb" | "numeric" => encoding,
            "ledis-published" => {
                let marker = &self.get("ledis")?[..2];
                return Some(format!("{marker}{}", self.get("little_endian")?));
            }
            "decimal" | "padded" if self.is_float() => return None,
            "decimal" => return Some(hex(self.get("value")?.as_bytes())),
            "padded" => {
                let number: i128 = self.get("value")?.parse().unwrap();
                return Some(hex(format!("{number:020}").as_bytes()));
            }
            other => panic!("no vector holds the encoding {other}"),
        };
        self.get(field).map(str::to_owned)
    }
}

fn vectors() -> Vec<Vector> {
    let file: Value = serde_json::from_str(include_str!("../../widgets/vectors.json")).unwrap();
    let mut vectors = Vec::new();
    for kind in file["types"].as_array().unwrap() {
        for vector in kind["vectors"].as_array().unwrap() {
            vectors.push(Vector {
                kind: kind["name"].as_str().unwrap().to_owned(),
                fields: vector.as_object().unwrap().clone(),
            });
        }
    }
    assert!(vectors.len() > 150, "only {} vectors", vectors.len());
    vectors
}

#[test]
fn the_widgets_compute_what_the_engine_computes() {
    let vectors = vectors();
    let inputs: Vec<Value> = vectors
        .iter()
        .map(|v| json!({ "type": v.kind, "value": v.get("value"), "bits": v.get("bits") }))
        .collect();
    let Some(computed) = node::compute(&["encodings"], "encodings", &json!(inputs)) else {
        return;
    };
    let rows = computed["rows"].as_array().unwrap();
    assert_eq!(rows.len(), vectors.len());
    let mut compared = 0;
    for (vector, row) in vectors.iter().zip(rows) {
        compared += compare(vector, row);
    }
    println!("{compared} comparisons");
    assert!(compared > 1700, "only {compared} values were compared");
    compare_orders(&vectors, &computed["sorted"]);
    compare_halves(&computed);
    for refusal in computed["refusals"].as_array().unwrap() {
        assert!(refusal[2].is_string(), "it takes {refusal}");
    }
    let patterns = ["7ff0000000000001", "fff8000000000000", "80000000", "3c00"];
    assert_eq!(computed["patterns"], json!(patterns), "floats by pattern");
}

/// Number, text and every key of one value; returns how many were compared.
fn compare(vector: &Vector, row: &Value) -> usize {
    let name = format!("{} {}", vector.kind, vector.get("value").unwrap());
    let mut compared = 0;
    if !vector.is_nan() {
        assert_eq!(
            row["parsed"].as_str(),
            vector.get("bits"),
            "{name}: the text's bits"
        );
        assert_eq!(
            row["again"].as_str(),
            vector.get("bits"),
            "{name}: text and back"
        );
        compared += 2;
    }
    for (encoding, key) in row["keys"].as_object().unwrap() {
        if let Some(expected) = vector.key(encoding) {
            assert_eq!(key.as_str(), Some(&*expected), "{name}: {encoding}");
            compared += 1;
        }
    }
    if let Some(decoded) = vector.get("qdb_decoded") {
        let bits = row["fromQdb"].as_str().unwrap();
        let number = f64::from_bits(u64::from_str_radix(bits, 2).unwrap());
        let expected: f64 = decoded.replace("Infinity", "inf").parse().unwrap();
        assert!(
            number.to_bits() == expected.to_bits() || (number.is_nan() && expected.is_nan()),
            "{name}: {number} is not {expected}"
        );
        compared += 1;
    }
    compared
}

/// Under each encoding the keys stand in byte order, and exactly the steps down are marked.
fn compare_orders(vectors: &[Vector], sorted: &Value) {
    // The number's own place: the engine's key, with both zeros on one.
    let place = |v: &Vector| v.get("numeric").or(v.get("encoded")).unwrap().to_owned();
    let mut unsound = 0;
    for (name, result) in sorted.as_object().unwrap() {
        let (kind, encoding) = name.split_once(' ').unwrap();
        let own: Vec<&Vector> = vectors.iter().filter(|v| v.kind == kind).collect();
        let rows: BTreeMap<(String, &str), &Vector> = own
            .iter()
            .filter_map(|v| Some(((v.key(encoding)?, v.get("encoded")?), *v)))
            .collect();
        if rows.is_empty() {
            continue;
        }
        let keys: Vec<&String> = rows.keys().map(|(key, _)| key).collect();
        assert_eq!(result["keys"], json!(keys), "{name}");
        let places: Vec<String> = rows.values().map(|v| place(v)).collect();
        let breaks: Vec<bool> = (0..places.len())
            .map(|i| {
                let behind = |before: &String| match encoding {
                    "inverted" => *before < places[i],
                    _ => *before > places[i],
                };
                i > 0 && behind(&places[i - 1])
            })
            .collect();
        assert_eq!(result["breaks"], json!(breaks), "{name}");
        unsound += usize::from(breaks.contains(&true));
    }
    assert!(unsound > 10, "only {unsound} encodings were seen to fail");
}

/// Every binary16 value there is.
fn compare_halves(computed: &Value) {
    let keys = computed["half"].as_str().unwrap();
    assert_eq!(keys.len(), 65536 * 4);
    for bits in 0..=u16::MAX {
        let at = usize::from(bits) * 4;
        let key = hex(&engine::keys::encode_f16_bits(bits));
        assert_eq!(keys[at..at + 4], key, "f16 {bits:04x}");
    }
    assert_eq!(
        computed["halfWrong"], 0,
        "f16 texts that come back as another number"
    );
}
