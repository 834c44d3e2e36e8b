"""Runs a Python layer under `onceproof --impl 'exec:python3 layer.py'` (docs/guide/other-languages.md).

The protocol version is 1. Example:

    import onceproof          # before modules that import socket, threading, time or redis
    import redis

    def create(ctx):
        client = redis.Redis(host=ctx.redis["host"], port=ctx.redis["port"])
        def handle(message):
            ...
            result = ctx.sink.perform(message["key"], message["payload"])
            return {"status": "done", "result": result}
        return handle

    onceproof.serve("my-layer", create)

Time, sleep, threads, locks, sockets and randomness are replaced when this module is imported: they
follow the virtual clock and the simulated network of the harness. One thread runs at a time, until
it waits for something, so the same events give the same steps. Not supported: asyncio and other
code that waits in select, poll or epoll (the run ends with an error that names it), processes that
the layer starts, and clocks that C extensions read by themselves. Python 3.8 to 3.12.
"""
import sys

if not (3, 8) <= sys.version_info[:2] <= (3, 12):
    sys.exit("the client library of onceproof is for Python 3.8 to 3.12, and this is %d.%d" % sys.version_info[:2])
for _early in ("redis", "socket", "concurrent.futures"):
    if _early in sys.modules:
        sys.exit("import onceproof before %s: it replaces what that module takes by name" % _early)

import _thread
import collections
import datetime
import errno
import gc
import itertools
import json
import os
import queue
import random
import select
import selectors
import socket
import threading
import time
import traceback
import uuid

PROTOCOL = 1
_EPOCH_US = 1_767_225_600_000_000


class SinkRefusal(Exception):
    """The sink refused permanently: this request has no effect and never will."""


class StaleFence(Exception):
    """A fenced sink has seen a higher fence. This request had no effect; another holder's may."""


class SinkTimeout(Exception):
    """No answer in time: the effect may or may not have happened, and may still happen."""


class SinkUnavailable(Exception):
    """The answer is unusable: the effect may or may not have happened."""


_SINK_ERRORS = {one.__name__: one for one in (SinkRefusal, StaleFence, SinkTimeout, SinkUnavailable)}

# --- Messages to and from the harness -------------------------------------------------------------


class _Channel:
    """Lines of JSON. Output is buffered until everything waits, and then sent in one piece."""

    def __init__(self, reader, writer):
        self._reader, self._writer, self._said = reader, writer, []

    def say(self, kind, **more):
        self._said.append(json.dumps({"type": kind, **more}, separators=(",", ":")))

    def flush(self):
        self._writer.write(("\n".join(self._said) + "\n").encode())
        self._writer.flush()
        self._said.clear()

    def hear(self):
        line = self._reader.readline()
        # The harness is gone.
        return json.loads(line) if line else os._exit(0)


_channel = _Channel(sys.stdin.buffer, sys.stdout.buffer)


class _Log:
    """Replaces sys.stdout, which the protocol uses, and sys.stderr."""

    encoding = "utf-8"

    def write(self, text):
        if text.strip():
            _channel.say("log", text=text.rstrip("\n"))
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False


# --- One thread at a time -------------------------------------------------------------------------

_real_lock = _thread.allocate_lock
_real_start = _thread.start_new_thread


class _Strand:
    """A thread that runs in its turn. It starts at its first turn, so a fork may come before.

    A thread that gives up the turn hands it to the next one, or reads the harness's next message.
    That is mostly for the same thread, so no thread has to wake another.
    """

    def __init__(self, work):
        self.work, self.turn, self.started, self.done = work, None, False, False
        self.deadline, self.place, self.woken = None, None, None

    def run(self):
        if not self.started:
            self.started = True
            self.turn = _real_lock()
            self.turn.acquire()
            _real_start(self._main, ())
        else:
            self.turn.release()

    def _main(self):
        try:
            self.work()
        finally:
            self.done = True
            for waiter in list(_waiting.get(("strand", id(self)), ())):
                _wake(waiter, True)
            _hand_over(self)


