"""Article 000, first pattern, as in 000-set-nx-marker.ts, with the same commands, in redis-py.

A taken marker is answered with the value that the article's function returns for a duplicate.
Only decode_responses is set, as in the article: no timeouts; redis-py 4 resends nothing.
"""
import onceproof
import redis

MARKER_SECONDS = 24 * 60 * 60


def create(ctx):
    client = redis.Redis(host=ctx.redis["host"], port=ctx.redis["port"], decode_responses=True)

    def handle(message):
        marker = f"idempotency:v1:{message['key']}"
        if not client.set(marker, "PROCESSING", nx=True, ex=MARKER_SECONDS):
            return {"status": "done", "result": {"status": "skipped", "reason": "duplicate"}}
        try:
            receipt = ctx.sink.perform(message["key"], message["payload"])
            client.set(marker, "COMPLETED", ex=MARKER_SECONDS)
            return {"status": "done", "result": receipt}
        except Exception:
            client.delete(marker)
            raise

    return handle


onceproof.serve(
    "python-set-nx-marker",
    create,
    about="Article 000, first pattern, in Python: SET NX before the effect, COMPLETED after it, DEL when it fails.",
    expect="broken",
    sinks=["plain", "keyed"],
    lacks=["lease", "stored-result", "dead-lettering", "offline-queue"],
)
