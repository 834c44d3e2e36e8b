"""A lock by SET NX around the effect, a common first try. It breaks: only the lock records work."""
import onceproof
import redis


def create(ctx):
    client = redis.Redis(host=ctx.redis["host"], port=ctx.redis["port"])

    def handle(message):
        lock = f"lock:{message['key']}"
        if not client.set(lock, ctx.instance_id, nx=True, px=ctx.lease_ms):
            return {"status": "retry"}
        try:
            return {"status": "done", "result": ctx.sink.perform(message["key"], message["payload"])}
        finally:
            client.delete(lock)

    return handle


onceproof.serve(
    "python-set-nx-lock",
    create,
    about="A lock by SET NX around the effect, in Python. Nothing remembers what was done.",
    expect="broken",
    sinks=["plain", "keyed"],
    lacks=["stored-result", "dead-lettering", "offline-queue"],
)
