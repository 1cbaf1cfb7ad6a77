//! `DUMP` and `RESTORE`: back and forth with a real server, and bytes that are no payload.

use bytes::Bytes;
use redis_layer::commands::Reply;
use redis_layer::types::dump::crc64;

use crate::common::client::{Client, Command};
use crate::common::random::Random;
use crate::common::servers::{Ours, RealRedis};
use crate::common::{self, Direct, StoreKind, over_every_store};

fn command(line: &str) -> Command {
    line.split(' ').map(common::unescape).collect()
}

/// Keys of every type and every form that Redis 7.0 keeps them in.
fn lines() -> Vec<String> {
    let long = "x".repeat(70);
    let repeated = "abcabcabcabcabcabcabcabcabcabc".repeat(20);
    let numbers = |count: i64| (0..count).map(|i| (i * i * 7919 - 5000).to_string());
    let join = |items: Vec<String>| items.join(" ");
    let pairs = |count: i64| {
        join(
            numbers(count)
                .enumerate()
                .map(|(i, n)| format!("{i}.5 m{n}"))
                .collect(),
        )
    };
    vec![
        "set int8 -100".to_owned(),
        "set int16 30000".to_owned(),
        "set int32 -2000000000".to_owned(),
        "set int64 9223372036854775807".to_owned(),
        "set text a\\x00\\xffb".to_owned(),
        format!("set long {long}"),
        format!("set compressed {repeated}"),
        "rpush short a 1 -1 127 128 -4096 4095 40000 -8388608 2147483647 9223372036854775807"
            .to_owned(),
        format!("rpush longer {long} {repeated} {}", "y".repeat(5000)),
        format!("rpush plain {}", "z".repeat(20_000)),
        format!("rpush many {}", join(numbers(3000).collect())),
        "zadd compact 1 a -1.5 b inf c -inf d 9007199254740993 e".to_owned(),
        format!("zadd skiplist {}", pairs(200)),
        "hset small a 1 b -70000 c \\xff".to_owned(),
        format!("hset large {}", pairs(600)),
        format!("hset wide f {long}"),
        "sadd integers 1 -2 3".to_owned(),
        "sadd wider 1 70000 -5".to_owned(),
        "sadd widest 1 9223372036854775807".to_owned(),
        format!("sadd numbers {}", join(numbers(600).collect())),
        "sadd members a b \\xff".to_owned(),
    ]
}

fn keys() -> Vec<String> {
    let key = |line: &String| line.split(' ').nth(1).unwrap().to_owned();
    lines().iter().map(key).collect()
}

/// What a key holds, in an order of its own.
fn content(client: &mut Client, key: &str) -> Vec<String> {
    let kind = client.call(&["type", key]);
    let (command, sorted): (&[&str], _) = match kind.as_str() {
        "+string\\r\\n" => (&["get", key], false),
        "+list\\r\\n" => (&["lrange", key, "0", "-1"], false),
        "+zset\\r\\n" => (&["zrange", key, "0", "-1", "withscores"], false),
        "+hash\\r\\n" => (&["hgetall", key], true),
        "+set\\r\\n" => (&["smembers", key], true),
        other => panic!("{key}: {other}"),
    };
    let reply = client.call(command);
    let mut parts: Vec<String> = reply.split("\\r\\n").map(str::to_owned).collect();
    if sorted {
        parts.sort();
    }
    parts
}

/// The bytes of a bulk reply.
fn payload(client: &mut Client, key: &str) -> Bytes {
    let reply = client
        .pipeline(&[command(&format!("dump {key}"))])
        .remove(0);
    let line = reply.windows(2).position(|pair| pair == b"\r\n").unwrap();
    Bytes::copy_from_slice(&reply[line + 2..reply.len() - 2])
}

