"""Article 002, first pattern as in 002-get-then-processing.ts: GET, PROCESSING, effect, COMPLETED.

A PROCESSING key is skipped and acknowledged, as if a normal return commits the offset.
"""
import json
import onceproof
import redis


def create(ctx):
    client = redis.Redis(host=ctx.redis["host"], port=ctx.redis["port"], decode_responses=True)

    def handle(message):
        name = f"idempotency:v1:{message['key']}"
        found = client.get(name)
        if found:
            stored = json.loads(found)
            if stored["status"] == "COMPLETED":
                return {"status": "done", "result": stored["result"]}
            if stored["status"] == "PROCESSING":
                return {"status": "done", "result": None}
        client.set(name, json.dumps({"status": "PROCESSING"}), ex=300)
        try:
            receipt = ctx.sink.perform(message["key"], message["payload"])
            client.set(name, json.dumps({"status": "COMPLETED", "result": receipt}), ex=86_400)
            return {"status": "done", "result": receipt}
        except Exception:
            client.delete(name)
            raise

    return handle


onceproof.serve(
    "python-get-then-processing",
    create,
    about="Article 002, first pattern, in Python: GET, SET PROCESSING, perform, SET the result; PROCESSING is skipped.",
    expect="broken",
    recoveryBoundMs=300_000,
    sinks=["plain", "keyed"],
    lacks=["dead-lettering", "offline-queue"],
)
