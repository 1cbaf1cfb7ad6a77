//! The steps of a window, newest first, that can go wrong, each with what is to be said of it.

use kit::Quirk;

const WINDOW: &str = "a-window-turns-round";
const TASK: &str = "newest-first";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Step {
    // Where the range starts and ends.
    NotExchanged,
    ExchangedOnly,
    OtherEndOpen,
    // The start alone.
    ToTaken,
    KeyOfToExcluded,
    ToIgnored,
    // The end alone.
    FromLeftOut,
    EndsAtKeyOfFrom,
    EndsAtOneFf,
    EndsAtManyFf,
    FromIgnored,
    TimeZeroMissed,
    TimeZeroPanics,
    // The bytes of the bounds.
    PlainBounds,
    LittleEndianBounds,
    // Crossed bounds.
    CrossedPanic,
    CrossedSwapped,
    EqualTaken,
    // What is returned.
    OldestFirst,
    NamesBackwards,
    SortedByName,
    RowsUncut,
    // The limit.
    LimitOfTheOldest,
    LimitIgnored,
    LimitAndOne,
    LimitZeroIsAll,
    LimitZeroIsOne,
    LimitOfTimes,
}
use Step::{
    CrossedPanic, CrossedSwapped, EndsAtKeyOfFrom, EndsAtManyFf, EndsAtOneFf, EqualTaken,
    ExchangedOnly, FromIgnored, FromLeftOut, KeyOfToExcluded, LimitAndOne, LimitIgnored,
    LimitOfTheOldest, LimitOfTimes, LimitZeroIsAll, LimitZeroIsOne, LittleEndianBounds,
    NamesBackwards, NotExchanged, OldestFirst, OtherEndOpen, PlainBounds, RowsUncut, SortedByName,
    TimeZeroMissed, TimeZeroPanics, ToIgnored, ToTaken,
};

/// Of each group, a scan takes one step at most.
pub(crate) const APART: [&[Step]; 7] = [
    &[
        NotExchanged,
        ExchangedOnly,
        OtherEndOpen,
        ToTaken,
        KeyOfToExcluded,
        ToIgnored,
    ],
    &[
        NotExchanged,
        ExchangedOnly,
        OtherEndOpen,
        FromLeftOut,
        EndsAtKeyOfFrom,
        EndsAtOneFf,
        EndsAtManyFf,
        FromIgnored,
        TimeZeroMissed,
        TimeZeroPanics,
    ],
    &[PlainBounds, LittleEndianBounds, NotExchanged],
    &[CrossedPanic, CrossedSwapped, NotExchanged],
    &[CrossedPanic, EqualTaken],
    &[OldestFirst, NamesBackwards, SortedByName, RowsUncut],
    &[
        LimitOfTheOldest,
        LimitIgnored,
        LimitAndOne,
        LimitZeroIsAll,
        LimitZeroIsOne,
        LimitOfTimes,
    ],
];

const fn quirk(
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk::of(id, name, "window", says, why, link)
}

/// A step that makes `range` panic on some bounds.
const fn panicking(quirk: Quirk<Step>) -> Quirk<Step> {
    Quirk {
        check: "returns",
        ..quirk
    }
}

