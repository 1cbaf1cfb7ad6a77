//! Runs the proofs in `engine/proofs` with `z3`, ties them to the Rust encoders, and checks the
//! counterexamples in Rust.
//!
//! There are three tests, because a solver's answer alone would not be enough:
//! 1. Every file gets the answer that it announces. For a wrong encoding, the Rust encoder of the
//!    same rule sorts the pair that z3 found the wrong way.
//! 2. `key` and `before` of each file agree with Rust on samples, so the proof is about our code.
//! 3. No file is forgotten, here or in the README.
//!
//! Without `z3` the first two report that they were skipped. Where `CI` is set, they fail instead.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use engine::keys::{
    descending, encode_f64, encode_f64_numeric, encode_i64, encode_u64, hex,
    historical::{ledis, neokv, qdb},
    interleave,
};

const TOP: u64 = 1 << 63;

/// The Rust side of one file: the same key, the same order, and the same set of values.
struct Claim {
    file: &'static str,
    key: fn(u64) -> Vec<u8>,
    before: fn(u64, u64) -> bool,
    /// Which pairs the claim is about. The files assert this.
    about: fn(u64, u64) -> bool,
}

fn signed(a: u64, b: u64) -> bool {
    a.cast_signed() < b.cast_signed()
}

fn number(a: u64, b: u64) -> bool {
    f64::from_bits(a) < f64::from_bits(b)
}

fn total(a: u64, b: u64) -> bool {
    f64::from_bits(a).total_cmp(&f64::from_bits(b)).is_lt()
}

/// The point whose `x` is the upper half and whose `y` is the lower.
fn point(v: u64) -> (u32, u32) {
    ((v >> 32) as u32, v as u32)
}

/// Whether `a` is neither to the right of `b` nor above it.
fn not_beyond(a: u64, b: u64) -> bool {
    let ((x, y), (u, v)) = (point(a), point(b));
    x <= u && y <= v
}

fn any(_a: u64, _b: u64) -> bool {
    true
}

fn numbers(a: u64, b: u64) -> bool {
    [a, b].iter().all(|&bits| !f64::from_bits(bits).is_nan())
}

fn numbers_without_zero(a: u64, b: u64) -> bool {
    numbers(a, b) && [a, b].iter().all(|&bits| f64::from_bits(bits) != 0.0)
}

fn a_normal_number_and_a_nan(a: u64, b: u64) -> bool {
    let tried = |bits| {
        f64::from_bits(bits).is_sign_positive()
            && (f64::from_bits(bits).is_nan() || f64::from_bits(bits).is_normal())
    };
    tried(a) && tried(b) && f64::from_bits(a).is_nan() != f64::from_bits(b).is_nan()
}

impl Claim {
    fn new(
        file: &'static str,
        about: fn(u64, u64) -> bool,
        before: fn(u64, u64) -> bool,
        key: fn(u64) -> Vec<u8>,
    ) -> Self {
        Self {
            file,
            key,
            before,
            about,
        }
    }
}

fn claims() -> Vec<Claim> {
    [integer_claims(), float_claims()]
        .into_iter()
        .flatten()
        .collect()
}

fn integer_claims() -> Vec<Claim> {
    vec![
        Claim::new("right_i64", any, signed, |v| {
            encode_i64(v.cast_signed()).into()
        }),
        Claim::new(
            "right_i64_descending",
            any,
            |a, b| signed(b, a),
            |v| descending(encode_i64(v.cast_signed())).into(),
        ),
        Claim::new("right_zorder", any, not_beyond, |v| {
            let (x, y) = point(v);
            encode_u64(interleave(x, y)).into()
        }),
        Claim::new("right_ledis", any, signed, |v| {
            ledis::encode_i64(v.cast_signed()).into()
        }),
        Claim::new(
            "wrong_u64_little_endian",
            any,
            |a, b| a < b,
            |v| v.to_le_bytes().into(),
        ),
        Claim::new("wrong_i64_little_endian", any, signed, |v| {
            (v ^ TOP).to_le_bytes().into()
        }),
        Claim::new("wrong_i64_sign_not_flipped", any, signed, |v| {
            v.to_be_bytes().into()
        }),
        Claim::new("wrong_i64_all_inverted", any, signed, |v| {
            (!v).to_be_bytes().into()
        }),
        Claim::new("wrong_ledis_as_published", any, signed, |v| {
            ledis::encode_i64_as_published(v.cast_signed()).into()
        }),
    ]
}

