//! Strings that are changed in parts stand in pieces, and nobody can tell.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use redis_layer::store::{Batch, Space};
use redis_layer::types::rows::{Collection, Content, Metadata, RowPrefix, metadata_key};
use redis_layer::types::strings::{PIECE_BYTES, WHOLE_BYTES};
use redis_layer::types::{Sweeper, check};

use crate::common::counting::Counting;
use crate::common::random::Random;
use crate::common::{Direct, StoreKind, over_every_store, show};

fn words(parts: &[&[u8]]) -> Vec<Bytes> {
    let parts = parts.iter();
    parts.map(|part| Bytes::copy_from_slice(part)).collect()
}

/// The same string, and the commands on it as simple as they can be.
#[derive(Default)]
struct Model(Vec<u8>);

impl Model {
    fn bit(&self, at: usize) -> bool {
        self.0
            .get(at / 8)
            .is_some_and(|byte| byte << (at % 8) & 0x80 != 0)
    }

    fn grow(&mut self, to: usize) {
        self.0.resize(self.0.len().max(to), 0);
    }

    fn set_bit(&mut self, at: usize, bit: bool) {
        self.grow(at / 8 + 1);
        let mask = 0x80 >> (at % 8);
        self.0[at / 8] = self.0[at / 8] & !mask | if bit { mask } else { 0 };
    }

    fn write(&mut self, at: usize, part: &[u8]) {
        self.grow(at + part.len());
        self.0[at..at + part.len()].copy_from_slice(part);
    }

    fn first(&self, range: Range<usize>, wanted: bool) -> i64 {
        let first = range.clone().find(|&at| self.bit(at) == wanted);
        first.map_or(-1, |at| i64::try_from(at).unwrap())
    }
}

/// Places that matter: around the ends of pieces, and of what stays whole.
fn place(random: &mut Random) -> usize {
    let edges = [
        0,
        PIECE_BYTES,
        2 * PIECE_BYTES,
        5 * PIECE_BYTES,
        WHOLE_BYTES,
        WHOLE_BYTES + PIECE_BYTES,
        40 * PIECE_BYTES,
    ];
    (random.pick(&edges) + random.below(5)).saturating_sub(2)
}

#[test]
fn parts_are_read_and_written_as_in_a_string_in_memory() {
    over_every_store(|direct| {
        for seed in 0..24 {
            let mut random = Random::new(seed);
            let mut model = Model::default();
            direct.run("flushall");
            for step in 0..60 {
                let at = place(&mut random);
                let shown = change_or_look(direct, &mut model, &mut random, at);
                if let Some((line, got, wanted)) = shown {
                    assert_eq!(got, wanted, "seed {seed}, step {step}: {line}");
                }
            }
            let all = direct.run_args(&words(&[b"get", b"k"]));
            assert_eq!(
                show(&all),
                show_text((!model.0.is_empty()).then_some(&model.0)),
                "{seed}"
            );
            direct.check();
        }
    });
}

fn show_text(text: Option<&Vec<u8>>) -> String {
    text.map_or("nil".to_owned(), |text| text.escape_ascii().to_string())
}

/// One command on both. Answers it with what came and what should, if it says anything.
fn change_or_look(
    direct: &mut Direct,
    model: &mut Model,
    random: &mut Random,
    at: usize,
) -> Option<(String, String, String)> {
    let bytes = [0_u8, 1, 0x5a, 0xff];
    let byte = random.pick(&bytes);
    let lengths = [
        1,
        3,
        PIECE_BYTES - 1,
        PIECE_BYTES,
        PIECE_BYTES + 1,
        3 * PIECE_BYTES,
    ];
    let part = vec![byte; random.pick(&lengths)];
    let bit = at * 8 + random.below(8);
    let length = model.0.len();
    let (command, wanted) = match random.below(12) {
        0 => {
            let at_text = at.to_string();
            model.write(at, &part);
            let command = words(&[b"setrange", b"k", at_text.as_bytes(), &part]);
            (command, model.0.len().to_string())
        }
        1 => {
            model.write(length, &part);
            (words(&[b"append", b"k", &part]), model.0.len().to_string())
        }
        2 | 3 => {
            let old = model.bit(bit);
            let new = random.once_in(2);
            model.set_bit(bit, new);
            let line = format!("setbit k {bit} {}", u8::from(new));
            (
                line.split(' ')
                    .map(|w| Bytes::copy_from_slice(w.as_bytes()))
                    .collect(),
                u8::from(old).to_string(),
            )
        }
        4 => line(
            &format!("getbit k {bit}"),
            u8::from(model.bit(bit)).to_string(),
        ),
        5 => {
            // A number that may lie in two pieces, and one behind it.
            let old = number(model, bit, 13);
            let new = random.below(1 << 13);
            for (i, place) in (bit..bit + 13).enumerate() {
                model.set_bit(place, new >> (12 - i) & 1 == 1);
            }
            let sum = (number(model, bit + 13, 7) + 100) % 128;
            for (i, place) in (bit + 13..bit + 20).enumerate() {
                model.set_bit(place, sum >> (6 - i) & 1 == 1);
            }
            let behind = bit + 13;
            line(
                &format!("bitfield k set u13 {bit} {new} incrby u7 {behind} 100 get u13 {bit}"),
                format!("[{old} {sum} {new}]"),
            )
        }
        6 => {
            let end = (at + part.len()).min(length);
            let count: u32 = model
                .0
                .get(at..end)
                .unwrap_or_default()
                .iter()
                .map(|b| b.count_ones())
                .sum();
            line(
                &format!("bitcount k {at} {}", at + part.len() - 1),
                count.to_string(),
            )
        }
        7 => {
            let all: u32 = model.0.iter().map(|byte| byte.count_ones()).sum();
            line("bitcount k", all.to_string())
        }
        8 if at < length => {
            let wanted = random.once_in(2);
            let end = (at + 2 * PIECE_BYTES).min(length);
            line(
                &format!("bitpos k {} {at} {}", u8::from(wanted), end - 1),
                model.first(at * 8..end * 8, wanted).to_string(),
            )
        }
        9 => line("strlen k", length.to_string()),
        10 if random.once_in(4) && length > 0 => {
            // Whole again, as a SET leaves it.
            (words(&[b"set", b"k", &model.0]), "OK".to_owned())
        }
        _ => {
            let end = (at + part.len()).min(length);
            let wanted = model.0.get(at..end).unwrap_or_default().to_vec();
            line(
                &format!("getrange k {at} {}", at + part.len() - 1),
                show_text(Some(&wanted)),
            )
        }
    };
    let got = direct.run_args(&command);
    let shown = command
        .iter()
        .take(3)
        .map(|word| String::from_utf8_lossy(word));
    let shown: Vec<_> = shown.collect();
    Some((shown.join(" "), show(&got), wanted))
}

