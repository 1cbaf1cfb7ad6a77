//! The test of `test-score-keys`: ascending numbers with every corner, and NaNs of both signs.

/// Panics if the keys break a rule.
pub fn test(encode: &dyn Fn(f64) -> Option<Vec<u8>>, decode: &dyn Fn(&[u8]) -> f64) {
    let key = |number: f64| encode(number).expect("a number has a key");

    let mut numbers = vec![
        0.0,
        0.5,
        0.1,
        0.1 + 0.2,
        0.3,
        1.0 + f64::EPSILON,
        1.5,
        2.5,
        1e300,
    ];
    numbers.extend((1..300).map(f64::from));
    // Around zero: the subnormal numbers. Around 2^53: where whole numbers end.
    numbers.extend([f64::from_bits(1), f64::from_bits(2), f64::MIN_POSITIVE]);
    numbers.extend([
        9_007_199_254_740_991.0,
        9_007_199_254_740_992.0,
        f64::MAX,
        f64::INFINITY,
    ]);
    numbers.extend(numbers.clone().into_iter().map(|number| -number));
    numbers.sort_by(f64::total_cmp);

    for pair in numbers.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        // -0.0 and 0.0 are neighbours here, and equal.
        assert_eq!(a < b, key(a) < key(b), "{a} and {b}");
        assert_eq!(a == b, key(a) == key(b), "{a} and {b}");
    }
    for number in numbers {
        assert!(decode(&key(number)) == number, "{number} must come back");
    }
    for nan in [
        f64::NAN,
        -f64::NAN,
        f64::from_bits(0x7ff0_0000_0000_0001),
        f64::from_bits(u64::MAX),
    ] {
        assert_eq!(encode(nan), None);
    }
}
