// Every page of the book: widgets come alive, nothing is asked of another host, nothing sticks out, little is loaded.
import { assert, close, fits, given, open, openAnswers, quiet, ready, test } from "./common.mjs";

const PAGE_BYTES_MAX = 300_000;
const THEMES = ["light", "rust", "coal", "navy", "ayu"];
// Set by a style where they are used, no names of a theme.
const LOCAL = ["--at", "--field", "--img-padding", "--padding", "--spinner-margin"];
const WIDTHS = [360, 768, 1280];
const NEEDS = {
  "explorer.html": ["parts", "encodings", "bits-explorer"],
  "sorter.html": ["parts", "encodings", "tuples", "byte-sorter"],
  "tuples.html": ["parts", "encodings", "tuples", "tuple-builder"],
  "packer.html": ["parts", "scores", "score-packer"],
  "map.html": ["parts", "curve", "z-order-map"],
  "race.html": ["parts", "comparator-race"],
  "plain.html": [],
};

/** Every widget of the page has built its picture; exercises show their command, as no server tells more. */
async function alive(page, where) {
  const asleep = await page.evaluate((widgets) => [...document.querySelectorAll(widgets)]
    .filter((node) => node.querySelector(":scope > .wg > *") === null)
    .map((node) => node.localName), given.widgets.join());
  assert.deepEqual(asleep, [], where);
}

test("every page works from plain files, on a phone", async () => {
  const page = await open(null, { width: 360 });
  let widgets = 0;
  for (const file of given.pages) {
    page.noted.errors.length = page.noted.requests.length = 0;
    await page.goto(`${given.siteFiles}/${file}`);
    await alive(page, file);
    assert.equal(await page.locator(".ws-live").count(), 0, "no server, no live state");
    await fits(page, 360);
    quiet(page, file);
    widgets += await page.locator(".wg").count();
  }
  assert.ok(widgets > 3, `only ${widgets} widgets`);
  await close(page);
});

