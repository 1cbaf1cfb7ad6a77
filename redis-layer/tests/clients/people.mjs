// What people do with ioredis, at the port that the argument names. Every answer is asserted, so the exit code says
// whether the server behaves as the client expects.

import assert from "node:assert/strict";
import Redis from "ioredis";

const port = Number(process.argv[2]);
const connect = (options = {}) => new Redis({ port, maxRetriesPerRequest: 1, ...options });
const redis = connect();
const equal = assert.deepEqual;

async function types() {
  equal(await redis.set("s", "v", "EX", 100), "OK");
  equal(await redis.incrby("n", 5), 5);
  await redis.hset("h", { f: "1", g: "2" });
  equal(await redis.hgetall("h"), { f: "1", g: "2" });
  equal(await redis.rpush("l", "a", "b", "c"), 3);
  equal(await redis.lrange("l", 0, -1), ["a", "b", "c"]);
  equal(await redis.sadd("t", "x", "y"), 2);
  equal((await redis.smembers("t")).sort(), ["x", "y"]);
  equal(await redis.zadd("z", 1.5, "m", 2, "n"), 2);
  equal(await redis.zrange("z", 0, -1, "WITHSCORES"), ["m", "1.5", "n", "2"]);
  equal(await redis.zunion(2, "z", "z", "WITHSCORES"), ["m", "3", "n", "4"]);
  await redis.geoadd("g", 13.361389, 38.115556, "Palermo", 15.087269, 37.502669, "Catania");
  equal(await redis.geodist("g", "Palermo", "Catania"), "166274.1516");
  equal(await redis.geopos("g", "Palermo", "nobody"), [
    ["13.36138933897018433", "38.11555639549629859"],
    null,
  ]);
  const value = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  await redis.set(Buffer.from([255, 0, 13, 10]), value);
  equal(await redis.getBuffer(Buffer.from([255, 0, 13, 10])), value);
  await assert.rejects(redis.lpush("s", "x"), /^ReplyError: WRONGTYPE/);
}

async function pipelines() {
  const pipeline = redis.pipeline();
  for (let n = 0; n < 1000; n += 1) pipeline.set(`p:${n}`, n);
  const replies = await pipeline.exec();
  assert(replies.every(([error, reply]) => error === null && reply === "OK"));
  // Many commands at once, without a word about pipelines.
  const automatic = connect({ enableAutoPipelining: true });
  const values = await Promise.all(Array.from({ length: 500 }, (_, n) => automatic.get(`p:${n}`)));
  equal(values, Array.from({ length: 500 }, (_, n) => String(n)));
  automatic.disconnect();
}

async function transactions() {
  equal(await redis.multi().set("balance", 10).incr("balance").exec(), [
    [null, "OK"],
    [null, 11],
  ]);
  const other = connect();
  await redis.watch("balance");
  await other.set("balance", 0);
  equal(await redis.multi().incr("balance").exec(), null);
  const mixed = await redis.multi().set("s2", "x").lpush("s2", "y").get("s2").exec();
  assert.match(String(mixed[1][0]), /WRONGTYPE/);
  equal(mixed[2], [null, "x"]);
  other.disconnect();
}

async function scans() {
  const seen = new Set();
  for await (const keys of redis.scanStream({ match: "p:*", count: 50 })) {
    for (const key of keys) seen.add(key);
  }
  equal(seen.size, 1000);
  const members = Array.from({ length: 1000 }, (_, n) => [n, `m${n}`]).flat();
  await redis.zadd("many", ...members);
  const found = new Set();
  for await (const page of redis.zscanStream("many")) {
    for (let at = 0; at < page.length; at += 2) found.add(`${page[at]}=${page[at + 1]}`);
  }
  equal(found.size, 1000);
  assert(found.has("m7=7"));
}

async function scripts() {
  redis.defineCommand("bump", {
    numberOfKeys: 1,
    lua: "return {KEYS[1], ARGV[1], redis.call('INCR', KEYS[1])}",
  });
  equal(await redis.bump("script", "x"), ["script", "x", 1]);
  equal(await redis.bump("script", "y"), ["script", "y", 2]);
}

async function waiting() {
  const worker = connect();
  const job = worker.blpop("nothing", "queue", 5);
  setTimeout(() => redis.rpush("queue", "job"), 100);
  equal(await job, ["queue", "job"]);
  const least = worker.bzpopmin("heap", 5);
  setTimeout(() => redis.zadd("heap", 1, "least", 2, "most"), 100);
  equal(await least, ["heap", "least", "1"]);
  equal(await worker.blpop("queue", 0.05), null);
  worker.disconnect();
}

async function channels() {
  const subscriber = connect();
  equal(await subscriber.subscribe("news"), 1);
  equal(await subscriber.psubscribe("w*"), 2);
  const messages = [];
  const both = new Promise((resolve) => {
    const take = (...message) => messages.push(message) === 2 && resolve();
    subscriber.on("message", take);
    subscriber.on("pmessage", take);
  });
  equal(await redis.publish("news", "hello"), 1);
  equal(await redis.publish("weather", "sun"), 1);
  await both;
  equal(messages, [["news", "hello"], ["w*", "weather", "sun"]]);
  subscriber.disconnect();
}

for (const part of [types, pipelines, transactions, scans, scripts, waiting, channels]) {
  await part();
  console.log(part.name);
}
await redis.flushall();
redis.disconnect();
