// <z-order-map bits="3" query="2,1,5,4" ranges="2" places="name,lon,lat; …">fallback</z-order-map>
//
// A grid whose cells are numbered along the Z-order curve, a box that is searched, the ranges of
// numbers that are read for it, and the cells that are read in vain. `book/README.md` lists the
// attributes.
//
// All arithmetic is in `curve.js`; this file only asks and shows.
(() => {
  "use strict";

  const { el, svg, list, button, Widget } = WidgetParts;
  const C = Curve;

  const BITS_MAX = 5;
  const RANGES_MAX = 12;
  const EDGES = [["left", 0, "low"], ["right", 0, "high"], ["bottom", 1, "low"], ["top", 1, "high"]];
  // A cell of the drawing; the whole is scaled to the room there is.
  const CELL = 10;

  const clamp = (value, most) => Math.max(0, Math.min(most, value));
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  const rangeText = ([first, last]) => (first === last ? String(first) : `${first} to ${last}`);

  class ZOrderMap extends Widget {
    get title_() { return "Z-order map"; }

    setUp() {
      this.bits = this.whole("bits", 3, BITS_MAX);
      this.limit = this.whole("ranges", 1, RANGES_MAX);
      // By itself the box lies where the four quarters meet.
      const middle = this.side / 2;
      const corners = list(this.getAttribute("query") ?? `${middle - 1}, ${middle - 1}, ${middle}, ${middle}`).map(Number);
      if (corners.length !== 4 || corners.some((at) => !(Number.isInteger(at) && at >= 0 && at < this.side))) throw new Error(`query is four numbers of 0 to ${this.side - 1}: left, bottom, right, top`);
      this.box = { low: [Math.min(corners[0], corners[2]), Math.min(corners[1], corners[3])], high: [Math.max(corners[0], corners[2]), Math.max(corners[1], corners[3])] };
      this.places = list(this.getAttribute("places"), ";").map((text) => {
        const [name, lon, lat] = list(text);
        return { name, lon: Number(lon), lat: Number(lat) };
      });
      this.complain(this.places.filter(({ lon, lat }) => !C.knows(lon, lat)).map(({ name }) => `${name} lies nowhere`));
      this.places = this.places.filter(({ lon, lat }) => C.knows(lon, lat));
      this.start = { bits: this.bits, box: structuredClone(this.box), limit: this.limit };
      this.build();
      this.show();
    }

    /** An attribute that is a whole number from 1 on. */
    whole(name, otherwise, most) {
      const text = this.getAttribute(name) ?? otherwise;
      const number = Number(text);
      if (!(Number.isInteger(number) && number >= 1 && number <= most)) throw new Error(`${name} is 1 to ${most}, not ${text}`);
      return number;
    }

    get side() { return 2 ** this.bits; }

    build() {
      const id = this.name;
      this.sliders = EDGES.map(([edge, side, corner]) => {
        const input = el("input", { id: `${id}-${edge}`, type: "range", min: 0, step: 1, oninput: () => this.moveEdge(side, corner, Number(input.value)) });
        const value = el("output", { for: input.id });
        return { side, corner, input, value, node: el("div", { class: "zo-ask" }, el("label", { for: input.id }, edge), input, value) };
      });
      this.most = el("input", { id: `${id}-most`, type: "range", min: 1, max: RANGES_MAX, step: 1, oninput: () => { this.limit = Number(this.most.value); this.show(); } });
      this.mostValue = el("output", { for: this.most.id });
      const size = el("select", { id: `${id}-bits`, onchange: () => this.resize(Number(size.value)) },
        ...Array.from({ length: BITS_MAX }, (_, i) => el("option", { value: i + 1 }, `${2 ** (i + 1)} × ${2 ** (i + 1)}`)));
      this.size = size;
      this.map = el("div", { class: "zo-map" });
      this.strip = el("div", { class: "zo-strip" });
      this.words = el("div", { class: "zo-words" });
      this.body.append(el("div", { class: "zo-both" },
        el("div", { class: "zo-left" }, this.map, el("p", { class: "zo-hint" }, "Drag over the map, or move the edges.")),
        el("div", { class: "zo-asks" },
          ...this.sliders.map((slider) => slider.node),
          el("div", { class: "zo-ask zo-most" }, el("label", { for: this.most.id }, "ranges at most"), this.most, this.mostValue),
          el("div", { class: "wg-controls" }, el("span", {}, el("label", { for: size.id }, "Grid"), size),
            button("Start again", "start again with the box of the page", () => this.reset())),
          this.words)),
        this.strip, this.spoken);
    }

    // ---- what the reader does

    moveEdge(side, corner, value) {
      this.box[corner][side] = value;
      // An edge that meets its opposite takes it along.
      if (corner === "low") this.box.high[side] = Math.max(value, this.box.high[side]);
      else this.box.low[side] = Math.min(value, this.box.low[side]);
      this.show();
    }

    resize(bits) {
      const scale = 2 ** (bits - this.bits);
      for (const side of [0, 1]) {
        this.box.low[side] = Math.floor(this.box.low[side] * scale);
        this.box.high[side] = Math.max(this.box.low[side], Math.ceil((this.box.high[side] + 1) * scale) - 1);
      }
      this.bits = bits;
      this.show();
    }

    reset() {
      this.bits = this.start.bits;
      this.limit = this.start.limit;
      this.box = structuredClone(this.start.box);
      this.show();
    }

    cellAt(event) {
      const frame = this.drawing.getBoundingClientRect();
      const x = Math.floor(((event.clientX - frame.left) / frame.width) * this.side);
      const y = Math.floor((1 - (event.clientY - frame.top) / frame.height) * this.side);
      return [clamp(x, this.side - 1), clamp(y, this.side - 1)];
    }

    drag(event) {
      if (event.button !== 0) return;
      event.preventDefault();
      const from = this.cellAt(event);
      const to = (move) => {
        const at = this.cellAt(move);
        this.box = { low: [Math.min(from[0], at[0]), Math.min(from[1], at[1])], high: [Math.max(from[0], at[0]), Math.max(from[1], at[1])] };
        this.show();
      };
      // The drawing is made anew at each step, so the hand is followed by the frame around it.
      const stop = () => {
        this.map.removeEventListener("pointermove", to);
        this.map.removeEventListener("pointerup", stop);
        this.map.removeEventListener("pointercancel", stop);
      };
      this.map.setPointerCapture(event.pointerId);
      this.map.addEventListener("pointermove", to);
      this.map.addEventListener("pointerup", stop);
      this.map.addEventListener("pointercancel", stop);
      to(event);
    }

    // ---- showing

    show() {
      const ranges = C.ranges(this.box, this.limit);
      const read = ranges.reduce((sum, [first, last]) => sum + last - first + 1n, 0n);
      const wanted = C.points(this.box);
      this.kinds = Array.from({ length: this.side ** 2 }, (_, number) => {
        if (C.contains(this.box, BigInt(number))) return "wanted";
        return ranges.some(([first, last]) => first <= number && number <= last) ? "vain" : "unread";
      });
      for (const { side, corner, input, value } of this.sliders) {
        input.max = String(this.side - 1);
        input.value = value.textContent = String(this.box[corner][side]);
      }
      this.most.value = this.mostValue.textContent = String(this.limit);
      this.size.value = String(this.bits);
      this.drawMap(ranges);
      this.drawStrip(ranges);
      this.tellWords(ranges, read, wanted);
    }

    middle(number) {
      const [x, y] = C.deinterleave(BigInt(number));
      return [(x + 0.5) * CELL, (this.side - y - 0.5) * CELL];
    }

    path(first, last) {
      return Array.from({ length: Number(last - first) + 1 }, (_, i) => this.middle(Number(first) + i).join(" ")).join(" L ");
    }

    drawMap(ranges) {
      const room = this.side * CELL;
      const cells = this.kinds.map((kind, number) => {
        const [x, y] = this.middle(number);
        return svg("rect", { class: `zo-cell zo-${kind}`, x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL });
      });
      // Over the curve, so that it hides neither a number nor what is read in vain.
      const signs = this.kinds.flatMap((kind, number) => {
        const [x, y] = this.middle(number);
        return [
          ...(kind === "vain" ? [svg("path", { d: `M ${x - 2} ${y - 2} l 4 4 m 0 -4 l -4 4`, class: "zo-cross" })] : []),
          ...(this.bits <= 3 ? [svg("text", { class: "zo-number", x: x - CELL / 2 + 0.6, y: y - CELL / 2 + 2.8 }, String(number))] : []),
        ];
      });
      const curve = svg("path", { class: "zo-curve", d: `M ${this.path(0n, BigInt(this.side ** 2 - 1))}` });
      const runs = ranges.map(([first, last]) => svg("path", { class: "zo-run", d: `M ${this.path(first, last)}${first === last ? " l 0.01 0" : ""}` }));
      const { low, high } = this.box;
      const frame = svg("rect", {
        class: "zo-box", x: low[0] * CELL, y: (this.side - high[1] - 1) * CELL, width: (high[0] - low[0] + 1) * CELL, height: (high[1] - low[1] + 1) * CELL,
      });
      const dots = this.places.flatMap(({ name, lon, lat }, i) => {
        const [x, y] = C.share(lon, lat);
        const end = x > 0.7;
        return [svg("circle", { class: "zo-dot", cx: x * room, cy: (1 - y) * room, r: room / 70 }),
          svg("text", { class: "zo-place", x: x * room + (end ? -room / 50 : room / 50), y: (1 - y) * room + (i % 2 === 0 ? -room / 60 : room / 24), "text-anchor": end ? "end" : "start", "font-size": room / 24 }, name)];
      });
      this.drawing = svg("svg", { viewBox: `0 0 ${room} ${room}`, "aria-hidden": "true", onpointerdown: (event) => this.drag(event) }, ...cells, curve, ...runs, ...signs, frame, ...dots);
      this.map.replaceChildren(this.drawing);
    }

    /** The same cells along the line on which they are stored. */
    drawStrip(ranges) {
      const length = this.side ** 2;
      const height = length / 14;
      // Neighbours of one kind are one rectangle: a seam between cells would look like a gap.
      const runs = [];
      this.kinds.forEach((kind, number) => {
        if (runs.at(-1)?.kind === kind) runs.at(-1).cells += 1;
        else runs.push({ kind, from: number, cells: 1 });
      });
      const cells = runs.map(({ kind, from, cells: width }) => svg("rect", { class: `zo-${kind}`, x: from, y: kind === "vain" ? height * 0.35 : 0, width, height: kind === "vain" ? height * 0.65 : height }));
      const frames = ranges.map(([first, last]) => svg("rect", { class: "zo-range", x: String(first), y: 0, width: String(last - first + 1n), height }));
      this.strip.replaceChildren(
        el("p", { class: "wg-title" }, "The same cells in the order in which they are stored"),
        svg("svg", { viewBox: `0 ${-height * 0.1} ${length} ${height * 1.2}`, preserveAspectRatio: "none", "aria-hidden": "true" }, svg("rect", { class: "zo-unread", x: 0, y: 0, width: length, height }), ...cells, ...frames),
        el("div", { class: "wg-ticks", "aria-hidden": "true" }, ...[...new Set([0, 1, 2, 3, 4].map((part) => Math.min(length - 1, (length / 4) * part)))].map((tick) => el("span", {}, String(tick)))),
        el("p", { class: "zo-legend" },
          el("span", {}, el("i", { class: "zo-key-wanted" }), " in the box"), el("span", {}, el("i", { class: "zo-key-vain" }, "×"), " read in vain"), el("span", {}, el("i", { class: "zo-key-unread" }), " not read")));
    }

    tellWords(ranges, read, wanted) {
      const vain = read - wanted;
      const verdict = `${plural(ranges.length, "range")}: ${plural(read, "cell")} read, ${vain === 0n ? "none in vain" : `${vain} in vain`}`;
      const needed = C.ranges(this.box, Infinity).length;
      this.words.className = `zo-words ${vain === 0n ? "wg-sound" : "wg-broken"}`;
      this.words.replaceChildren(
        el("p", { class: "wg-verdict" }, `${vain === 0n ? "✓" : "✗"} ${verdict}`),
        el("p", {}, "read: ", el("code", {}, ranges.map(rangeText).join(", "))),
        el("p", {}, `The box has ${plural(wanted, "cell")}; nothing is read in vain from ${plural(needed, "range")} on.`),
        this.corner("lowest corner", this.box.low), this.corner("highest corner", this.box.high), ...this.tellPlaces(ranges));
      this.say(`${verdict}. Read: ${ranges.map(rangeText).join(", ")}.`);
    }

    /** A corner's number, bit by bit: an x and a y in turn. */
    corner(name, [x, y]) {
      const number = C.interleave(x, y);
      const bits = number.toString(2).padStart(2 * this.bits, "0");
      return el("p", { class: "zo-corner" }, `${name}: x ${x}, y ${y} = `,
        el("span", { class: "zo-bits" }, ...[...bits].map((bit, i) => el("code", { class: i % 2 === 0 ? "wg-f0" : "wg-f1" }, bit, el("span", { "aria-hidden": "true" }, i % 2 === 0 ? "x" : "y")))),
        ` = ${number}`);
    }

    tellPlaces(ranges) {
      if (this.places.length === 0) return [];
      const rows = this.places.map(({ name, lon, lat }) => {
        const number = C.interleave(...C.cell(lon, lat, this.bits));
        const kind = C.contains(this.box, number) ? "✓ found" : ranges.some(([first, last]) => first <= number && number <= last) ? "✗ read in vain" : "not read";
        return el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, String(number)), el("td", {}, String(C.geohash(lon, lat))), el("td", {}, kind));
      });
      return [el("table", { class: "zo-places" }, el("thead", {}, el("tr", {}, ...["place", "cell", "52-bit score", ""].map((text) => (text === "" ? el("td") : el("th", { scope: "col" }, text))))), el("tbody", {}, ...rows))];
    }
  }

  customElements.define("z-order-map", ZOrderMap);
})();