test("every page works from the workbook's server, and is light", async () => {
  await ready(`${given.siteUrl}/index.html`);
  const page = await open(null, { theme: "navy" });
  // Each page is weighed as the first one that a reader opens.
  const session = await page.context().newCDPSession(page);
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  const sizes = [];
  page.on("response", (response) => sizes.push(response.body().then((body) => body.length, () => 0)));
  let heaviest = [0, ""];
  for (const file of given.pages) {
    sizes.length = page.noted.errors.length = page.noted.requests.length = 0;
    await page.goto(`${given.siteUrl}/${file}`);
    await alive(page, file);
    quiet(page, file);
    const size = (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
    assert.ok(size < PAGE_BYTES_MAX, `${file} loads ${size} bytes`);
    if (size > heaviest[0]) heaviest = [size, file];
  }
  console.log(`heaviest, as loaded: ${heaviest[0]} bytes, ${heaviest[1]}`);
  assert.ok(heaviest[0] > 50_000, "nothing was counted");
  await close(page);
});

test("a page loads the scripts of its own widgets only", async () => {
  const page = await open(null);
  for (const [file, scripts] of Object.entries(NEEDS)) {
    page.noted.requests.length = 0;
    await page.goto(`${given.fixtureFiles}/${file}`);
    const loaded = page.noted.requests.map((url) => /\/widgets\/([a-z-]+)\.js$/.exec(url)?.[1]).filter((name) => name !== undefined && !/-[0-9a-f]{8}$/.test(name));
    assert.deepEqual(loaded, scripts, file);
  }
  await close(page);
});

test("every widget fits every width", async () => {
  const page = await open(null);
  for (const file of Object.keys(NEEDS)) {
    for (const width of WIDTHS) {
      // Opened anew: whether the list of chapters stands beside the text is decided then.
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${given.fixtureFiles}/${file}`);
      await fits(page, width);
    }
  }
  await close(page);
});

test("what a reader types without a space stays in the page", async () => {
  const page = await open(null, { width: 360 });
  for (const file of Object.keys(NEEDS)) {
    await page.goto(`${given.fixtureFiles}/${file}`);
    const fields = page.locator(".wg input[type=text]");
    for (let i = 0; i < await fields.count(); i += 1) {
      for (const typed of ["a".repeat(300), "9".repeat(300)]) {
        await fields.nth(i).fill(typed);
        await fields.nth(i).press("Enter");
        await fits(page, 360);
      }
    }
  }
  await close(page);
});

test("every colour and size that a style asks for is known, in every theme", async () => {
  // From the server: scripts may not read the styles of a file.
  await ready(`${given.fixtureUrl}/explorer.html`);
  const page = await open(`${given.fixtureUrl}/explorer.html`);
  for (const theme of THEMES) {
    const unknown = await page.evaluate(([name, local]) => {
      document.documentElement.className = `${name} js`;
      const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).join("\n");
      const asked = new Set([...rules.matchAll(/var\((--[\w-]+)\)/g)].map((match) => match[1]));
      const style = getComputedStyle(document.documentElement);
      return [...asked].filter((variable) => style.getPropertyValue(variable) === "" && !local.includes(variable));
    }, [theme, LOCAL]);
    assert.deepEqual(unknown, [], theme);
  }
  await close(page);
});

test("arrow keys in the bits do not turn the page", async () => {
  const page = await open(`${given.fixtureFiles}/explorer.html`);
  await page.locator(".bx-bit").first().focus();
  for (const key of ["ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowRight"]) await page.keyboard.press(key);
  await page.waitForTimeout(100);
  assert.equal(page.url(), `${given.fixtureFiles}/explorer.html`);
  // Elsewhere they do: otherwise this test would prove nothing.
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("ArrowRight");
  await page.waitForURL("**/sorter.html");
  await close(page);
});

/** What the console says when a page has one more widget, with this attribute. */
async function added(page, file, [widget, attribute, value]) {
  await page.goto(`${given.fixtureFiles}/${file}`);
  await page.evaluate(([name, key, text]) => {
    const node = document.createElement(name);
    node.setAttribute(key, text);
    node.append("the fallback");
    document.querySelector("main").append(node);
  }, [widget, attribute, value]);
  const { errors } = page.noted;
  return { node: page.locator(widget).last(), said: errors.splice(0).join() };
}

test("a wrong attribute is told in the console and leaves the fallback", async () => {
  const page = await open(null);
  for (const [attribute, value, complaint] of [
    ["query", "9,9,9,9", /z-order-map: query is four numbers of 0 to 7/],
    ["bits", "6", /z-order-map: bits is 1 to 5, not 6/],
    ["bits", "2.5", /z-order-map: bits is 1 to 5, not 2.5/],
    ["ranges", "x", /z-order-map: ranges is 1 to 12, not x/],
  ]) {
    const { node, said } = await added(page, "map.html", ["z-order-map", attribute, value]);
    assert.match(said, complaint);
    assert.equal(await node.innerText(), "the fallback");
  }
  await close(page);
});

test("what an attribute has too much of is left out, and told in the console", async () => {
  const page = await open(null);
  const numbers = Array.from({ length: 13 }, (_, i) => i).join(", ");
  for (const [file, widget, attribute, value, kept, count, most] of [
    ["explorer.html", "bits-explorer", "encodings", "le, be, decimal, padded, inverted, sign-flip, ledis", ".bx-column", "7 encodings", 6],
    ["sorter.html", "byte-sorter", "values", numbers, ".wg-chip", "13 values", 12],
    ["sorter.html", "byte-sorter", "encodings", "le, be, sign-flip, invert-all, ledis", ".bs-panel", "5 encodings", 4],
    ["tuples.html", "tuple-builder", "fields", "u8:1, u8:2, u8:3, u8:4, u8:5", ".tb-ask", "5 fields", 4],
    ["tuples.html", "tuple-builder", "others", "u8:1; u8:2; u8:3; u8:4; u8:5; u8:6; u8:7; u8:8; u8:9", ".wg-chip", "9 others", 8],
    ["packer.html", "score-packer", "fields", "a:1:0, b:1:0, c:1:0, d:1:0, e:1:0", ".sp-field", "5 fields", 4],
  ]) {
    const { node, said } = await added(page, file, [widget, attribute, value]);
    assert.match(said, new RegExp(`${widget}: ${count}, of which only ${most} have room`));
    assert.equal(await node.locator(kept).count(), most, widget);
  }
  await close(page);
});

test("a map of one bit a side has a box of its own", async () => {
  const page = await open(null);
  const { node, said } = await added(page, "map.html", ["z-order-map", "bits", "1"]);
  assert.equal(said, "");
  assert.equal(await node.locator(".wg-verdict").textContent(), "✓ 1 range: 4 cells read, none in vain");
  assert.equal(await node.getByLabel("Grid").inputValue(), "1");
  await close(page);
});

test("what is wider than the page shows that it goes on, until its end is reached", async () => {
  const page = await open(`${given.siteFiles}/01-sorted-map/index.html`, { width: 360 });
  const wide = page.locator("main pre > code[data-more]").first();
  assert.notEqual(await wide.evaluate((code) => getComputedStyle(code).boxShadow), "none");
  const code = await wide.elementHandle();
  const shows = (goesOn) => page.waitForFunction(([node, more]) => node.hasAttribute("data-more") === more, [code, goesOn]);
  for (const [left, goesOn] of [[1e6, false], [0, true]]) {
    await code.evaluate((node, to) => { node.scrollLeft = to; }, left);
    await shows(goesOn);
  }
  // All of it is there.
  await page.setViewportSize({ width: 1280, height: 900 });
  await shows(false);
  await close(page);
});

test("a figure that goes on does not darken its caption, which stays in view", async () => {
  const page = await open(`${given.siteFiles}/08-many-dimensions/index.html`, { width: 360 });
  const figure = page.locator("main figure[data-more]:has(figcaption)").first();
  const look = () => figure.evaluate((node) => {
    const caption = node.querySelector("figcaption");
    return {
      left: caption.getBoundingClientRect().left - node.getBoundingClientRect().left,
      behind: getComputedStyle(caption).backgroundColor,
      page: getComputedStyle(document.documentElement).backgroundColor,
    };
  });
  const before = await look();
  assert.equal(before.behind, before.page, "the shadow of the figure shows through its caption");
  await figure.evaluate((node) => { node.scrollLeft = 50; });
  assert.equal((await look()).left, before.left);
  await close(page);
});

test("code in an answer has another ground than the answer", async () => {
  for (const theme of ["light", "navy"]) {
    const page = await open(`${given.siteFiles}/01-sorted-map/index.html`, { theme });
    const grounds = await page.locator("details").first().evaluate((answer) =>
      [answer, answer.querySelector("p code"), answer.querySelector("pre > code")].map((node) => getComputedStyle(node).backgroundColor));
    assert.notEqual(grounds[1], grounds[0], theme);
    assert.equal(grounds[1], grounds[2], theme);
    await close(page);
  }
});

test("a word of a command is coloured whole or not at all", async () => {
  const page = await open(`${given.siteFiles}/04-ieee-754/index.html`);
  const coloured = (command) => page.locator("pre code", { hasText: command }).first().evaluate((code) => [...code.querySelectorAll("span")].map((span) => span.textContent));
  assert.deepEqual(await coloured("cargo test -p ch04-ieee-754"), ["cargo", "-p"]);
  await page.goto(`${given.siteFiles}/workshop/index.html`);
  assert.deepEqual(await coloured("mkdir -p ../kit/.cargo"), ["-p", "git", "cd", "cargo", "--locked"]);
  await close(page);
});

test("the first stop of the Tab key leads past the list of chapters", async () => {
  const page = await open(`${given.siteFiles}/08-many-dimensions/index.html`, { width: 1280 });
  const skip = page.getByRole("link", { name: "To the text" });
  const top = () => skip.evaluate((link) => link.getBoundingClientRect().bottom);
  assert.ok((await top()) < 0, "it is in the way of the eye");
  await page.keyboard.press("Tab");
  assert.ok((await top()) > 0, "it has the focus and is not seen");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => document.activeElement.closest("main") !== null));
  await close(page);
});

test("the list of chapters opens by keyboard", async () => {
  const page = await open(`${given.fixtureFiles}/plain.html`);
  const toggle = page.getByRole("button", { name: "Toggle Table of Contents" });
  const before = await toggle.getAttribute("aria-expanded");
  await toggle.press("Enter");
  assert.notEqual(await toggle.getAttribute("aria-expanded"), before);
  assert.equal(await page.locator("#mdbook-sidebar-toggle-anchor").isChecked(), before === "false");
  await close(page);
});

test("on a phone no table is squeezed into towers, no name is cut in two, and a wide one keeps its first column in view", async () => {
  const LINES_MAX = 8;
  let wide = 0;
  for (const width of [360, 390]) {
    const page = await open(null, { width });
    for (const file of given.pages) {
      await page.goto(`${given.siteFiles}/${file}`);
      await openAnswers(page);
      const tables = await page.evaluate(() => [...document.querySelectorAll("main .table-wrapper")].map((wrapper) => {
        const table = wrapper.querySelector("table");
        const line = parseFloat(getComputedStyle(table).lineHeight);
        wrapper.scrollLeft = 1e6;
        const left = table.rows[0].cells[0].getBoundingClientRect().left - wrapper.getBoundingClientRect().left;
        const lines = Math.max(...[...table.rows].map((row) => row.offsetHeight)) / line;
        const names = [...table.querySelectorAll("td:first-child code")].filter((name) => /^[A-Za-z_]+$/.test(name.textContent));
        const cut = names.filter((name) => name.getClientRects().length > 1).map((name) => name.textContent);
        return { start: table.innerText.slice(0, 60), lines, left, cut, scrolls: wrapper.scrollLeft > 0 };
      }));
      for (const { start, lines, left, cut, scrolls } of tables) {
        assert.deepEqual(cut, [], `${file}, ${width} wide: cut in two: ${start}`);
        assert.ok(lines <= LINES_MAX, `${file}, ${width} wide: a row of ${lines.toFixed(1)} lines: ${start}`);
        assert.ok(left > -2, `${file}, ${width} wide: the first column is ${-left} to the left: ${start}`);
        if (scrolls) wide += 1;
      }
    }
    await close(page);
  }
  assert.ok(wide > 10, `only ${wide} tables scroll: this test sees nothing`);
});

test("an answer that opens has its own tables measured, and no others", async () => {
  // On one page there are a hundred of each: all for each would take minutes.
  const page = await open(`${given.siteFiles}/print.html`, { width: 360 });
  const [others, measured] = await page.evaluate(() => new Promise((done) => {
    const main = document.querySelector("main");
    const answer = main.querySelector("details:not([open]):not(:has(table))");
    let measured = 0;
    new MutationObserver((records) => { measured += records.length; }).observe(main, { subtree: true, attributeFilter: ["data-roomy"] });
    answer.addEventListener("toggle", () => done([main.querySelectorAll("[data-roomy]").length, measured]));
    answer.open = true;
  }));
  assert.ok(others > 10, `only ${others} tables: this test sees nothing`);
  assert.equal(measured, 0);
  await close(page);
});

test("the name of a command stands in one line, on a phone too", async () => {
  const page = await open(`${given.siteFiles}/commands.html`, { width: 360 });
  const names = page.locator(".commands td:first-child code");
  assert.ok(await names.count() > 100, "no names: this test sees nothing");
  const cut = await names.evaluateAll((codes) => codes.filter((code) => code.getClientRects().length > 1).map((code) => code.textContent));
  assert.deepEqual(cut, []);
  await close(page);
});

test("the arguments of a command take one screen of a phone at most", async () => {
  const page = await open(`${given.siteFiles}/commands.html`, { width: 360 });
  const wide = await page.locator(".commands td:nth-child(3) code").evaluateAll((codes) =>
    codes.map((code) => [code.textContent, code.getBoundingClientRect().width]).filter(([, width]) => width > innerWidth));
  assert.deepEqual(wide, []);
  await close(page);
});

test("hints are opened one by one, and without scripts they stand together in their order", async () => {
  const url = `${given.siteFiles}/03-twos-complement/index.html`;
  const page = await open(url);
  const hints = page.locator("details.hints").nth(1);
  const seen = () => hints.locator("p").evaluateAll((texts) => texts.map((text) => text.checkVisibility()));
  const summaries = hints.locator("summary");
  assert.deepEqual(await seen(), [false, false, false]);
  for (const [at, expected] of [[true, false, false], [true, true, false], [true, true, true]].entries()) {
    await summaries.nth(at).press("Enter");
    assert.deepEqual(await seen(), expected);
  }
  const texts = await hints.locator("p").allInnerTexts();
  await close(page);
  const plain = await open(url, { javaScriptEnabled: false });
  const together = plain.locator("details.hints").nth(1);
  await together.locator("summary").click();
  assert.deepEqual(await together.locator("p").allInnerTexts(), texts);
  await close(plain);
});

test("without scripts a page shows its fallbacks, and the list of chapters opens and closes", async () => {
  const page = await open(`${given.siteFiles}/03-twos-complement/index.html`, { javaScriptEnabled: false });
  const list = page.locator("nav.sidebar");
  assert.equal(await list.isVisible(), false, "closed, it leaves no strip at the edge");
  await page.locator("label#mdbook-sidebar-toggle").click();
  await list.waitFor({ state: "visible" });
  const fallback = await page.locator("bits-explorer table").first().innerText();
  assert.match(fallback, /4294901760/);
  // Whatever the page says, it says without a program: answers open by themselves.
  await page.locator("details.answer > summary").first().press("Enter");
  assert.equal(await page.locator("details.answer[open]").count(), 1);
  await page.context().close();
});

test("the README's picture shows what its caption says", async () => {
  const page = await open(`${given.siteFiles}/03-twos-complement/index.html`, { width: 910, height: 1400 });
  const explorer = page.locator("bits-explorer").first();
  await explorer.getByLabel("Number", { exact: true }).fill("-1");
  assert.match(await explorer.locator(".bx-legend").textContent(), /the sum is -1/);
  assert.equal(await explorer.locator(".bx-column").count(), 4);
  if (given.picture) {
    await explorer.getByLabel("Number", { exact: true }).blur();
    const [top, last] = [await page.locator("#look").boundingBox(), await explorer.boundingBox()];
    const y = top.y - 20 + await page.evaluate(() => scrollY);
    const clip = { x: 0, y, width: 910, height: last.y + last.height - top.y + 26 };
    await page.screenshot({ path: given.picture, fullPage: true, clip });
  }
  await close(page);
});
