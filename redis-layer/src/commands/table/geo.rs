//! Commands on places.

use crate::commands::table::Flag::{DenyOom, MovableKeys, ReadOnly, Write};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, Spec, table};
use crate::commands::{geo, geo_search};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "geoadd", -5, [Write, DenyOom], [Change: FIRST], Geo, "3.2.0",
        Keys(geo::geoadd);
        "Adds places, or moves them."
    "geodist", -4, [ReadOnly], [Read: FIRST], Geo, "3.2.0",
        Keys(geo::geodist);
        "Returns how far apart two places are."
    "geohash", -2, [ReadOnly], [Read: FIRST], Geo, "3.2.0",
        Keys(geo::geohash);
        "Returns places as letters of geohash."
    "geopos", -2, [ReadOnly], [Read: FIRST], Geo, "3.2.0",
        Keys(geo::geopos);
        "Returns the longitude and the latitude of places."
    "georadius", -6, [Write, DenyOom, MovableKeys], [Read: FIRST, Overwrite: (behind("store", 6)), Overwrite: (behind("storedist", 6))], Geo, "3.2.0",
        Keys(geo_search::georadius);
        "Finds or stores places around a point."
    "georadius_ro", -6, [ReadOnly], [Read: FIRST], Geo, "3.2.10",
        Keys(geo_search::georadius_ro);
        "Finds places around a point."
    "georadiusbymember", -5, [Write, DenyOom, MovableKeys], [Read: FIRST, Overwrite: (behind("store", 5)), Overwrite: (behind("storedist", 5))], Geo, "3.2.0",
        Keys(geo_search::georadiusbymember);
        "Finds or stores places around one of them."
    "georadiusbymember_ro", -5, [ReadOnly], [Read: FIRST], Geo, "3.2.10",
        Keys(geo_search::georadiusbymember_ro);
        "Finds places around one of them."
    "geosearch", -7, [ReadOnly], [Read: FIRST], Geo, "6.2.0",
        Keys(geo_search::geosearch);
        "Finds places in a circle or a box."
    "geosearchstore", -8, [Write, DenyOom], [Overwrite: FIRST, Read: SECOND], Geo, "6.2.0",
        Keys(geo_search::geosearchstore);
        "Stores places in a circle or a box."
};