fn number(model: &Model, at: usize, bits: usize) -> usize {
    (at..at + bits).fold(0, |number, at| number << 1 | usize::from(model.bit(at)))
}

fn line(line: &str, wanted: String) -> (Vec<Bytes>, String) {
    let words = line
        .split(' ')
        .map(|word| Bytes::copy_from_slice(word.as_bytes()));
    (words.collect(), wanted)
}

#[test]
fn a_change_costs_a_piece_whatever_the_length() {
    let (store, counters) = Counting::over(StoreKind::Engine.open());
    let mut direct = Direct::over(store);
    let long = vec![b'x'; 4 << 20];
    direct.run_args(&words(&[b"set", b"k", &long]));
    // The first change cuts it.
    assert_eq!(direct.show("setbit k 7 1"), "0");
    assert!(counters.written() > 8 << 20);
    for command in [
        "setbit k 20000007 1",
        "append k more",
        "setrange k 3000000 there",
        "bitfield k incrby u8 90000 1",
        "expire k 1000",
        "setbit k 4294967295 1",
    ] {
        counters.steps();
        counters.gets();
        direct.run(command);
        let (written, steps, gets) = (counters.written(), counters.steps(), counters.gets());
        assert!(
            written < 2 * PIECE_BYTES as u64 + 500,
            "{command}: {written} bytes"
        );
        assert_eq!(steps, 0, "{command}");
        assert!(gets <= 6, "{command}: {gets} rows looked up");
    }
    for (command, answer) in [
        ("getbit k 20000007", "1"),
        ("getbit k 4294967295", "1"),
        ("getbit k 4294967294", "0"),
        ("strlen k", "536870912"),
        ("getrange k 2999998 3000006", "xxtherexx"),
        ("getrange k 4194302 4194309", "xxmore\\x00\\x00"),
    ] {
        assert_eq!(direct.show(command), answer, "{command}");
        assert_eq!(counters.steps(), 0, "{command}");
    }
    direct.check();
}

#[test]
fn a_string_in_pieces_is_a_string() {
    over_every_store(|direct| {
        let long = "ab".repeat(20_000);
        direct.run(&format!("set whole {long}"));
        direct.run(&format!("set cut {}", &long[..39_999]));
        direct.expect(&[
            ("append cut b", "40000"),
            ("type cut", "string"),
            ("object encoding cut", "raw"),
            ("scan 0 type string count 10", "[0 [cut whole]]"),
            ("expire cut 100", "1"),
            ("append cut c", "40001"),
            ("ttl cut", "100"),
            ("getrange cut 39998 -1", "abc"),
            ("copy cut other", "1"),
            ("setrange other 1 X", "40001"),
            ("getrange cut 0 2", "aba"),
            ("getrange other 0 2", "aXa"),
            ("rename other third", "OK"),
            ("getrange third 0 2", "aXa"),
            ("ttl third", "100"),
            ("getex third persist", &format!("aXa{}c", &long[3..])),
            ("ttl third", "-1"),
            ("incr cut", "ERR value is not an integer or out of range"),
            ("bitop xor difference cut whole", "40001"),
            ("bitcount difference", "4"),
            (
                "lpush cut x",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
            ),
            ("getrange cut -1 -1", "c"),
            ("setrange cut 40000 \\x00", "40001"),
            ("set whole x", "OK"),
            ("lcs third nothing len", "0"),
            ("rpush l third", "1"),
            ("sort l by nosort get *", &format!("[aXa{}c]", &long[3..])),
            ("set cut short", "OK"),
            ("get cut", "short"),
            ("getdel third", &format!("aXa{}c", &long[3..])),
            ("exists third", "0"),
        ]);
        // What was cut and is gone leaves nothing behind.
        let mut sweeper = Sweeper::default();
        while !sweeper
            .step(&*direct.store, &direct.server.shared, 100)
            .unwrap()
            .is_last
        {}
        assert_eq!(check(&*direct.store).unwrap().orphans, 0);
    });
}

