// Numbers, their bits, and the keys that encodings make of them: the arithmetic of the widgets,
// without a page. Held against `engine::keys` by `book/tests/widgets/vectors.rs`.
//
// A value is a type's name and its bits as an unsigned BigInt, so that 64 bits stay exact and
// every NaN keeps its payload. A key is an array of bytes. Nothing here throws on what a person
// types: `parse` answers with `{ error }`.
//
// A classic script: it defines `KeyEncodings`. Node gets the same object by `require`.
const KeyEncodings = (() => {
  "use strict";

  // `exponent` and `fraction` are widths in bits; only floats have them.
  const TYPES = {
    u8: { family: "unsigned", bits: 8 },
    u16: { family: "unsigned", bits: 16 },
    u32: { family: "unsigned", bits: 32 },
    u64: { family: "unsigned", bits: 64 },
    i8: { family: "signed", bits: 8 },
    i16: { family: "signed", bits: 16 },
    i32: { family: "signed", bits: 32 },
    i64: { family: "signed", bits: 64 },
    f16: { family: "float", bits: 16, exponent: 5, fraction: 10 },
    f32: { family: "float", bits: 32, exponent: 8, fraction: 23 },
    f64: { family: "float", bits: 64, exponent: 11, fraction: 52 },
  };

  const mask = (type) => (1n << BigInt(TYPES[type].bits)) - 1n;
  const signBit = (type) => 1n << BigInt(TYPES[type].bits - 1);
  const isFloat = (type) => TYPES[type].family === "float";
  const hasSign = (type, bits) => TYPES[type].family !== "unsigned" && (bits & signBit(type)) !== 0n;

  // ---- floats and their bits

  const view = new DataView(new ArrayBuffer(8));

  function doubleToBits(type, x) {
    if (type === "f64") {
      view.setFloat64(0, x);
      return view.getBigUint64(0);
    }
    if (type === "f32") {
      view.setFloat32(0, x);
      return BigInt(view.getUint32(0));
    }
    return BigInt(halfFromDouble(x));
  }

  function bitsToDouble(type, bits) {
    if (type === "f64") {
      view.setBigUint64(0, bits);
      return view.getFloat64(0);
    }
    if (type === "f32") {
      view.setUint32(0, Number(bits));
      return view.getFloat32(0);
    }
    return halfToDouble(Number(bits));
  }

  function roundToEven(x) {
    const low = Math.floor(x);
    const rest = x - low;
    return rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
  }

  // Powers of two scale a double exactly, so each number is rounded once. A fraction that rounds
  // up to a whole carries into the exponent by plain addition, up to infinity.
  function halfFromDouble(x) {
    if (Number.isNaN(x)) return 0x7e00;
    const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0;
    const size = Math.abs(x);
    if (size >= 65520) return sign | 0x7c00;
    if (size < 2 ** -14) return sign | roundToEven(size * 2 ** 24);
    const exponent = Number((doubleToBits("f64", size) >> 52n) - 1023n);
    return sign | (((exponent + 15) << 10) + roundToEven(size * 2 ** (10 - exponent)) - 1024);
  }

  function halfToDouble(bits) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    return sign * (1024 + fraction) * 2 ** (exponent - 25);
  }

  const isNan = (type, bits) => isFloat(type) && Number.isNaN(bitsToDouble(type, bits));

  // ---- text

  /** The number as its type's text: shortest digits that name it, whole numbers exactly. */
  function format(type, bits) {
    if (!isFloat(type)) {
      return String(hasSign(type, bits) ? bits - mask(type) - 1n : bits);
    }
    const x = bitsToDouble(type, bits);
    const sign = hasSign(type, bits) ? "-" : "";
    const size = Math.abs(x);
    if (Number.isNaN(x)) return sign + "NaN";
    if (size === Infinity) return sign + "inf";
    if (Number.isInteger(size) && size < 1e21) return `${sign}${BigInt(size)}.0`;
    return sign + shortest(type, size).replace("e+", "e");
  }

  function shortest(type, size) {
    if (type === "f64") return String(size);
    const bits = doubleToBits(type, size);
    for (let digits = 1; digits < 9; digits += 1) {
      const text = String(Number(size.toPrecision(digits)));
      if (doubleToBits(type, Number(text)) === bits) return text;
    }
    return String(Number(size.toPrecision(9)));
  }

  /** `{ bits, note }` of what a person typed (the note says when the number was rounded), or `{ error }`. */
  function parse(type, typed) {
    const text = typed.trim().replace(/\u2212/g, "-").replace(/(\w)_(?=\w)/g, "$1").toLowerCase();
    if (text === "") return { error: "Type a number." };
    return isFloat(type) ? parseFloatText(type, typed.trim(), text) : parseWhole(type, typed.trim(), text);
  }

  function parseWhole(type, typed, text) {
    const match = /^([+-]?)(0x[0-9a-f]+|0b[01]+|\d+)(\.0*)?$/.exec(text);
    if (match === null) {
      const known = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(text);
      return { error: known ? `Write ${typed} in digits alone: ${type} holds whole numbers.` : `“${typed}” is not a number.` };
    }
    const value = match[1] === "-" ? -BigInt(match[2]) : BigInt(match[2]);
    const least = TYPES[type].family === "signed" ? -signBit(type) : 0n;
    const greatest = mask(type) + least;
    if (value < least || value > greatest) {
      return { error: `${typed} does not fit ${type}, which holds ${least} to ${greatest}.` };
    }
    return { bits: value & mask(type), note: "" };
  }

  function parseFloatText(type, typed, text) {
    const special = /^([+-]?)(inf|infinity|∞|nan)$/.exec(text);
    if (special !== null) {
      const bits = doubleToBits(type, special[2] === "nan" ? NaN : Infinity);
      return { bits: special[1] === "-" ? bits | signBit(type) : bits, note: "" };
    }
    // A pattern has all its digits: of a short one nobody could say whether a number is meant.
    if (/^0x[0-9a-f]+$/.test(text)) {
      const digits = TYPES[type].bits / 4;
      if (text.length !== 2 + digits) {
        return { error: `0x is for a bit pattern: ${type} takes ${digits} hexadecimal digits after it. Write a number in decimal digits.` };
      }
      return { bits: BigInt(text), note: `${typed} is the pattern of ${format(type, BigInt(text))}.` };
    }
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(text)) {
      return { error: `“${typed}” is not a number. Besides digits, ${type} knows -0, inf, -inf and nan.` };
    }
    const bits = doubleToBits(type, Number(text));
    const stored = bitsToDouble(type, bits);
    if (!Number.isFinite(stored)) {
      return { error: `${typed} is beyond the greatest ${type}, ${format(type, greatestFinite(type))}; for infinity write inf.` };
    }
    const lost = stored === 0 && /[1-9]/.test(text.replace(/e.*/, ""));
    const whole = /^[+-]?\d+$/.test(text) && BigInt(text.replace("+", "")) !== BigInt(stored);
    const rounded = lost || whole || Number(format(type, bits)) !== Number(text);
    return { bits, note: rounded ? `${typed} is stored as ${format(type, bits)}.` : "" };
  }

  // The exponent's lowest bit is the only clear one below infinity's sign.
  const greatestFinite = (type) => doubleToBits(type, Infinity) - 1n;

  // ---- fields

  /** The fields from the top bit down: letter, name, width in bits and what its bits mean here. */
  function fields(type, bits) {
    const { family, bits: width } = TYPES[type];
    const rest = bits & ~signBit(type);
    if (family === "unsigned") return [{ letter: "v", name: "value", width, meaning: String(bits) }];
    const set = hasSign(type, bits);
    if (family === "signed") {
      const weight = set ? `${-signBit(type)}` : "0";
      return [
        { letter: "s", name: "sign", width: 1, meaning: `${set ? 1 : 0}: counts ${weight}` },
        { letter: "v", name: "value", width: width - 1, meaning: `counts +${rest}; the sum is ${format(type, bits)}` },
      ];
    }
    return [{ letter: "s", name: "sign", width: 1, meaning: set ? "1: negative" : "0: positive" }, ...floatFields(type, rest)];
  }

  function floatFields(type, rest) {
    const { exponent, fraction } = TYPES[type];
    const bias = 2 ** (exponent - 1) - 1;
    const power = Number(rest >> BigInt(fraction));
    const tail = rest & ((1n << BigInt(fraction)) - 1n);
    const part = Number(tail) / 2 ** fraction;
    let meanings = [`${power} − ${bias}: times 2^${power - bias}`, `0x${tail.toString(16)}: 1 + ${part}`];
    if (power === 2 ** exponent - 1) {
      meanings = [`${power}, all ones: infinity or NaN`, tail === 0n ? "zero: infinity" : `0x${tail.toString(16)}: NaN`];
    } else if (power === 0) {
      meanings = [`0: no leading 1, times 2^${1 - bias}`, tail === 0n ? "zero: the number is zero" : `0x${tail.toString(16)}: 0 + ${part}`];
    }
    return [
      { letter: "e", name: "exponent", width: exponent, meaning: meanings[0] },
      { letter: "f", name: "fraction", width: fraction, meaning: meanings[1] },
    ];
  }

  // ---- order, steps and the number line

  /** Position of the value in its type's order, from 0: integers by value, floats in total order. */
  function position(type, bits) {
    if (TYPES[type].family === "unsigned") return bits;
    if (TYPES[type].family === "signed") return bits ^ signBit(type);
    return hasSign(type, bits) ? bits ^ mask(type) : bits | signBit(type);
  }

  function atPosition(type, place) {
    if (TYPES[type].family === "unsigned") return place;
    if (TYPES[type].family === "signed") return place ^ signBit(type);
    return place & signBit(type) ? place ^ signBit(type) : place ^ mask(type);
  }

  /** First and last place that a number (not a NaN) has. */
  function ends(type) {
    if (!isFloat(type)) return [0n, mask(type)];
    const infinity = doubleToBits(type, Infinity);
    return [position(type, infinity | signBit(type)), position(type, infinity)];
  }

  /** The next value up (+1) or down (-1); the value itself at the end of the line. */
  function step(type, bits, direction) {
    const place = position(type, bits) + BigInt(direction);
    const [first, last] = ends(type);
    return place < first || place > last ? bits : atPosition(type, place);
  }

  const LINE_STEPS = 1000;

  /** The value at a point 0..=1000 of the number line. Integers: by powers of two around 0. Floats: by place. */
  function fromLine(type, point) {
    const [first, last] = ends(type);
    if (point <= 0) return atPosition(type, first);
    if (point >= LINE_STEPS) return atPosition(type, last);
    if (isFloat(type)) return atPosition(type, first + ((last - first) * BigInt(point)) / BigInt(LINE_STEPS));
    const signed = TYPES[type].family === "signed";
    const part = signed ? (point - LINE_STEPS / 2) / (LINE_STEPS / 2) : point / LINE_STEPS;
    const width = TYPES[type].bits - (signed ? 1 : 0);
    const size = BigInt(Math.floor(2 ** (Math.abs(part) * width))) - 1n;
    return (part < 0 ? -size : size) & mask(type);
  }

  function toLine(type, bits) {
    const [first, last] = ends(type);
    if (isFloat(type)) {
      const place = position(type, bits);
      if (place <= first) return 0;
      return place >= last ? LINE_STEPS : Number(((place - first) * BigInt(LINE_STEPS)) / (last - first));
    }
    const negative = hasSign(type, bits);
    const size = negative ? mask(type) + 1n - bits : bits;
    const signed = TYPES[type].family === "signed";
    const width = TYPES[type].bits - (signed ? 1 : 0);
    const part = Math.min(1, Math.log2(Number(size) + 1) / width);
    return Math.round(signed ? (1 + (negative ? -part : part)) * (LINE_STEPS / 2) : part * LINE_STEPS);
  }

  // ---- encodings

  function bigEndian(type, bits) {
    const bytes = [];
    for (let shift = TYPES[type].bits - 8; shift >= 0; shift -= 8) {
      bytes.push(Number((bits >> BigInt(shift)) & 0xffn));
    }
    return bytes;
  }

  const littleEndian = (type, bits) => bigEndian(type, bits).reverse();
  const flipSign = (type, bits) => bigEndian(type, bits ^ signBit(type));
  const totalOrder = (type, bits) => bigEndian(type, position(type, bits));
  const marker = (type, bits) => (hasSign(type, bits) ? 0x3c : 0x3d);
  // The value is tested, not its sign bit: true for -0.0, false for every NaN.
  const atLeastZero = (type, bits) => bitsToDouble(type, bits) >= 0;
  const qdb = (type, bits) => bigEndian(type, atLeastZero(type, bits) ? bits | signBit(type) : bits ^ mask(type));

  function fromQdb(type, key) {
    const stored = key.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    return stored & signBit(type) ? stored ^ signBit(type) : stored ^ mask(type);
  }

  const ascii = (text) => [...text].map((letter) => letter.charCodeAt(0));

  /** The number's text, as a person writes it. */
  const decimal = (type, bits) => ascii(format(type, bits));

  /** What `%020d` prints: zeros up to twenty places, behind the minus sign. */
  function padded(type, bits) {
    const text = format(type, bits);
    return ascii(text.startsWith("-") ? `-${text.slice(1).padStart(19, "0")}` : text.padStart(20, "0"));
  }

  /** MAX - t, big-endian. Of a signed type it is the difference, which never is negative. */
  const inverted = (type, bits) => bigEndian(type, position(type, bits) ^ mask(type));

  // `encode` gives a key, or `null` for a value that the encoding refuses. `decode` stands only
  // where a value may come back as another one, `descending` where the greatest shall come first.
  const ENCODINGS = {
    le: { title: "little-endian", rule: "lowest byte first", types: "all", encode: littleEndian },
    be: { title: "big-endian", rule: "highest byte first", types: "all", encode: bigEndian },
    decimal: { title: "decimal text", rule: "the digits, one byte each", types: "all", encode: decimal },
    padded: { title: "padded decimal", rule: "twenty places, zeros in front", types: "unsigned signed", encode: padded },
    inverted: { title: "MAX - t", rule: "MAX minus the number, big-endian", types: "unsigned signed", descending: true, encode: inverted },
    "sign-flip": { title: "sign bit flipped", rule: "flip the top bit, big-endian", types: "signed float", encode: flipSign },
    "invert-all": {
      title: "all bits inverted", rule: "flip every bit, big-endian", types: "signed float",
      encode: (type, bits) => bigEndian(type, bits ^ mask(type)),
    },
    ledis: {
      title: "LedisDB", rule: "3c if negative, else 3d; then big-endian", types: "i64",
      encode: (type, bits) => [marker(type, bits), ...bigEndian(type, bits)],
    },
    "ledis-published": {
      title: "LedisDB as published", rule: "3c if negative, else 3d; then little-endian", types: "i64",
      encode: (type, bits) => [marker(type, bits), ...littleEndian(type, bits)],
    },
    "total-order": { title: "total order", rule: "sign bit set: flip every bit; else flip the top bit", types: "float", encode: totalOrder },
    neokv: { title: "NeoKV", rule: "sign bit set: flip every bit; else flip the top bit", types: "float", encode: totalOrder },
    qdb: { title: "QDB", rule: "value ≥ 0: set the top bit; else flip every bit", types: "float", encode: qdb, decode: fromQdb },
    numeric: {
      title: "numeric", rule: "-0.0 becomes 0.0, NaN is refused; then total order", types: "float",
      encode: (type, bits) => {
        if (isNan(type, bits)) return null;
        return totalOrder(type, bits === signBit(type) ? 0n : bits);
      },
      decode: (type, key) => atPosition(type, key.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)),
    },
  };

  function supports(id, type) {
    const types = Object.hasOwn(ENCODINGS, id) ? ENCODINGS[id].types : "";
    return types === "all" || types.split(" ").some((word) => word === type || word === TYPES[type].family);
  }

  const hex = (bytes) => bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");

  function compareKeys(a, b) {
    for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
      if (a[i] !== b[i]) return a[i] - b[i];
    }
    return a.length - b.length;
  }

  /** -1, 0 or 1 by number: -0.0 equals 0.0, a NaN stands at the end of its sign. */
  function compareNumbers(type, a, b) {
    const zero = (bits) => (isFloat(type) && bits === signBit(type) ? 0n : bits);
    const [left, right] = [position(type, zero(a)), position(type, zero(b))];
    return left < right ? -1 : Number(left > right);
  }

  /**
   * The values in the order of their keys. `breaks` is the value that stands just before this one
   * and belongs behind it; `ties` the one before that has the same key.
   * Values that the encoding refuses are in `refused`.
   */
  function sortByKey(id, type, values) {
    const { encode, descending } = ENCODINGS[id];
    const belongsBehind = descending ? (order) => order < 0 : (order) => order > 0;
    const keyed = values.map((bits) => ({ bits, key: encode(type, bits) }));
    // Equal keys stand in total order, so that the list is the same whatever it was made from.
    const first = (a, b) => (position(type, a.bits) < position(type, b.bits) ? -1 : 1);
    const rows = keyed.filter((row) => row.key !== null).sort((a, b) => compareKeys(a.key, b.key) || first(a, b));
    rows.forEach((row, i) => {
      const before = rows[i - 1];
      row.breaks = i > 0 && belongsBehind(compareNumbers(type, before.bits, row.bits)) ? before.bits : null;
      row.ties = i > 0 && compareKeys(before.key, row.key) === 0 ? before.bits : null;
    });
    return { rows, refused: keyed.filter((row) => row.key === null).map((row) => row.bits) };
  }

  return {
    TYPES, ENCODINGS, LINE_STEPS, parse, format, fields, compareNumbers, step, fromLine, toLine,
    bigEndian, littleEndian, flipSign, totalOrder, isNan, signBit, mask, supports, hex, ascii,
    compareKeys, sortByKey,
  };
})();

if (typeof module !== "undefined") module.exports = KeyEncodings;
