// The comparator race: a record is played back.
import { assert, close, drive, given, open, says, test } from "./common.mjs";

const race = (page) => page.locator("comparator-race");
const verdict = (page) => race(page).locator(".cr-verdict").textContent();
const runs = (page) => race(page).locator(".cr-run").evaluateAll((bars) => bars.map((bar) => Number(/scaleX\(([\d.e-]+)\)/.exec(bar.style.transform)[1])));

drive("the race shows its result, runs, pauses and is moved by keys", "race.html", async (page) => {
  assert.deepEqual(await runs(page), [1, 0.5]);
  assert.equal(await verdict(page), "Put: bytes is first with 500 ns. By then comparator, the last, has done 50 % of its work.");
  await race(page).getByRole("button", { name: "start the race" }).click();
  await page.waitForFunction(() => { const at = Number(document.querySelector("comparator-race input").value); return at > 100 && at < 900; });
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