_current = None
_runnable = collections.deque()
# By the place they wait at, in order of arrival.
_waiting = {}
_clock = {"wall": _EPOCH_US, "mono": 0}
# None before `serve` is called.
_layer = None


def _wait(place, seconds=None):
    """Gives up the turn until this thread is woken. False if the time was over first."""
    strand = _current
    if strand is None:
        raise RuntimeError("the network, the sink and sleep are there once `create` is called, not before")
    strand.place, strand.woken = place, None
    if seconds is not None:
        # At least 1 us: an expired timeout ends in the next turn, as with real threads.
        strand.deadline = _clock["mono"] + max(1, round(seconds * 1e6))
        _channel.say("timer", ms=seconds * 1000)
    _waiting.setdefault(place, []).append(strand)
    if not _hand_over(strand):
        strand.turn.acquire()
    return strand.woken


def _wake(strand, how):
    _waiting[strand.place].remove(strand)
    if not _waiting[strand.place]:
        del _waiting[strand.place]
    strand.woken, strand.deadline, strand.place = how, None, None
    _runnable.append(strand)


def _wake_at(place, how=True):
    for strand in list(_waiting.get(place, ())):
        _wake(strand, how)


def _hand_over(own):
    """Passes the turn to the next thread, once there is one. True if that is the caller."""
    global _current
    _current = None
    try:
        while not _runnable:
            _layer.hear()
        following = _current = _runnable.popleft()
        if following is own:
            return True
        following.run()
        return False
    except BaseException:
        # No thread can continue. If the harness is gone too, the error cannot be printed.
        try:
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(1)


def _deadlines():
    return [strand for strands in _waiting.values() for strand in strands if strand.deadline is not None]


# --- Threads and locks ----------------------------------------------------------------------------


class _Lock:
    def __init__(self):
        self._held = False

    def acquire(self, blocking=True, timeout=-1):
        while self._held:
            if not blocking or timeout == 0:
                return False
            if _current is None:
                raise RuntimeError("a lock is waited for outside of every thread of the layer")
            if _wait(("lock", id(self)), None if timeout is None or timeout < 0 else timeout) is False:
                return False
        self._held = True
        return True

    __enter__ = acquire

    def release(self):
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False
        waiters = _waiting.get(("lock", id(self)))
        if waiters:
            _wake(waiters[0], True)

    def __exit__(self, *_):
        self.release()

    def locked(self):
        return self._held

    def _at_fork_reinit(self):
        self._held = False


def _start_new_thread(function, args, kwargs={}):
    strand = _Strand(lambda: function(*args, **kwargs))
    thread = getattr(function, "__self__", None)
    if isinstance(thread, threading.Thread):
        thread._onceproof_strand = strand
    _runnable.append(strand)
    return id(strand)


_real_join = threading.Thread.join


def _join(self, timeout=None):
    strand = getattr(self, "_onceproof_strand", None)
    while strand is not None and not strand.done:
        if _wait(("strand", id(strand)), timeout) is False:
            return
    _real_join(self)


threading.Lock = threading._allocate_lock = _Lock
threading._CRLock = None
threading._start_new_thread = _start_new_thread
threading.Thread.join = _join
queue.SimpleQueue = queue._PySimpleQueue

# --- Time -----------------------------------------------------------------------------------------

_real_sleep = time.sleep


def _sleep(seconds):
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    if _current is None:
        return _real_sleep(seconds)
    _wait(("sleep", id(_current)), seconds)


time.time = lambda: _clock["wall"] / 1e6
time.time_ns = lambda: _clock["wall"] * 1000
time.monotonic = time.perf_counter = lambda: _clock["mono"] / 1e6
time.monotonic_ns = time.perf_counter_ns = lambda: _clock["mono"] * 1000
time.sleep = _sleep
threading._time = queue.time = time.monotonic
for _name in ("localtime", "gmtime"):
    setattr(time, _name, lambda at=None, _real=getattr(time, _name): _real(time.time() if at is None else at))

