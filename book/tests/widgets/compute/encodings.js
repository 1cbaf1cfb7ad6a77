// What the widgets' arithmetic makes of a list of `{ type, value, bits }`, for Rust to compare.
(inputs) => {
  const K = KeyEncodings;
  const ids = Object.keys(K.ENCODINGS);
  const hexOrNull = (key) => (key === null ? null : K.hex(key));

  const rows = inputs.map(({ type, value, bits }) => {
    const given = BigInt("0b" + bits);
    const keys = {};
    for (const id of ids.filter((id) => K.supports(id, type))) keys[id] = hexOrNull(K.ENCODINGS[id].encode(type, given));
    const width = K.TYPES[type].bits;
    return {
      parsed: (K.parse(type, value).bits ?? 0n).toString(2).padStart(width, "0"),
      again: (K.parse(type, K.format(type, given)).bits ?? 0n).toString(2).padStart(width, "0"),
      keys,
      fromQdb: K.supports("qdb", type) ? K.ENCODINGS.qdb.decode(type, K.ENCODINGS.qdb.encode(type, given)).toString(2).padStart(width, "0") : null,
    };
  });

  // For each type and encoding: the bits in the order of their keys, and which stand wrongly.
  const sorted = {};
  for (const type of new Set(inputs.map((input) => input.type))) {
    const values = [...new Set(inputs.filter((input) => input.type === type).map((input) => BigInt("0b" + input.bits)))];
    for (const id of ids.filter((id) => K.supports(id, type))) {
      const { rows, refused } = K.sortByKey(id, type, values);
      sorted[`${type} ${id}`] = {
        keys: rows.map((row) => K.hex(row.key)),
        breaks: rows.map((row) => row.breaks !== null),
        refused: refused.length,
      };
    }
  }

  let half = "";
  let halfWrong = 0;
  for (let bits = 0n; bits < 65536n; bits += 1n) {
    half += K.hex(K.ENCODINGS["total-order"].encode("f16", bits));
    const again = K.parse("f16", K.format("f16", bits)).bits;
    if (!K.isNan("f16", bits) && again !== bits) halfWrong += 1;
  }

  const refusals = [["u8", "300"], ["u8", "-1"], ["i8", "128"], ["i64", "abc"], ["i64", "1.5"], ["i64", ""], ["u64", "18446744073709551616"],
    ["f64", "1e999"], ["f64", "0x"], ["f64", "1e"], ["f16", "65520"], ["f32", "3.5e38"], ["f64", "<b>"], ["f64", "0x10"], ["f64", "-0x7ff0000000000001"], ["f16", "0x13c00"]]
    .map(([type, text]) => [type, text, K.parse(type, text).error ?? null]);
  // Of a float 0x is a bit pattern, with all its digits. Of a NaN each has its own.
  const patterns = [["f64", "0x7ff0000000000001"], ["f64", " 0xFFF8_0000_0000_0000 "], ["f32", "0x80000000"], ["f16", "0x3c00"]]
    .map(([type, text]) => K.hex(K.bigEndian(type, K.parse(type, text).bits ?? 0n)));
  return { rows, sorted, half, halfWrong, refusals, patterns };
}
