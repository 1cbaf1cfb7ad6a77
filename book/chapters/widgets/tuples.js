// Texts and tuples, and the keys that several schemes make of them, without a page. Held against
// `engine::keys` by `book/tests/widgets/arithmetic.rs`.
//
// A field is `{ type, text, value }`: a number's value is its bits (see encodings.js), a text's its
// UTF-8 bytes. A tuple is a list of fields. A key is a list of pieces `{ field, own,
// bytes }`, so that a picture can say which byte came from where: `field` is the field's place in the
// tuple, and `own` is false for bytes that frame it, such as a colon or a length.
//
// A classic script, and Node's, as encodings.js.
const TupleKeys = (() => {
  "use strict";

  const K = typeof KeyEncodings === "undefined" ? require("./encodings.js") : KeyEncodings;
  const FIXED_BYTES = 8;
  // A key that is longer fills the page and shows nothing new.
  const TYPED_BYTES_MAX = 40;

  const knows = (type) => type === "text" || Object.hasOwn(K.TYPES, type);
  const utf8 = (text) => [...new TextEncoder().encode(text)];

  /** A field of what a person typed, or `{ error }`. In a text, `\\0` stands for the byte 00, `\\xff` for ff. */
  function field(type, typed) {
    if (type === "text") return { type, text: typed, value: fromTyped(typed) };
    const answer = K.parse(type, typed);
    return answer.error ? answer : { type, text: K.format(type, answer.bits), value: answer.bits };
  }

  /** The same, and no text that is too long for a picture. */
  function shortField(type, typed) {
    const answer = field(type, typed);
    return type === "text" && answer.value.length > TYPED_BYTES_MAX ? { error: `${TYPED_BYTES_MAX} bytes are enough for a text.` } : answer;
  }

  function fromTyped(typed) {
    return typed.split(/(\\0|\\x[0-9a-fA-F]{2})/).flatMap((part, i) => {
      if (i % 2 === 0) return utf8(part);
      return [part === "\\0" ? 0 : parseInt(part.slice(2), 16)];
    });
  }

  /** A tuple of `type:value, type:value`, or `{ error }`. Only the first colon of a field divides. */
  function tuple(text) {
    const fields = text.split(/,\s+|,$/).filter((part, i, all) => part !== "" || i < all.length - 1).map((part) => {
      const [, type, typed] = /^\s*(\w+):([^]*)$/.exec(part) ?? [null, "", part];
      return knows(type) ? field(type, typed) : { error: `“${part}” is not type:value` };
    });
    return fields.find((one) => one.error) ?? fields;
  }

  // What is written from right to left turns nothing but itself.
  const aside = (text) => (/[^ -~]/.test(text) ? `\u2068${text}\u2069` : text);
  const shown = (one) => (one.type === "text" ? `"${aside(one.text)}"` : one.text);
  const name = (fields) => `(${fields.map(shown).join(", ")})`;

  /** By value: numbers by number, texts by their bytes, the shorter tuple first. */
  function compare(a, b) {
    for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
      const order = a[i].type === "text" ? K.compareKeys(a[i].value, b[i].value) : K.compareNumbers(a[i].type, a[i].value, b[i].value);
      if (order !== 0) return order;
    }
    return a.length - b.length;
  }

  // ---- one field's bytes

  /** A number's key: big-endian, the sign bit flipped if there is one, floats in total order. */
  function ordered({ type, value }) {
    const { family } = K.TYPES[type];
    if (family === "unsigned") return K.bigEndian(type, value);
    return family === "signed" ? K.flipSign(type, value) : K.totalOrder(type, value);
  }

  const spelled = (one) => (one.type === "text" ? one.value : K.ascii(one.text));
  const escapeZeros = (bytes) => bytes.flatMap((byte) => (byte === 0 ? [0x00, 0xff] : [byte]));

  function fixed(one) {
    if (one.type !== "text") return ordered(one);
    return Array.from({ length: FIXED_BYTES }, (_, i) => one.value[i] ?? 0);
  }

  function withLength(one) {
    const length = [(one.value.length >> 8) & 0xff, one.value.length & 0xff];
    return [{ own: false, bytes: length }, { own: true, bytes: one.value }];
  }

  // ---- schemes: a list of pieces for one field; `own` is false for a byte that frames it

  // `last`: no field follows, so nothing has to end this one.
  const SCHEMES = {
    joined: {
      title: "joined by “:”", rule: "every field as text, a colon between",
      pieces: (one, last) => [{ own: true, bytes: spelled(one) }, ...(last ? [] : [{ own: false, bytes: [0x3a] }])],
    },
    length: {
      title: "length in front", rule: "two bytes of length, then the text",
      pieces: (one) => (one.type === "text" ? withLength(one) : [{ own: true, bytes: ordered(one) }]),
    },
    escaped: {
      title: "escaped and ended", rule: "in a text 00 becomes 00 ff, and 00 01 ends it",
      pieces: (one) => (one.type === "text"
        ? [{ own: true, bytes: escapeZeros(one.value) }, { own: false, bytes: [0x00, 0x01] }]
        : [{ own: true, bytes: ordered(one) }]),
    },
    fixed: {
      title: "fixed width", rule: `a text has ${FIXED_BYTES} bytes: a short one is filled up with zeros, a long one is cut`,
      pieces: (one) => [{ own: true, bytes: fixed(one) }],
    },
    plain: {
      title: "plain bytes", rule: "the bytes of each field, nothing between",
      pieces: (one) => [{ own: true, bytes: one.type === "text" ? one.value : ordered(one) }],
    },
  };

  /** The pieces of a tuple's key. */
  function encode(scheme, fields) {
    return fields.flatMap((one, i) =>
      SCHEMES[scheme].pieces(one, i === fields.length - 1).map(({ own, bytes }) => ({ field: i, own, bytes })));
  }

  const bytesOf = (pieces) => pieces.flatMap((piece) => piece.bytes);
  const key = (scheme, fields) => bytesOf(encode(scheme, fields));

  /** What every key with these first fields begins with: a field follows, so each is ended. */
  function prefix(scheme, fields) {
    return fields.flatMap((one) => SCHEMES[scheme].pieces(one, false).flatMap(({ bytes }) => bytes));
  }

  const beginsWith = (bytes, start) => start.every((byte, i) => bytes[i] === byte);

  /** What a scheme does to the fields' values so that they do not come back, in words. */
  function losses(scheme, fields) {
    if (scheme !== "fixed") return [];
    return fields.filter((one) => one.type === "text").flatMap((one) => {
      if (one.value.length > FIXED_BYTES) return [`${shown(one)} is cut after ${FIXED_BYTES} bytes`];
      return one.value.at(-1) === 0 ? [`${shown(one)} comes back without its last 00`] : [];
    });
  }

  /**
   * The tuples in the order of their keys. `breaks` is the tuple that stands just before this one
   * and belongs behind it; `ties` another one before it with the very same key.
   */
  function sortByKey(scheme, tuples) {
    const rows = tuples.map((fields) => ({ fields, key: key(scheme, fields) }))
      .sort((a, b) => K.compareKeys(a.key, b.key) || compare(a.fields, b.fields));
    rows.forEach((row, i) => {
      const before = rows[i - 1];
      const same = i > 0 && K.compareKeys(before.key, row.key) === 0;
      row.ties = same && compare(before.fields, row.fields) !== 0 ? before.fields : null;
      row.breaks = i > 0 && !same && compare(before.fields, row.fields) > 0 ? before.fields : null;
    });
    return rows;
  }

  /** Tuples whose keys begin as a scan for `first` does, though their own first fields are others. */
  function strangers(scheme, first, tuples) {
    const start = prefix(scheme, first);
    const equal = (fields) => first.every((one, i) => fields.length > i && fields[i].type === one.type && compare([fields[i]], [one]) === 0);
    return tuples.filter((fields) => beginsWith(key(scheme, fields), start) && !equal(fields));
  }

  return { SCHEMES, field, shortField, tuple, name, shown, compare, encode, key, prefix, losses, sortByKey, strangers };
})();

if (typeof module !== "undefined") module.exports = TupleKeys;
