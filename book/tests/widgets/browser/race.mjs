// The comparator race: a record is played back.
import { assert, close, drive, given, open, says, test } from "./common.mjs";

const race = (page) => page.locator("comparator-race");
const verdict = (page) => race(page).locator(".cr-verdict").textContent();
const runs = (page) => race(page).locator(".cr-run").evaluateAll((bars) => bars.map((bar) => Number(/scaleX\(([\d.e-]+)\)/.exec(bar.style.transform)[1])));

drive("the race shows its result, runs, pauses and is moved by keys", "race.html", async (page) => {
  assert.deepEqual(await runs(page), [1, 0.5]);
  assert.equal(await verdict(page), "Put: bytes is first with 500 ns. By then comparator, the last, has done 50 % of its work.");
  // A slow machine might show no picture between the start and the end: the race gets its pictures from here.
  await page.evaluate(() => {
    window.real = { requestAnimationFrame: window.requestAnimationFrame };
    window.requestAnimationFrame = (draw) => { window.draw = draw; return 0; };
  });
  await race(page).getByRole("button", { name: "start the race" }).click();
  for (const now of [1000, 2500]) await page.evaluate((at) => window.draw(at), now);
  await page.evaluate(() => Object.assign(window, window.real));
  await race(page).getByRole("button", { name: "pause the race" }).press("Enter");
  const [bytes, comparator] = await runs(page);
  assert.ok(bytes > 0 && bytes < 1 && Math.abs(comparator * 2 - bytes) < 1e-5, `${bytes} ${comparator}`);
  const slider = race(page).getByLabel("Place in the race");
  await slider.press("Home");
  assert.deepEqual(await runs(page), [0, 0]);
  await slider.press("End");
  assert.deepEqual(await runs(page), [1, 0.5]);
  assert.equal(await slider.getAttribute("aria-valuetext"), "100 % of the first lane's time");
  await race(page).getByRole("button", { name: "get" }).click();
  assert.match(await verdict(page), /^Get: comparator is first with 40 ns/);
  assert.equal(await race(page).getByRole("button", { name: "get" }).getAttribute("aria-pressed"), "true");
  await says(page, "comparator-race", "Get: comparator is first");
});

test("without motion the race is its result", async () => {
  const page = await open(`${given.fixtureFiles}/race.html`, { reducedMotion: "reduce" });
  await race(page).getByLabel("Place in the race").press("Home");
  await race(page).getByRole("button", { name: "start the race" }).click();
  assert.deepEqual(await runs(page), [1, 0.5]);
  assert.equal(await race(page).getByRole("button", { name: "start the race" }).count(), 1);
  await close(page);
});
