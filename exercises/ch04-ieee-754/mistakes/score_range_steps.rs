//! The steps of a range of scores that can go wrong, each with what is to be said of it.

use kit::Quirk;

const RANGE: &str = "a-range-of-scores";
const TASK: &str = "score-range";
const REPAIR: &str = "the-repair";
const CHOICE: &str = "which-zero-which-nan";
const SCAN: &str = "a-scan-goes-wrong";
const WILD: &str = "in-the-wild";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Step {
    // The end.
    OneFf,
    OneFfExcluded,
    ManyFf,
    KeyOfMax,
    MaxExcluded,
    MaxPlusOne,
    MaxPlusEpsilon,
    NextDouble,
    SuccessorTaken,
    LastByteRaised,
    LastByteWrapped,
    FirstOfMaxOnly,
    FirstInfinityOnly,
    MaxIgnored,
    // The start.
    MinExcluded,
    KeyOfMinExcluded,
    FirstOfMinSkipped,
    MinIgnored,
    // The bytes of the bounds.
    PlainBounds,
    SignFlippedBounds,
    LittleEndianBounds,
    TotalOrderBounds,
    // Infinite and crossed bounds.
    InfinitiesClamped,
    InfiniteRangeRefused,
    CrossedPanic,
    CrossedSwapped,
    // What is returned.
    RowsUncut,
    GreatestFirst,
    SortedByMember,
}
use Step::{
    CrossedPanic, CrossedSwapped, FirstInfinityOnly, FirstOfMaxOnly, FirstOfMinSkipped,
    GreatestFirst, InfiniteRangeRefused, InfinitiesClamped, KeyOfMax, KeyOfMinExcluded,
    LastByteRaised, LastByteWrapped, LittleEndianBounds, ManyFf, MaxExcluded, MaxIgnored,
    MaxPlusEpsilon, MaxPlusOne, MinExcluded, MinIgnored, NextDouble, OneFf, OneFfExcluded,
    PlainBounds, RowsUncut, SignFlippedBounds, SortedByMember, SuccessorTaken, TotalOrderBounds,
};

/// Of each group, a scan takes one step at most.
pub(crate) const APART: [&[Step]; 5] = [
    &[
        OneFf,
        OneFfExcluded,
        ManyFf,
        KeyOfMax,
        MaxExcluded,
        MaxPlusOne,
        MaxPlusEpsilon,
        NextDouble,
        SuccessorTaken,
        LastByteRaised,
        LastByteWrapped,
        FirstOfMaxOnly,
        FirstInfinityOnly,
        MaxIgnored,
    ],
    &[MinExcluded, KeyOfMinExcluded, FirstOfMinSkipped, MinIgnored],
    &[
        PlainBounds,
        SignFlippedBounds,
        LittleEndianBounds,
        TotalOrderBounds,
    ],
    &[
        InfinitiesClamped,
        InfiniteRangeRefused,
        CrossedPanic,
        CrossedSwapped,
    ],
    &[RowsUncut, GreatestFirst, SortedByMember],
];

const fn quirk(
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk {
        id,
        name,
        check: "range",
        says,
        why,
        link,
    }
}

/// A step that makes `range` panic on some bounds.
const fn panicking(quirk: Quirk<Step>) -> Quirk<Step> {
    Quirk {
        check: "returns",
        ..quirk
    }
}

