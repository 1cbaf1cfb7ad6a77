//! A small encoding of one's own, right and wrong, and ways to find out which.

use proptest::prelude::{Strategy, any};
use proptest::test_runner::{TestError, TestRunner};

// ANCHOR: slot
/// A minute of the week: `day` is 0 to 6, `minute` is 0 to 1439.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot {
    pub(crate) day: u8,
    pub(crate) minute: u16,
}

/// The day in the upper five bits, the minute in the lower eleven.
pub(crate) fn encode(slot: Slot) -> [u8; 2] {
    (u16::from(slot.day) << 11 | slot.minute).to_be_bytes()
}

/// The slot behind a key, if it is the key of one.
pub(crate) fn decode(key: [u8; 2]) -> Option<Slot> {
    let bits = u16::from_be_bytes(key);
    slot((bits >> 11) as u8, bits & 0x7ff)
}

fn slot(day: u8, minute: u16) -> Option<Slot> {
    (day < 7 && minute < 1440).then_some(Slot { day, minute })
}
// ANCHOR_END: slot

// ANCHOR: ten_bits
/// One bit less for the minute.
fn ten_bits(slot: Slot) -> [u8; 2] {
    (u16::from(slot.day) << 10 | slot.minute).to_be_bytes()
}
// ANCHOR_END: ten_bits

/// Somebody's encoding of slots.
#[derive(Clone, Copy)]
pub(crate) struct Codec {
    pub(crate) name: &'static str,
    pub(crate) encode: fn(Slot) -> [u8; 2],
    pub(crate) decode: fn([u8; 2]) -> Option<Slot>,
}

pub(crate) const RIGHT: Codec = Codec {
    name: "the right one",
    encode,
    decode,
};

pub(crate) const TEN_BITS: Codec = Codec {
    name: "ten bits for the minute",
    encode: ten_bits,
    decode: |key| {
        let bits = u16::from_be_bytes(key);
        slot((bits >> 10) as u8, bits & 0x3ff)
    },
};

/// The right one, and each way to break it.
pub(crate) const CODECS: [Codec; 8] = [
    RIGHT,
    TEN_BITS,
    Codec {
        name: "little-endian",
        encode: |slot| {
            let [high, low] = encode(slot);
            [low, high]
        },
        decode: |[low, high]| decode([high, low]),
    },
    Codec {
        name: "the minute first",
        encode: |slot| (slot.minute << 3 | u16::from(slot.day)).to_be_bytes(),
        decode: |key| {
            let bits = u16::from_be_bytes(key);
            slot((bits & 7) as u8, bits >> 3)
        },
    },
    Codec {
        name: "Sunday in front",
        encode: |slot| {
            encode(Slot {
                day: (slot.day + 1) % 7,
                ..slot
            })
        },
        decode: |key| {
            let found = decode(key)?;
            slot((found.day + 6) % 7, found.minute)
        },
    },
    Codec {
        name: "a day 7 is accepted",
        encode,
        decode: |key| {
            let bits = u16::from_be_bytes(key);
            let (day, minute) = ((bits >> 11) as u8, bits & 0x7ff);
            (day < 8 && minute < 1440).then_some(Slot { day, minute })
        },
    },
    Codec {
        name: "midnight decodes as noon",
        encode,
        decode: |key| {
            let found = decode(key)?;
            let minute = if found.minute == 0 { 720 } else { found.minute };
            slot(found.day, minute)
        },
    },
    Codec {
        name: "another right one",
        encode: |slot| (u16::from(slot.day) * 1440 + slot.minute).to_be_bytes(),
        decode: |key| {
            let bits = u16::from_be_bytes(key);
            slot(u8::try_from(bits / 1440).ok()?, bits % 1440)
        },
    },
];

/// A way to look for a fault: whether the codec passes.
pub(crate) type Method = fn(&Codec) -> bool;

pub(crate) const METHODS: [(&str, Method); 7] = [
    ("examples", examples),
    ("golden keys", golden),
    ("round trip", round_trip),
    ("neighbours", neighbours),
    ("all bytes", all_bytes),
    ("property", property),
    ("differential", differential),
];

/// All slots, in order.
pub(crate) fn slots() -> impl Iterator<Item = Slot> {
    (0..7).flat_map(|day| (0..1440).map(move |minute| Slot { day, minute }))
}

// ANCHOR: examples
/// What one tries by hand: opening hours, Monday to Friday.
fn examples(codec: &Codec) -> bool {
    let at = |day, hour: u16| {
        (codec.encode)(Slot {
            day,
            minute: 60 * hour,
        })
    };
    let week = [
        at(0, 8),
        at(0, 9),
        at(0, 17),
        at(1, 8),
        at(1, 12),
        at(4, 12),
    ];
    week.is_sorted_by(|a, b| a < b)
}
// ANCHOR_END: examples