#[test]
fn payloads_go_to_a_real_server_and_come_back() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::Engine.open());
    let mut real = Client::connect(real.address);
    let mut ours = Client::connect(ours.address);
    for line in lines() {
        let made = real.pipeline(&[command(&line)]).remove(0);
        assert_ne!(made[0], b'-', "{line}");
    }
    for key in keys() {
        let theirs = payload(&mut real, &key);
        let restore = |payload| {
            let mut restore = command(&format!("restore {key} 0"));
            restore.push(payload);
            restore.push(Bytes::from_static(b"replace"));
            restore
        };
        let restored = ours.pipeline(&[restore(theirs)]).remove(0);
        assert_eq!(restored.escape_ascii().to_string(), "+OK\\r\\n", "{key}");
        let expected = content(&mut real, &key);
        assert_eq!(content(&mut ours, &key), expected, "{key}");
        let back = payload(&mut ours, &key);
        let restored = real.pipeline(&[restore(back)]).remove(0);
        assert_eq!(restored.escape_ascii().to_string(), "+OK\\r\\n", "{key}");
        assert_eq!(content(&mut real, &key), expected, "{key}");
    }
}

/// A string that Redis does not compress has the payload of Redis, byte for byte.
#[test]
fn numbers_and_short_strings_have_the_payload_of_redis() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::Engine.open());
    let mut servers = [real.address, ours.address].map(Client::connect);
    for value in [
        "0",
        "10",
        "127",
        "128",
        "-128",
        "-129",
        "32767",
        "32768",
        "-32768",
        "-32769",
        "2147483647",
        "2147483648",
        "-2147483648",
        "-2147483649",
        "12345678901",
        "9223372036854775807",
        "007",
        "+1",
        "-0",
        "-",
        "1.0",
        " 1",
        "1 ",
        "",
        "a",
        "hello",
    ] {
        let [theirs, ours] = servers.each_mut().map(|client| {
            let set = ["set", "k", value].map(|word| Bytes::from(word.to_owned()));
            client.pipeline(&[set.to_vec()]);
            payload(client, "k")
        });
        assert_eq!(ours, theirs, "{value:?}");
    }
}

/// A node of a quicklist that holds one element as it is, is there because the element is large.
#[test]
fn a_plain_node_of_a_quicklist_holds_something() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::Engine.open());
    for body in [
        &b"\x12\x01\x01\x00"[..],
        b"\x12\x02\x01\x00\x01\x01a",
        b"\x12\x02\x01\x01a\x01\x00",
        b"\x12\x01\x01\x01a",
        b"\x01\x01\x00",
    ] {
        let mut payload = [body, b"\x0a\x00"].concat();
        payload.extend(crc64(&payload).to_le_bytes());
        let mut restore = command("restore k 0");
        restore.push(payload.into());
        let commands = [restore, command("lrange k 0 -1")];
        let run = |address| Client::connect(address).pipeline(&commands);
        let (found, expected) = (run(ours.address), run(real.address));
        assert_eq!(found, expected, "{}", body.escape_ascii());
        for address in [ours.address, real.address] {
            Client::connect(address).call(&["del", "k"]);
        }
    }
}

