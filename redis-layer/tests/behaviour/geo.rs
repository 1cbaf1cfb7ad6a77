//! Places: the answers that Redis documents, edges of the map, searches of every form, and a search over many places
//! beside the plain loop that it replaces.

use redis_layer::types::geo::{Point, distance};

use crate::common::random::Random;
use crate::common::{Direct, StoreKind, over_every_store};

const SICILY: &str = "geoadd sicily 13.361389 38.115556 Palermo 15.087269 37.502669 Catania";

#[test]
fn the_answers_of_the_manual() {
    over_every_store(|redis| {
        redis.expect(&[
            (SICILY, "2"),
            ("geodist sicily Palermo Catania", "166274.1516"),
            ("geodist sicily Palermo Catania KM", "166.2742"),
            ("geodist sicily Palermo Catania mi", "103.3182"),
            ("geodist sicily Palermo Foo", "nil"),
            (
                "geohash sicily Palermo Catania Foo",
                "[sqc8b49rny0 sqdtr74hyu0 nil]",
            ),
            (
                "geopos sicily Palermo Catania Foo",
                "[[13.36138933897018433 38.11555639549629859] \
                 [15.08726745843887329 37.50266842333162032] nil]",
            ),
            ("georadius sicily 15 37 100 km", "[Catania]"),
            (
                "georadius sicily 15 37 200 km withdist",
                "[[Palermo 190.4424] [Catania 56.4413]]",
            ),
            ("georadius sicily 15 37 200 km asc count 1", "[Catania]"),
            ("zscore sicily Palermo", "3479099956230698"),
        ]);
    });
}

#[test]
fn places_are_added_and_moved_by_the_rules_of_a_sorted_set() {
    over_every_store(|redis| {
        redis.expect(&[
            (SICILY, "2"),
            ("geoadd sicily xx 1 1 Palermo 2 2 nobody", "0"),
            ("geoadd sicily xx ch 1 2 Palermo", "1"),
            ("geoadd sicily nx 5 5 Palermo 3 3 somebody", "1"),
            ("zcard sicily", "3"),
            ("geoadd sicily nx xx 1 1 a", "ERR syntax error"),
            ("geoadd sicily 1 1 a b", "ERR syntax error"),
            ("geoadd sicily nx ch ch", "ERR syntax error"),
            ("geoadd sicily 1 x a", "ERR value is not a valid float"),
            (
                "geoadd sicily 1 1 a 181 86 b",
                "ERR invalid longitude,latitude pair 181.000000,86.000000",
            ),
            ("zcard sicily", "3"),
            ("geoadd new xx 1 1 a", "0"),
            ("exists new", "0"),
        ]);
    });
}

#[test]
fn the_edges_of_the_map_are_places_too() {
    over_every_store(|redis| {
        redis.expect(&[
            (
                "geoadd edge 180 85.05112878 ne -180 -85.05112878 sw 180 0 e -180 0 w",
                "4",
            ),
            ("geodist edge e w", "0.2983"),
            ("geosearch edge frommember ne byradius 1 m", "[ne]"),
            ("geosearch edge frommember sw byradius 1 m", "[sw]"),
            ("geoadd pole 0 85 a 180 85 b", "2"),
            ("geodist pole a b km", "1112.2631"),
            // Nine cells do not reach over the pole, neither in Redis nor here.
            ("geosearch pole frommember a byradius 1200 km asc", "[a]"),
        ]);
    });
}