_real_strftime, _real_asctime = time.strftime, time.asctime
time.strftime = lambda form, at=None: _real_strftime(form, time.localtime() if at is None else at)
time.asctime = lambda at=None: _real_asctime(time.localtime() if at is None else at)
time.ctime = lambda at=None: time.asctime(time.localtime(at))
time.clock_gettime = lambda which: time.time() if which == time.CLOCK_REALTIME else time.monotonic()
time.clock_gettime_ns = lambda which: time.time_ns() if which == time.CLOCK_REALTIME else time.monotonic_ns()

_Datetime, _Date = datetime.datetime, datetime.date


class _OfKind(type):
    def __instancecheck__(cls, value):
        return isinstance(value, cls.real)


class _VirtualDatetime(_Datetime, metaclass=_OfKind):
    real = _Datetime

    @classmethod
    def now(cls, tz=None):
        return _Datetime.fromtimestamp(time.time(), tz)

    today = now

    @classmethod
    def utcnow(cls):
        return _Datetime.utcfromtimestamp(time.time())


class _VirtualDate(_Date, metaclass=_OfKind):
    real = _Date

    @classmethod
    def today(cls):
        return _Date.fromtimestamp(time.time())


datetime.datetime, datetime.date = _VirtualDatetime, _VirtualDate

# --- Other ways to wait: refused by name ----------------------------------------------------------


def _refused(*_, **__):
    what = "asyncio, select, poll or epoll, which this version cannot make wait in virtual time: use threads"
    _channel.say("unsupported", what=what)
    raise RuntimeError("a layer that is judged uses " + what)


for _name in ("select", "poll", "epoll"):
    if hasattr(select, _name):
        setattr(select, _name, _refused)
for _name in vars(selectors):
    if _name.endswith("Selector") and _name != "BaseSelector":
        # asyncio creates one for each event loop.
        getattr(selectors, _name).__init__ = _refused

# --- Chance and identity --------------------------------------------------------------------------

_entropy = random.Random(0)
os.urandom = random._urandom = lambda count: bytes(_entropy.getrandbits(8) for _ in range(count))
random.seed(0)
uuid._generate_time_safe = None
uuid._node = 0x02_00_00_00_00_01
_identity = {"pid": 1, "hostname": "host"}
_real_getpid = os.getpid
os.getpid = lambda: _identity["pid"]
socket.gethostname = lambda: _identity["hostname"]

# --- Sockets --------------------------------------------------------------------------------------

_RealSocket = socket.socket
_sockets = {}
_names = itertools.count(1)
_SHUTDOWN = (socket.SHUT_WR, socket.SHUT_RDWR)


def _getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, int(port)))]


socket.getaddrinfo = _getaddrinfo


class _Socket(_RealSocket):
    """A TCP connection to the simulated network. Its bytes and events are in the protocol."""

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        super().__init__(family, type, proto, fileno)
        self._id, self._there, self._over, self._limit = None, bytearray(), None, None
        self._peer = None

    def settimeout(self, seconds):
        self._limit = seconds

    def gettimeout(self):
        return self._limit

    def setblocking(self, blocks):
        self._limit = None if blocks else 0.0

    def connect(self, address):
        self._id, self._peer = next(_names), (address[0], int(address[1]))
        _sockets[self._id] = self
        _channel.say("connect", connection=self._id, host=address[0], port=self._peer[1], inline=True)
        how = _wait(("connect", self._id), self._limit)
        if how is True:
            return
        self._leave()
        if how is False:
            raise socket.timeout("timed out")
        if how == "ENOTFOUND":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        raise _os_error(how)

    def getpeername(self):
        if self._id is None or self._over not in (None, ""):
            raise _os_error("ENOTCONN")
        return self._peer

    def send(self, data, flags=0):
        self.sendall(data)
        return len(data)

    def sendall(self, data, flags=0):
        if self._over is not None and self._over != "":
            code, self._over = self._over, "EPIPE"
            raise _os_error(code)
        if self._id is None:
            raise _os_error("ENOTCONN")
        _channel.say("sent", connection=self._id, data=bytes(data).decode("latin-1"))

    def recv(self, size, flags=0):
        if size == 0:
            return b""
        if not self._there and self._over is None:
            if self._limit == 0:
                raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
            if self._id is None:
                raise _os_error("ENOTCONN")
            if _wait(("recv", self._id), self._limit) is False:
                raise socket.timeout("timed out")
        if self._there:
            taken = bytes(self._there[:size])
            if not flags & socket.MSG_PEEK:
                del self._there[:size]
            return taken
        if self._over in ("", "EPIPE"):
            return b""
        code, self._over = self._over, "EPIPE"
        raise _os_error(code)

    def recv_into(self, buffer, nbytes=0, flags=0):
        taken = self.recv(nbytes or len(buffer), flags)
        buffer[: len(taken)] = taken
        return len(taken)

    def arrived(self, data):
        self._there += data.encode("latin-1")
        _wake_at(("recv", self._id))

    def broke(self, code):
        self._over = code
        _wake_at(("recv", self._id))

    def shutdown(self, how):
        if self._id is None or self._over not in (None, ""):
            raise _os_error("ENOTCONN")
        if how in _SHUTDOWN:
            _channel.say("finish", connection=self._id)
        if how != socket.SHUT_WR:
            self._over = ""
            _wake_at(("recv", self._id))

    def _leave(self):
        if self._id is not None and _sockets.pop(self._id, None) is not None:
            _channel.say("close", connection=self._id)

    # Python calls it last, on `close`, at the end of `with`, or when the socket is garbage.
    def _real_close(self):
        self._leave()
        super()._real_close()

    def __del__(self):
        self._leave()


