// On paper: figures in the widgets' places, answers open, nothing cut off on the right.
import { writeFileSync } from "node:fs";
import { assert, close, given, open, test } from "./common.mjs";

// A4 without its margins, in CSS pixels.
const MARGIN_MM = 15;
const PAPER = { width: Math.floor(((210 - 2 * MARGIN_MM) / 25.4) * 96), height: 1000 };

test("the fallback stands in every widget's place", async () => {
  const page = await open(null);
  for (const file of ["explorer", "sorter", "tuples", "packer", "map", "race"]) {
    await page.goto(`${given.fixtureFiles}/${file}.html`);
    const shown = () => page.evaluate(() => [...document.querySelectorAll(".wg-fallback, .wg")].map((node) => [node.className.split(" ")[0], node.offsetHeight > 0]));
    for (const [name, visible] of await shown()) assert.equal(visible, name === "wg", file);
    await page.emulateMedia({ media: "print" });
    for (const [name, visible] of await shown()) assert.equal(visible, name === "wg-fallback", file);
    await page.emulateMedia({ media: null });
  }
  await close(page);
});

/** Words of a table that stand in two lines. Code may be cut anywhere. */
function cutWords() {
  const cut = [];
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const cell = text.parentElement.closest("td, th");
    if (cell === null || cell.offsetParent === null || text.parentElement.closest("code, svg") !== null) continue;
    for (const { 0: word, index } of text.data.matchAll(/[\p{L}\p{N}:.]+/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map((part) => part.top)).size > 1) cut.push(`${word}: ${cell.closest("tr").innerText.slice(0, 60)}`);
    }
  }
  return cut;
}

test("no word of a table is cut in two", async () => {
  const page = await open(null, PAPER);
  await page.emulateMedia({ media: "print" });
  await page.goto(`${given.siteFiles}/print.html`);
  assert.deepEqual((await page.evaluate(cutWords)).slice(0, 8), []);
  await close(page);
});

test("the whole book prints", async () => {
  const page = await open(null, { ...PAPER, theme: "navy" });
  await page.goto(`${given.siteFiles}/print.html`);
  await page.evaluate(() => {
    window.printed = [];
    addEventListener("beforeprint", () => window.printed.push(document.querySelectorAll("details:not([open])").length));
  });
  const closed = () => page.evaluate(() => document.querySelectorAll("details:not([open])").length);
  const before = await closed();
  assert.ok(before > 10, `only ${before} answers`);
  const pdf = await page.pdf({ format: "A4", margin: { top: "15mm", bottom: "15mm", left: `${MARGIN_MM}mm`, right: `${MARGIN_MM}mm` } });
  if (given.pdf) writeFileSync(given.pdf, pdf);
  const sheets = (pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length;
  console.log(`${sheets} sheets, ${pdf.length} bytes`);
  assert.ok(sheets > 30, `only ${sheets} sheets`);
  // The page's own listeners ran first: every answer was open.
  assert.deepEqual(await page.evaluate(() => window.printed), [0]);
  assert.equal(await closed(), before);

  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const cut = await page.evaluate((width) => [...document.querySelectorAll("main *")]
    .filter((node) => node.offsetParent !== null && !node.closest("svg"))
    .filter((node) => node.getBoundingClientRect().right > width + 1 || (getComputedStyle(node).overflowX !== "visible" && node.scrollWidth > node.clientWidth + 1))
    .map((node) => node.outerHTML.slice(0, 120)), PAPER.width);
  assert.deepEqual(cut, []);
  // The dark theme is for screens.
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--bg").trim()), "#fff");
  const shown = await page.evaluate(() => [...document.querySelectorAll(".wg")].filter((node) => node.offsetHeight > 0).length);
  assert.equal(shown, 0);
  const empty = await page.evaluate(() => [...document.querySelectorAll(".wg-fallback")].filter((node) => node.innerText.trim() === "" && node.querySelector("svg, img") === null).map((node) => node.parentElement.outerHTML.slice(0, 100)));
  assert.deepEqual(empty, [], "a widget without a fallback leaves a hole in the paper");
  await close(page);
});
