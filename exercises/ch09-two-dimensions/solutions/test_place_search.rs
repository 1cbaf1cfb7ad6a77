//! The rules, written down plainly, beside every search: centres in the middle and at the edges, places at all
//! ways from them that matter, and every kind of reach.

/// Somebody's search: places, centre and reach to the indices of the places that are near.
pub type Search<'a> = &'a dyn Fn(&[(u8, u8)], (u8, u8), u8) -> Vec<usize>;

/// Whether a place is near, as the task says it.
fn is_near(place: (u8, u8), centre: (u8, u8), reach: u8) -> bool {
    let across = u32::from(place.0.abs_diff(centre.0));
    let around = across.min(256 - across);
    let up = u32::from(place.1.abs_diff(centre.1));
    around * around + up * up <= u32::from(reach).pow(2)
}

/// Panics if the search breaks a rule.
pub fn test(search: Search<'_>) {
    let ways: [u8; 19] = [
        0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 60, 64, 80, 100, 101, 127, 200,
    ];
    let (columns, rows) = ([0, 1, 127, 128, 200, 254, 255], [0, 100, 127, 128, 255]);
    for centre in columns
        .into_iter()
        .flat_map(|x: u8| rows.map(|y: u8| (x, y)))
    {
        // Every way to the east and to the west, with a few ways up and down, and the first place twice.
        let mut places = vec![centre];
        for (n, &across) in ways.iter().enumerate() {
            for up in [
                0,
                across,
                ways[(n + 1) % ways.len()],
                ways[(n * 7) % ways.len()],
                200,
            ] {
                for x in [centre.0.wrapping_add(across), centre.0.wrapping_sub(across)] {
                    for y in [centre.1.checked_add(up), centre.1.checked_sub(up)] {
                        places.extend(y.map(|y| (x, y)));
                    }
                }
            }
        }
        places.push(centre);
        for reach in [0, 1, 2, 5, 8, 32, 64, 100] {
            let expected: Vec<usize> = (0..places.len())
                .filter(|&n| is_near(places[n], centre, reach))
                .collect();
            assert_eq!(
                search(&places, centre, reach),
                expected,
                "around {centre:?}, {reach}"
            );
        }
    }
}