fn float_claims() -> Vec<Claim> {
    vec![
        Claim::new("right_f64_total", any, total, |v| {
            encode_f64(f64::from_bits(v)).into()
        }),
        Claim::new("right_f64_numeric", numbers, number, |v| {
            encode_f64_numeric(f64::from_bits(v))
                .expect("a number")
                .into()
        }),
        Claim::new("right_qdb_numbers", numbers, number, |v| {
            qdb::encode_f64(f64::from_bits(v)).into()
        }),
        Claim::new("wrong_f64_big_endian", numbers_without_zero, number, |v| {
            v.to_be_bytes().into()
        }),
        Claim::new(
            "wrong_f64_negatives_not_inverted",
            numbers_without_zero,
            number,
            |v| (v ^ TOP).to_be_bytes().into(),
        ),
        Claim::new(
            "wrong_f64_positives_not_lifted",
            numbers_without_zero,
            number,
            |v| if v & TOP != 0 { !v } else { v }.to_be_bytes().into(),
        ),
        Claim::new(
            "wrong_f64_all_inverted",
            numbers_without_zero,
            number,
            |v| (!v).to_be_bytes().into(),
        ),
        Claim::new("wrong_neokv_zeros", numbers, number, |v| {
            neokv::encode_f64(f64::from_bits(v)).into()
        }),
        Claim::new("wrong_qdb_zeros", numbers, total, |v| {
            qdb::encode_f64(f64::from_bits(v)).into()
        }),
        Claim::new("wrong_qdb_nan", a_normal_number_and_a_nan, total, |v| {
            qdb::encode_f64(f64::from_bits(v)).into()
        }),
    ]
}

#[test]
fn z3_gives_the_announced_answers_and_its_counterexamples_hold_in_rust() {
    if !z3_is_here() {
        return;
    }
    let claims: BTreeMap<_, _> = claims()
        .into_iter()
        .map(|claim| (claim.file, claim))
        .collect();
    for (name, text) in files() {
        let answer = z3(&text);
        let (verdict, model) = answer.split_once('\n').unwrap_or((&answer, ""));
        let announced = if name.starts_with("wrong_") {
            "sat"
        } else {
            "unsat"
        };
        assert!(
            text.contains(&format!("(set-info :status {announced})")),
            "{name}: status"
        );
        assert_eq!(verdict, announced, "{name}: {answer}");
        if announced == "unsat" {
            println!("{name:<33} no counterexample among all pairs");
            continue;
        }
        let [a, b] = pair(model).unwrap_or_else(|| panic!("{name}: no pair in {model:?}"));
        let claim = claims.get(name.as_str()).expect("test 3 sees to that");
        let (key_a, key_b) = ((claim.key)(a), (claim.key)(b));
        println!(
            "{name:<33} {a:016x} {b:016x} become {} {}",
            hex(&key_a),
            hex(&key_b)
        );
        assert!(
            (claim.about)(a, b),
            "{name}: the claim does not speak of this pair"
        );
        assert_ne!(
            (claim.before)(a, b),
            key_a < key_b,
            "{name}: not a counterexample in Rust"
        );
    }
}