def _os_error(code):
    number = getattr(errno, code, errno.EIO)
    return OSError(number, os.strerror(number))


socket.socket = _Socket

# --- The layer ------------------------------------------------------------------------------------


class _Sink:
    def __init__(self, kind):
        self.kind, self._asked = kind, 0

    def perform(self, key, payload, fence=None, reference=None):
        """Returns the effect's result.

        Raises SinkRefusal or StaleFence (no effect), SinkTimeout or SinkUnavailable (in doubt).
        """
        named = {"fence": fence, "reference": reference}
        more = {name: value for name, value in named.items() if value is not None}
        return self._ask("perform", key=key, payload=payload, **more)

    def raise_fence(self, key, fence):
        """Only for a fenced sink."""
        return self._ask("raise", key=key, fence=fence)

    def cancel(self, key, reference):
        """Only for a cancellable sink: undoes effects with that reference, refuses later ones."""
        return self._ask("cancel", key=key, reference=reference)

    def lookup(self, key):
        """Only for a keyed or fenced sink."""
        return self._ask("lookup", key=key)

    def _ask(self, what, **request):
        self._asked += 1
        _channel.say("sink", id=self._asked, ask=what, **request)
        answer = _wait(("sink", self._asked))
        if "error" in answer:
            error = answer["error"]
            raise _SINK_ERRORS.get(error["name"], SinkUnavailable)(error["message"])
        return answer.get("value")


class _Locks:
    """Reports lock events of the layer. Stories show them, but no verdict depends on them."""

    def acquired(self, key):
        _channel.say("lock", key=key, what="acquired")

    def renewed(self, key):
        _channel.say("lock", key=key, what="renewed")

    def lost(self, key):
        _channel.say("lock", key=key, what="lost")

    def released(self, key):
        _channel.say("lock", key=key, what="released")


class Context:
    """The argument of `create`, and of `deploy`, for which it has only `redis`.

    `redis`: host, port and url of one server, or sentinels and name; also nodes, if there are any.
    """

    def __init__(self, notice):
        self.redis = notice["redis"]
        if notice["type"] == "deploy":
            return
        self.instance_id = notice["instanceId"]
        self.lease_ms = notice["leaseMs"]
        self.retention_ms = notice["retentionMs"]
        self.sink = _Sink(notice["sink"])
        self.lock = _Locks()


def _described(error):
    return "%s: %s" % (type(error).__name__, error)


