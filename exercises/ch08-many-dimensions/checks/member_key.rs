//! Members with fields in them: their order, their exact text, and the name after them.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use kit::answer::quoted_text;
use kit::check::has_key;
use kit::render::brief;
use kit::values::{bit_by_bit, long_texts, one_bit_changed, ranks};
use kit::{Answer, Cast, Exercise, Judged, PartOf, Show as _, check};

use crate::{mistakes, solutions, stubs};
use ch08_many_dimensions::member_key as learner;

/// Paid, milliseconds, name.
pub(crate) type Player = (bool, u64, &'static str);

type Member = dyn Fn(bool, u64, &str) -> Option<String> + Send + Sync;
type Name = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Somebody's two functions.
#[derive(Clone)]
pub(crate) struct Members {
    pub(crate) member: Arc<Member>,
    pub(crate) name: Arc<Name>,
}

impl Members {
    pub(crate) fn new(
        member: impl Fn(bool, u64, &str) -> Option<String> + Send + Sync + 'static,
        name: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            member: Arc::new(member),
            name: Arc::new(name),
        }
    }
}

const LATEST: u64 = 9_999_999_999_999;

/// Texts that are no member.
const FOREIGN: [&str; 29] = [
    "E-1-8428189998740",
    "E",
    "",
    "-",
    "1-8428189998740",
    "1-8428189998740E",
    "1-842818999874-E",
    "1-84281899987400-E",
    "2-8428189998740-E",
    "-8428189998740-E",
    "01-8428189998740-E",
    "18428189998740-E",
    "true-8428189998740-E",
    "1-842818999874x-E",
    "1-842818999874a-E",
    "1-abcdefghijklm-E",
    "1- 428189998740-E",
    "1-+428189998740-E",
    "1--428189998740-E",
    "+1-8428189998740-E",
    " 1-8428189998740-E",
    "1 -8428189998740-E",
    // Thirteen bytes, and the last two are one sign that counts as a number.
    "1-84281899987²-E",
    "1-842818999874é-E",
    "1-8428189998740é",
    "1-٨٤٢٨١٨٩٩٩٨٧٤٠-E",
    "1_8428189998740_E",
    // One sign alone is another one.
    "1_8428189998740-E",
    "1-8428189998740_E",
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Members::new(learner::member, learner::name)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Members) -> Exercise<Members> {
    let cast = Cast {
        learner,
        stub: Members::new(stubs::member_key::member, stubs::member_key::name),
        solution: Members::new(solutions::member_key::member, solutions::member_key::name),
    };
    Exercise::new("member-key", "08-many-dimensions", cast)
        .part(members())
        .decoder(names(), round_trips())
        .check(check::order(
            "member",
            "Paid players have the greater members, then the earlier ones, then those with the greater name.",
        ))
        .check(check::custom(
            "member",
            "refusal",
            "A time that does not fit into thirteen digits has no member.",
            |part, outcomes| {
                let late = (0..part.probes.len()).find(|&i| {
                    let expected = part.probes[i].expected.as_ref();
                    !has_key(part, i) && outcomes[i].answer() != expected
                })?;
                let call = &part.probes[late].call;
                Some(check::Finding {
                    summary: format!("{call} must be None, but it is {}", brief(&outcomes[late].brief())),
                    detail: String::new(),
                    calls: vec![call.clone()],
                })
            },
        ))
        .check(check::answers(
            "member",
            "text",
            "The text is flag, digits, name, with a `-` between.",
        ))
        .check(check::answers(
            "name",
            "round-trip",
            "A member gives its name back, and what is no member gives `None`.",
        ))
        .mistakes(mistakes::member_key::all())
}

