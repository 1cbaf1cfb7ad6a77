//! Queries over small stores; pages are walked from the first to the last, also while orders come and go.

use std::sync::{Arc, LazyLock};

use engine::Db;
use engine::WriteBatch;
use engine::WriteOptions;
use kit::answer::quoted_text;
use kit::values::long_texts;
use kit::{Answer, Cast, Exercise, Judged, PartOf, check};

use crate::order::Page;
use crate::order::Status::{self, New, Paid, Shipped};
use crate::store::{BITS, Line, fill, lend, rows_of, shown};
use crate::{mistakes, solutions, stubs};
use ch10_order_store::find_orders as learner;

pub(crate) type Ids = engine::Result<Vec<u32>>;
pub(crate) type Paged = engine::Result<Page>;
pub(crate) type OfUser = Arc<dyn Fn(&Db, &str, usize) -> Ids + Send + Sync>;
pub(crate) type Between = Arc<dyn Fn(&Db, u64, u64, usize) -> Ids + Send + Sync>;
pub(crate) type WithStatus = Arc<dyn Fn(&Db, Status, usize, Option<&[u8]>) -> Paged + Send + Sync>;

/// Somebody's three queries.
#[derive(Clone)]
pub(crate) struct Queries {
    pub(crate) of_user: OfUser,
    pub(crate) between: Between,
    pub(crate) with_status: WithStatus,
}

impl Queries {
    pub(crate) fn new(
        of_user: impl Fn(&Db, &str, usize) -> Ids + Send + Sync + 'static,
        between: impl Fn(&Db, u64, u64, usize) -> Ids + Send + Sync + 'static,
        with_status: impl Fn(&Db, Status, usize, Option<&[u8]>) -> Paged + Send + Sync + 'static,
    ) -> Self {
        Self {
            of_user: Arc::new(of_user),
            between: Arc::new(between),
            with_status: Arc::new(with_status),
        }
    }
}

/// The stores, the plainest first.
const STORES: [&[Line]; 9] = [
    &[
        (1, "ann", 500, New),
        (2, "bob", 600, New),
        (3, "ann", 700, Paid),
        (4, "ann", 800, New),
        (5, "bob", 900, Shipped),
    ],
    &[(11, "ann", 500, New), (2, "ann", 500, New)],
    // Rows that end in ff or in 00.
    &[
        (u32::MAX, "ann", u64::MAX, New),
        (u32::MAX - 1, "ann", 1, New),
        (0, "ann", 1, New),
    ],
    &[
        (10, "ann", 500, New),
        (11, "ann", 500, New),
        (12, "anna", 500, New),
        (2, "ann", 500, New),
        (9, "an", 500, Paid),
        (1, "anna", 499, New),
        (u32::MAX, "ann", 499, New),
        (u32::MAX - 1, "ann", 600, Paid),
    ],
    &[
        (256, "", 0, New),
        (u32::MAX, "", 0, Paid),
        (1, "ann", 255, New),
        (2, "ann", 256, Paid),
        (3, "ann", 65_536, New),
        (4, "ann\0", 1 << 40, New),
        (5, "ann", u64::MAX, New),
        (6, "Ann", 1 << 63, Paid),
        (7, "ann\0\0", 300, Shipped),
    ],
    &[],
    &[
        (1, "ann", 500, New),
        (2, "Ann", 600, New),
        (3, " ann", 700, New),
        (4, "ann ", 800, New),
        (
            5,
            "a long name, longer than most buffers are, and one",
            900,
            New,
        ),
        (
            6,
            "a long name, longer than most buffers are, and another",
            950,
            New,
        ),
    ],
    // Ids whose last byte is ff, and not the greatest ones.
    &[
        (255, "ann", 500, New),
        (256, "ann", 500, New),
        (511, "bob", 500, New),
        (512, "ann", 500, New),
    ],
    // Cut to 16 or 32 bits, or as doubles, their times and ids are others, and in another order.
    &[
        (1, "ann", LARGE - 1, New),
        (2, "ann", LARGE, New),
        (4, "bob", LARGE - 1, New),
        (3, "bob", LARGE, New),
        ((1 << 24) + 1, "ann", RACE, New),
        ((1 << 24) + 2, "ann", RACE + 1, Paid),
    ],
];