class _Layer:
    def __init__(self, create, deploy):
        self._create, self._deploy, self._handle, self._n = create, deploy, None, 0

    def take(self, notice):
        kind = notice["type"]
        if kind in ("create", "deploy"):
            # From here on, garbage collection happens at the same moments in every replay.
            gc.collect()
            _identity.update(pid=notice["pid"], hostname=notice["hostname"])
            random.seed(notice["seed"])
            _entropy.seed(notice["seed"] + 1)
            begin = self._begin if kind == "create" else self._deploy_once
            _runnable.append(_Strand(lambda: begin(Context(notice))))
        elif kind == "deliver":
            _runnable.append(_Strand(lambda: self._work(notice)))
        elif kind == "data":
            if notice["connection"] in _sockets:
                _sockets[notice["connection"]].arrived(notice["data"])
        elif kind == "connected":
            _wake_at(("connect", notice["connection"]))
        elif kind == "refused":
            _wake_at(("connect", notice["connection"]), notice["code"])
        elif kind == "ended" and notice["connection"] in _sockets:
            _sockets[notice["connection"]].broke("")
        elif kind == "broken" and notice["connection"] in _sockets:
            _sockets[notice["connection"]].broke(notice["code"])
        elif kind == "answer":
            _wake_at(("sink", notice["id"]), notice)
        elif kind == "wake":
            due = [strand for strand in _deadlines() if strand.deadline <= _clock["mono"]]
            for strand in sorted(due, key=lambda one: one.deadline):
                _wake(strand, False)

    def _begin(self, context):
        def make():
            made = self._create(context)
            self._handle = getattr(made, "handle", made)

        self._attempt(make)

    def _deploy_once(self, context):
        self._attempt(lambda: self._deploy(context))

    def _attempt(self, work):
        try:
            work()
        except (Exception, SystemExit) as error:
            return _channel.say("failed", error=_described(error))
        _channel.say("ready")

    def _work(self, notice):
        try:
            outcome = self._handle(notice["message"])
        except SystemExit:
            _channel.flush()
            os._exit(1)
        except Exception as error:
            return _channel.say("threw", delivery=notice["delivery"], error=_described(error))
        _channel.say("outcome", delivery=notice["delivery"], outcome=outcome)

    def hear(self):
        """Every thread waits: reports idle and handles the next message."""
        deadlines = [strand.deadline for strand in _deadlines()]
        _channel.say("idle", n=self._n, untilUs=min(deadlines) if deadlines else None)
        _channel.flush()
        self._hear(_channel.hear())

    def _hear(self, notice):
        self._n = notice["n"]
        _clock["wall"], _clock["mono"] = notice["wallUs"], notice["monoUs"]
        self.take(notice)

    def live(self, notice):
        """Never returns. The first thread has no further work."""
        self._hear(notice)
        _hand_over(None)
        never = _real_lock()
        never.acquire()
        never.acquire()


def serve(id, create, deploy=None, **identity):
    """Never returns.

    `identity`: members of hello in docs/reference/protocol.md: about, sinks, shapes, lacks, has, expect, …
    `deploy(ctx)`: an operator's work, once, at the first deployment, before the consumers start.
    `clocks="own"`: for a layer whose C extensions read clocks by themselves; by default "virtual".
    """
    global _channel, _layer
    identity = {"clocks": "virtual", **identity}
    sys.stdout = sys.stderr = _Log()
    sys.excepthook = lambda *error: traceback.print_exception(*error, file=sys.__stderr__)
    _layer = _Layer(create, deploy)
    # Frozen objects are not touched by garbage collection, so forked processes share their memory.
    gc.collect()
    gc.freeze()
    _channel._said.clear()
    _channel.say("hello", protocol=PROTOCOL, id=id, forks=hasattr(os, "fork"), deploys=deploy is not None, **identity)
    _channel.flush()
    while True:
        notice = _channel.hear()
        if notice["type"] != "fork":
            return _layer.live(notice)
        # This process is a template. Each fork is like a new process with loaded modules.
        _reap()
        if os.fork() == 0:
            own = _RealSocket(socket.AF_UNIX, socket.SOCK_STREAM)
            own.connect(notice["control"])
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            os.dup2(2, 1)
            _channel = _Channel(own.makefile("rb"), own.makefile("wb"))
            _channel.say("process", pid=_real_getpid())
            _channel.flush()
            return _layer.live(_channel.hear())


def _reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
