// <byte-sorter type="i64" values="-300, -1, 0, 1, 256" encodings="be, sign-flip">fallback</byte-sorter>
//
// The same values under up to four encodings, each column sorted by bytes. A line leads from each
// value's place by value to its place by bytes: where an encoding keeps the order no two lines
// cross. `book/README.md` lists the attributes.
//
// Keys and their order are in `encodings.js` and `tuples.js`; here is how far a column is out of order.
(() => {
  "use strict";

  const { el, svg, list, button, brief, Widget } = WidgetParts;
  const K = KeyEncodings;
  // `widgets/load.js` leaves it out where no column is of texts.
  const T = typeof TupleKeys === "undefined" ? null : TupleKeys;

  const VALUES_MAX = 12;
  const ENCODINGS_MAX = 4;
  // Beside a longer one there is no room for where it belongs.
  const LONG_NAME = 10;
  const DEFAULTS = {
    unsigned: { values: "1, 2, 10, 255, 256, 65536", encodings: "le, be" },
    signed: { values: "-300, -200, -1, 0, 1, 256", encodings: "be, sign-flip" },
    float: { values: "-inf, -2, -1, 0, 1, inf", encodings: "be, total-order" },
    text: { values: "a, aa, ab, b", encodings: "plain, length, escaped" },
  };

  const order = (value) => ["th", "st", "nd", "rd"][value % 100 > 10 && value % 100 < 14 ? 0 : value % 10] ?? "th";
  const ordinal = (value) => `${value}${order(value)}`;

  // ---- a type's values: texts are fields of one-field tuples, numbers are their bits

  const texts = {
    parse: (typed) => {
      const answer = T.shortField("text", typed);
      return answer.error ? answer : { value: answer, note: "" };
    },
    name: (value) => T.shown(value),
    same: (a, b) => K.compareKeys(a.value, b.value) === 0,
    compare: (a, b) => K.compareKeys(a.value, b.value),
    supports: (id) => id !== "joined" && Object.hasOwn(T.SCHEMES, id),
    encoding: (id) => T.SCHEMES[id],
    key: (id, value) => T.key(id, [value]),
  };

  const numbers = (type) => ({
    parse: (typed) => {
      const answer = K.parse(type, typed);
      return answer.error ? answer : { value: answer.bits, note: answer.note };
    },
    name: (value) => K.format(type, value).replace(/\.0$/, ""),
    same: (a, b) => a === b,
    compare: (a, b) => K.compareNumbers(type, a, b),
    supports: (id) => K.supports(id, type),
    encoding: (id) => K.ENCODINGS[id],
    key: (id, value) => K.ENCODINGS[id].encode(type, value),
  });

  /** The longest run of places that never goes down: what is not in it has to move. */
  function staying(places) {
    const best = [];
    places.forEach((place, i) => {
      const before = best.filter((run) => run.place <= place).reduce((a, b) => (b.length > a.length ? b : a), { length: 0 });
      best.push({ place, length: before.length + 1, i, before });
    });
    const kept = new Set();
    for (let run = best.reduce((a, b) => (b.length > a.length ? b : a), { length: 0 }); run.length > 0; run = run.before) kept.add(run.i);
    return kept;
  }

  class ByteSorter extends Widget {
    get title_() { return "Byte sorter"; }

    setUp() {
      this.type = this.getAttribute("type") ?? "i64";
      if (this.type !== "text" && !Object.hasOwn(K.TYPES, this.type)) throw new Error(`unknown type ${this.type}`);
      const family = this.type === "text" ? "text" : K.TYPES[this.type].family;
      this.kind = family === "text" ? texts : numbers(this.type);
      const asked = list(this.getAttribute("encodings") ?? DEFAULTS[family].encodings);
      this.complain(asked.filter((id) => !this.kind.supports(id)).map((id) => `encoding ${id} does not suit ${this.type}`));
      this.encodings = this.atMost(ENCODINGS_MAX, asked.filter((id) => this.kind.supports(id)), "encodings");
      const values = [];
      for (const typed of list(this.getAttribute("values") ?? DEFAULTS[family].values)) {
        const answer = this.kind.parse(typed);
        if (answer.error) this.complain([answer.error]);
        else values.push(answer.value);
      }
      this.start = this.atMost(VALUES_MAX, values, "values");
      this.values = [...this.start];
      this.followed = null;
      this.build();
      this.show();
    }

    build() {
      const id = this.name;
      this.field = el("input", {
        id: `${id}-value`, type: "text", autocomplete: "off", spellcheck: "false", "aria-describedby": `${id}-message`,
        onkeydown: (event) => { if (event.key === "Enter") this.add(); },
      });
      this.message = el("p", { id: `${id}-message`, class: "wg-message", role: "status" });
      this.chips = el("div", { class: "wg-chips", role: "group", "aria-label": "Values: press one to follow it" });
      this.panels = el("div", { class: "bs-panels" });
      this.panels.dataset.count = String(this.encodings.length);
      this.body.append(
        el("div", { class: "wg-controls" },
          el("span", {}, el("label", { for: `${id}-value` }, this.type === "text" ? "Text" : `Number, ${this.type}`), this.field,
            button("Add", "add this value", () => this.add())),
          button("Start again", "start again with the values of the page", () => this.reset()), this.message),
        this.chips, this.panels, this.spoken);
    }

    // ---- what the reader does

    add() {
      const answer = this.kind.parse(this.field.value);
      const problem = answer.error
        ?? (this.values.some((value) => this.kind.same(value, answer.value)) ? `${this.kind.name(answer.value)} is there already.` : null)
        ?? (this.values.length >= VALUES_MAX ? `${VALUES_MAX} values are enough: remove one first.` : null);
      this.field.setAttribute("aria-invalid", problem === null ? "false" : "true");
      this.message.textContent = brief(problem === null ? answer.note : `✗ ${problem}`);
      this.message.classList.toggle("wg-bad", problem !== null);
      if (problem !== null) return;
      this.values.push(answer.value);
      this.followed = answer.value;
      this.field.value = "";
      this.show();
    }

    remove(value) {
      const at = this.values.indexOf(value);
      this.values.splice(at, 1);
      if (this.followed === value) this.followed = null;
      this.show();
      // The button is gone: the next one, or the field, takes the focus.
      (this.chips.querySelectorAll(".wg-remove")[Math.min(at, this.values.length - 1)] ?? this.field).focus();
    }

    reset() {
      this.values = [...this.start];
      this.followed = null;
      this.message.textContent = "";
      this.show();
    }

    follow(value) {
      this.followed = this.followed === value ? null : value;
      this.mark(this.followed);
      for (const chip of this.chips.querySelectorAll(".wg-follow")) {
        chip.setAttribute("aria-pressed", String(this.values[Number(chip.dataset.at)] === this.followed));
      }
      if (this.followed !== null) this.say(this.results.map(({ title, rows }) => this.whereabouts(title, rows)).join(" "));
    }

    whereabouts(title, rows) {
      const at = rows.findIndex((row) => row.value === this.followed);
      if (at < 0) return `${title}: no key.`;
      const { place, key } = rows[at];
      return `${title}: ${this.kind.name(this.followed)} is ${ordinal(at + 1)} by bytes, ${ordinal(place + 1)} by value, key ${K.hex(key)}.`;
    }

    // ---- showing

    show() {
      this.chips.replaceChildren(...this.values.map((value, at) => {
        const name = this.kind.name(value);
        return el("span", { class: "wg-chip" },
          button(name, `follow ${name}`, () => this.follow(value), { class: "wg-follow", "data-at": at, "aria-pressed": String(value === this.followed) }),
          button("×", `remove ${name}`, () => this.remove(value), { class: "wg-remove" }));
      }));
      this.results = this.encodings.map((id) => this.sorted(id));
      this.panels.replaceChildren(...this.results.map((result) => this.panel(result)));
      this.mark(this.followed);
      this.say(this.results.map(({ title, verdict }) => `${title}: ${verdict}.`).join(" "));
    }

    /** One encoding: the values by bytes, each with its place by value. */
    sorted(id) {
      const { title, rule, descending } = this.kind.encoding(id);
      const sign = descending ? -1 : 1;
      const kept = this.values.filter((value) => this.kind.key(id, value) !== null);
      const byValue = [...kept].sort((a, b) => sign * this.kind.compare(a, b));
      const rows = kept.map((value) => ({ value, key: this.kind.key(id, value) }))
        .sort((a, b) => K.compareKeys(a.key, b.key) || byValue.indexOf(a.value) - byValue.indexOf(b.value));
      // Equal numbers (-0 and 0) share a place: their order among themselves cannot be wrong.
      const place = (value) => byValue.findIndex((other) => this.kind.compare(other, value) === 0);
      const stay = staying(rows.map(({ value }) => place(value)));
      let wrong = 0;
      rows.forEach((row, i) => {
        row.place = byValue.indexOf(row.value);
        row.moved = !stay.has(i);
        row.decides = i === 0 ? -1 : row.key.findIndex((byte, at) => byte !== rows[i - 1].key[at]);
        wrong += rows.slice(0, i).filter((before) => place(before.value) > place(row.value)).length;
      });
      const pairs = (rows.length * (rows.length - 1)) / 2;
      const verdict = wrong > 0 ? `${wrong} of ${pairs} pairs are the wrong way round` : descending ? "in order, greatest first" : "in order";
      return { id, title, rule, rows, byValue, sound: wrong === 0, verdict, refused: this.values.length - kept.length };
    }

    panel({ id, title, rule, rows, byValue, sound, verdict, refused }) {
      const text = id === "decimal" || id === "padded";
      const lines = rows.map((row, i) => svg("line", {
        x1: 0, x2: 100, y1: row.place + 0.5, y2: i + 0.5, class: row.moved ? "bs-line bs-moved" : "bs-line", "data-at": this.values.indexOf(row.value),
      }));
      // The wrong lines and the followed one lie over the others.
      lines.sort((a, b) => a.classList.length - b.classList.length);
      const drawing = svg("svg", { class: "bs-lines", viewBox: `0 0 100 ${Math.max(1, rows.length)}`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...lines);
      const touch = (value) => ({ "data-at": this.values.indexOf(value), onpointerenter: () => this.mark(value), onpointerleave: () => this.mark(this.followed) });
      const left = byValue.map((value) => el("li", touch(value), el("span", { class: "bs-name" }, this.kind.name(value))));
      const right = rows.map((row) => el("li", { class: row.moved ? "bs-moved" : null, ...touch(row.value) },
        el("code", { class: "bs-key", title: K.hex(row.key) }, ...this.spell(row, text)),
        el("span", { class: "bs-of" }, this.kind.name(row.value), row.moved ? el("span", { class: "wg-why" }, `✗ belongs ${ordinal(row.place + 1)}`) : "")));
      return el("div", { role: "group", class: `bs-panel ${sound ? "wg-sound" : "wg-broken"}`, "aria-label": title },
        el("p", { class: "wg-name" }, title), el("p", { class: "wg-rule" }, rule),
        el("p", { class: "wg-verdict" }, `${sound ? "✓" : "✗"} ${verdict}${refused > 0 ? `; ${refused} without a key` : ""}`),
        el("div", { class: "bs-heads", "aria-hidden": "true" }, el("span", {}, "by value"), el("span", {}, "by bytes")),
        el("div", { class: `bs-figure ${rows.some((row) => row.moved && this.kind.name(row.value).length > LONG_NAME) ? "bs-tall" : ""}` },
          el("ol", { class: "bs-left", "aria-label": "by value" }, ...left), drawing,
          el("ol", { class: "bs-right", "aria-label": "by bytes" }, ...right)));
    }

    /** A key, with the byte that decides against the key before it. */
    spell({ key, decides }, text) {
      const write = (bytes) => (text ? String.fromCharCode(...bytes) : K.hex(bytes));
      const at = decides < 0 ? key.length : decides;
      const parts = [write(key.slice(0, at)), el("b", {}, write(key.slice(at, at + 1))), write(key.slice(at + 1))];
      return text ? ["“", ...parts, "”"] : parts;
    }

    /** Brings one value forward in every panel. */
    mark(value) {
      const at = String(this.values.indexOf(value));
      for (const node of this.panels.querySelectorAll("[data-at]")) node.classList.toggle("wg-own", value !== null && node.dataset.at === at);
    }
  }

  customElements.define("byte-sorter", ByteSorter);
})();
