//! Strings bit by bit.

use crate::common::over_every_store;

#[test]
fn single_bits_are_set_and_read_and_wrong_offsets_refused() {
    const OFFSET: &str = "ERR bit offset is not an integer or out of range";
    over_every_store(|direct| {
        direct.expect(&[
            ("setbit b 7 1", "0"),
            ("get b", "\\x01"),
            ("setbit b 7 0", "1"),
            ("setbit b 17 1", "0"),
            ("get b", "\\x00\\x00@"),
            ("getbit b 17", "1"),
            ("getbit b 1000", "0"),
            ("getbit nothing 0", "0"),
            ("setbit b 1 2", "ERR bit is not an integer or out of range"),
            ("setbit b -1 1", OFFSET),
            ("setbit b 4294967296 1", OFFSET),
            ("getbit b x", OFFSET),
            ("zadd z 1 a", "1"),
            (
                "setbit z 1 1",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
            ),
        ]);
    });
}

#[test]
fn bits_are_counted_and_found() {
    over_every_store(|direct| {
        direct.expect(&[
            ("set b foobar", "OK"),
            ("bitcount b", "26"),
            ("bitcount b 0 0", "4"),
            ("bitcount b 1 1 byte", "6"),
            ("bitcount b 5 30 bit", "17"),
            ("bitcount b -2 -1", "7"),
            ("bitcount b 5 1", "0"),
            ("bitcount b 0", "ERR syntax error"),
            ("bitcount b 0 1 x", "ERR syntax error"),
            ("bitcount nothing 0 x", "0"),
            ("set p \\xff\\xf0\\x00", "OK"),
            ("bitpos p 0", "12"),
            ("bitpos p 1 2", "-1"),
            ("bitpos p 0 0 0", "-1"),
            ("bitpos p 1 7 15 bit", "7"),
            ("bitpos p 0 2 -1 byte", "16"),
            ("set ones \\xff", "OK"),
            ("bitpos ones 0", "8"),
            ("bitpos ones 0 0 -1", "-1"),
            ("bitpos nothing 0", "0"),
            ("bitpos nothing 1", "-1"),
            ("bitpos ones 2", "ERR The bit argument must be 1 or 0."),
        ]);
    });
}

#[test]
fn strings_are_combined() {
    over_every_store(|direct| {
        direct.expect(&[
            ("mset a \\xf0\\xff b \\xaa", "OK"),
            ("bitop and d a b", "2"),
            ("get d", "\\xa0\\x00"),
            ("bitop or d a b nothing", "2"),
            ("get d", "\\xfa\\xff"),
            ("bitop xor d a a", "2"),
            ("get d", "\\x00\\x00"),
            ("bitop not d b", "1"),
            ("get d", "U"),
            (
                "bitop not d a b",
                "ERR BITOP NOT must be called with a single source key.",
            ),
            ("bitop nand d a b", "ERR syntax error"),
            ("bitop and d nothing nobody", "0"),
            ("exists d", "0"),
        ]);
    });
}

#[test]
fn numbers_of_any_width_wrap_saturate_or_fail() {
    const TYPE: &str = "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not \
                        supported but i64 is.";
    over_every_store(|direct| {
        direct.expect(&[
            (
                "bitfield f set u8 0 255 get u8 0 incrby u8 0 10",
                "[0 255 9]",
            ),
            ("bitfield f get i5 #1 get u4 #0", "[4 0]"),
            (
                "bitfield f overflow sat incrby u8 0 300 overflow fail incrby u8 0 1",
                "[255 nil]",
            ),
            ("bitfield f overflow sat set i8 8 -200 get i8 8", "[0 -128]"),
            // Redis takes what is much too small for too great.
            (
                "bitfield low overflow sat set i8 0 -9223372036854775680 get i8 0",
                "[0 -128]",
            ),
            (
                "bitfield low overflow sat set i8 0 -9223372036854775681 get i8 0",
                "[-128 127]",
            ),
            (
                "bitfield low overflow sat set i63 0 -9223372036854775808 get i63 0",
                "[4575657221408423936 4611686018427387903]",
            ),
            (
                "bitfield low overflow sat set i64 0 -9223372036854775808 get i64 0",
                "[9223372036854775806 -9223372036854775808]",
            ),
            (
                "bitfield low overflow sat incrby i8 0 -9223372036854775808",
                "[-128]",
            ),
            ("bitfield f incrby i8 8 -1", "[127]"),
            ("bitfield f set u8 0 -1 get u8 0", "[255 255]"),
            (
                "bitfield f set i64 100 -9223372036854775808 get i64 100",
                "[0 -9223372036854775808]",
            ),
            ("bitfield f incrby i64 100 -1", "[9223372036854775807]"),
            (
                "bitfield f set u63 0 9223372036854775807 get u63 0",
                "[9205216900856938496 9223372036854775807]",
            ),
        ]);
    });
    over_every_store(|direct| {
        direct.expect(&[
            ("bitfield f overflow fail incrby u8 0 300", "[nil]"),
            ("strlen f", "1"),
            ("bitfield f", "[]"),
            ("bitfield nothing get u8 0", "[0]"),
            ("exists nothing", "0"),
            ("bitfield_ro f get u8 0", "[0]"),
            (
                "bitfield_ro f set u8 0 1",
                "ERR BITFIELD_RO only supports the GET subcommand",
            ),
            ("bitfield f get u64 0", TYPE),
            ("bitfield f get i65 0", TYPE),
            (
                "bitfield f get u8 #-1",
                "ERR bit offset is not an integer or out of range",
            ),
            (
                "bitfield f overflow x",
                "ERR Invalid OVERFLOW type specified",
            ),
            ("bitfield f get u8", "ERR syntax error"),
            (
                "bitfield f set u8 0 x",
                "ERR value is not an integer or out of range",
            ),
        ]);
    });
}
