"""Article 003, its Redis strategy, as in 003-set-nx-in-progress.ts: IN_PROGRESS by SET NX for 5 s,
result by SET, unconditional DEL on errors. A key in progress raises, for redelivery.
"""
import json
import onceproof
import redis

LOCK_SECONDS = 5
RESULT_SECONDS = 24 * 60 * 60
IN_PROGRESS = json.dumps({"status": "IN_PROGRESS"})


class InProgress(Exception):
    pass


def create(ctx):
    client = redis.Redis(host=ctx.redis["host"], port=ctx.redis["port"], decode_responses=True)

    def handle(message):
        key = message["key"]
        if not client.set(key, IN_PROGRESS, nx=True, ex=LOCK_SECONDS):
            found = client.get(key)
            if not found:
                raise InProgress(f"{key} ended between SET and GET")
            stored = json.loads(found)
            if stored["status"] == "IN_PROGRESS":
                raise InProgress(f"{key} is in progress")
            if stored["status"] == "COMPLETED":
                return {"status": "done", "result": json.loads(stored["response_body"])}
        try:
            receipt = ctx.sink.perform(key, message["payload"])
            result = {"status": "COMPLETED", "response_code": 200, "response_body": json.dumps(receipt)}
            client.set(key, json.dumps(result), ex=RESULT_SECONDS)
            return {"status": "done", "result": receipt}
        except Exception:
            client.delete(key)
            raise

    return handle


onceproof.serve(
    "python-set-nx-in-progress",
    create,
    about="Article 003, Redis strategy, in Python: IN_PROGRESS by SET NX for 5 seconds, the result by a plain SET.",
    expect="broken",
    recoveryBoundMs=LOCK_SECONDS * 1000,
    sinks=["plain", "keyed"],
    lacks=["dead-lettering", "offline-queue"],
)
