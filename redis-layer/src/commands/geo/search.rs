//! Searches for places: `GEOSEARCH`, and the older commands that are special cases of it.
//!
//! One parser serves them all, as in Redis, and its checks come in Redis's order: the type of the key, the arguments
//! at fixed positions, all options, then options that exclude each other or are missing. Only after all these checks
//! an absent key gives an empty answer.

use std::cmp::Ordering;
use std::ops::Bound;

use bytes::Bytes;

use crate::commands::geo::places::{coordinates, distance_reply, place, place_of, unit_m};
use crate::commands::sorted_sets::write::store;
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::geo::{Form, Point, Shape};
use crate::types::number::{c_text, parse_double};
use crate::types::rows::Score;
use crate::types::zset::{Element, ScoreRange, SortedSet};
use crate::types::{self, Txn};

/// Which of the commands is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    /// `GEORADIUS`, and whether it may store.
    Radius(bool),
    /// `GEORADIUSBYMEMBER`, and whether it may store.
    RadiusByMember(bool),
    Search,
    SearchStore,
}

/// The options that were given.
#[derive(Debug, Default)]
struct Options<'a> {
    centre: Option<Centre>,
    from_member: bool,
    from_place: bool,
    form: Option<(Form, f64)>,
    with_distance: bool,
    with_score: bool,
    with_coordinates: bool,
    /// Whether the first places found are good enough, nearest or not.
    any: bool,
    /// How many places to return at most. 0 for no limit.
    count: u64,
    order: Option<Order>,
    store_at: Option<&'a [u8]>,
    store_distance: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Centre {
    Place(Point),
    /// No centre is known, because the set does not exist.
    Nowhere,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Nearest,
    Farthest,
}

/// A place that was found in the shape.
#[derive(Debug)]
struct Found {
    member: Bytes,
    score: f64,
    place: Point,
    distance_m: f64,
}

/// `GEORADIUS key longitude latitude radius unit [options] [STORE key] [STOREDIST key]`
pub(crate) fn georadius(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    run(txn, args, Command::Radius(true))
}

/// `GEORADIUS_RO key longitude latitude radius unit [options]`
pub(crate) fn georadius_ro(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    run(txn, args, Command::Radius(false))
}

/// `GEORADIUSBYMEMBER key member radius unit [options] [STORE key] [STOREDIST key]`
pub(crate) fn georadiusbymember(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    run(txn, args, Command::RadiusByMember(true))
}

/// `GEORADIUSBYMEMBER_RO key member radius unit [options]`
pub(crate) fn georadiusbymember_ro(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    run(txn, args, Command::RadiusByMember(false))
}

/// `GEOSEARCH key FROMMEMBER member | FROMLONLAT ... BYRADIUS ... | BYBOX ... [options]`
pub(crate) fn geosearch(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    run(txn, args, Command::Search)
}

/// `GEOSEARCHSTORE destination source FROMMEMBER ... BYRADIUS ... [options] [STOREDIST]`
pub(crate) fn geosearchstore(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    run(txn, args, Command::SearchStore)
}

impl Command {
    const fn source_at(self) -> usize {
        if matches!(self, Self::SearchStore) {
            2
        } else {
            1
        }
    }

    const fn first_option(self) -> usize {
        match self {
            Self::Radius(_) => 6,
            Self::RadiusByMember(_) => 5,
            Self::Search => 2,
            Self::SearchStore => 3,
        }
    }

    const fn is_search(self) -> bool {
        matches!(self, Self::Search | Self::SearchStore)
    }

    const fn may_store_elsewhere(self) -> bool {
        matches!(self, Self::Radius(true) | Self::RadiusByMember(true))
    }

    const fn event(self) -> &'static str {
        if self.is_search() {
            "geosearchstore"
        } else {
            "georadiusstore"
        }
    }
}

fn run(txn: &mut Txn<'_>, args: Args<'_>, command: Command) -> Outcome {
    let set = SortedSet::open(txn, args.get(command.source_at()))?;
    let options = Options::parse(args, command, set.as_ref())?;
    let mut found = match (&set, options.shape()) {
        (Some(set), Some(shape)) => find(set, &shape, options.enough())?,
        _ => Vec::new(),
    };
    drop(set);
    txn.count_reads();
    options.sort(&mut found);
    let Some(target) = options.store_at else {
        return Ok(options.reply(found));
    };
    let unit_m = options.unit_m();
    let mut elements: Vec<Element> = found
        .into_iter()
        .map(|place| Element {
            member: place.member,
            score: if options.store_distance {
                place.distance_m / unit_m
            } else {
                place.score
            },
        })
        .collect();
    elements.sort_by(|a, b| a.member.cmp(&b.member));
    store(txn, target, &elements, command.event())
}

