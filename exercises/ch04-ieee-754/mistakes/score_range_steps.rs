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
    NoEndAfterFf,
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
    MaxPlusEpsilon, MaxPlusOne, MinExcluded, MinIgnored, NextDouble, NoEndAfterFf, OneFf,
    OneFfExcluded, PlainBounds, RowsUncut, SignFlippedBounds, SortedByMember, SuccessorTaken,
    TotalOrderBounds,
};

/// Of each group, a scan takes one step at most.
pub(crate) const APART: [&[Step]; 7] = [
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
        NoEndAfterFf,
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
    // A range with one end does not panic.
    &[MaxIgnored, CrossedPanic],
    &[MinIgnored, CrossedPanic],
];

pub(crate) const QUIRKS: [Quirk<Step>; 30] = [
    Quirk::new(OneFf, "ends_at_one_ff", "range")
        .says("an end at the key of `max` followed by one byte ff")
        .why(
            "It works for names. But members are bytes: `\\xff\\x00` at the score `max` comes after that end \
         and is missed. End before the next key instead, the key of `max` plus one.",
        )
        .link(RANGE),
    Quirk::new(OneFfExcluded, "ends_before_one_ff", "range")
        .says("an end just before the key of `max` followed by one byte ff")
        .why(
            "Every member at the score `max` that begins with ff is missed, `\\xff` itself included. End before \
         the next key instead, the key of `max` plus one.",
        )
        .link(RANGE),
    Quirk::new(ManyFf, "ends_at_many_ff", "range")
        .says("an end at the key of `max` followed by many bytes ff")
        .why(
            "It is rarer now that a member is missed, not impossible: a member with one ff more than you appended \
         comes after it. The next key, the key of `max` plus one, comes after members of every length.",
        )
        .link(RANGE),
    Quirk::new(KeyOfMax, "ends_at_the_key_of_max", "range")
        .says("an end at the key of `max` itself")
        .why(
            "A row is the key and then the member. All rows of `max` but that of the empty member are longer than \
         its key, and so they come after it.",
        )
        .link(RANGE),
    Quirk::new(MaxExcluded, "max_excluded", "range")
        .says("a range that leaves out the score `max`")
        .why(
            "`max` belongs to the range. Its rows begin with its key, so a range that stops before this key has \
         none of them.",
        )
        .link(RANGE),
    Quirk::new(MaxPlusOne, "ends_at_max_plus_one", "range")
        .says("an end before the key of `max + 1.0`")
        .why(
            "Between 1 and 2 there are other scores, such as 1.5, and they come in too. And from 2^53 on, adding \
         1 gives the same double: then `max` itself is missed.",
        )
        .link(WILD),
    Quirk::new(MaxPlusEpsilon, "ends_at_max_plus_epsilon", "range")
        .says("an end before the key of `max + f64::EPSILON`")
        .why(
            "`EPSILON` is the gap between 1 and the next double, and nowhere else. From 2 on, adding it changes \
         nothing, and `max` is missed; near zero it lets in other scores.",
        )
        .link(WILD),
    Quirk::new(NextDouble, "ends_at_the_next_double", "range")
        .says("an end before the key of the next double")
        .why(
            "That is right for all scores but one: nothing comes after +inf, so its members are missed. The key \
         of +inf has a successor, though. Add one to the key, not to the score.",
        )
        .why_beside("Nothing comes after +inf, so its members are missed. Add one to the key, not to the score.")
        .link(RANGE),
    Quirk::new(SuccessorTaken, "successor_taken", "range")
        .says("an end at the successor of the key of `max`, which is taken too")
        .why(
            "The successor is the key of the next score, and the row of an empty member at that score is just \
         this key. The range stops before it: `..`, not `..=`.",
        )
        .link(RANGE),
    Quirk::new(LastByteRaised, "last_byte_raised", "returns")
        .says("an end that adds one to the last byte of the key of `max`")
        .why(
            "The keys of negative scores such as -1 end in ff, and ff plus one does not fit into a byte. The \
         carry goes into the bytes before: add one to all eight as one `u64`.",
        )
        .link(RANGE),
    Quirk::new(LastByteWrapped, "last_byte_wrapped", "returns")
        .says("an end that adds one to the last byte of the key of `max` and drops the carry")
        .why(
            "The keys of negative scores such as -1 end in ff, and without the carry ff becomes 00: the end lies \
         before the key. Add one to all eight bytes as one `u64`.",
        )
        .link(RANGE),
    Quirk::new(NoEndAfterFf, "no_end_after_ff", "range")
        .says("an end that adds one to the last byte of the key of `max`, and no end where that byte is ff")
        .why(
            "The key of -1 is `40 0f ff ff ff ff ff ff`, and the keys of many negative scores end in ff. They have a next \
         key all the same, `40 10 00 00 00 00 00 00`: the carry goes into the bytes before. Add one to all eight as one \
         `u64`.",
        )
        .link(RANGE),
    Quirk::new(FirstOfMaxOnly, "first_member_of_max_alone", "range")
        .says("a range that ends with the first row at or after the key of `max`")
        .why(
            "Several members may share the score `max`, and the others are missed. If none has it, that row is \
         one of a greater score. The end is the key of `max` plus one.",
        )
        .link(WILD),
    Quirk::new(FirstInfinityOnly, "first_member_of_infinity_alone", "range")
        .says("a range that ends with the first member at +inf")
        .why(
            "The bytes of +inf are the beginning of all rows with this score, and a seek to them finds the first \
         one. The others come after it. Seek to the successor of the key.",
        )
        .link(WILD),
    Quirk::new(MaxIgnored, "max_ignored", "range")
        .says("all members from `min` to the end")
        .why(
            "A range has two ends. Nothing stops the scan after `max`.",
        )
        .link(TASK),
    Quirk::new(MinExcluded, "min_excluded", "range")
        .says("a range that leaves out the score `min`")
        .why(
            "`min` belongs to the range. Starting at the successor of its key is for an exclusive bound, `(min` \
         in Redis.",
        )
        .link(RANGE),
    Quirk::new(KeyOfMinExcluded, "starts_after_the_key_of_min", "range")
        .says("a range that leaves out a row that is just the key of `min`")
        .why(
            "The empty member is a member. Its row has nothing after the key, and it is the first row of its \
         score.",
        )
        .link(TASK),
    Quirk::new(FirstOfMinSkipped, "first_member_of_min_skipped", "range")
        .says("a range that starts after the first member at `min`")
        .why(
            "The key of `min` is no row, it is where its rows begin. A seek to it ends on the first of them \
         already.",
        )
        .link(WILD),
    Quirk::new(MinIgnored, "min_ignored", "range")
        .says("all members up to `max`")
        .why(
            "A range has two ends. Nothing keeps out what lies before `min`.",
        )
        .link(TASK),
    Quirk::new(PlainBounds, "bounds_of_plain_bits", "returns")
        .says("the plain bits of the bounds given to `range`")
        .why(
            "The rows begin with keys, and a bound is compared with rows: it has to be made by `key`. The plain \
         bits of negative scores are large, so `range` panics when bounds change places.",
        )
        .link(SCAN),
    Quirk::new(SignFlippedBounds, "bounds_with_flipped_sign", "returns")
        .says("bounds given to `range` with nothing but the sign bit flipped")
        .why(
            "The rows begin with keys, and a bound is compared with rows: it has to be made by `key`. Flipped \
         alone, negative bounds run backwards, so `range` panics when they change places.",
        )
        .link(REPAIR),
    Quirk::new(LittleEndianBounds, "bounds_in_little_endian", "returns")
        .says("little-endian bounds given to `range`")
        .why(
            "A bound is compared with rows byte by byte from the front, so it needs the byte order of the keys. \
         Where the reversed bounds change places, `range` panics.",
        )
        .link(RANGE),
    Quirk::new(TotalOrderBounds, "minus_zero_bound_apart", "range")
        .says("bounds that give -0.0 a key of its own")
        .why(
            "The rows have one key for both zeros, and a bound of -0.0 lies before it. As `max` it misses the \
         members at zero. Make bounds with `key`, as the rows were made.",
        )
        .link(CHOICE),
    Quirk::new(InfinitiesClamped, "infinities_left_out", "range")
        .says("infinite bounds that find finite scores alone")
        .why(
            "Members may have infinite scores, and a range to inf includes them. An infinity is a score like any other, and its key \
             needs no special case. It is lost where an infinite bound becomes the largest finite one, and where a difference is \
             compared: inf minus inf is NaN, which is neither less nor greater than 0.",
        )
        .link(RANGE),
    Quirk::new(InfiniteRangeRefused, "infinity_to_infinity_refused", "range")
        .says("an empty list for ranges from inf and up to -inf")
        .why(
            "A range from inf to inf holds the members at inf. It is a range of one score like any other.",
        )
        .link(WILD),
    Quirk::new(CrossedPanic, "crossed_bounds_panic", "returns")
        .says("`range` asked with its bounds crossed")
        .why(
            "`BTreeSet::range` panics when the start lies after the end. A user may ask for that; the answer is \
         an empty list.",
        )
        .link(TASK),
    Quirk::new(CrossedSwapped, "crossed_bounds_swapped", "range")
        .says("crossed bounds that are put in order first")
        .why(
            "From 2 to 1 there is nothing. Exchanging the bounds answers a question that nobody asked.",
        )
        .link(TASK),
    Quirk::new(RowsUncut, "rows_for_members", "range")
        .says("the right rows with the score still in front")
        .says_beside("rows with the score still in front")
        .why(
            "The first eight bytes of a row are the score's key. The member is what follows.",
        )
        .link(TASK),
    Quirk::new(GreatestFirst, "greatest_first", "range")
        .says("the right members in reverse")
        .says_beside("the greatest member first")
        .why(
            "The rows come in ascending order by themselves. `rev()` is for ZREVRANGEBYSCORE.",
        )
        .link(TASK),
    Quirk::new(SortedByMember, "sorted_by_member", "range")
        .says("the right members sorted by their own bytes")
        .says_beside("members sorted by their own bytes")
        .why(
            "The scores come first: members are sorted by their bytes only where the scores are equal. The rows \
         have that order already.",
        )
        .link(TASK),
];
