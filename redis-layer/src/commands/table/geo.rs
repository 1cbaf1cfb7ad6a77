//! Commands on places.

use crate::commands::table::Flag::{DenyOom, MovableKeys, ReadOnly, Write};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, More, Spec, keys, table};
use crate::commands::{geo, geo_search};

/// Where the older searches may store what they find.
const fn stores(from: usize) -> More {
    More::After {
        from,
        words: &["store", "storedist"],
    }
}

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "geoadd", -5, [Write, DenyOom], FIRST, Geo, "3.2.0",
        Keys(geo::geoadd);
        "Adds places, or moves them."
    "geodist", -4, [ReadOnly], FIRST, Geo, "3.2.0",
        Keys(geo::geodist);
        "Returns how far apart two places are."
    "geohash", -2, [ReadOnly], FIRST, Geo, "3.2.0",
        Keys(geo::geohash);
        "Returns places as letters of geohash."
    "geopos", -2, [ReadOnly], FIRST, Geo, "3.2.0",
        Keys(geo::geopos);
        "Returns the longitude and the latitude of places."
    "georadius", -6, [Write, DenyOom, MovableKeys], (keys::Keys::FIRST.and(stores(6))), Geo, "3.2.0",
        Keys(geo_search::georadius);
        "Finds or stores places around a point."
    "georadius_ro", -6, [ReadOnly], FIRST, Geo, "3.2.10",
        Keys(geo_search::georadius_ro);
        "Finds places around a point."
    "georadiusbymember", -5, [Write, DenyOom, MovableKeys], (keys::Keys::FIRST.and(stores(5))), Geo, "3.2.0",
        Keys(geo_search::georadiusbymember);
        "Finds or stores places around one of them."
    "georadiusbymember_ro", -5, [ReadOnly], FIRST, Geo, "3.2.10",
        Keys(geo_search::georadiusbymember_ro);
        "Finds places around one of them."
    "geosearch", -7, [ReadOnly], FIRST, Geo, "6.2.0",
        Keys(geo_search::geosearch);
        "Finds places in a circle or a box."
    "geosearchstore", -8, [Write, DenyOom], FIRST_TWO, Geo, "6.2.0",
        Keys(geo_search::geosearchstore);
        "Stores places in a circle or a box."
};