#[test]
fn the_files_mean_the_same_as_the_rust_code() {
    if !z3_is_here() {
        return;
    }
    let files = files();
    for claim in claims() {
        let text = &files[claim.file];
        let (definitions, _question) = text.split_once("; ---- ").expect("the question is marked");
        let samples = samples();
        let pairs: Vec<_> = samples
            .iter()
            .flat_map(|&a| samples.iter().map(move |&b| (a, b)))
            .filter(|&(a, b)| (claim.about)(a, b))
            .collect();
        assert!(pairs.len() >= 8, "{}: enough samples", claim.file);
        let mut script = definitions.to_owned();
        let mut expected = Vec::new();
        for (a, b) in pairs {
            script += &format!("(simplify (key #x{a:016x}))\n");
            script += &format!("(simplify (before #x{a:016x} #x{b:016x}))\n");
            expected.push(format!("#x{}", hex(&(claim.key)(a))));
            expected.push((claim.before)(a, b).to_string());
        }
        assert_eq!(
            z3(&script).lines().collect::<Vec<_>>(),
            expected,
            "{}",
            claim.file
        );
    }
}

#[test]
fn every_file_is_replayed_and_explained() {
    let readme = fs::read_to_string(folder().join("README.md")).expect("proofs/README.md");
    let claimed: Vec<_> = claims().iter().map(|claim| claim.file).collect();
    let files = files();
    for name in files.keys() {
        let answer = if name.starts_with("wrong_") {
            "sat"
        } else {
            "unsat"
        };
        let row = readme
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("the README does not explain {name}"));
        assert!(row.ends_with(&format!("| {answer} |")), "{row}");
        assert!(
            name.starts_with("lemma_") || claimed.contains(&name.as_str()),
            "there is no Rust code for {name}"
        );
    }
    for name in claimed {
        assert!(files.contains_key(name), "{name}.smt2 is missing");
    }
}

/// Bit patterns where rules change, then arbitrary ones.
fn samples() -> Vec<u64> {
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    let arbitrary = std::iter::repeat_with(move || {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        bits
    });
    let floats = [
        0.0,
        1.0,
        2.0,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    [
        0,
        1,
        255,
        256,
        TOP - 1,
        TOP,
        TOP + 1,
        u64::MAX - 299,
        u64::MAX,
        TOP | 1 << 52,
    ]
    .into_iter()
    .chain(
        floats
            .into_iter()
            .flat_map(|value| [value.to_bits(), value.to_bits() ^ TOP]),
    )
    .chain(arbitrary.take(8))
    .collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("proofs")
}

/// The proofs by name.
fn files() -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder()).expect("engine/proofs");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let proofs = paths.filter(|path| path.extension().is_some_and(|ext| ext == "smt2"));
    proofs
        .map(|path| {
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, fs::read_to_string(&path).expect("readable"))
        })
        .collect()
}

/// The pair in `((a #x0123...)\n (b #x4567...))`.
fn pair(model: &str) -> Option<[u64; 2]> {
    let number = |name: &str| {
        let (_, after) = model.split_once(&format!("({name} #x"))?;
        u64::from_str_radix(after.split_once(')')?.0, 16).ok()
    };
    Some([number("a")?, number("b")?])
}

/// Whether the solver is installed. Prints a note if not.
fn z3_is_here() -> bool {
    match Command::new("z3").arg("--version").output() {
        Ok(output) => output.status.success(),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let advice = "z3 is not installed: `sudo apt-get install z3` or `brew install z3`";
            assert!(env::var_os("CI").is_none(), "{advice}");
            eprintln!("SKIPPED, {advice}");
            false
        }
        Err(error) => panic!("z3 does not start: {error}"),
    }
}

/// What z3 prints for this script, after a minute at most.
fn z3(script: &str) -> String {
    let mut child = Command::new("z3")
        .args(["-in", "-T:60"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 was there a moment ago");
    let mut stdin = child.stdin.take().expect("piped");
    stdin
        .write_all(script.as_bytes())
        .expect("z3 reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("z3 ends");
    String::from_utf8(output.stdout)
        .expect("z3 writes ASCII")
        .trim()
        .to_owned()
}
