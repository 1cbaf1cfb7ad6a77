// The Z-order map: a box becomes ranges, and what is read in vain is seen.
import { assert, drive, says } from "./common.mjs";

const map = (page, at = 0) => page.locator("z-order-map").nth(at);
const verdict = (page, at = 0) => map(page, at).locator(".wg-verdict").textContent();
const read = (page, at = 0) => map(page, at).locator(".zo-words code").first().textContent();

drive("more ranges waste less", "map.html", async (page) => {
  assert.equal(await verdict(page), "✗ 1 range: 42 cells read, 26 in vain");
  assert.equal(await read(page), "9 to 50");
  assert.equal(await map(page).locator(".zo-cross").count(), 26);
  const most = map(page).getByLabel("ranges at most");
  await most.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await verdict(page), "✗ 2 ranges: 36 cells read, 20 in vain");
  for (let more = 0; more < 6; more += 1) await page.keyboard.press("ArrowRight");
  assert.equal(await verdict(page), "✓ 8 ranges: 16 cells read, none in vain");
  assert.equal(await map(page).locator(".zo-cross").count(), 0);
  assert.equal(await map(page).locator(".zo-range").count(), 8);
  await says(page, "z-order-map", "8 ranges: 16 cells read, none in vain.");

  assert.equal(await verdict(page, 1), "✗ 3 ranges: 24 cells read, 12 in vain");
  const rows = await map(page, 1).locator(".zo-places tbody tr").allTextContents();
  assert.deepEqual(rows, ["Palermo1973479099956230698✓ found", "Catania1973479447370796909✓ found", "Oslo2093684363709426071✗ read in vain", "Lagos1923382745662923174not read"]);
});

drive("the box is drawn by hand and moved by keys", "map.html", async (page) => {
  const drawing = map(page).locator(".zo-map svg");
  await drawing.scrollIntoViewIfNeeded();
  const frame = await drawing.boundingBox();
  const cell = (x, y) => [frame.x + (frame.width * (x + 0.5)) / 8, frame.y + (frame.height * (7 - y + 0.5)) / 8];
  // A hand that lets go outside of the map has let go.
  await page.mouse.move(...cell(6, 3));
  await page.mouse.down();
  await page.mouse.move(frame.x - 8, cell(6, 3)[1], { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(...cell(7, 7));
  assert.equal(await map(page).getByLabel("right", { exact: true }).inputValue(), "6");
  await page.mouse.move(...cell(6, 3));
  await page.mouse.down();
  await page.mouse.move(...cell(4, 2), { steps: 4 });
  await page.mouse.move(...cell(2, 2), { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(...cell(7, 7));
  const edge = (name) => map(page).getByLabel(name, { exact: true });
  const edges = async () => [await edge("left").inputValue(), await edge("bottom").inputValue(), await edge("right").inputValue(), await edge("top").inputValue()].join();
  assert.equal(await edges(), "2,2,6,3");
  assert.equal(await verdict(page), "✗ 1 range: 34 cells read, 24 in vain");
  assert.match(await map(page).locator(".zo-corner").first().textContent(), /x 2, y 2 = .* = 12$/);
  await edge("left").focus();
  for (let step = 0; step < 5; step += 1) await page.keyboard.press("ArrowRight");
  // The left edge took the right one along.
  assert.equal(await edges(), "7,2,7,3");
  await edge("bottom").press("Home");
  await map(page).getByLabel("Grid").selectOption("2");
  assert.equal(await edges(), "3,0,3,1");
  await map(page).getByLabel("Grid").selectOption("5");
  assert.equal(await edges(), "24,0,31,15");
  await map(page).getByRole("button", { name: "start again" }).click();
  assert.equal(await edges(), "2,1,5,4");
});