pub(crate) const QUIRKS: [Quirk<Step>; 29] = [
    quirk(
        OneFf,
        "ends_at_one_ff",
        "an end at the key of `max` followed by one byte ff",
        "It works for names. But members are bytes: `\\xff\\x00` at the score `max` stands behind that end \
         and is missed. End before the next key instead, the key of `max` plus one.",
        RANGE,
    ),
    quirk(
        OneFfExcluded,
        "ends_before_one_ff",
        "an end just before the key of `max` followed by one byte ff",
        "Every member at the score `max` that begins with ff is missed, `\\xff` itself included. End before \
         the next key instead, the key of `max` plus one.",
        RANGE,
    ),
    quirk(
        ManyFf,
        "ends_at_many_ff",
        "an end at the key of `max` followed by eight bytes ff",
        "It is rarer now that a member is missed, not impossible: a member of nine bytes ff stands behind \
         eight. The next key, the key of `max` plus one, stands behind members of every length.",
        RANGE,
    ),
    quirk(
        KeyOfMax,
        "ends_at_the_key_of_max",
        "an end at the key of `max` itself",
        "A row is the key and then the member. All rows of `max` but that of the empty member are longer than \
         its key, and so they stand behind it.",
        RANGE,
    ),
    quirk(
        MaxExcluded,
        "max_excluded",
        "a range that leaves out the score `max`",
        "`max` belongs to the range. Its rows begin with its key, so a range that stops before this key has \
         none of them.",
        RANGE,
    ),
    quirk(
        MaxPlusOne,
        "ends_at_max_plus_one",
        "an end before the key of `max + 1.0`",
        "Between 1 and 2 there are other scores, such as 1.5, and they come in too. And from 2^53 on, adding \
         1 gives the same double: then `max` itself is missed.",
        WILD,
    ),
    quirk(
        MaxPlusEpsilon,
        "ends_at_max_plus_epsilon",
        "an end before the key of `max + f64::EPSILON`",
        "`EPSILON` is the gap between 1 and the next double, and nowhere else. From 2 on, adding it changes \
         nothing, and `max` is missed; near zero it lets in other scores.",
        WILD,
    ),
    quirk(
        NextDouble,
        "ends_at_the_next_double",
        "an end before the key of the next double",
        "That is right for all scores but one: nothing comes after +inf, so its members are missed. The key \
         of +inf has a successor, though. Add one to the key, not to the score.",
        RANGE,
    ),
    quirk(
        SuccessorTaken,
        "successor_taken",
        "an end at the successor of the key of `max`, which is taken too",
        "The successor is the key of the next score, and the row of an empty member at that score is just \
         this key. The range stops before it: `..`, not `..=`.",
        RANGE,
    ),
    panicking(quirk(
        LastByteRaised,
        "last_byte_raised",
        "an end that adds one to the last byte of the key of `max`",
        "The keys of negative scores such as -1 end in ff, and ff plus one does not fit into a byte. The \
         carry goes into the bytes before: add one to all eight as one `u64`.",
        RANGE,
    )),
    panicking(quirk(
        LastByteWrapped,
        "last_byte_wrapped",
        "an end that adds one to the last byte of the key of `max` and drops the carry",
        "The keys of negative scores such as -1 end in ff, and without the carry ff becomes 00: the end lies \
         before the key. Add one to all eight bytes as one `u64`.",
        RANGE,
    )),
    quirk(
        FirstOfMaxOnly,
        "first_member_of_max_alone",
        "a range that ends with the first row at or behind the key of `max`",
        "Several members may share the score `max`, and the others are missed. If none has it, that row is \
         one of a greater score. The end is the key of `max` plus one.",
        WILD,
    ),
    quirk(
        FirstInfinityOnly,
        "first_member_of_infinity_alone",
        "a range that ends with the first member at +inf",
        "The bytes of +inf are the beginning of all rows with this score, and a seek to them finds the first \
         one. The others stand behind it. Seek to the successor of the key.",
        WILD,
    ),
    quirk(
        MaxIgnored,
        "max_ignored",
        "all members from `min` to the end",
        "A range has two ends. Nothing stops the scan behind `max`.",
        TASK,
    ),
    quirk(
        MinExcluded,
        "min_excluded",
        "a range that leaves out the score `min`",
        "`min` belongs to the range. Starting at the successor of its key is for an exclusive bound, `(min` \
         in Redis.",
        RANGE,
    ),
    quirk(
        KeyOfMinExcluded,
        "starts_behind_the_key_of_min",
        "a range that leaves out a row that is just the key of `min`",
        "The empty member is a member. Its row has nothing behind the key, and it is the first row of its \
         score.",
        TASK,
    ),
    quirk(
        FirstOfMinSkipped,
        "first_member_of_min_skipped",
        "a range that starts after the first member at `min`",
        "The key of `min` is no row, it is where its rows begin. A seek to it stands on the first of them \
         already.",
        WILD,
    ),
    quirk(
        MinIgnored,
        "min_ignored",
        "all members up to `max`",
        "A range has two ends. Nothing keeps out what lies before `min`.",
        TASK,
    ),
    panicking(quirk(
        PlainBounds,
        "bounds_of_plain_bits",
        "the plain bits of the bounds given to `range`",
        "The rows begin with keys, and a bound is compared with rows: it has to be made by `key`. The plain \
         bits of negative scores are large, so `range` panics when bounds change places.",
        SCAN,
    )),
    panicking(quirk(
        SignFlippedBounds,
        "bounds_with_flipped_sign",
        "bounds given to `range` with nothing but the sign bit flipped",
        "The rows begin with keys, and a bound is compared with rows: it has to be made by `key`. Flipped \
         alone, negative bounds run backwards, so `range` panics when they change places.",
        REPAIR,
    )),
    panicking(quirk(
        LittleEndianBounds,
        "bounds_in_little_endian",
        "little-endian bounds given to `range`",
        "A bound is compared with rows byte by byte from the front, so it needs the byte order of the keys. \
         Where the reversed bounds change places, `range` panics.",
        RANGE,
    )),
    quirk(
        TotalOrderBounds,
        "minus_zero_bound_apart",
        "bounds that give -0.0 a key of its own",
        "The rows have one key for both zeros, and a bound of -0.0 lies before it. As `max` it misses the \
         members at zero. Make bounds with `key`, as the rows were made.",
        CHOICE,
    ),
    quirk(
        InfinitiesClamped,
        "infinities_left_out",
        "infinite bounds replaced by the largest finite ones",
        "Members may have infinite scores, and a range to inf includes them. Infinities are scores like any \
         other: their keys need no special case.",
        RANGE,
    ),
    quirk(
        InfiniteRangeRefused,
        "infinity_to_infinity_refused",
        "an empty list for ranges from inf and up to -inf",
        "A range from inf to inf holds the members at inf. It is a range of one score like any other.",
        WILD,
    ),
    panicking(quirk(
        CrossedPanic,
        "crossed_bounds_panic",
        "`range` asked with its bounds crossed",
        "`BTreeSet::range` panics when the start lies behind the end. A user may ask for that; the answer is \
         an empty list.",
        TASK,
    )),
    quirk(
        CrossedSwapped,
        "crossed_bounds_swapped",
        "crossed bounds that are put in order first",
        "From 2 to 1 there is nothing. Exchanging the bounds answers a question that nobody asked.",
        TASK,
    ),
    quirk(
        RowsUncut,
        "rows_for_members",
        "the right rows with the score still in front",
        "The first eight bytes of a row are the score's key. The member is what follows.",
        TASK,
    ),
    quirk(
        GreatestFirst,
        "greatest_first",
        "the right members in reverse",
        "The rows come in ascending order by themselves. `rev()` is for ZREVRANGEBYSCORE.",
        TASK,
    ),
    quirk(
        SortedByMember,
        "sorted_by_member",
        "the right members sorted by their own bytes",
        "The scores come first: members are sorted by their bytes only where the scores are equal. The rows \
         have that order already.",
        TASK,
    ),
];
