"""Article 002, third pattern with commands, as in 002-watch-multi.ts: an owner token, taken by GET
and SET NX; WATCH, GET, MULTI, SET, EXEC store the result if the token is still there.

Unfinished records and lost locks are acknowledged without a result. redis-py's pipeline sends
WATCH and GET immediately, and MULTI to EXEC together.
"""
import json
import os
import onceproof
import redis
import time
import uuid

PROCESSING_SECONDS = 300
RECORD_SECONDS = 86_400


def create(ctx):
    client = redis.Redis(host=ctx.redis["host"], port=ctx.redis["port"], decode_responses=True)
    consumer = f"consumer-{os.getpid()}-{uuid.uuid4()}"

    def acquire(name, processing):
        found = client.get(name)
        if found:
            return found
        if client.set(name, processing, ex=PROCESSING_SECONDS, nx=True):
            return "LOCKED"
        return client.get(name)

    def release(name, owner, completed):
        with client.pipeline() as pipe:
            try:
                pipe.watch(name)
                found = pipe.get(name)
                if not found or json.loads(found).get("owner") != owner:
                    return False
                pipe.multi()
                pipe.set(name, completed, ex=RECORD_SECONDS)
                pipe.execute()
                return True
            except redis.exceptions.WatchError:
                return False

    def handle(message):
        name = f"idempotency:v1:{message['key']}"
        owner = f"{consumer}:{uuid.uuid4()}"
        processing = json.dumps({"status": "PROCESSING", "owner": owner, "timestamp": time.time()})
        found = acquire(name, processing)
        if found != "LOCKED":
            stored = json.loads(found)
            if stored["status"] == "COMPLETED":
                return {"status": "done", "result": stored["result"]}
            if stored["status"] == "PROCESSING":
                return {"status": "done", "result": None}
        receipt = ctx.sink.perform(message["key"], message["payload"])
        mine = release(name, owner, json.dumps({"status": "COMPLETED", "result": receipt}))
        return {"status": "done", "result": receipt if mine else None}

    return handle


onceproof.serve(
    "python-watch-multi",
    create,
    about="Article 002, third pattern, in Python: an owner token by SET NX, and WATCH, MULTI, EXEC to store the result.",
    expect="broken",
    recoveryBoundMs=PROCESSING_SECONDS * 1000,
    sinks=["plain", "keyed"],
    lacks=["dead-lettering", "offline-queue"],
)
