//! Commands on places.

use crate::commands::geo::{places, search};
use crate::commands::table::Flag::{DenyOom, MovableKeys, ReadOnly, Write};
use crate::commands::table::Handler::Keys;
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "geoadd", -5, [Write, DenyOom], [Change: FIRST], Geo, "3.2.0",
        Keys(places::geoadd);
        "Adds places, or moves them.", "O(log n) for each place that is added or moved, in a set of n",
        "key [condition: NX | XX]@6.2.0 [change=CH]@6.2.0
            (longitude_latitude_member: longitude:double latitude:double member)...";
        since "6.2.0" "The options CH, NX and XX."
    "geodist", -4, [ReadOnly], [Read: FIRST], Geo, "3.2.0",
        Keys(places::geodist);
        "Returns how far apart two places are.", "O(1)",
        "key member1 member2 [unit: M | KM | FT | MI]"
    "geohash", -2, [ReadOnly], [Read: FIRST], Geo, "3.2.0",
        Keys(places::geohash);
        "Returns places as letters of geohash.", "O(n) for n members",
        "key member..."
    "geopos", -2, [ReadOnly], [Read: FIRST], Geo, "3.2.0",
        Keys(places::geopos);
        "Returns the longitude and the latitude of places.", "O(n) for n members",
        "key member..."
    "georadius", -6, [Write, DenyOom, MovableKeys], [Read: FIRST, Overwrite: (behind("store", 6)), Overwrite: (behind("storedist", 6))], Geo, "3.2.0",
        Keys(search::georadius);
        "Finds or stores places around a point.", "O(log n + m) for m places of n in the cells around the area",
        "key longitude:double latitude:double radius:double (unit: M | KM | FT | MI) [WITHCOORD] [WITHDIST]
            [WITHHASH] [count: COUNT count:integer [ANY]@6.2.0] [order: ASC | DESC] [STORE key] [STOREDIST key]";
        since "6.2.0" "The option ANY.";
        since "7.0.0" "Units in capitals.";
        replaced "6.2.0" "`GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` argument"
    "georadius_ro", -6, [ReadOnly], [Read: FIRST], Geo, "3.2.10",
        Keys(search::georadius_ro);
        "Finds places around a point.", "O(log n + m) for m places of n in the cells around the area",
        "key longitude:double latitude:double radius:double (unit: M | KM | FT | MI) [WITHCOORD] [WITHDIST]
            [WITHHASH] [count: COUNT count:integer [ANY]@6.2.0] [order: ASC | DESC]";
        since "6.2.0" "The option ANY.";
        replaced "6.2.0" "`GEOSEARCH` with the `BYRADIUS` argument"
    "georadiusbymember", -5, [Write, DenyOom, MovableKeys], [Read: FIRST, Overwrite: (behind("store", 5)), Overwrite: (behind("storedist", 5))], Geo, "3.2.0",
        Keys(search::georadiusbymember);
        "Finds or stores places around one of them.", "O(log n + m) for m places of n in the cells around the area",
        "key member radius:double (unit: M | KM | FT | MI) [WITHCOORD] [WITHDIST] [WITHHASH]
            [count: COUNT count:integer [ANY]] [order: ASC | DESC] [STORE key] [STOREDIST key]";
        since "7.0.0" "Units in capitals.";
        replaced "6.2.0" "`GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` and `FROMMEMBER` arguments"
    "georadiusbymember_ro", -5, [ReadOnly], [Read: FIRST], Geo, "3.2.10",
        Keys(search::georadiusbymember_ro);
        "Finds places around one of them.", "O(log n + m) for m places of n in the cells around the area",
        "key member radius:double (unit: M | KM | FT | MI) [WITHCOORD] [WITHDIST] [WITHHASH]
            [count: COUNT count:integer [ANY]] [order: ASC | DESC]";
        replaced "6.2.0" "`GEOSEARCH` with the `BYRADIUS` and `FROMMEMBER` arguments"
    "geosearch", -7, [ReadOnly], [Read: FIRST], Geo, "6.2.0",
        Keys(search::geosearch);
        "Finds places in a circle or a box.", "O(log n + m) for m places of n in the cells around the area",
        "key (from: FROMMEMBER member | (FROMLONLAT longitude_latitude: longitude:double latitude:double))
            (by: (circle: BYRADIUS radius:double (unit: M | KM | FT | MI)) |
                (box: BYBOX width:double height:double (unit: M | KM | FT | MI)))
            [order: ASC | DESC] [count: COUNT count:integer [ANY]]
            [WITHCOORD] [WITHDIST] [WITHHASH]";
        since "7.0.0" "Units in capitals."
    "geosearchstore", -8, [Write, DenyOom], [Overwrite: FIRST, Read: SECOND], Geo, "6.2.0",
        Keys(search::geosearchstore);
        "Stores places in a circle or a box.", "O(log n + m) for m places of n in the cells around the area",
        "destination:key source:key
            (from: FROMMEMBER member | (FROMLONLAT longitude_latitude: longitude:double latitude:double))
            (by: (circle: BYRADIUS radius:double (unit: M | KM | FT | MI)) |
                (box: BYBOX width:double height:double (unit: M | KM | FT | MI)))
            [order: ASC | DESC] [count: COUNT count:integer [ANY]]
            [STOREDIST]";
        since "7.0.0" "Units in capitals."
};
