"""
Library: python3-redis 4.3.4
Promises: one holder of a lock at a time, until it is released or its `timeout` is over; a holder
  that no longer owns it cannot release it.
Said in: the docstrings of `redis.lock.Lock` and `redis.sentinel.Sentinel` (4.3.4).
Used: `with client.lock(name, timeout=…)`; `sleep` 0.1 s, `blocking` True, `blocking_timeout` None,
  `thread_local` True. `timeout` has no default, and without one a crash would leave the lock
  forever: it is the lease. Nothing extends it. Behind Sentinels `master_for` with time-outs of 0.1
  s, as in the docstring of `redis.sentinel.Sentinel`. The adapter reads and sets the mark while it
  holds the lock.
Left:
- crash, beyond: a lock names its holder and records no finished work; a holder that dies after the
  effect has not set the mark (docstring: it creates a lock).
- pause, beyond: a paused holder outlives its `timeout`, and learns of that when it releases
  (docstring, "timeout", and the timeline of two threads).
- Redis clock, beyond: a jump of Redis's clock ends the lock before its `timeout`; the docstring
  speaks of one clock.
- failover, beyond: the docstring speaks of one server, and a replica that had not received the lock
  grants it again.
- loss, beyond: one server came back without the lock and the mark; the docstring does not mention
  one that forgets.
- expiry, beyond: the adapter's mark expires with the retention; the docstring has no marks.
"""
import json
import onceproof
import redis
import redis.sentinel


def client_of(address):
    if "sentinels" not in address:
        return redis.Redis(host=address["host"], port=address["port"])
    watched = redis.sentinel.Sentinel([(one["host"], one["port"]) for one in address["sentinels"]], socket_timeout=0.1)
    return watched.master_for(address["name"], socket_timeout=0.1)


def create(ctx):
    client = client_of(ctx.redis)

    def handle(message):
        key = message["key"]
        with client.lock(f"lock:{key}", timeout=ctx.lease_ms / 1000):
            mark = client.get(f"done:{key}")
            if mark is not None:
                return {"status": "done", "result": json.loads(mark)["result"]}
            try:
                result = ctx.sink.perform(key, message["payload"])
            except onceproof.SinkRefusal as refusal:
                return {"status": "refused", "error": str(refusal)}
            client.set(f"done:{key}", json.dumps({"result": result}), px=ctx.retention_ms)
            return {"status": "done", "result": result}

    return handle


onceproof.serve(
    "redis-py-lock",
    create,
    about="A lock by redis-py, as long as the lease, around a mark that is looked for and set.",
    shapes=["single", "sentinel"],
    lacks=["dead-lettering", "offline-queue"],
)
