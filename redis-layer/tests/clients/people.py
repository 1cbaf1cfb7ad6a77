"""What people do with redis-py, at the port and with the protocol that the arguments name.

Every answer is asserted, so the exit code says whether the server behaves as the client expects.
"""

import sys
import threading
import time

import redis

PORT, PROTOCOL = int(sys.argv[1]), int(sys.argv[2])


def connect(**options):
    options.setdefault("decode_responses", True)
    return redis.Redis(port=PORT, protocol=PROTOCOL, **options)


r = connect()


def types():
    assert r.set("s", "v", ex=100) and 0 < r.ttl("s") <= 100
    assert r.incr("n", 5) == 5 and r.incrbyfloat("n", 0.5) == 5.5
    assert r.mset({"a": 1, "b": 2}) and r.mget("a", "nothing", "b") == ["1", None, "2"]
    assert r.hset("h", mapping={"f": "1", "g": "2"}) == 2
    assert r.hgetall("h") == {"f": "1", "g": "2"} and r.hincrby("h", "f", 4) == 5
    assert r.rpush("l", *"abc") == 3 and r.lrange("l", 0, -1) == ["a", "b", "c"]
    assert r.lmove("l", "l2") == "a" and r.lpos("l", "c") == 1
    assert r.sadd("t", "x", "y") == 2 and r.smembers("t") == {"x", "y"}
    assert r.sinter("t", "nothing") == set()
    assert r.zadd("z", {"m": 1.5, "n": 2}) == 2
    expected = [["m", 1.5], ["n", 2.0]]
    assert [list(pair) for pair in r.zrange("z", 0, -1, withscores=True)] == expected
    assert r.zscore("z", "m") == 1.5 and r.zrank("z", "n") == 1
    assert r.geoadd("g", (13.361389, 38.115556, "Palermo", 15.087269, 37.502669, "Catania")) == 2
    assert r.geosearch("g", longitude=15, latitude=37, radius=100, unit="km") == ["Catania"]
    assert abs(r.geodist("g", "Palermo", "Catania", "km") - 166.2742) < 1e-9
    assert r.setbit("bits", 7, 1) == 0 and r.bitcount("bits") == 1
    assert r.type("z") == "zset" and r.exists("s", "h", "nothing") == 2


def errors():
    try:
        r.lpush("s", "x")
    except redis.ResponseError as error:
        assert str(error).startswith("WRONGTYPE"), error
    else:
        raise AssertionError("a list command on a string")


def bytes_of_any_kind():
    raw = connect(decode_responses=False)
    value = bytes(range(256)) * 100
    assert raw.set(b"\xff\x00\r\n", value) and raw.get(b"\xff\x00\r\n") == value


def pipelines_and_transactions():
    with r.pipeline(transaction=False) as pipe:
        for number in range(1000):
            pipe.set(f"p:{number}", number)
        assert pipe.execute() == [True] * 1000
    with r.pipeline() as pipe:
        pipe.watch("balance")
        pipe.multi()
        pipe.set("balance", 10).incr("balance")
        assert pipe.execute() == [True, 11]
    with r.pipeline() as pipe:
        pipe.watch("balance")
        r.set("balance", 0)
        pipe.multi()
        pipe.incr("balance")
        try:
            pipe.execute()
        except redis.WatchError:
            pass
        else:
            raise AssertionError("somebody wrote a watched key")
    # The helper that retries.
    assert r.transaction(lambda pipe: pipe.multi() or pipe.incr("balance"), "balance") == [1]


def scans():
    assert sorted(r.scan_iter("p:*", count=50)) == sorted(f"p:{n}" for n in range(1000))
    r.zadd("many", {f"m{n}": n for n in range(1000)})
    assert dict(r.zscan_iter("many")) == {f"m{n}": float(n) for n in range(1000)}
    r.hset("manyh", mapping={f"f{n}": n for n in range(1000)})
    assert len(dict(r.hscan_iter("manyh", count=7))) == 1000
    r.sadd("manys", *range(1000))
    assert len(set(r.sscan_iter("manys"))) == 1000


def scripts():
    script = r.register_script("return {KEYS[1], ARGV[1], redis.call('INCR', KEYS[1])}")
    assert script(keys=["script"], args=["x"]) == ["script", "x", 1]
    assert script(keys=["script"], args=["y"]) == ["script", "y", 2]
    assert r.eval("return redis.call('GET', KEYS[1])", 1, "script") == "2"


def locks():
    with r.lock("a lock", timeout=10):
        assert not r.lock("a lock", timeout=10).acquire(blocking=False)
    assert r.lock("a lock", timeout=10).acquire(blocking=False)


def waiting():
    def later():
        time.sleep(0.1)
        connect().rpush("queue", "job")
        time.sleep(0.1)
        connect().zadd("heap", {"least": 1, "most": 2})

    thread = threading.Thread(target=later)
    thread.start()
    assert list(r.blpop(["nothing", "queue"], timeout=5)) == ["queue", "job"]
    popped = r.bzpopmin("heap", timeout=5)
    assert list(popped)[:2] == ["heap", "least"] and float(popped[2]) == 1
    thread.join()
    assert r.blpop("queue", timeout=0.05) is None


def channels():
    subscriber = r.pubsub(ignore_subscribe_messages=True)
    subscriber.subscribe("news")
    subscriber.psubscribe("w*")
    deadline = time.time() + 5
    while (r.publish("news", "hello"), r.publish("weather", "sun")) != (1, 1):
        assert time.time() < deadline
    seen = set()
    while len(seen) < 2:
        message = subscriber.get_message(timeout=5)
        assert message or time.time() < deadline, seen
        if message:
            seen.add((message["type"], message["channel"], message["data"]))
    assert seen == {("message", "news", "hello"), ("pmessage", "weather", "sun")}, seen
    subscriber.close()


def about_the_server():
    assert r.ping() and r.info("server")["redis_version"].startswith("7.0.")
    assert r.client_setname("people") and r.client_getname() == "people"
    assert r.config_get("maxmemory") == {"maxmemory": "0"}
    assert r.dbsize() > 1000 and r.command_count() > 200
    other = connect(db=1)
    assert other.dbsize() == 0 and other.set("s", "elsewhere")
    assert r.get("s") == "v" and r.move("n", 1) and other.get("n") == "5.5"
    assert r.flushall() and r.dbsize() == 0


for part in [
    types,
    errors,
    bytes_of_any_kind,
    pipelines_and_transactions,
    scans,
    scripts,
    locks,
    waiting,
    channels,
    about_the_server,
]:
    part()
    print(part.__name__)
