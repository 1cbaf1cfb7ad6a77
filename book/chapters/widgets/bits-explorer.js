// <bits-explorer type="i64" value="-1" neighbours="-2, 0, 1" encodings="le, be, sign-flip">fallback</bits-explorer>
//
// A number, its bits by field, its bytes, and where its key lands among sorted neighbours under
// each encoding. `book/README.md` lists the attributes. What stands inside the element is its
// fallback: it stays in the page for paper and for readers without scripts.
//
// All arithmetic is in `encodings.js`; this file only asks and shows.
(() => {
  "use strict";

  const { el, list, button, brief, Widget } = WidgetParts;
  const K = KeyEncodings;

  const ENCODINGS_MAX = 6;
  const DEFAULTS = {
    unsigned: { encodings: "le, be", neighbours: "0, 1, 2, 9, 10, 127, 128, 255, 256, 257, 65535, 65536, 4294901760" },
    signed: { encodings: "le, be, sign-flip, ledis", neighbours: "-300, -200, -100, -2, -1, 0, 1, 2, 100, 255, 256, 4294901760" },
    float: { encodings: "be, sign-flip, total-order, qdb", neighbours: "-inf, -100, -2, -1, -0, 0, 1, 2, 100, inf" },
  };
  const PRESETS = {
    unsigned: (type) => ["0", "1", "255", K.format(type, K.mask(type))],
    signed: (type) => [K.format(type, K.signBit(type)), "-1", "0", "1", K.format(type, K.mask(type) ^ K.signBit(type))],
    float: () => ["-inf", "-1", "-0", "0", "1", "inf", "nan"],
  };
  const spaced = (bytes) => bytes.map((byte) => K.hex([byte])).join(" ");

  class BitsExplorer extends Widget {
    get title_() { return "Bits explorer"; }

    setUp() {
      const type = this.getAttribute("type") ?? "i64";
      const start = Object.hasOwn(K.TYPES, type) ? K.parse(type, this.getAttribute("value") ?? "0") : { error: `unknown type ${type}` };
      if (start.error) throw new Error(start.error);
      this.complain(this.problems(type));
      this.asked = this.atMost(ENCODINGS_MAX, list(this.getAttribute("encodings")), "encodings");
      this.type = type;
      this.bits = start.bits;
      this.build();
    }

    /** Mistakes in the attributes, for the writer of the page. */
    problems(type) {
      const unknown = (kind, list, good) => list.filter((word) => !good(word)).map((word) => `${kind} ${word} does not suit ${type}`);
      return [
        ...unknown("encoding", list(this.getAttribute("encodings")), (id) => K.supports(id, type)),
        ...unknown("neighbour", list(this.getAttribute("neighbours")), (text) => !K.parse(type, text).error),
        ...unknown("type", list(this.getAttribute("types")), (name) => Object.hasOwn(K.TYPES, name)),
      ];
    }

    get family() { return K.TYPES[this.type].family; }

    // ---- building: once, and again when the type changes

    build() {
      this.body.replaceChildren(this.buildControls(), this.buildLine(), this.buildBits(), this.buildBytes(), this.buildColumns());
      this.body.append(this.spoken);
      this.before = null;
      this.show();
    }

    buildControls() {
      const id = this.name;
      this.field = el("input", {
        id: `${id}-value`, type: "text", inputmode: this.family === "float" ? "text" : "numeric", autocomplete: "off",
        spellcheck: "false", "aria-describedby": `${id}-message`, oninput: () => this.typed(), onkeydown: (event) => this.fieldKey(event),
      });
      this.message = el("p", { id: `${id}-message`, class: "wg-message", role: "status" });
      const types = list(this.getAttribute("types")).filter((name) => Object.hasOwn(K.TYPES, name));
      const choices = types.length > 0 ? types : Object.keys(K.TYPES).filter((name) => K.TYPES[name].family === this.family);
      const select = el("select", { id: `${id}-type`, onchange: () => this.changeType(select.value) },
        ...choices.map((name) => el("option", { value: name }, name)));
      select.value = this.type;
      const presets = PRESETS[this.family](this.type).map((text) => {
        const shown = text.length <= 12 ? text : text.startsWith("-") ? "MIN" : "MAX";
        return button(shown, shown === text ? `set to ${text}` : `${shown}: set to ${text}`, () => this.set(K.parse(this.type, text).bits));
      });
      return el("div", { class: "wg-controls" },
        el("span", {}, el("label", { for: `${id}-value` }, "Number"), this.field,
          button("−", "next lower value", () => this.step(-1)), button("+", "next higher value", () => this.step(1))),
        el("span", {}, el("label", { for: `${id}-type` }, "Type"), select),
        el("span", { class: "bx-presets", role: "group", "aria-label": "Examples" }, ...presets), this.message);
    }

    buildLine() {
      const id = this.name;
      this.line = el("input", {
        id: `${id}-line`, type: "range", min: "0", max: String(K.LINE_STEPS), step: "1",
        oninput: () => this.set(K.fromLine(this.type, Number(this.line.value))), onkeydown: (event) => this.lineKey(event),
      });
      this.marks = el("div", { class: "bx-marks", "aria-hidden": "true" });
      const ticks = [0, 250, 500, 750, 1000].map((point) => {
        const text = K.format(this.type, K.fromLine(this.type, point));
        const x = Number(text.replace("inf", "Infinity"));
        if (!Number.isFinite(x)) return el("span", {}, text);
        // Of a number that fits, no digit is left out: 255 is not 260 here.
        if (this.family !== "float" && Math.abs(x) < 1e6) return el("span", {}, text);
        return el("span", {}, Math.abs(x) < 1e6 ? String(Number(x.toPrecision(2))) : x.toExponential(1).replace(".0e", "e").replace("e+", "e"));
      });
      const scale = this.family === "float" ? "every value takes the same room" : "by powers of two";
      return el("div", { class: "bx-line" }, el("label", { for: `${id}-line` }, `Number line, ${scale}`),
        this.line, this.marks, el("div", { class: "wg-ticks", "aria-hidden": "true" }, ...ticks));
    }

    buildBits() {
      const { bits, exponent } = K.TYPES[this.type];
      this.buttons = [];
      const letterOf = (index) => {
        if (this.family === "unsigned") return "v";
        if (index === bits - 1) return "s";
        if (this.family === "signed") return "v";
        return index >= bits - 1 - exponent ? "e" : "f";
      };
      const groups = el("div", { class: "bx-bytes", role: "group", "aria-label": "Bits, highest first: arrow keys move, space flips",
        onkeydown: (event) => this.bitKey(event) });
      for (let top = bits - 1; top > 0; top -= 8) {
        const row = el("div", { class: "bx-bits" });
        for (let index = top; index > top - 8; index -= 1) {
          const letter = letterOf(index);
          const bit = el("button", { type: "button", class: `bx-bit bx-${letter}`, "data-letter": letter, tabindex: index === bits - 1 ? "0" : "-1",
            onclick: () => this.flip(index), onfocus: () => this.rove(index) });
          this.buttons[index] = bit;
          row.append(bit);
        }
        groups.append(el("div", { class: "bx-byte" }, row, el("code", { class: "bx-hex" })));
      }
      this.groups = groups;
      this.legend = el("dl", { class: "bx-legend" });
      return el("div", {}, groups, this.legend);
    }

    buildBytes() {
      this.endian = { big: el("code"), little: el("code") };
      return el("table", { class: "bx-endian" },
        el("caption", {}, "The same bits as bytes"),
        el("tbody", {},
          el("tr", {}, el("th", { scope: "row" }, "big-endian"), el("td", {}, this.endian.big)),
          el("tr", {}, el("th", { scope: "row" }, "little-endian"), el("td", {}, this.endian.little))));
    }

    buildColumns() {
      this.columns = el("div", { class: "bx-columns", role: "group", "aria-label": "Sorted by key, under each encoding" });
      return this.columns;
    }

    // ---- what the reader does

    typed() {
      const answer = K.parse(this.type, this.field.value);
      this.field.setAttribute("aria-invalid", answer.error ? "true" : "false");
      this.body.classList.toggle("wg-stale", Boolean(answer.error));
      this.message.textContent = brief(answer.error ? `✗ ${answer.error}` : answer.note);
      if (answer.error) return;
      this.bits = answer.bits;
      this.show({ keepText: true });
    }

    set(bits) {
      this.bits = bits;
      this.field.setAttribute("aria-invalid", "false");
      this.body.classList.remove("wg-stale");
      this.message.textContent = "";
      this.show();
    }

    step(direction) { this.set(K.step(this.type, this.bits, direction)); }

    flip(index) { this.set(this.bits ^ (1n << BigInt(index))); }

    changeType(type) {
      const text = K.format(this.type, this.bits);
      const answer = K.parse(type, text.replace(/\.0$/, ""));
      this.type = type;
      this.bits = answer.error ? K.parse(type, "0").bits : answer.bits;
      this.build();
      this.message.textContent = brief(answer.error ? `${answer.error} Showing 0.` : answer.note);
      this.querySelector("select").focus();
    }

    fieldKey(event) {
      const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (direction === undefined) return;
      event.preventDefault();
      this.step(direction);
    }

    // The slider's own step skips values; Shift and an arrow take the very next one. The browser does
    // not report an end at which the slider stands already, though the value may be its neighbour.
    lineKey(event) {
      const direction = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
      const end = { Home: 0, End: K.LINE_STEPS }[event.key];
      if (end === undefined && (direction === undefined || !event.shiftKey)) return;
      event.preventDefault();
      if (end === undefined) this.step(direction);
      else this.set(K.fromLine(this.type, end));
    }

    bitKey(event) {
      const at = this.buttons.indexOf(document.activeElement);
      const last = this.buttons.length - 1;
      const to = { ArrowLeft: at + 1, ArrowRight: at - 1, ArrowUp: at + 8, ArrowDown: at - 8, Home: last, End: 0 }[event.key];
      if (to === undefined || at < 0) return;
      event.preventDefault();
      this.buttons[Math.max(0, Math.min(last, to))].focus();
    }

    rove(index) {
      this.buttons.forEach((button, i) => { button.tabIndex = i === index ? 0 : -1; });
    }

    // ---- showing the present value

    show({ keepText = false } = {}) {
      const text = K.format(this.type, this.bits);
      if (!keepText) this.field.value = text;
      const point = K.toLine(this.type, this.bits);
      if (K.fromLine(this.type, Number(this.line.value)) !== this.bits) this.line.value = String(point);
      this.line.setAttribute("aria-valuetext", text);
      this.marks.replaceChildren(...this.neighbours().filter((bits) => bits !== this.bits).map((bits) =>
        el("i", { style: `--at: ${K.toLine(this.type, bits) / K.LINE_STEPS}`, title: K.format(this.type, bits) })));
      this.showBits();
      this.endian.big.textContent = spaced(K.bigEndian(this.type, this.bits));
      this.endian.little.textContent = spaced(K.littleEndian(this.type, this.bits));
      const results = this.encodings().map((id) => this.column(id));
      this.columns.dataset.count = String(results.length);
      this.columns.replaceChildren(...results.map((result) => result.card));
      this.say([`${text} as ${this.type}.`, ...results.map((result) => result.sentence)].join(" "));
    }

    showBits() {
      this.buttons.forEach((button, index) => {
        const bit = (this.bits >> BigInt(index)) & 1n;
        const field = { s: "sign", e: "exponent", f: "fraction", v: "value" }[button.dataset.letter];
        // As a mark of the style, so that the button's name stays the same while it is pressed and released.
        button.dataset.bit = String(bit);
        button.setAttribute("aria-pressed", bit === 1n ? "true" : "false");
        button.setAttribute("aria-label", `bit ${index}, ${field}`);
      });
      const bytes = K.bigEndian(this.type, this.bits);
      // While a hand drags along the line, the bytes that moved with it are seen at once.
      const moved = (i) => this.before !== null && this.before[i] !== bytes[i];
      this.groups.querySelectorAll(".bx-hex").forEach((hex, i) => {
        hex.textContent = K.hex([bytes[i]]);
        hex.classList.toggle("bx-changed", moved(i));
      });
      this.before = bytes;
      const rows = K.fields(this.type, this.bits).map(({ letter, name, width, meaning }) =>
        el("div", {}, el("dt", { class: `bx-${letter}` }, `${letter} = ${name}, ${width} ${width === 1 ? "bit" : "bits"}`), el("dd", {}, meaning)));
      this.legend.replaceChildren(...rows);
    }

    encodings() {
      const [asked, usual] = [this.asked, list(DEFAULTS[this.family].encodings)].map((ids) => ids.filter((id) => K.supports(id, this.type)));
      return asked.length > 0 ? asked : usual;
    }

    neighbours() {
      const asked = this.getAttribute("neighbours") ?? DEFAULTS[this.family].neighbours;
      const parsed = list(asked).map((text) => K.parse(this.type, text)).filter((answer) => !answer.error);
      return [...new Set([...parsed.map((answer) => answer.bits), this.bits])];
    }

    /** One encoding: the value's key, whether the order holds, and the neighbours sorted by key. */
    column(id) {
      const { title, rule, encode, decode, descending } = K.ENCODINGS[id];
      const name = (bits) => K.format(this.type, bits);
      const { rows, refused } = K.sortByKey(id, this.type, this.neighbours());
      const key = encode(this.type, this.bits);
      const at = rows.findIndex((row) => row.bits === this.bits);
      const first = descending ? (order) => order > 0 : (order) => order < 0;
      const less = rows.filter((row) => first(K.compareNumbers(this.type, row.bits, this.bits))).length;
      const equal = rows.filter((row) => K.compareNumbers(this.type, row.bits, this.bits) === 0).length;
      const placed = at < 0 || (at >= less && at < less + equal);
      const sound = rows.every((row) => row.breaks === null);
      const place = at < 0 ? "refused: NaN has no key here"
        : `place ${at + 1} of ${rows.length}${placed ? "" : `, belongs at ${less + 1}`}`;
      const notes = [];
      if (key !== null && decode && decode(this.type, key) !== this.bits) notes.push(`comes back as ${name(decode(this.type, key))}`);
      if (refused.length > 0 && at >= 0) notes.push(`refuses ${refused.map(name).join(", ")}`);
      const items = rows.map((row) => this.row(row, name));
      const card = el("div", { role: "group", class: `bx-column ${sound ? "wg-sound" : "wg-broken"}`, "aria-label": title },
        el("p", { class: "wg-name" }, title), el("p", { class: "bx-rule" }, rule),
        el("p", { class: "wg-verdict" }, sound ? `✓ in order${descending ? ", greatest first" : ""}` : "✗ out of order"),
        el("p", { class: "bx-key" }, key === null ? "no key" : el("code", {}, K.hex(key))),
        el("p", { class: placed ? "bx-place" : "bx-place bx-misplaced" }, [place, ...notes].join("; ")),
        el("ol", {}, ...items));
      return { card, sentence: `${title}: ${sound ? "in order" : "out of order"}, ${[place, ...notes].join(", ")}.` };
    }

    row({ bits, key, breaks, ties }, name) {
      const own = bits === this.bits;
      const item = el("li", { class: own ? "bx-own" : null, "aria-current": own ? "true" : null },
        el("span", { class: "bx-name" }, `${own ? "▸ " : ""}${name(bits)}`), el("code", {}, K.hex(key)));
      if (breaks !== null) {
        item.classList.add("bx-break");
        item.append(el("span", { class: "bx-why" }, `✗ after ${name(breaks)}`));
      } else if (ties !== null) {
        item.append(el("span", { class: "bx-why" }, `= same key as ${name(ties)}`));
      }
      return item;
    }
  }

  customElements.define("bits-explorer", BitsExplorer);
})();