#[test]
fn a_payload_and_a_digest_do_not_tell_in_which_form_a_string_is() {
    over_every_store(|direct| {
        let long = "0123456789".repeat(3_000);
        direct.run(&format!("set whole {long}"));
        direct.run(&format!("set cut {long}"));
        direct.run("setrange cut 5 5");
        let [whole, cut] = ["whole", "cut"].map(|key| direct.show(&format!("dump {key}")));
        assert_eq!(whole, cut);
        let digests = direct.show("debug digest-value whole cut");
        let (whole, cut) = digests.trim_matches(['[', ']']).split_once(' ').unwrap();
        assert_eq!(whole, cut);
        direct.run("setrange cut 5 6");
        let other = direct.show("debug digest-value cut");
        assert_ne!(other, format!("[{cut}]"));
    });
}

/// `BITFIELD` checks where a number begins and not where it ends, as in Redis. So it alone makes strings that are a little
/// longer than the longest.
#[test]
fn a_number_may_reach_beyond_the_end_of_the_longest_string() {
    over_every_store(|direct| {
        let too_long = "ERR string exceeds maximum allowed size (proto-max-bulk-len)";
        direct.expect(&[
            ("setbit t 200000 1", "0"),
            ("bitfield t set i64 4294967295 -2", "[0]"),
            ("strlen t", "536870920"),
            ("bitfield t get i64 4294967295", "[-2]"),
            (
                "getrange t -10 -1",
                r"\x00\x01\xff\xff\xff\xff\xff\xff\xff\xfc",
            ),
            ("append t x", too_long),
            ("copy t u", "1"),
            ("rename u v", "OK"),
            ("del t v", "2"),
            ("bitfield new set u8 4294967295 255", "[0]"),
            ("strlen new", "536870913"),
        ]);
    });
}

#[test]
fn few_rows_do_not_make_a_command_take_all_memory() {
    over_every_store(|direct| {
        direct.expect(&[
            ("setbit a 4294967295 1", "0"),
            ("setbit b 4294967294 1", "0"),
            (
                "mget a b a",
                "ERR the strings are longer than 1 GiB together",
            ),
            ("bitcount a", "1"),
            ("bitpos a 1", "4294967295"),
            ("bitpos b 1 536870911", "4294967294"),
            ("getrange a 0 3", "\\x00\\x00\\x00\\x00"),
            (
                "append a x",
                "ERR string exceeds maximum allowed size (proto-max-bulk-len)",
            ),
        ]);
    });
}

/// Each way in which the pieces can contradict the string is found.
#[test]
fn the_checker_finds_wrong_pieces() {
    let row = RowPrefix::new(0, b"k", 7);
    let piece = |number: u32| row.data_key(&number.to_be_bytes());
    let damages: [(&str, Vec<u8>, usize); 4] = [
        ("piece 0 has 1025 bytes", piece(0), PIECE_BYTES + 1),
        ("piece 2 ends at byte 2148", piece(2), 100),
        ("piece 9 ends at", piece(9), 1),
        ("it holds no number of a piece", row.data_key(b"xyz"), 1),
    ];
    for (what, key, bytes) in damages {
        let direct = Direct::new(StoreKind::BTree);
        let text = Collection {
            version: 7,
            size: 2100,
        };
        let metadata = Metadata::new(Content::Pieces(text));
        let mut batch = Batch::default();
        batch.put(Space::Metadata, metadata_key(0, b"k"), metadata.encode());
        batch.put(Space::Data, piece(1), vec![b'x'; PIECE_BYTES].into());
        batch.put(Space::Data, piece(2), vec![b'x'; 52].into());
        direct.store.write(batch).unwrap();
        assert_eq!(check(&*direct.store).unwrap().faults, []);
        let mut batch = Batch::default();
        batch.put(Space::Data, key, vec![b'x'; bytes].into());
        direct.store.write(batch).unwrap();
        let report = check(&*Arc::clone(&direct.store)).unwrap();
        let [fault] = &*report.faults else {
            panic!("{what}: {report:?}");
        };
        assert!(fault.what.contains(what), "{what}: {fault:?}");
    }
}
