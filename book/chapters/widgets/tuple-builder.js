// <tuple-builder fields="text:a, u32:7, text:b" schemes="joined, escaped" others="text:a, u32:8, text:b; …">fallback</tuple-builder>
//
// Fields become the bytes of one key, under each scheme. Among the tuples that the reader keeps, it
// shows which share a key, which stand behind one that belongs behind them, and which strangers a
// scan by the first fields meets. `book/README.md` lists the attributes.
//
// All arithmetic is in `tuples.js`; this file only asks and shows.
(() => {
  "use strict";

  const { el, list, button, brief, unseen, Widget } = WidgetParts;
  const K = KeyEncodings;
  const T = TupleKeys;

  const TUPLES_MAX = 8;
  const FIELDS_MAX = 4;
  const LETTERS = "ABCD";
  const DEFAULTS = { fields: "text:a, text:b", schemes: "joined, length, escaped, fixed" };

  const same = (a, b) => a.length === b.length && a.every((one, i) => one.type === b[i].type) && T.compare(a, b) === 0;
  const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;
  const printable = (byte) => (byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "");

  class TupleBuilder extends Widget {
    get title_() { return "Tuple builder"; }

    setUp() {
      const first = T.tuple(this.getAttribute("fields") ?? DEFAULTS.fields);
      if (first.error) throw new Error(first.error);
      this.first = this.atMost(FIELDS_MAX, first, "fields");
      const asked = list(this.getAttribute("schemes") ?? DEFAULTS.schemes);
      this.complain(asked.filter((id) => !Object.hasOwn(T.SCHEMES, id)).map((id) => `unknown scheme ${id}`));
      this.schemes = asked.filter((id) => Object.hasOwn(T.SCHEMES, id));
      const others = list(this.getAttribute("others"), ";").map((text) => T.tuple(text));
      this.complain(others.filter((tuple) => tuple.error).map((tuple) => tuple.error));
      this.start = this.atMost(TUPLES_MAX, others.filter((tuple) => !tuple.error), "others");
      this.fields = this.first;
      this.others = [...this.start];
      this.build();
      this.fillIn();
      this.show();
    }

    build() {
      const id = this.name;
      this.inputs = this.first.map(({ type }, i) => el("input", {
        id: `${id}-${i}`, type: "text", autocomplete: "off", spellcheck: "false", "aria-describedby": `${id}-message`, "data-type": type, oninput: () => this.typed(),
      }));
      this.scan = el("select", { id: `${id}-scan`, onchange: () => this.show() },
        ...this.first.slice(0, -1).map((_, i) => el("option", { value: i + 1 }, i === 0 ? "field A" : `fields A to ${LETTERS[i]}`)));
      this.message = el("p", { id: `${id}-message`, class: "wg-message", role: "status" });
      this.chips = el("div", { class: "wg-chips", role: "group", "aria-label": "Tuples kept" });
      this.panels = el("div", { class: "tb-panels" });
      const asks = this.inputs.map((input, i) => el("span", { class: `tb-ask wg-f${i}` },
        el("label", { for: input.id }, el("span", { class: "wg-letter" }, LETTERS[i]), ` ${input.dataset.type}`), input));
      this.body.append(
        el("div", { class: "wg-controls" }, ...asks,
          button("Keep", "keep this tuple among the others", () => this.keep()),
          button("Start again", "start again with the tuples of the page", () => this.reset()),
          this.first.length > 1 ? el("span", {}, el("label", { for: this.scan.id }, "Scan by"), this.scan) : "", this.message),
        this.chips, this.panels, this.spoken);
    }

    fillIn() {
      this.inputs.forEach((input, i) => {
        input.value = this.fields[i].text.replace(/\.0$/, "");
        input.setAttribute("aria-invalid", "false");
      });
    }

    // ---- what the reader does

    typed() {
      const fields = this.inputs.map((input) => T.shortField(input.dataset.type, input.value));
      fields.forEach((one, i) => this.inputs[i].setAttribute("aria-invalid", one.error ? "true" : "false"));
      const problem = fields.find((one) => one.error)?.error;
      this.tell(problem ? `✗ ${problem}` : "", Boolean(problem));
      if (problem) return;
      this.fields = fields;
      this.show();
    }

    tell(text, bad) {
      this.message.textContent = brief(text);
      this.message.classList.toggle("wg-bad", bad);
      this.body.classList.toggle("wg-stale", bad);
    }

    keep() {
      if (this.others.some((tuple) => same(tuple, this.fields))) this.tell("This tuple is kept already.", false);
      else if (this.others.length >= TUPLES_MAX) this.tell(`${TUPLES_MAX} tuples are enough: remove one first.`, false);
      else {
        this.others.push(this.fields);
        this.tell(`Kept ${T.name(this.fields)}. Change a field and compare.`, false);
        this.show();
      }
    }

    remove(at) {
      this.others.splice(at, 1);
      this.show();
      (this.chips.querySelectorAll(".wg-remove")[Math.min(at, this.others.length - 1)] ?? this.inputs[0]).focus();
    }

    // A kept tuple may have other fields than those that can be typed here.
    load(tuple) {
      if (tuple.length !== this.first.length || tuple.some((one, i) => one.type !== this.first[i].type)) {
        this.tell(`${T.name(tuple)} has other fields than these.`, false);
        return;
      }
      this.fields = tuple;
      this.fillIn();
      this.tell("", false);
      this.show();
    }

    reset() {
      this.fields = this.first;
      this.others = [...this.start];
      this.fillIn();
      this.tell("", false);
      this.show();
    }

    // ---- showing

    show() {
      this.chips.replaceChildren(...this.others.map((tuple, at) => {
        const name = T.name(tuple);
        return el("span", { class: "wg-chip" },
          button(name, `put ${name} into the fields`, () => this.load(tuple), { class: "wg-follow" }),
          button("×", `remove ${name}`, () => this.remove(at), { class: "wg-remove" }));
      }));
      const results = this.schemes.map((id) => this.judge(id));
      this.panels.replaceChildren(...results.map((result) => this.panel(result)));
      this.say([`${T.name(this.fields)}.`, ...results.map(({ title, verdict }) => `${title}: ${verdict}.`)].join(" "));
    }

    /** One scheme: its key, the tuples by bytes, and what is wrong with that. */
    judge(id) {
      const tuples = this.others.some((tuple) => same(tuple, this.fields)) ? this.others : [this.fields, ...this.others];
      const rows = T.sortByKey(id, tuples);
      const first = this.fields.slice(0, Number(this.scan.value));
      const strangers = first.length > 0 ? T.strangers(id, first, tuples) : [];
      const losses = T.losses(id, this.fields);
      const collisions = rows.filter((row) => row.ties !== null).length;
      const breaks = rows.filter((row) => row.breaks !== null).length;
      const faults = [
        ...(collisions > 0 ? [count(collisions, "collision", "collisions")] : []),
        ...(breaks > 0 ? [`${breaks} out of order`] : []),
        ...(strangers.length > 0 ? [`${count(strangers.length, "stranger", "strangers")} in the scan`] : []),
        ...losses,
      ];
      const { title, rule } = T.SCHEMES[id];
      const verdict = faults.length === 0 ? "every tuple has its key, in order" : faults.join(", ");
      return { id, title, rule, rows, first, strangers, sound: faults.length === 0, verdict };
    }

    panel({ id, title, rule, rows, first, strangers, sound, verdict }) {
      return el("div", { role: "group", class: `tb-panel ${sound ? "wg-sound" : "wg-broken"}`, "aria-label": title },
        el("p", { class: "wg-name" }, title), el("p", { class: "wg-rule" }, rule),
        el("p", { class: "wg-verdict" }, `${sound ? "✓" : "✗"} ${verdict}`),
        this.keyCells(id), this.sorted(rows), this.scanned(id, first, strangers));
    }

    /** The key's bytes: a letter under each says which field it is of; those of the frame have none. */
    keyCells(id) {
      const pieces = T.encode(id, this.fields);
      const cells = pieces.flatMap(({ field, own, bytes }) => bytes.map((byte) => el("span", { class: `tb-byte ${own ? `wg-f${field}` : "wg-frame"}` },
        el("code", {}, K.hex([byte])), el("span", {}, printable(byte) || "\u00a0"), el("span", { class: "wg-letter" }, own ? LETTERS[field] : "·"))));
      const words = pieces.map(({ field, own, bytes }) => `${own ? `field ${LETTERS[field]}` : "frame"} ${K.hex(bytes) || "no bytes"}`).join(", ");
      return el("div", {}, unseen(`Key: ${words}`), el("div", { class: "tb-key", "aria-hidden": "true" }, ...cells));
    }

    sorted(rows) {
      return el("ol", { class: "tb-rows", "aria-label": "by bytes" }, ...rows.map((row) => {
        const own = same(row.fields, this.fields);
        const why = row.ties !== null ? `✗ same key as ${T.name(row.ties)}` : row.breaks !== null ? `✗ belongs before ${T.name(row.breaks)}` : "";
        return el("li", { class: `${own ? "wg-own" : ""} ${row.ties !== null ? "tb-ties" : ""} ${row.breaks !== null ? "tb-breaks" : ""}`, "aria-current": own ? "true" : null },
          el("span", { class: "tb-name" }, `${own ? "▸ " : ""}${T.name(row.fields)}`), el("code", {}, K.hex(row.key)),
          why === "" ? "" : el("span", { class: "wg-why" }, why));
      }));
    }

    scanned(id, first, strangers) {
      if (first.length === 0) return "";
      const start = K.hex(T.prefix(id, first));
      return el("p", { class: "tb-scan" }, `Scan for ${first.map(T.shown).join(", ")}, keys that begin with `, el("code", {}, start),
        strangers.length === 0 ? ": ✓ nothing else." : el("span", { class: "wg-why" }, `: ✗ also ${strangers.map(T.name).join(", ")}.`));
    }
  }

  customElements.define("tuple-builder", TupleBuilder);
})();