fn bytes_of(reply: &Reply) -> Bytes {
    match reply {
        Reply::Bulk(bytes) => bytes.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_restored_key_gets_the_expiry_that_is_asked_for() {
    over_every_store(|direct| {
        direct.run("rpush l a b");
        let payload = bytes_of(&direct.run("dump l"));
        let mut restore = |line: &str| {
            let mut words = command(line);
            words.insert(3, payload.clone());
            let reply = direct.run_args(&words);
            common::show(&reply)
        };
        let absolute = common::START_MS + 5000;
        for (line, answer) in [
            ("restore l 0", "BUSYKEY Target key name already exists."),
            (
                "restore l -1 replace",
                "ERR Invalid TTL value, must be >= 0",
            ),
            (
                "restore l x replace",
                "ERR value is not an integer or out of range",
            ),
            ("restore l 0 replace idletime 1 freq 1", "ERR syntax error"),
            (
                "restore l 0 replace freq 256",
                "ERR Invalid FREQ value, must be >= 0 and <= 255",
            ),
            (
                "restore l 0 replace idletime -1",
                "ERR Invalid IDLETIME value, must be >= 0",
            ),
            ("restore p 0 idletime 77", "OK"),
            ("restore m 1000", "OK"),
            ("restore n 1 absttl", "OK"),
            (&format!("restore o {absolute} absttl freq 5"), "OK"),
        ] {
            assert_eq!(restore(line), answer, "{line}");
        }
        direct.expect(&[
            ("object idletime p", "77"),
            ("pttl m", "1000"),
            ("exists n", "0"),
            ("pttl o", "5000"),
            ("lrange o 0 -1", "[a b]"),
            ("dump nope", "nil"),
        ]);
    });
}

/// A byte less, a byte more, another byte: with the right checksum, so that the reader itself must find it.
#[test]
fn what_is_no_payload_is_refused_and_harms_nothing() {
    use redis_layer::types::dump::read;
    let mut direct = Direct::new(StoreKind::BTree);
    let signed = |body: &[u8]| {
        let mut payload = body.to_vec();
        payload.extend_from_slice(&crc64(&payload).to_le_bytes());
        payload
    };
    let mut random = Random::new(3);
    for line in lines() {
        direct.run(&line);
    }
    let mut refused = 0;
    for key in [
        "int8", "short", "compact", "text", "small", "integers", "members",
    ] {
        let payload = bytes_of(&direct.run(&format!("dump {key}")));
        assert!(read(&payload).is_ok());
        let body = &payload[..payload.len() - 8];
        for cut in 0..payload.len() {
            assert!(read(&payload[..cut]).is_err(), "{key} cut to {cut}");
        }
        for _ in 0..3000 {
            let mut damaged = body.to_vec();
            let at = random.below(damaged.len() - 2);
            damaged[at] = u8::try_from(random.below(256)).unwrap();
            refused += usize::from(read(&signed(&damaged)).is_err());
        }
    }
    assert!(refused > 1000, "{refused}");
    for body in [
        &b"\x01\x00\x0a\x00"[..],
        b"\x0b\x08\x02\0\0\0\xff\xff\xff\xff\x0a\x00",
        b"\x12\x81\xff\xff\xff\xff\xff\xff\xff\xff\x0a\x00",
        b"\x00\xc3\x01\x81\x00\x00\x00\xff\xff\xff\xff\xff\x00\x0a\x00",
        b"\x02\x02\x01a\x01a\x0a\x00",
        b"\xff\x0a\x00",
        b"\x05\x01\x01a\0\0\0\0\0\0\xf8\x7f\x0a\x00",
    ] {
        assert!(read(&signed(body)).is_err(), "{body:02x?}");
    }
    assert!(
        read(&signed(b"\x00\x01a\x0b\x00")).is_err(),
        "a later version"
    );
    assert!(read(&signed(b"\x00\x01a\x0a\x00")).is_ok());
    assert_eq!(
        direct.show("restore x 0 nonsense"),
        "ERR DUMP payload version or checksum are wrong"
    );
    direct.check();
}

/// A ziplist, as Redis up to 6.2 wrote it.
fn ziplist(entries: &[&str]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut before = 0;
    for entry in entries {
        let start = packed.len();
        match u8::try_from(before) {
            Ok(short) if short < 254 => packed.push(short),
            _ => {
                packed.push(254);
                packed.extend_from_slice(&u32::try_from(before).unwrap().to_le_bytes());
            }
        }
        match entry.parse::<i64>() {
            Ok(small @ 0..=12) => packed.push(0xf1 + u8::try_from(small).unwrap()),
            Ok(number) => {
                let wide = number.to_le_bytes();
                let (head, width) = match number {
                    -128..=127 => (0xfe, 1),
                    -32_768..=32_767 => (0xc0, 2),
                    -8_388_608..=8_388_607 => (0xf0, 3),
                    -2_147_483_648..=2_147_483_647 => (0xd0, 4),
                    _ => (0xe0, 8),
                };
                packed.push(head);
                packed.extend_from_slice(&wide[..width]);
            }
            Err(_) => {
                let length = u32::try_from(entry.len()).unwrap();
                match length {
                    0..64 => packed.push(length.to_be_bytes()[3]),
                    64..16_384 => packed.extend_from_slice(&(length as u16 | 0x4000).to_be_bytes()),
                    _ => packed.extend([&[0x80][..], &length.to_be_bytes()].concat()),
                }
                packed.extend_from_slice(entry.as_bytes());
            }
        }
        before = packed.len() - start;
    }
    let last = 10 + packed.len() - before;
    let mut list = u32::try_from(10 + packed.len() + 1)
        .unwrap()
        .to_le_bytes()
        .to_vec();
    list.extend_from_slice(&u32::try_from(last).unwrap().to_le_bytes());
    list.extend_from_slice(&u16::try_from(entries.len()).unwrap().to_le_bytes());
    list.extend(packed);
    list.push(255);
    list
}

/// A value of a type in the compact forms of Redis up to 6.2, version and checksum included.
fn old_payload(kind: u8, nodes: Option<usize>, packed: &[u8]) -> Bytes {
    let mut payload = vec![kind];
    let copies = nodes.unwrap_or(1);
    payload.extend(nodes.map(|nodes| u8::try_from(nodes).unwrap()));
    for _ in 0..copies {
        payload.push(0x80);
        payload.extend_from_slice(&u32::try_from(packed.len()).unwrap().to_be_bytes());
        payload.extend_from_slice(packed);
    }
    signed(payload)
}

/// A value with version and checksum.
fn signed(mut value: Vec<u8>) -> Bytes {
    value.extend_from_slice(&6_u16.to_le_bytes());
    let checksum = crc64(&value);
    value.extend_from_slice(&checksum.to_le_bytes());
    value.into()
}

/// Whole ones, damaged ones, empty ones, ones with a member twice: ours takes what a real server takes.
#[test]
fn payloads_of_older_versions_are_read_as_by_a_real_server() {
    let Some(real) = RealRedis::start() else {
        return;
    };
    let ours = Ours::start(StoreKind::BTree.open());
    let mut real = Client::connect(real.address);
    let mut ours = Client::connect(ours.address);
    let long = ["x".repeat(300), "y".repeat(20_000)];
    let numbers = [
        "0",
        "12",
        "13",
        "-1",
        "-128",
        "128",
        "-70000",
        "8388607",
        "-2147483648",
    ];
    let mut entries = numbers.to_vec();
    entries.extend([
        "9223372036854775807",
        "",
        "abc",
        &long[0],
        "z",
        &long[1],
        "end",
    ]);
    let zipmap = b"\x02\x01a\x01\x00x\x03bcd\x02\x03yz___\xff";
    let mut payloads = Vec::new();
    for entries in [
        &entries[..],
        &["c", "-inf", "a", "1", "b", "2.5"],
        &["a", "1", "a", "2"],
        &["a", "1", "b"],
        &[],
    ] {
        let packed = ziplist(entries);
        for (kind, nodes) in [
            (10, None),
            (12, None),
            (13, None),
            (14, Some(1)),
            (14, Some(3)),
        ] {
            // A text that is no number is a score of 0 there and bad data here.
            let has_scores = entries.len() < 10;
            if kind != 12 || has_scores {
                payloads.push(old_payload(kind, nodes, &packed));
            }
        }
    }
    payloads.push(old_payload(9, None, zipmap));
    payloads.push(old_payload(9, None, b"\x00\xff"));
    payloads.push(old_payload(14, Some(0), &[]));
    // More bytes than the value has.
    payloads.push(signed(b"\x00\x01ab".to_vec()));
    let mut random = Random::new(11);
    let whole = ziplist(&["a", "1", "bcd", "-5", &"e".repeat(70), "100000"]);
    for (kind, packed) in [(9, &zipmap[..]), (10, &whole), (13, &whole)] {
        for _ in 0..400 {
            let mut damaged = packed.to_vec();
            let at = random.below(damaged.len());
            damaged[at] = u8::try_from(random.below(256)).unwrap();
            payloads.push(old_payload(kind, None, &damaged));
        }
    }
    let (mut taken, mut refused) = (0, 0);
    for payload in payloads {
        let restore = [
            "restore".into(),
            "k".into(),
            "0".into(),
            payload.clone(),
            "replace".into(),
        ];
        let [expected, reply] = [&mut real, &mut ours].map(|client| {
            let reply = client.pipeline(&[restore.to_vec()]).remove(0);
            let kept = if reply[0] == b'+' {
                content(client, "k")
            } else {
                Vec::new()
            };
            (reply.escape_ascii().to_string(), kept)
        });
        assert_eq!(reply, expected, "{payload:02x?}");
        *if expected.1.is_empty() {
            &mut refused
        } else {
            &mut taken
        } += 1;
    }
    assert!(
        taken > 100 && refused > 100,
        "{taken} taken, {refused} refused"
    );
}
