//! Places by name: adding them, and asking for their positions and distances. Searches are in [`search`](super::search).

use crate::commands::sorted_sets::write::add_all;
use crate::commands::{Args, CommandError, Outcome, Reply};
use crate::types::geo::{Point, distance};
use crate::types::zset::{AddRule, SortedSet};
use crate::types::{self, Txn};

/// `GEOADD key [NX | XX] [CH] longitude latitude member [longitude latitude member ...]`
pub(crate) fn geoadd(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let mut rule = AddRule::default();
    let mut count_changed = false;
    let mut first = 2;
    while first < args.len() {
        if args.is(first, "NX") {
            rule.only_new = true;
        } else if args.is(first, "XX") {
            rule.only_existing = true;
        } else if args.is(first, "CH") {
            count_changed = true;
        } else {
            break;
        }
        first += 1;
    }
    let left = args.len() - first;
    if left == 0 || !left.is_multiple_of(3) || (rule.only_new && rule.only_existing) {
        return Err(CommandError::SYNTAX);
    }
    let places = (first..args.len()).step_by(3);
    let elements = places
        .map(|position| Ok((place(args, position)?.score(), args.get(position + 2))))
        .collect::<Result<Vec<(f64, &[u8])>, CommandError>>()?;
    let tally = add_all(txn, args.get(1), &elements, rule)?;
    let changed = if count_changed { tally.changed } else { 0 };
    Ok(Reply::count(tally.added + changed))
}

/// The longitude at a position, and the latitude after it.
pub(crate) fn place(args: Args<'_>, position: usize) -> Result<Point, CommandError> {
    let longitude = args.double(position)?;
    let latitude = args.double(position + 1)?;
    Point::new(longitude, latitude).ok_or_else(|| {
        let pair = format!("{longitude:.6},{latitude:.6}");
        CommandError::quoting(&[b"ERR invalid longitude,latitude pair ", pair.as_bytes()])
    })
}

/// The length in metres of the unit at a position.
pub(crate) fn unit_m(args: Args<'_>, position: usize) -> Result<f64, CommandError> {
    const UNITS_M: [(&str, f64); 4] = [("m", 1.0), ("km", 1000.0), ("ft", 0.3048), ("mi", 1609.34)];
    let mut units = UNITS_M.into_iter();
    let unit = units.find(|(name, _)| args.is(position, name));
    unit.map(|(_, metres)| metres).ok_or(CommandError::fixed(
        "ERR unsupported unit provided. please use M, KM, FT, MI",
    ))
}

/// A distance, with four decimals in both protocols.
pub(crate) fn distance_reply(distance: f64) -> Reply {
    Reply::Bulk(format!("{distance:.4}").into())
}

/// The two coordinates of a place.
pub(crate) fn coordinates(place: Point) -> Reply {
    let decimal = |degrees: f64| {
        let text = format!("{degrees:.17}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        Reply::Decimal(if text == "-0" { "0" } else { text }.to_owned())
    };
    Reply::Array(vec![decimal(place.longitude), decimal(place.latitude)])
}

/// The place of a member, if it is a member.
pub(crate) fn place_of(
    set: Option<&SortedSet<'_, '_>>,
    member: &[u8],
) -> types::Result<Option<Point>> {
    let score = set.map(|set| set.score(member)).transpose()?;
    Ok(score.flatten().map(Point::of_score))
}

/// `GEODIST key member1 member2 [M | KM | FT | MI]`
pub(crate) fn geodist(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let unit_m = match args.len() {
        4 => 1.0,
        5 => unit_m(args, 4)?,
        _ => return Err(CommandError::SYNTAX),
    };
    let set = SortedSet::open(txn, args.get(1))?;
    let from = place_of(set.as_ref(), args.get(2))?;
    let to = place_of(set.as_ref(), args.get(3))?;
    Ok(match (from, to) {
        (Some(from), Some(to)) => distance_reply(distance::between(from, to) / unit_m),
        _ => Reply::Null,
    })
}

/// `GEOHASH key [member ...]`
pub(crate) fn geohash(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    of_each_member(txn, args, |place| {
        place.map_or(Reply::Null, |place| Reply::Bulk(place.geohash().into()))
    })
}

/// `GEOPOS key [member ...]`
pub(crate) fn geopos(txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    of_each_member(txn, args, |place| {
        place.map_or(Reply::NullArray, coordinates)
    })
}

fn of_each_member(
    txn: &mut Txn<'_>,
    args: Args<'_>,
    reply: impl Fn(Option<Point>) -> Reply,
) -> Outcome {
    let set = SortedSet::open(txn, args.get(1))?;
    let mut replies = Vec::with_capacity(args.len() - 2);
    for member in args.from(2) {
        replies.push(reply(place_of(set.as_ref(), member)?));
    }
    Ok(Reply::Array(replies))
}