#[test]
fn a_search_is_refused_in_the_order_of_redis() {
    over_every_store(|redis| {
        redis.expect(&[
            (SICILY, "2"),
            ("set s v", "OK"),
            (
                "geosearch s fromlonlat x y byradius 1 m",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
            ),
            (
                "GeoSearch sicily byradius 1 m asc asc asc",
                "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for GeoSearch",
            ),
            (
                "geosearch sicily fromlonlat 1 1 asc asc asc",
                "ERR exactly one of BYRADIUS and BYBOX can be specified for geosearch",
            ),
            (
                "geosearch sicily fromlonlat 1 1 frommember Palermo byradius 1 m",
                "ERR syntax error",
            ),
            (
                "geosearch sicily frommember nobody byradius 1 m",
                "ERR could not decode requested zset member",
            ),
            ("geosearch nokey frommember nobody byradius 1 m", "[]"),
            ("geosearch nokey frommember nobody byradius 1 m any", "ERR the ANY argument requires COUNT argument"),
            ("georadiusbymember nokey a x y", "[]"),
            ("georadiusbymember sicily Palermo -1 m", "ERR radius cannot be negative"),
            ("georadiusbymember sicily Palermo 1 yd", "ERR unsupported unit provided. please use M, KM, FT, MI"),
            ("geosearch sicily fromlonlat 1 1 bybox 1 -1 m", "ERR height or width cannot be negative"),
            ("georadius sicily 1 1 1 m count 0", "ERR COUNT must be > 0"),
            ("georadius_ro sicily 1 1 1 m store k", "ERR syntax error"),
            (
                "georadius sicily 1 1 1 m store k withdist",
                "ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options",
            ),
            (
                "geosearchstore k sicily fromlonlat 1 1 byradius 1 m withhash",
                "ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options",
            ),
        ]);
    });
}

#[test]
fn a_search_can_be_stored_as_places_or_as_distances() {
    over_every_store(|redis| {
        redis.expect(&[
            (SICILY, "2"),
            (
                "geosearchstore near sicily fromlonlat 15 37 byradius 100 km",
                "1",
            ),
            ("geohash near Catania", "[sqdtr74hyu0]"),
            (
                "geosearchstore far sicily fromlonlat 15 37 byradius 200 km storedist",
                "2",
            ),
            ("zrange far 0 -1", "[Catania Palermo]"),
            ("zcount far 56.44 56.45", "1"),
            ("georadius sicily 15 37 200 km store sicily count 1", "1"),
            ("zrange sicily 0 -1", "[Catania]"),
            ("georadius sicily 0 0 1 km store far", "0"),
            ("exists far", "0"),
        ]);
    });
}

/// Nine scans of scores find what a look at every place finds.
#[test]
fn a_search_finds_what_a_loop_over_all_places_finds() {
    let mut random = Random::new(7);
    let mut degrees = |reach: usize| {
        let micros = random.below(2 * reach * 1_000_000);
        micros as f64 / 1e6 - reach as f64
    };
    let places: Vec<Point> = (0..2000)
        .map(|_| Point::new(degrees(180), degrees(85)).unwrap())
        .collect();
    let mut redis = Direct::new(StoreKind::BTree);
    for (number, place) in places.iter().enumerate() {
        let Point {
            longitude,
            latitude,
        } = place;
        redis.show(&format!("geoadd world {longitude} {latitude} p{number}"));
    }
    let mut sizes = Vec::new();
    for radius_km in [10.0, 300.0, 1000.0, 2000.0] {
        for _ in 0..50 {
            // Away from the poles and the date line, where nine cells reach around.
            let centre = Point::new(degrees(140), degrees(60)).unwrap();
            let mut expected: Vec<(f64, String)> = (places.iter().enumerate())
                .map(|(number, place)| {
                    let stored = Point::of_score(place.score());
                    (distance::between(centre, stored), format!("p{number}"))
                })
                .filter(|(distance_m, _)| *distance_m <= radius_km * 1000.0)
                .collect();
            expected.sort_by(|a, b| a.0.total_cmp(&b.0));
            sizes.push(expected.len());
            let names: Vec<String> = expected.into_iter().map(|(_, name)| name).collect();
            let Point {
                longitude,
                latitude,
            } = centre;
            let found = redis.show(&format!(
                "geosearch world fromlonlat {longitude} {latitude} byradius {radius_km} km asc"
            ));
            assert_eq!(found, format!("[{}]", names.join(" ")));
        }
    }
    assert!(sizes.iter().sum::<usize>() > 1000, "{sizes:?}");
}
