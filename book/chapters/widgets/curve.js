// Two coordinates in one number, and the ranges that a rectangle becomes, without a page. Held
// against `engine::keys` (interleave, ZBox) by `book/tests/widgets/arithmetic.rs`.
//
// Numbers are BigInts: 26 bits a side make 52. A box is `{ low: [x, y], high: [x, y] }` with its
// edges inside; a range is `[first, last]`, both inside.
//
// A classic script: it defines `Curve`. Node gets the same object by `require`.
const Curve = (() => {
  "use strict";

  const GEO_BITS = 26;
  // What Redis takes: beyond these latitudes a Mercator map has no square.
  const GEO = { lon: [-180, 180], lat: [-85.05112878, 85.05112878] };

  /** The bits of x and of y in turn, highest first, x before y. */
  function interleave(x, y) {
    let number = 0n;
    for (let bit = 31n; bit >= 0n; bit -= 1n) {
      number = (number << 2n) | (((BigInt(x) >> bit) & 1n) << 1n) | ((BigInt(y) >> bit) & 1n);
    }
    return number;
  }

  function deinterleave(number) {
    let [x, y] = [0n, 0n];
    for (let bit = 63n; bit > 0n; bit -= 2n) {
      x = (x << 1n) | ((number >> bit) & 1n);
      y = (y << 1n) | ((number >> (bit - 1n)) & 1n);
    }
    return [Number(x), Number(y)];
  }

  const first = ({ low }) => interleave(...low);
  const last = ({ high }) => interleave(...high);
  const points = ({ low, high }) => BigInt(high[0] - low[0] + 1) * BigInt(high[1] - low[1] + 1);
  const waste = (box) => last(box) - first(box) + 1n - points(box);

  function contains({ low, high }, number) {
    const [x, y] = deinterleave(number);
    return low[0] <= x && x <= high[0] && low[1] <= y && y <= high[1];
  }

  /** Cuts a box in two along the greatest border in it, or gives `null` for a single point. */
  function split(box) {
    const differing = first(box) ^ last(box);
    if (differing === 0n) return null;
    const place = differing.toString(2).length - 1;
    const side = place % 2 === 1 ? 0 : 1;
    const step = 2 ** Math.floor(place / 2);
    const cut = Math.floor(box.high[side] / step) * step;
    const lower = { low: [...box.low], high: [...box.high] };
    const upper = { low: [...box.low], high: [...box.high] };
    upper.low[side] = cut;
    lower.high[side] = cut - 1;
    return [lower, upper];
  }

  /** At most `limit` ranges that hold every point of the box: always the part that wastes most is cut. */
  function ranges(box, limit) {
    const measured = (part) => ({ part, from: first(part), to: last(part), waste: waste(part) });
    const parts = [measured(box)];
    const whole = [];
    // Of two that waste alike, the lower one first.
    const worst = () => parts.reduce((best, one, i) => {
      const { waste: most, from } = parts[best];
      return one.waste > most || (one.waste === most && one.from < from) ? i : best;
    }, 0);
    let count = 1;
    while (count < limit && parts.length > 0) {
      const [one] = parts.splice(worst(), 1);
      const halves = one.waste > 0n ? split(one.part)?.map(measured) : undefined;
      if (halves === undefined) {
        whole.push(one);
      } else {
        if (halves[0].to + 1n < halves[1].from) count += 1;
        parts.push(...halves);
      }
    }
    const joined = [];
    for (const { from, to } of [...whole, ...parts].sort((a, b) => (a.from < b.from ? -1 : 1))) {
      const before = joined.at(-1);
      if (before !== undefined && before[1] + 1n === from) before[1] = to;
      else joined.push([from, to]);
    }
    return joined;
  }

  const part = (value, [least, greatest]) => (value - least) / (greatest - least);

  /** The cell of a place on a grid with so many bits a side: `[x, y]`, counted from the west and the south. */
  function cell(lon, lat, bits) {
    return [part(lon, GEO.lon), part(lat, GEO.lat)].map((share) => Math.min(2 ** bits - 1, Math.floor(share * 2 ** bits)));
  }

  const knows = (lon, lat) => lon >= GEO.lon[0] && lon <= GEO.lon[1] && lat >= GEO.lat[0] && lat <= GEO.lat[1];

  /** The score that GEOADD stores for a place. */
  const geohash = (lon, lat) => interleave(...cell(lon, lat, GEO_BITS));

  /** Where a place stands between west and east, south and north, each from 0 to 1. */
  const share = (lon, lat) => [part(lon, GEO.lon), part(lat, GEO.lat)];

  return { interleave, deinterleave, first, last, points, waste, contains, split, ranges, cell, knows, geohash, share };
})();

if (typeof module !== "undefined") module.exports = Curve;