const USERS: [&str; 12] = [
    "ann",
    "bob",
    "anna",
    "an",
    "",
    "ann\0",
    "ann\0\0",
    "zoe",
    "Ann",
    " ann",
    "ann ",
    "a long name, longer than most buffers are, and one",
];
/// What is left of the first one without its last letter is another user, and so is the last one in small letters.
const BEYOND_ASCII: [&str; 4] = ["zoë", "zo", "éva", "ÉVA"];
const RANGES: [(u64, u64); 18] = [
    (500, 700),
    (500, 701),
    (0, 1000),
    (600, 600),
    (700, 500),
    (499, 500),
    (500, 501),
    (501, 600),
    (0, u64::MAX),
    (255, 256),
    (256, 65_536),
    (0, 1),
    (1 << 40, u64::MAX),
    (901, 5000),
    (0, 0),
    (1, 0),
    // From a time with an order whose id is 0.
    (1, 2),
    (RACE, RACE + 1),
];
/// The plainest first; `usize::MAX` is more than any memory has room for.
const LIMITS: [usize; 8] = [100, 2, 1, 3, 0, usize::MAX, WIDE, WIDE - 1];
/// Whoever cuts it to 16 bits has 1, and of the one before 0.
const WIDE: usize = 65_537;
/// Whoever cuts it to 32 bits has 1. Whoever asks for room for so many ends the process: it comes last.
const WIDER: usize = (1 << 32) + 1;
/// A double has no room for it.
const LARGE: u64 = (1 << 53) + 1;
/// A time of today. An `i32` takes its last bits for a negative number, and so does an `i16`.
const RACE: u64 = 1_571_819_021_259;
const NEIGHBOURS: [Line; 2] = [(1, "ann", LARGE - 1, New), (2, "ann", LARGE, New)];
/// How many orders the largest store has.
const MANY: u32 = 5100;
/// How many of them are asked for: all, or more than 8 bits count and not all.
const OF_MANY: [usize; 2] = [usize::MAX, 300];
/// A walk through more pages than this does not end.
const PAGES_MAX: usize = 12;

/// What happens to a store after the first page: orders that go, and orders that come.
type Churn = (&'static [Line], &'static [Line]);
const CHURN: [Churn; 5] = [
    // The order before the last one of the first page, and the last one itself.
    (&[(1, "ann", 500, New)], &[]),
    (&[(2, "bob", 600, New)], &[]),
    // The first of the next page.
    (&[(4, "ann", 800, New)], &[]),
    // One that belongs before the cursor, and one after all others with a smaller id. One between the two pages
    // may be shown or not.
    (&[], &[(90, "zoe", 100, New)]),
    (&[], &[(0, "zoe", 850, New)]),
];

/// What happens between the pages of a walk.
#[derive(Clone, Copy)]
enum Meanwhile {
    Nothing,
    Orders(Churn),
    AnotherWalk,
}
use Meanwhile::{AnotherWalk, Nothing, Orders};

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Queries::new(
        learner::of_user,
        learner::between,
        learner::with_status,
    )))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Queries) -> Exercise<Queries> {
    let cast = Cast {
        learner,
        stub: Queries::new(
            stubs::find_orders::of_user,
            stubs::find_orders::between,
            stubs::find_orders::with_status,
        ),
        solution: solution(),
    };
    Exercise::new("find-orders", "10-order-store", cast)
        .rests_on("place-order")
        .part(of_user())
        .part(between())
        .part(with_status())
        .check(check::answers(
            "of_user",
            "user",
            "The orders of the user and of no other, newest first, at most `limit`.",
        ))
        .check(check::answers(
            "between",
            "time",
            "The orders from `from` on and before `until`, oldest first, at most `limit`.",
        ))
        .check(check::answers(
            "with_status",
            "pages",
            "Page after page, every order with the status once, oldest first.",
        ))
        .mistakes(mistakes::find_orders::all())
}

pub(crate) fn solution() -> Queries {
    Queries::new(
        solutions::find_orders::of_user,
        solutions::find_orders::between,
        solutions::find_orders::with_status,
    )
}

fn list(found: &Ids) -> Answer {
    Answer::told(|telling| match found {
        Ok(ids) => format!("{ids:?}"),
        Err(error) => telling.error(error),
    })
}

/// More orders than a page has.
static MANY_ORDERS: LazyLock<Vec<Line>> = LazyLock::new(|| {
    let line = |id| (id, "ann", 500 + u64::from(id), New);
    (0..MANY).map(line).collect()
});