/// The players that are asked for, the plainest first.
fn players() -> Vec<Player> {
    let mut players = vec![
        (true, 1_571_810_001_259, "E"),
        (true, 1_571_819_021_259, "C"),
        (false, 1_571_819_021_259, "B"),
        (false, 1_571_819_021_259, "Z"),
    ];
    let times = [
        1_571_819_021_258,
        1_571_819_021_259,
        0,
        1,
        999_999_999_999,
        1_000_000_000_000,
        8_999_999_999_999,
        9_000_000_000_000,
        LATEST - 1,
        LATEST,
    ];
    for at_ms in times {
        for paid in [false, true] {
            for name in ["ann", "bob"] {
                players.push((paid, at_ms, name));
            }
        }
    }
    for name in [
        "",
        "-",
        "a-b",
        "0-1",
        "1-8428189998740-E",
        "ann-",
        "-ann",
        "Zoë",
        "7",
        "Ann",
        " ann",
        "ann ",
        "ann\n",
        "ann\nbob",
        "ann\0",
        "a long name, longer than most buffers are, and one",
        "a long name, longer than most buffers are, and another",
    ] {
        players.push((true, 1_571_819_021_259, name));
    }
    // A count of 8 bits takes this member for a short one, and so does one of 16.
    static LONG: LazyLock<String> = LazyLock::new(|| "x".repeat(65_525));
    players.push((true, 1_571_819_021_259, &LONG));
    players.extend(long_texts().map(|name| (true, 1_571_819_021_259, name)));
    let bits = bit_by_bit(LATEST).into_iter();
    players.extend(bits.map(|at_ms| (true, at_ms, "bob")));
    let too_late = [LATEST + 1, LATEST + 1_000_000, u64::MAX];
    let bits = [1_571_819_021_259, LATEST]
        .into_iter()
        .flat_map(one_bit_changed);
    for at_ms in too_late
        .into_iter()
        .chain(bits.filter(|at_ms| *at_ms > LATEST))
    {
        players.push((false, at_ms, "ann"));
        players.push((true, at_ms, "bob"));
    }
    let mut seen = HashSet::new();
    players.retain(|player| seen.insert(*player));
    players
}

fn classes((paid, at_ms, name): Player) -> Vec<&'static str> {
    let mut classes = vec![match at_ms {
        0..=8_999_999_999_999 => "times that leave thirteen digits",
        9_000_000_000_000..=LATEST => "times that leave fewer than thirteen digits",
        _ => "times that do not fit",
    }];
    classes.push(if paid {
        "players who paid"
    } else {
        "players who did not pay"
    });
    if name.contains('-') {
        classes.push("names with a `-`");
    }
    classes
}

/// A text with its bytes: its order is that of the bytes.
fn shown(text: Option<String>) -> Answer {
    let answer = text.show();
    Answer {
        bytes: text.map(String::into_bytes),
        ..answer
    }
}

fn members() -> PartOf<Members> {
    let players = players();
    let place = |&(paid, at_ms, name): &Player| (paid, Reverse(at_ms), name);
    let mut part =
        PartOf::new("member", "member").ranked(ranks(&players, |a, b| place(a).cmp(&place(b))));
    for player in players {
        let (paid, at_ms, name) = player;
        let fields = format!("({paid}, {at_ms}, {})", quoted_text(name));
        part = part.probe(
            format!("member{fields}"),
            Answer::text(fields),
            &classes(player),
            move |members: &Members| shown((members.member)(paid, at_ms, name)),
        );
    }
    part
}

fn names() -> PartOf<Members> {
    let mut part = PartOf::new("name", "name");
    let own = players().into_iter().filter_map(|player| {
        let (paid, at_ms, name) = player;
        let member = solutions::member_key::member(paid, at_ms, name)?;
        let mut classes = classes(player);
        classes[0] = "members";
        Some((member, classes))
    });
    // In 8 bits the count of these digits is 13, and in 16.
    let digits = format!("1-{}-E", "8".repeat(13 + 65_536));
    let foreign = FOREIGN.map(str::to_owned).into_iter().chain([digits]);
    let foreign = foreign.map(|text| (text, vec!["texts that are no member"]));
    for (member, classes) in own.chain(foreign) {
        part = part.probe(
            format!("name({})", quoted_text(&member)),
            Answer::text(quoted_text(&member)),
            &classes,
            move |members: &Members| (members.name)(&member).show(),
        );
    }
    part
}

fn round_trips() -> PartOf<Members> {
    let mut part = PartOf::new("name", "name");
    for player in players() {
        let (paid, at_ms, name) = player;
        if at_ms > LATEST {
            continue;
        }
        let trip = move |members: &Members| match (members.member)(paid, at_ms, name) {
            Some(member) => (members.name)(&member).show(),
            None => Answer::text("no member"),
        };
        part = part
            .probe(
                format!("name(member({paid}, {at_ms}, {}))", quoted_text(name)),
                Answer::text(quoted_text(name)),
                &classes(player),
                trip,
            )
            .expect(Some(name.to_owned()).show());
    }
    part
}