/// The places of a set that lie in a shape, cell by cell, at most `enough` of them.
fn find(set: &SortedSet<'_, '_>, shape: &Shape, enough: usize) -> types::Result<Vec<Found>> {
    let mut found = Vec::new();
    for cell in shape.cells() {
        if found.len() >= enough {
            break;
        }
        let scores = cell.scores();
        let bound = |score: f64| Score::new(score).map_err(|_| types::Error::NotANumber);
        let range = ScoreRange {
            min: Bound::Included(bound(scores.start)?),
            max: Bound::Excluded(bound(scores.end)?),
        };
        set.each_by_score(&range, |member, score| {
            let place = Point::of_score(score);
            if let Some(distance_m) = shape.distance_within(place) {
                let member = Bytes::copy_from_slice(member);
                found.push(Found {
                    member,
                    score,
                    place,
                    distance_m,
                });
            }
            found.len() < enough
        })?;
    }
    Ok(found)
}

impl<'a> Options<'a> {
    fn parse(
        args: Args<'a>,
        command: Command,
        set: Option<&SortedSet<'_, '_>>,
    ) -> Result<Self, CommandError> {
        let mut options = Self::default();
        match command {
            Command::Radius(_) => {
                options.centre = Some(Centre::Place(place(args, 2)?));
                options.form = Some(circle(args, 4)?);
            }
            Command::RadiusByMember(_) if set.is_some() => {
                options.centre = Some(centre_at(set, args.get(2))?);
                options.form = Some(circle(args, 3)?);
            }
            // If there is no set, Redis does not check the radius either.
            Command::RadiusByMember(_) => {}
            Command::Search => {}
            Command::SearchStore => options.store_at = Some(args.get(1)),
        }
        let mut position = command.first_option();
        while position < args.len() {
            let taken = match options.parse_common(args, position)? {
                0 if command.is_search() => options.parse_search(args, position, command, set)?,
                0 if command.may_store_elsewhere() => options.parse_store(args, position),
                taken => taken,
            };
            if taken == 0 {
                return Err(CommandError::SYNTAX);
            }
            position += taken;
        }
        options.check(args, command)?;
        Ok(options)
    }

    /// Parses an option of all commands. Returns how many arguments it took.
    fn parse_common(&mut self, args: Args<'a>, position: usize) -> Result<usize, CommandError> {
        let is = |word| args.is(position, word);
        if is("WITHDIST") {
            self.with_distance = true;
        } else if is("WITHHASH") {
            self.with_score = true;
        } else if is("WITHCOORD") {
            self.with_coordinates = true;
        } else if is("ANY") {
            self.any = true;
        } else if is("ASC") {
            self.order = Some(Order::Nearest);
        } else if is("DESC") {
            self.order = Some(Order::Farthest);
        } else if is("COUNT") && position + 1 < args.len() {
            let count = u64::try_from(args.integer(position + 1)?).unwrap_or(0);
            if count == 0 {
                return Err(CommandError::fixed("ERR COUNT must be > 0"));
            }
            self.count = count;
            return Ok(2);
        } else {
            return Ok(0);
        }
        Ok(1)
    }

    /// Parses an option of `GEORADIUS` and `GEORADIUSBYMEMBER`.
    fn parse_store(&mut self, args: Args<'a>, position: usize) -> usize {
        if position + 1 == args.len() {
            return 0;
        }
        self.store_distance = args.is(position, "STOREDIST");
        if !self.store_distance && !args.is(position, "STORE") {
            return 0;
        }
        self.store_at = Some(args.get(position + 1));
        2
    }

    /// Parses an option of `GEOSEARCH` and `GEOSEARCHSTORE`.
    fn parse_search(
        &mut self,
        args: Args<'a>,
        position: usize,
        command: Command,
        set: Option<&SortedSet<'_, '_>>,
    ) -> Result<usize, CommandError> {
        let left = args.len() - position;
        let is = |word, behind| args.is(position, word) && left > behind;
        let (from_member, from_place) = (self.from_member, self.from_place);
        let (is_circle, is_box) = match self.form {
            Some((Form::Circle { .. }, _)) => (true, false),
            Some((Form::Box { .. }, _)) => (false, true),
            None => (false, false),
        };
        if is("FROMMEMBER", 1) && !from_place {
            self.centre = Some(centre_at(set, args.get(position + 1))?);
            self.from_member = true;
            return Ok(2);
        }
        if is("FROMLONLAT", 2) && !from_member {
            self.centre = Some(Centre::Place(place(args, position + 1)?));
            self.from_place = true;
            return Ok(3);
        }
        if is("BYRADIUS", 2) && !is_box {
            self.form = Some(circle(args, position + 1)?);
            return Ok(3);
        }
        if is("BYBOX", 3) && !is_circle {
            self.form = Some(rectangle(args, position + 1)?);
            return Ok(4);
        }
        if command == Command::SearchStore && is("STOREDIST", 0) {
            self.store_distance = true;
            return Ok(1);
        }
        Ok(0)
    }