/// The store as it is in a call.
fn called(orders: &[Line]) -> String {
    if let [first, ..] = orders
        && orders.len() == BITS.len()
    {
        let more = orders.len() - 1;
        return format!("{{{} and {more} more at large times}}", shown(first));
    }
    if let [first, .., last] = orders
        && orders.len() == MANY as usize
    {
        return format!("{{{MANY} orders from {} to {}}}", shown(first), shown(last));
    }
    let lines: Vec<String> = orders.iter().map(shown).collect();
    format!("{{{}}}", lines.join(", "))
}

fn said(limit: usize) -> String {
    match limit {
        usize::MAX => "usize::MAX".to_owned(),
        limit => limit.to_string(),
    }
}

fn of_user() -> PartOf<Queries> {
    let mut part = PartOf::new("of_user", "list");
    for orders in STORES {
        for user in USERS {
            let count = orders.iter().filter(|line| line.1 == user).count();
            for limit in LIMITS.into_iter().filter(|l| *l >= 100 || *l <= count) {
                part = of_one_user(part, orders.to_vec(), user, limit);
            }
        }
    }
    let orders_of = |users: &[&'static str]| -> Vec<Line> {
        let line = |(id, user): (u32, &&'static str)| (id, *user, 500, New);
        (1..).zip(users).map(line).collect()
    };
    let long: Vec<&'static str> = long_texts().collect();
    for users in long.chunks(2) {
        part = of_one_user(part, orders_of(users), users[0], 100);
    }
    for user in BEYOND_ASCII {
        part = of_one_user(part, orders_of(&BEYOND_ASCII), user, 100);
    }
    for limit in OF_MANY {
        part = of_one_user(part, MANY_ORDERS.clone(), "ann", limit);
    }
    part = of_one_user(part, BITS.clone(), "ann", usize::MAX);
    of_one_user(part, STORES[0].to_vec(), "ann", WIDER)
}

fn of_one_user(
    part: PartOf<Queries>,
    orders: Vec<Line>,
    user: &'static str,
    limit: usize,
) -> PartOf<Queries> {
    let call = format!(
        "of_user({}, {}, {})",
        called(&orders),
        quoted_text(user),
        said(limit)
    );
    let class = match orders.iter().filter(|line| line.1 == user).count() {
        0 => "users without an order",
        count if limit < count => "users with more orders than the limit",
        _ => "users whose orders all fit",
    };
    part.probe(
        call.clone(),
        Answer::text(call),
        &[class],
        move |queries: &Queries| lend(&orders, |db| list(&(queries.of_user)(db, user, limit))),
    )
}

fn between() -> PartOf<Queries> {
    let mut part = PartOf::new("between", "list");
    for orders in STORES {
        for (from, until) in RANGES {
            let count = inside(orders, (from, until));
            for limit in LIMITS.into_iter().filter(|l| *l >= 100 || *l < count) {
                part = in_range(part, orders.to_vec(), (from, until), limit);
            }
        }
    }
    part = in_range(part, NEIGHBOURS.to_vec(), (LARGE, LARGE + 1), 100);
    for (_, _, at, _) in BITS.iter().filter(|line| line.2 < u64::MAX) {
        part = in_range(part, BITS.clone(), (*at, at + 1), 100);
    }
    for limit in OF_MANY {
        part = in_range(part, MANY_ORDERS.clone(), (0, 9000), limit);
    }
    in_range(part, STORES[0].to_vec(), (0, 9000), WIDER)
}

/// How many orders are in a range of times.
fn inside(orders: &[Line], (from, until): (u64, u64)) -> usize {
    let is_inside = |line: &&Line| from <= line.2 && line.2 < until;
    orders.iter().filter(is_inside).count()
}

fn in_range(
    part: PartOf<Queries>,
    orders: Vec<Line>,
    (from, until): (u64, u64),
    limit: usize,
) -> PartOf<Queries> {
    let limit_said = said(limit);
    let call = format!(
        "between({}, {from}, {until}, {limit_said})",
        called(&orders)
    );
    let class = match inside(&orders, (from, until)) {
        0 if from > until => "ranges with crossed bounds",
        0 => "ranges without an order",
        count if limit < count => "ranges with more orders than the limit",
        _ => "ranges whose orders all fit",
    };
    part.probe(
        call.clone(),
        Answer::text(call),
        &[class],
        move |queries: &Queries| {
            lend(&orders, |db| {
                list(&(queries.between)(db, from, until, limit))
            })
        },
    )
}

fn with_status() -> PartOf<Queries> {
    let mut part = PartOf::new("with_status", "list of pages");
    for orders in STORES {
        for status in Status::ALL {
            let count = orders.iter().filter(|line| line.3 == status).count();
            for limit in [100, 1, 2, 3, 4, usize::MAX, WIDE, WIDE - 1]
                .into_iter()
                .filter(|l| *l >= 100 || *l <= count)
            {
                let class = if count == 0 {
                    "statuses without an order"
                } else if limit >= count {
                    "walks over one page"
                } else {
                    "walks over several pages"
                };
                part = walk(part, orders.to_vec(), status, limit, Nothing, class);
            }
        }
    }
    for churn in CHURN {
        let class = "walks in which orders come or go";
        for limit in [2, 1] {
            part = walk(part, STORES[0].to_vec(), New, limit, Orders(churn), class);
        }
    }
    part = walk(
        part,
        MANY_ORDERS.clone(),
        New,
        2000,
        Nothing,
        "walks over several pages",
    );
    let one = "walks over one page";
    part = walk(part, MANY_ORDERS.clone(), New, usize::MAX, Nothing, one);
    let several = "walks over several pages";
    part = walk(part, BITS.clone(), New, 100, Nothing, several);
    // A cursor is all that a walk has: whoever remembers the last one by himself has only one.
    let beside = "walks beside another one";
    part = walk(part, STORES[0].to_vec(), New, 1, AnotherWalk, beside);
    part = all_after_one(part, STORES[0]);
    walk(
        part,
        STORES[0].to_vec(),
        New,
        WIDER,
        Nothing,
        "walks over one page",
    )
}

/// A page of one order, and all others on the next page: a limit is added to what was shown, and does not fit.
fn all_after_one(part: PartOf<Queries>, orders: &'static [Line]) -> PartOf<Queries> {
    let call = format!(
        "with_status({}, New, 1, None), and then usize::MAX from its cursor on",
        called(orders)
    );
    part.probe(
        call.clone(),
        Answer::text(call),
        &["walks over several pages"],
        |queries: &Queries| {
            lend(orders, |db| {
                pages(queries, db, New, [1, usize::MAX], Nothing)
            })
        },
    )
}

fn walk(
    part: PartOf<Queries>,
    orders: Vec<Line>,
    status: Status,
    limit: usize,
    meanwhile: Meanwhile,
    class: &'static str,
) -> PartOf<Queries> {
    let mut call = format!(
        "all pages of with_status({}, {status:?}, {}, ..)",
        called(&orders),
        said(limit)
    );
    match meanwhile {
        Nothing => {}
        Orders((gone, come)) => {
            for line in gone {
                call += &format!(", while {} is deleted after the first page", line.0);
            }
            for line in come {
                call += &format!(", while {} comes after the first page", shown(line));
            }
        }
        AnotherWalk => call += ", while somebody else reads two orders after each page",
    }
    part.probe(
        call.clone(),
        Answer::text(call),
        &[class],
        move |queries: &Queries| {
            lend(&orders, |db| {
                pages(queries, db, status, [limit; 2], meanwhile)
            })
        },
    )
}

/// All pages, with a limit for the first one and a limit for those after it.
fn pages(
    queries: &Queries,
    db: &Db,
    status: Status,
    [first, later]: [usize; 2],
    meanwhile: Meanwhile,
) -> Answer {
    let mut text = String::new();
    let mut after: Option<Vec<u8>> = None;
    let mut after_of_another: Option<Vec<u8>> = None;
    for page in 0..PAGES_MAX {
        let limit = if page == 0 { first } else { later };
        let Page { ids, next } = match (queries.with_status)(db, status, limit, after.as_deref()) {
            Ok(found) => found,
            Err(error) => {
                return Answer::told(|telling| format!("{text}{}", telling.error(&error)));
            }
        };
        text += &format!("{ids:?} ");
        if next.is_none() {
            return Answer::text(text + "end");
        }
        after = next;
        match meanwhile {
            Orders(churn) if page == 0 => come_and_go(db, churn),
            AnotherWalk => {
                let found = (queries.with_status)(db, status, 2, after_of_another.as_deref());
                after_of_another = found.ok().and_then(|page| page.next);
            }
            Nothing | Orders(_) => {}
        }
    }
    Answer::text(format!("{text}and no end after {PAGES_MAX} pages"))
}

fn come_and_go(db: &Db, (gone, come): Churn) {
    let mut batch = WriteBatch::new();
    for (key, _) in rows_of(gone) {
        batch.delete(&db.default_family(), key);
    }
    db.write(batch, WriteOptions::default())
        .expect("a store in memory takes deletes");
    fill(db, &rows_of(come));
}
