// Fields `[[bits, value], …]` packed, as a double, and what comes back.
(inputs) => inputs.map((given) => {
  const S = ScoreFields;
  const fields = given.map(([bits, value], i) => ({ name: `f${i}`, bits, value: BigInt(value) }));
  const number = S.pack(fields);
  const stored = S.score(number);
  return {
    number,
    bits: S.doubleBits(number).map(({ bit }) => bit).join(""),
    indexes: S.doubleBits(number).map(({ index }) => index),
    back: S.unpack(fields, BigInt(stored)),
    lost: S.lost(number),
    gap: S.gap(number),
    owners: Array.from({ length: S.width(fields) }, (_, index) => S.fieldAt(fields, index)),
    raised: fields.map((_, at) => BigInt(S.increment(fields, at, stored))),
  };
})