/// The keys of four slots, as they were written down once.
fn golden(codec: &Codec) -> bool {
    let keys = [
        (0, 0, [0x00, 0x00]),
        (0, 480, [0x01, 0xe0]),
        (1, 0, [0x08, 0x00]),
        (6, 1439, [0x35, 0x9f]),
    ];
    keys.iter()
        .all(|&(day, minute, key)| (codec.encode)(Slot { day, minute }) == key)
}

// ANCHOR: exhaustion
/// Every slot comes back.
pub(crate) fn round_trip(codec: &Codec) -> bool {
    slots().all(|slot| (codec.decode)((codec.encode)(slot)) == Some(slot))
}

/// Each key is greater than the one before it, and so all pairs are in order.
pub(crate) fn neighbours(codec: &Codec) -> bool {
    slots()
        .zip(slots().skip(1))
        .all(|(a, b)| (codec.encode)(a) < (codec.encode)(b))
}

/// What is decoded encodes to the same two bytes, and the rest is refused.
pub(crate) fn all_bytes(codec: &Codec) -> bool {
    let mut accepted = 0;
    for key in (0..=u16::MAX).map(u16::to_be_bytes) {
        let Some(slot) = (codec.decode)(key) else {
            continue;
        };
        if (codec.encode)(slot) != key || slot.day > 6 || slot.minute > 1439 {
            return false;
        }
        accepted += 1;
    }
    accepted == 7 * 1440
}
// ANCHOR_END: exhaustion

// ANCHOR: property
/// Random pairs, from a fixed seed. Returns a small pair that is not in order.
pub(crate) fn counterexample(codec: &Codec) -> Option<(Slot, Slot)> {
    let parts = || (0..7u8, 0..1440u16);
    let any_slot = || parts().prop_map(|(day, minute)| Slot { day, minute });
    let in_order = |(a, b): (Slot, Slot)| {
        let agree = a.cmp(&b) == (codec.encode)(a).cmp(&(codec.encode)(b));
        proptest::prop_assert!(agree);
        Ok(())
    };
    match TestRunner::deterministic().run(&(any_slot(), any_slot()), in_order) {
        Err(TestError::Fail(_, pair)) => Some(pair),
        _ => None,
    }
}
// ANCHOR_END: property

fn property(codec: &Codec) -> bool {
    counterexample(codec).is_none()
}

// ANCHOR: differential
/// A second encoding, slow and easy to believe: decimal text, padded.
fn as_text(slot: Slot) -> String {
    format!("{}-{:04}", slot.day, slot.minute)
}

/// Both compare the last minutes of all hours of the week alike.
fn differential(codec: &Codec) -> bool {
    let last = |slot: &Slot| slot.minute % 60 == 59;
    let hours: Vec<Slot> = slots().filter(last).collect();
    let agree = |a: Slot, b: Slot| {
        let keys = (codec.encode)(a).cmp(&(codec.encode)(b));
        keys == as_text(a).cmp(&as_text(b))
    };
    hours.iter().all(|&a| hours.iter().all(|&b| agree(a, b)))
}
// ANCHOR_END: differential

// ANCHOR: metamorphic
/// What follows two keys leaves their order alone.
fn tails_do_not_matter(codec: &Codec, pair: [Slot; 2], tails: [u8; 2]) -> bool {
    let [x, y] = pair.map(codec.encode);
    let longer = |key: [u8; 2], tail: u8| [&key[..], &[tail]].concat();
    let [a, b] = [longer(x, tails[0]), longer(y, tails[1])];
    x == y || x.cmp(&y) == a.cmp(&b)
}

/// One day more for both leaves their order alone.
fn a_day_later(codec: &Codec, pair: [Slot; 2]) -> bool {
    let later = pair.map(|slot| Slot {
        day: slot.day + 1,
        ..slot
    });
    let [[a, b], [c, d]] = [pair, later].map(|pair| pair.map(codec.encode));
    a.cmp(&b) == c.cmp(&d)
}
// ANCHOR_END: metamorphic

/// Tries the relations on random slots.
pub(crate) fn relations_hold_everywhere(codec: &Codec) -> bool {
    let any_slot = || (0..7u8, 0..1440u16).prop_map(|(day, minute)| Slot { day, minute });
    let input = (any_slot(), any_slot(), any::<[u8; 2]>());
    let holds = |(a, b, tails): (Slot, Slot, [u8; 2])| {
        proptest::prop_assert!(tails_do_not_matter(codec, [a, b], tails));
        proptest::prop_assert!(a.day == 6 || b.day == 6 || a_day_later(codec, [a, b]));
        Ok(())
    };
    TestRunner::deterministic().run(&input, holds).is_ok()
}
