// The keys of `[[type, text], …]` under each scheme, their order by value, and, for the scanned ones, strangers of the first field.
({ tuples, scanned }) => {
  const T = TupleKeys;
  const K = KeyEncodings;
  const made = tuples.map((fields) => fields.map(([type, typed]) => T.field(type, typed)));
  return {
    keys: Object.fromEntries(Object.keys(T.SCHEMES).map((id) => [id, made.map((fields) => K.hex(T.key(id, fields)))])),
    order: made.map((fields, i) => (i === 0 ? 0 : Math.sign(T.compare(made[i - 1], fields)))),
    sorted: T.sortByKey("escaped", made).map((row) => made.indexOf(row.fields)),
    strangers: Object.fromEntries(Object.keys(T.SCHEMES).map((id) => [id, scanned.map((at) => T.strangers(id, made[at].slice(0, 1), made).map((other) => made.indexOf(other)))])),
    parsed: T.tuple("text:a:b, u32:7, text:").map(({ type, text }) => [type, text]),
    refused: ["text", "u8:300", "b:1", "u32:x"].map((text) => T.tuple(text).error ?? null),
  };
}
