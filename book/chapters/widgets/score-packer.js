// <score-packer fields="gems:33:200, paid:1:1, time:29:290072179">fallback</score-packer>
//
// Bit fields, most significant first, packed into one score. It shows which field each bit of the
// number and of its double belongs to, which bits the double has no room for, and what comes back.
// `book/README.md` lists the attributes.
//
// The arithmetic of scores is in `scores.js`; here is only that of the slider.
(() => {
  "use strict";

  const { el, button, brief, unseen, Widget } = WidgetParts;
  const S = ScoreFields;

  const LETTERS = "ABCD";
  const FIELDS_MAX = 4;
  const LINE_STEPS = 1000;

  // The slider goes by powers of two, so that each doubling takes the same room.
  const fromLine = (bits, point) => {
    if (point >= LINE_STEPS) return S.limit(bits);
    return BigInt(Math.floor(2 ** ((point / LINE_STEPS) * bits))) - 1n;
  };
  const toLine = (bits, value) => Math.round((Math.log2(Number(value) + 1) / bits) * LINE_STEPS);

  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  class ScorePacker extends Widget {
    get title_() { return "Score packer"; }

    setUp() {
      const fields = S.parse(this.getAttribute("fields") ?? "high:33:200, flag:1:1, low:29:5");
      if (fields.error) throw new Error(fields.error);
      this.start = this.atMost(FIELDS_MAX, fields, "fields");
      this.fields = this.start.map((field) => ({ ...field }));
      this.build();
      this.show();
    }

    build() {
      this.rows = this.fields.map((field, i) => this.buildField(field, i));
      this.message = el("p", { class: "wg-message", role: "status" });
      this.verdict = el("p", { class: "wg-verdict" });
      this.number = el("div", { class: "sp-bits", "aria-hidden": "true" });
      this.double = el("div", { class: "sp-bits", "aria-hidden": "true" });
      this.numberTitle = el("p", { class: "wg-title" });
      this.doubleTitle = el("p", { class: "wg-title" });
      this.lostWords = unseen("");
      this.back = el("tbody");
      this.result = el("div", { class: "sp-result" },
        this.verdict, this.numberTitle, this.number, this.lostWords, this.doubleTitle, this.double,
        el("table", { class: "sp-back" }, el("caption", {}, "Read back from the score"),
          el("thead", {}, el("tr", {}, ...["field", "put in", "comes back"].map((text) => el("th", { scope: "col" }, text)))), this.back));
      this.body.append(el("div", { class: "sp-fields" }, ...this.rows.map((row) => row.node)),
        el("div", { class: "wg-controls" }, button("Start again", "start again with the fields of the page", () => this.reset()), this.message),
        this.result, this.spoken);
    }

    buildField(field, i) {
      const id = `${this.name}-${i}`;
      const label = `${LETTERS[i]} ${field.name}`;
      const input = el("input", { id, type: "text", inputmode: "numeric", autocomplete: "off", spellcheck: "false", oninput: () => this.typed(i) });
      const line = el("input", { type: "range", min: 0, max: LINE_STEPS, step: 1, "aria-label": `${label}, by powers of two`, oninput: () => this.slide(i) });
      const bits = el("span", { class: "sp-width" });
      const node = el("div", { class: `sp-field wg-f${i}` },
        el("label", { for: id }, el("span", { class: "wg-letter" }, LETTERS[i]), ` ${field.name}`), input, line,
        el("span", { class: "sp-steps" },
          button("−", `${field.name}: one bit fewer`, () => this.resize(i, -1)), bits,
          button("+", `${field.name}: one bit more`, () => this.resize(i, 1))),
        button("ZINCRBY 1", `ZINCRBY 1 on ${field.name}`, () => this.increment(i), { class: "sp-add" }));
      return { node, input, line, bits };
    }

    // ---- what the reader does

    typed(i) {
      const answer = S.value(this.fields[i], this.rows[i].input.value);
      this.rows[i].input.setAttribute("aria-invalid", answer.error ? "true" : "false");
      this.tell(answer.error ? `✗ ${answer.error}` : "", Boolean(answer.error));
      this.result.classList.toggle("sp-stale", Boolean(answer.error));
      if (answer.error) return;
      this.fields[i].value = answer.value;
      this.show(i);
    }

    slide(i) {
      this.fields[i].value = fromLine(this.fields[i].bits, Number(this.rows[i].line.value));
      this.tell("", false);
      this.show();
    }

    resize(i, by) {
      const field = this.fields[i];
      const bits = field.bits + by;
      if (bits < 1 || bits > S.FIELD_BITS_MAX || S.width(this.fields) + by > S.WIDTH_MAX) return;
      const cut = field.value > S.limit(bits);
      field.bits = bits;
      if (cut) field.value = S.limit(bits);
      this.tell(cut ? `${S.hold(bits)} at most ${field.value}: ${field.name} was lowered to it.` : "", false);
      this.show();
    }

    /** As the server does it: adds to the double, and knows nothing of fields. */
    increment(i) {
      const field = this.fields[i];
      const before = S.score(S.pack(this.fields));
      const after = S.increment(this.fields, i, before);
      const from = S.unpack(this.fields, BigInt(before));
      const to = S.unpack(this.fields, BigInt(after));
      if (to[0] > S.limit(this.fields[0].bits)) {
        this.tell(`✗ ${this.fields[0].name} is full: the score would need more than ${S.width(this.fields)} bits.`, true);
        return;
      }
      const others = this.fields.filter((_, at) => at !== i && to[at] !== from[at]).map(({ name }) => name);
      let text = `✓ ${field.name} went from ${from[i]} to ${to[i]}.`;
      if (after === before) text = `✗ Nothing changed: the doubles here are ${S.gap(BigInt(before))} apart, and ${field.name} counts ${2n ** BigInt(S.shift(this.fields, i))}.`;
      else if (to[i] !== from[i] + 1n) text = `✗ ${field.name} went from ${from[i]} to ${to[i]}${others.length > 0 ? `, and ${others.join(", ")} changed too` : ""}.`;
      this.fields.forEach((one, at) => { one.value = to[at]; });
      this.tell(text, text.startsWith("✗"));
      this.show();
    }

    reset() {
      this.fields = this.start.map((field) => ({ ...field }));
      this.tell("", false);
      this.show();
    }

    tell(text, bad) {
      this.message.textContent = brief(text);
      this.message.classList.toggle("wg-bad", bad);
    }

    // ---- showing

    show(typing = null) {
      const number = S.pack(this.fields);
      const stored = BigInt(S.score(number));
      const lost = S.lost(number);
      const back = S.unpack(this.fields, stored);
      this.fields.forEach((field, i) => this.showField(field, this.rows[i], i === typing));
      const width = S.width(this.fields);
      this.result.classList.remove("sp-stale");
      const sound = lost === 0;
      const changed = this.fields.filter((field, i) => back[i] !== field.value).map(({ name }) => name);
      const widths = `${this.fields.map(({ bits }) => bits).join(" + ")} = ${plural(width, "bit")}`;
      const verdict = sound
        ? `✓ the double keeps every bit${width > S.DOUBLE_BITS ? `, as long as ${this.fields[0].name} stays below 2^${Math.max(0, S.DOUBLE_BITS - width + this.fields[0].bits)}` : ""}`
        : `✗ ${plural(lost, "bit")} lost: scores here are ${S.gap(number)} apart${changed.length > 0 ? `; ${changed.join(" and ")} comes back wrong` : "; this number happens to be one of them"}`;
      this.verdict.textContent = verdict;
      this.result.classList.toggle("wg-sound", sound);
      this.result.classList.toggle("wg-broken", !sound);
      this.numberTitle.replaceChildren("The number, ", el("code", {}, String(number)), `: ${widths}, the first 1 at bit ${Math.max(0, S.bitLength(number) - 1)}`);
      this.doubleTitle.replaceChildren("Its double, ", el("code", {}, String(stored)), ": under each fraction bit the field that it stores");
      this.lostWords.textContent = sound ? "No bit is lost." : `Lost are the bits ${lost - 1} to 0 of the number.`;
      this.showNumber(number, width, lost);
      this.showDouble(number);
      this.back.replaceChildren(...this.fields.map((field, i) => el("tr", { class: `wg-f${i}` },
        el("th", { scope: "row" }, el("span", { class: "wg-letter" }, LETTERS[i]), ` ${field.name}`), el("td", {}, String(field.value)),
        el("td", back[i] === field.value ? {} : { class: "wg-why" }, back[i] === field.value ? `✓ ${back[i]}` : `✗ ${back[i]}`))));
      this.say(`Score ${stored}. ${verdict.slice(2)}.`);
    }

    showField({ name, bits, value }, row, typing) {
      if (!typing) {
        row.input.value = String(value);
        row.input.setAttribute("aria-invalid", "false");
      }
      if (fromLine(bits, Number(row.line.value)) !== value) row.line.value = String(toLine(bits, value));
      row.line.setAttribute("aria-valuetext", `${name} ${value}`);
      row.bits.textContent = plural(bits, "bit");
    }

    showNumber(number, width, lost) {
      const cells = [];
      for (let index = width - 1; index >= 0; index -= 1) {
        const field = S.fieldAt(this.fields, index);
        const place = index < lost ? "sp-lost" : index >= S.bitLength(number) ? "sp-ahead" : "";
        const edge = index === S.shift(this.fields, field) + this.fields[field].bits - 1 ? "sp-edge" : "";
        const bit = String((number >> BigInt(index)) & 1n);
        cells.push(el("span", { class: `sp-bit wg-f${field} ${place} ${edge} ${bit === "1" ? "sp-one" : ""}` }, el("b", {}, bit), el("span", {}, index < lost ? "✗" : LETTERS[field])));
      }
      this.number.replaceChildren(...cells);
    }

    showDouble(number) {
      this.double.replaceChildren(...S.doubleBits(number).map(({ bit, part, index }) => {
        const field = index === null ? null : S.fieldAt(this.fields, index);
        const letter = field === null ? (part === "f" ? "·" : part) : LETTERS[field];
        return el("span", { class: `sp-bit ${field === null ? "wg-frame" : `wg-f${field}`} ${bit === 1 ? "sp-one" : ""}` }, el("b", {}, String(bit)), el("span", {}, letter));
      }));
    }
  }

  customElements.define("score-packer", ScorePacker);
})();
