//! The test of `test-i64-keys`: numbers where something changes, in order, each with the next.

/// Panics if the keys break a rule.
pub fn test(encode: &dyn Fn(i64) -> Vec<u8>, decode: &dyn Fn(&[u8]) -> i64) {
    let mut numbers: Vec<i64> = (-300..=300).collect();
    for bit in 0..63 {
        let power = 1_i64 << bit;
        numbers.extend([power - 1, power, power + 1, -power - 1, -power, -power + 1]);
    }
    numbers.extend([i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX]);
    numbers.sort_unstable();
    numbers.dedup();

    // Byte order is transitive: if each key comes before the next, each comes before all later ones.
    for pair in numbers.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        assert!(encode(a) < encode(b), "{a} must sort before {b}");
    }
    for number in numbers {
        assert_eq!(decode(&encode(number)), number);
    }
}