pub(crate) const QUIRKS: [Quirk<Step>; 28] = [
    panicking(quirk(
        NotExchanged,
        "bounds_not_exchanged",
        "a range from the key of `from` to the key of `to`",
        "The greater time has the smaller key. So the range ends before it starts, and `range` panics. From \
         and to change places.",
        WINDOW,
    )),
    quirk(
        ExchangedOnly,
        "exchanged_and_nothing_else",
        "a range that starts at the key of `to` and ends before the key of `from`",
        "The bounds have changed places, and which of them is included has not. The rows of `to` come in and the \
         rows of `from` stay out: it is the window `(from, to]`.",
        WINDOW,
    ),
    quirk(
        OtherEndOpen,
        "other_end_open_on_bare_keys",
        "a range that leaves out the key of `to` and takes the key of `from`",
        "You opened the other end, and that is the right thought. But a row is a key and a name: the rows of \
         `to` are longer than its key and come after it, so they are still in, and those of `from` still out. \
         Both bounds lie after all rows of their time.",
        WINDOW,
    ),
    quirk(
        ToTaken,
        "to_taken",
        "a window that takes the events at `to`",
        "The rows of `to` are at the front now, and the window leaves them out. Start after all of them: at \
         the key of the time before `to`.",
        WINDOW,
    ),
    quirk(
        KeyOfToExcluded,
        "key_of_to_excluded",
        "a start just after the bare key of `to`",
        "That leaves out one row of `to`, the one with the empty name. All others are longer than the key \
         and come after it. Start after all of them.",
        WINDOW,
    ),
    quirk(
        ToIgnored,
        "to_ignored",
        "all events that are not older than `from`",
        "A window has two ends. Nothing keeps out what is newer than `to`.",
        TASK,
    ),
    quirk(
        FromLeftOut,
        "from_left_out",
        "a window that leaves out the events at `from`",
        "`from` belongs to the window. Its rows come after its key, so a range that ends at this key has none \
         of them.",
        WINDOW,
    ),
    quirk(
        EndsAtKeyOfFrom,
        "ends_at_the_key_of_from",
        "an end at the bare key of `from`, which is taken too",
        "That takes one row of `from`, the one with the empty name. All others are longer than the key and \
         come after it. End after all of them.",
        WINDOW,
    ),
    quirk(
        EndsAtOneFf,
        "ends_at_one_ff",
        "an end at the key of `from` and one byte ff",
        "A name may be `\\xff\\x00`, and it comes after that end. The first key after all rows of `from` is that \
         of the time before it.",
        WINDOW,
    ),
    quirk(
        EndsAtManyFf,
        "ends_at_many_ff",
        "an end at the key of `from` and many bytes ff",
        "It is rarer now that a name is missed, not impossible: a name with one ff more than you appended comes \
         after it. The first key after all rows of `from` is that of the time before it.",
        WINDOW,
    ),
    quirk(
        FromIgnored,
        "from_ignored",
        "all events before `to`",
        "A window has two ends. Nothing stops the scan after `from`.",
        TASK,
    ),
    quirk(
        TimeZeroMissed,
        "time_zero_missed",
        "a window from 0 that leaves out the events at 0",
        "No time comes before 0, so nothing lies after its rows but the end of the store. `saturating_sub` turns \
         that into the key of 0 itself, and its rows come after it. Leave this end open.",
        WINDOW,
    ),
    panicking(quirk(
        TimeZeroPanics,
        "time_zero_panics",
        "a panic for windows from 0, and the right events otherwise",
        "No time comes before 0: `from - 1` overflows, and so does its key plus one. Nothing lies after the rows of 0 \
         but the end of the store, so leave this end open.",
        WINDOW,
    ).says_beside("a panic for windows from 0")),
    quirk(
        PlainBounds,
        "bounds_not_inverted",
        "bounds that are compared with rows as plain big-endian times",
        "The rows begin with keys, and a bound is compared with rows: it has to be made by `key`. A plain time is \
         small, and all rows of today begin with ff.",
        WINDOW,
    ),
    quirk(
        LittleEndianBounds,
        "bounds_in_little_endian",
        "bounds that are compared with rows in little-endian",
        "A bound is compared with rows byte by byte from the front. It needs the byte order of the keys.",
        WINDOW,
    ),
    panicking(quirk(
        CrossedPanic,
        "crossed_bounds_panic",
        "`range` asked with `from` above `to`",
        "`BTreeSet::range` panics when its start is greater than its end. Somebody will ask for that; the answer \
         is an empty list.",
        TASK,
    )),
    quirk(
        CrossedSwapped,
        "crossed_bounds_swapped",
        "times that are put in order first",
        "From 40 to 20 there is nothing. The keys of the bounds change places, always; the times never do.",
        TASK,
    ),
    quirk(
        EqualTaken,
        "from_itself_to_itself",
        "the events at `from` when `from` and `to` are equal",
        "`[20, 20)` leaves out 20, so it is empty.",
        TASK,
    ),
    quirk(
        OldestFirst,
        "oldest_first",
        "the right events in reverse",
        "The rows come newest first by themselves. That is what their keys are for.",
        WINDOW,
    ).says_beside("the events in reverse"),
    quirk(
        NamesBackwards,
        "names_of_one_time_backwards",
        "the right times, with the names of one time in reverse",
        "Names of one time come in the order of the store. Who walks an ascending index backwards gets them in \
         reverse; here it is not asked for.",
        TASK,
    ).says_beside("the names of one time in reverse"),
    quirk(
        SortedByName,
        "sorted_by_name",
        "the right names sorted by their own bytes",
        "The times come first. The rows have that order already.",
        TASK,
    ).says_beside("the names sorted by their own bytes"),
    quirk(
        RowsUncut,
        "rows_for_names",
        "the right rows with the key still in front",
        "The first eight bytes of a row are the key of its time. The name is what follows.",
        TASK,
    ).says_beside("rows with the key still in front"),
    quirk(
        LimitOfTheOldest,
        "limit_of_the_oldest",
        "the oldest events of the window when there are more than `limit`",
        "With a limit people want the newest. They are at the front, so take them from there and stop.",
        TASK,
    ),
    quirk(
        LimitIgnored,
        "limit_ignored",
        "all events of the window, whatever the limit",
        "The answer has at most `limit` names. `take(limit)` ends the walk, and that is what makes it short.",
        TASK,
    ),
    quirk(
        LimitAndOne,
        "one_more_than_the_limit",
        "one event more than the limit",
        "Count before you add: when `limit` names are there, it is enough.",
        TASK,
    ),
    quirk(
        LimitZeroIsAll,
        "limit_zero_is_no_limit",
        "all events where the limit is 0",
        "Some programs mean \"no limit\" by 0. Here at most 0 names are asked for. If you compare with the limit by `==` after a name was \
         taken: 0 is passed by then, and never met.",
        TASK,
    ),
    quirk(
        LimitZeroIsOne,
        "limit_zero_is_one",
        "one event where the limit is 0",
        "Whoever adds a name and then asks whether it is enough has one already. Ask before you add.",
        TASK,
    ),
    quirk(
        LimitOfTimes,
        "limit_counts_times",
        "a limit that counts times and not events",
        "Several events may have one time, and each has a name in the answer.",
        TASK,
    ),
];
