"""A plain lock with an expiry before a sink that deduplicates by key: lock-before-keyed-sink.ts in
Python. Why it is correct, and what it assumes: docs/findings/correct-layers.md.
"""
import hashlib
import json
import onceproof
import redis
import redis.sentinel
import time
import uuid

RELEASE_MINE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


def client_of(address):
    if "sentinels" not in address:
        return redis.Redis(host=address["host"], port=address["port"], socket_timeout=5)
    sentinels = [(one["host"], one["port"]) for one in address["sentinels"]]
    watched = redis.sentinel.Sentinel(sentinels, socket_timeout=1, sentinel_kwargs={"socket_timeout": 1})
    return watched.master_for(address["name"], socket_timeout=5)


def create(ctx):
    client = client_of(ctx.redis)

    def is_bound(key, payload):
        """True if `payload` is the first payload of the key."""
        own = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
        client.set(f"payload:{key}", own, px=2 * ctx.retention_ms, nx=True)
        return client.get(f"payload:{key}") == own.encode()

    def handle(message):
        key, payload = message["key"], message["payload"]
        # The sink may have forgotten the key by now.
        if time.time() * 1000 - message["producedAt"] > ctx.retention_ms:
            return {"status": "dead-letter", "reason": "in-doubt: too old"}
        if not is_bound(key, payload):
            return {"status": "dead-letter", "reason": "key-reused"}
        lock, owner = f"lock:{key}", str(uuid.uuid4())
        if not client.set(lock, owner, px=ctx.lease_ms, nx=True):
            # Redis's clock was ahead when the lock was taken. The lock only saves work, so it is
            # deleted.
            if client.pttl(lock) > ctx.lease_ms:
                client.delete(lock)
            return {"status": "retry", "reason": "locked"}
        try:
            return {"status": "done", "result": ctx.sink.perform(key, payload)}
        finally:
            try:
                client.eval(RELEASE_MINE, 1, lock, owner)
            except redis.RedisError:
                pass  # It ends by itself.

    return handle


onceproof.serve(
    "python-lock-before-keyed-sink",
    create,
    about="SET NX PX around the effect, in Python: the lock only saves work, the sink deduplicates by key.",
    expect="holds",
    recoveryBoundMs=60_000,
    sinks=["keyed"],
    shapes=["single", "sentinel"],
    lacks=["offline-queue"],
    has=["command-timeout"],
)
