"""Article 000, third pattern, as in 000-lua-acquire.ts: a script checks and takes the record.

redis-py registers the script, runs it by EVALSHA, and loads it when the server does not know it.
"""
import json
import onceproof
import redis
from datetime import datetime, timedelta, timezone

LOCK = timedelta(minutes=5)
RETENTION = timedelta(hours=24)

ACQUIRE = """-- acquire: KEYS[1] record; ARGV STARTED record, now (ISO 8601, UTC), seconds
local found = redis.call('GET', KEYS[1])
if found then
  local stored = cjson.decode(found)
  if stored.status == 'COMPLETED' then
    return {'completed', found}
  end
  if stored.status == 'STARTED' and ARGV[2] < stored.lock_expiry then
    return {'held', found}
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', tonumber(ARGV[3]))
return {'acquired', ARGV[1]}
"""


class RecordHeld(Exception):
    pass


def create(ctx):
    client = redis.Redis(host=ctx.redis["host"], port=ctx.redis["port"], decode_responses=True)
    acquire = client.register_script(ACQUIRE)

    def handle(message):
        name = f"idempotency:v1:{message['key']}"
        now = datetime.now(timezone.utc)
        started = {"status": "STARTED", "started_at": now.isoformat(), "lock_expiry": (now + LOCK).isoformat()}
        args = [json.dumps(started), now.isoformat(), int(LOCK.total_seconds())]
        reply, found = acquire(keys=[name], args=args)
        stored = json.loads(found)
        if reply == "completed":
            return {"status": "done", "result": json.loads(stored["response_body"])}
        if reply == "held":
            raise RecordHeld(f"another consumer holds {message['key']}")
        receipt = ctx.sink.perform(message["key"], message["payload"])
        completed = {
            "status": "COMPLETED",
            "started_at": stored["started_at"],
            "completed_at": datetime.now(timezone.utc).isoformat(),
            "response_body": json.dumps(receipt),
            "response_code": 200,
        }
        client.set(name, json.dumps(completed), ex=int(RETENTION.total_seconds()))
        return {"status": "done", "result": receipt}

    return handle


onceproof.serve(
    "python-lua-acquire",
    create,
    about="Article 000, third pattern, in Python: a script takes the record by the client's clock, a plain SET completes it.",
    expect="broken",
    recoveryBoundMs=LOCK.total_seconds() * 1000,
    sinks=["plain", "keyed"],
    lacks=["dead-lettering", "offline-queue"],
)
