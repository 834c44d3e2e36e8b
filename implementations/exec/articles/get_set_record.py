"""Article 000, second pattern, as in 000-get-set-record.ts: STARTED with an expiry, in redis-py.

A held record raises, and so does a failed effect, which leaves the record. Timestamps are those of
Python.
"""
import json
import onceproof
import redis
from datetime import datetime, timedelta, timezone

LOCK = timedelta(minutes=5)
RETENTION = timedelta(hours=24)


class RecordHeld(Exception):
    pass


def now():
    return datetime.now(timezone.utc)


def create(ctx):
    client = redis.Redis(host=ctx.redis["host"], port=ctx.redis["port"], decode_responses=True)

    def write(name, record, lives):
        client.set(name, json.dumps(record), ex=int(lives.total_seconds()))

    def handle(message):
        name = f"idempotency:v1:{message['key']}"
        found = client.get(name)
        if found:
            record = json.loads(found)
            if record["status"] == "COMPLETED":
                return {"status": "done", "result": json.loads(record["response_body"])}
            if record["status"] == "STARTED" and now() < datetime.fromisoformat(record["lock_expiry"]):
                raise RecordHeld(f"another consumer holds {message['key']}")
        started = now()
        times = {"started_at": started.isoformat()}
        write(name, {"status": "STARTED", **times, "lock_expiry": (started + LOCK).isoformat()}, LOCK)
        receipt = ctx.sink.perform(message["key"], message["payload"])
        times["completed_at"] = now().isoformat()
        completed = {"status": "COMPLETED", **times, "response_body": json.dumps(receipt), "response_code": 200}
        write(name, completed, RETENTION)
        return {"status": "done", "result": receipt}

    return handle


onceproof.serve(
    "python-get-set-record",
    create,
    about="Article 000, second pattern, in Python: GET a record; unless completed or held, SET it STARTED, SET the result.",
    expect="broken",
    recoveryBoundMs=LOCK.total_seconds() * 1000,
    sinks=["plain", "keyed"],
    lacks=["dead-lettering", "offline-queue"],
)