    /// Refuses options that exclude each other, and missing ones.
    fn check(&self, args: Args<'_>, command: Command) -> Result<(), CommandError> {
        let shows_more = self.with_distance || self.with_score || self.with_coordinates;
        if self.store_at.is_some() && shows_more {
            return Err(CommandError::fixed(if command == Command::SearchStore {
                "ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options"
            } else {
                "ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and \
                 WITHCOORD options"
            }));
        }
        let name = c_text(args.get(0));
        if command.is_search() && self.centre.is_none() {
            return Err(CommandError::quoting(&[
                b"ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for ",
                name,
            ]));
        }
        if command.is_search() && self.form.is_none() {
            return Err(CommandError::quoting(&[
                b"ERR exactly one of BYRADIUS and BYBOX can be specified for ",
                name,
            ]));
        }
        if self.any && self.count == 0 {
            return Err(CommandError::fixed(
                "ERR the ANY argument requires COUNT argument",
            ));
        }
        Ok(())
    }

    fn shape(&self) -> Option<Shape> {
        let (Some(Centre::Place(centre)), Some((form, unit_m))) = (self.centre, self.form) else {
            return None;
        };
        Some(Shape {
            centre,
            form,
            unit_m,
        })
    }

    fn unit_m(&self) -> f64 {
        self.form.map_or(1.0, |(_, unit_m)| unit_m)
    }

    fn limit(&self) -> usize {
        match usize::try_from(self.count) {
            Ok(0) | Err(_) => usize::MAX,
            Ok(limit) => limit,
        }
    }

    /// The number of places after which a search may stop, nearest or not.
    fn enough(&self) -> usize {
        if self.any { self.limit() } else { usize::MAX }
    }

    /// Sorts as asked, and keeps as many as asked. With a count but no order, the nearest ones are returned.
    fn sort(&self, found: &mut Vec<Found>) {
        let wants_some = self.count > 0 && !self.any;
        let order = self.order.or(wants_some.then_some(Order::Nearest));
        if let Some(order) = order {
            found.sort_by(|a, b| {
                let nearer = a.distance_m.partial_cmp(&b.distance_m);
                let nearer = nearer.unwrap_or(Ordering::Equal);
                match order {
                    Order::Nearest => nearer,
                    Order::Farthest => nearer.reverse(),
                }
            });
        }
        found.truncate(self.limit());
    }

    fn reply(&self, found: Vec<Found>) -> Reply {
        let unit_m = self.unit_m();
        let one = |place: Found| {
            let mut parts = vec![Reply::Bulk(place.member)];
            if self.with_distance {
                parts.push(distance_reply(place.distance_m / unit_m));
            }
            if self.with_score {
                // The score came from a cell, so it is below 2^63 and fits.
                parts.push(Reply::Integer(place.score as i64));
            }
            if self.with_coordinates {
                parts.push(coordinates(place.place));
            }
            match <[Reply; 1]>::try_from(parts) {
                Ok([member]) => member,
                Err(parts) => Reply::Array(parts),
            }
        };
        Reply::Array(found.into_iter().map(one).collect())
    }
}

/// The place of a member. In a set that does not exist, any name is accepted.
fn centre_at(set: Option<&SortedSet<'_, '_>>, member: &[u8]) -> Result<Centre, CommandError> {
    if set.is_none() {
        return Ok(Centre::Nowhere);
    }
    let place = place_of(set, member)?;
    place.map(Centre::Place).ok_or(CommandError::fixed(
        "ERR could not decode requested zset member",
    ))
}

/// A length at a position, or Redis's error text for it.
fn length(args: Args<'_>, position: usize, refusal: &'static str) -> Result<f64, CommandError> {
    parse_double(args.get(position)).ok_or(CommandError::fixed(refusal))
}

/// A radius at a position, and the unit after it.
fn circle(args: Args<'_>, position: usize) -> Result<(Form, f64), CommandError> {
    let radius = length(args, position, "ERR need numeric radius")?;
    if radius < 0.0 {
        return Err(CommandError::fixed("ERR radius cannot be negative"));
    }
    Ok((Form::Circle { radius }, unit_m(args, position + 1)?))
}

/// A width at a position, and the height and the unit after it.
fn rectangle(args: Args<'_>, position: usize) -> Result<(Form, f64), CommandError> {
    let width = length(args, position, "ERR need numeric width")?;
    let height = length(args, position + 1, "ERR need numeric height")?;
    if width < 0.0 || height < 0.0 {
        return Err(CommandError::fixed(
            "ERR height or width cannot be negative",
        ));
    }
    Ok((Form::Box { width, height }, unit_m(args, position + 2)?))
}
