// axe finds nothing to complain about, on any page, light and dark, on a desk and on a telephone.
import { readFileSync } from "node:fs";
import { assert, close, given, open, openAnswers, test } from "./common.mjs";

const AXE = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };

const ALL_RULES = ["light", undefined];
const COLOURS = ["navy", { type: "rule", values: ["color-contrast", "link-in-text-block"] }];

/** What axe finds: all of its rules on the light page, those about colours again on the dark one. */
async function complaints(page, looks = [ALL_RULES, COLOURS]) {
  await page.evaluate(AXE);
  const found = [];
  for (const [theme, rules] of looks) {
    await page.evaluate((name) => { document.documentElement.className = document.documentElement.className.replace(/\b(light|navy)\b/, name); }, theme);
    // It would read the styles again by requests that a file may not make.
    // Whether a finger or a shaking hand meets a target of 24 px is a rule that axe leaves out unless it is asked for.
    const asked = rules === undefined ? { rules: { "target-size": { enabled: true } } } : { runOnly: rules };
    const options = { preload: false, resultTypes: ["violations"], ...asked };
    const { violations } = await page.evaluate((given) => window.axe.run(document, given), options);
    for (const { id, nodes } of violations) {
      for (const node of nodes) found.push(`${theme}: ${id}: ${node.target.join(" ")}: ${node.failureSummary.replaceAll("\n", " ")}`);
    }
  }
  // The first ones say enough.
  return found.slice(0, 8);
}

for (const file of given.pages) {
  // Colours are the same on a telephone.
  for (const [size, looks] of [[WIDE, undefined], [NARROW, [ALL_RULES]]]) {
    test(`not ${file}, ${size.width} px wide`, async () => {
      const page = await open(`${given.siteFiles}/${file}`, size);
      await openAnswers(page);
      await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => setTimeout(done, 0)); }));
      assert.deepEqual(await complaints(page, looks), []);
      await close(page);
    });
  }
}

test("the book on one page, as it is printed", async () => {
  const page = await open(null, WIDE);
  await page.goto(`${given.siteFiles}/print.html`);
  await openAnswers(page);
  assert.deepEqual(await complaints(page), []);
  await close(page);
});

test("no widget, after something was done with it", async () => {
  const page = await open(null, WIDE);
  const cases = {
    "explorer.html": () => page.getByLabel("Number", { exact: true }).first().fill("nonsense"),
    "sorter.html": async () => {
      await page.getByLabel("Number, i64").fill("nonsense");
      await page.getByLabel("Number, i64").press("Enter");
      await page.getByRole("button", { name: "follow -1" }).first().click();
    },
    "tuples.html": () => page.getByLabel("A text").first().fill("123456789"),
    "packer.html": () => page.getByLabel("A gems", { exact: true }).fill("8589934591"),
    "map.html": () => page.getByLabel("ranges at most").first().press("ArrowRight"),
    "race.html": () => page.getByRole("button", { name: "get" }).click(),
  };
  for (const [file, act] of Object.entries(cases)) {
    await page.goto(`${given.fixtureFiles}/${file}`);
    await act();
    assert.deepEqual(await complaints(page), [], file);
  }
  await close(page);
});
