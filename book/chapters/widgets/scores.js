// Bit fields packed into a score, and what a double keeps of them, without a page. Held against
// Rust's own arithmetic by `book/tests/widgets/arithmetic.rs`.
//
// A field is `{ name, bits, value }`, the value a BigInt; a list of them stands most significant
// first. The packed number is a BigInt of any width; a score is the double nearest to it.
//
// A classic script: it defines `ScoreFields`. Node gets the same object by `require`.
const ScoreFields = (() => {
  "use strict";

  // The fraction's 52 bits, and the leading 1 that is not stored.
  const DOUBLE_BITS = 53;
  const FRACTION_BITS = 52;
  const WIDTH_MAX = 80;
  const FIELD_BITS_MAX = 53;

  const limit = (bits) => (1n << BigInt(bits)) - 1n;
  const width = (fields) => fields.reduce((sum, { bits }) => sum + bits, 0);
  const hold = (bits) => (bits === 1 ? "1 bit holds" : `${bits} bits hold`);
  const bitLength = (number) => (number === 0n ? 0 : number.toString(2).length);

  /** A field's value of what a person typed, or `{ error }`. */
  function value({ name, bits }, typed) {
    const text = typed.trim().replace(/(\d)_(?=\d)/g, "$1");
    if (text === "") return { error: "Type a whole number." };
    if (!/^\d+$/.test(text)) return { error: `“${typed}” is not a whole number from 0 on.` };
    if (BigInt(text) > limit(bits)) return { error: `${text} does not fit ${name}: ${hold(bits)} 0 to ${limit(bits)}.` };
    return { value: BigInt(text) };
  }

  /** The fields of `name:bits:value, …`, or `{ error }`. */
  function parse(text) {
    const fields = [];
    for (const part of text.split(",")) {
      const match = /^\s*([^:]+):(\d+):(\d+)\s*$/.exec(part);
      if (match === null) return { error: `“${part.trim()}” is not name:bits:value` };
      const field = { name: match[1], bits: Number(match[2]) };
      const answer = value(field, match[3]);
      if (field.bits < 1 || field.bits > FIELD_BITS_MAX) return { error: `${field.name}: a field has 1 to ${FIELD_BITS_MAX} bits` };
      if (answer.error) return answer;
      fields.push({ ...field, value: answer.value });
    }
    return width(fields) > WIDTH_MAX ? { error: `more than ${WIDTH_MAX} bits` } : fields;
  }

  const pack = (fields) => fields.reduce((number, field) => (number << BigInt(field.bits)) | field.value, 0n);

  /** The fields' values in a number of any size; what is above the top field stays in it. */
  function unpack(fields, number) {
    let rest = number;
    const values = fields.map(() => 0n);
    for (let i = fields.length - 1; i > 0; i -= 1) {
      values[i] = rest & limit(fields[i].bits);
      rest >>= BigInt(fields[i].bits);
    }
    values[0] = rest;
    return values;
  }

  /** How far a field's lowest bit stands from the number's lowest. */
  const shift = (fields, at) => width(fields.slice(at + 1));

  /** Which field a bit of the number belongs to, from 0 at the lowest bit. */
  function fieldAt(fields, index) {
    for (let i = fields.length - 1; i >= 0; i -= 1) {
      if (index < shift(fields, i) + fields[i].bits) return i;
    }
    return null;
  }

  /** Nearest double, a tie to the even one: what the language's own conversion does, as Rust's does. */
  const score = (number) => Number(number);

  /** How far the next double above a number stands, in whole numbers. */
  const gap = (number) => 1n << BigInt(Math.max(0, bitLength(number) - DOUBLE_BITS));

  const view = new DataView(new ArrayBuffer(8));

  /** The 64 bits of a score, highest first: `{ bit, part, index }`, with the index of the number's bit that it stores, or null. */
  function doubleBits(number) {
    const stored = score(number);
    view.setFloat64(0, stored);
    const bits = view.getBigUint64(0);
    const top = bitLength(BigInt(stored)) - 1;
    return Array.from({ length: 64 }, (_, i) => {
      const at = 63 - i;
      const part = at === 63 ? "s" : at >= FRACTION_BITS ? "e" : "f";
      const index = part === "f" && stored !== 0 ? top - FRACTION_BITS + at : -1;
      return { bit: Number((bits >> BigInt(at)) & 1n), part, index: index < 0 ? null : index };
    });
  }

  /** How many of the number's lowest bits its double has no room for. */
  const lost = (number) => Math.max(0, bitLength(number) - DOUBLE_BITS);

  /** What ZINCRBY by one in a field makes of a score. */
  const increment = (fields, at, stored) => stored + 2 ** shift(fields, at);

  return { DOUBLE_BITS, FIELD_BITS_MAX, WIDTH_MAX, limit, width, hold, bitLength, value, parse, pack, unpack, shift, fieldAt, score, gap, doubleBits, lost, increment };
})();

if (typeof module !== "undefined") module.exports = ScoreFields;
