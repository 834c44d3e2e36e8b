import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { boundaries, type Plan, type RedisPlan } from '../../src/contract/api/plan.ts'
import { programFiles, scriptFiles } from '../../src/exec/program-files.ts'
import { needs } from '../needs/needs.ts'
import { type Play, play } from '../sim/world-lab.ts'
import { layerOf, load } from './programs.ts'

const lock = `
def handle(message):
    lock = "lock:" + message["key"]
    if not client.set(lock, str(uuid.uuid4()), nx=True, px=ctx.lease_ms):
        return {"status": "retry"}
    try:
        return {"status": "done", "result": ctx.sink.perform(message["key"], message["payload"])}
    finally:
        client.delete(lock)
`

const busy: Partial<Plan> = {
  consumers: 3,
  messages: ['a', 'b', 'a', 'c', 'b', 'a'].map((key, at) => ({ key, payload: { key }, publishAtMs: at })),
}

needs({ python: 'redis' }).describe('a program behind a simulated process', () => {
  it('sends the same commands in the same order in ten runs', async () => {
    const layer = await load(layerOf(lock))
    const crash = { kind: 'crash', when: { at: 'effect-applied', consumer: 0, nth: 1 }, healAfterMs: 10 } as const
    const runs = []
    for (let time = 0; time < 10; time++) runs.push(await play(layer, { ...busy, faults: [crash], seed: 7 }))
    const commands = runs.map(({ executed }) => executed.map(({ process, args }) => [process, ...args].join(' ')))
    expect(commands[0]!.length).toBeGreaterThan(10)
    for (const run of runs) expect(run.historyDigest).toBe(runs[0]!.historyDigest)
    for (const list of commands) expect(list).toEqual(commands[0])
    const other = await play(layer, { ...busy, faults: [crash], seed: 8 })
    expect(other.historyDigest).not.toBe(runs[0]!.historyDigest)
  })

  it('is the same in fresh processes and in a recorded run', async () => {
    const layer = await load(layerOf(lock))
    const hot = await play(layer, { ...busy, record: false })
    const closer = await play(layer, { ...busy, scrutinise: true })
    expect(closer.digest).toBe(hot.digest)
  })

  it('may delete its keys later if one of its threads sleeps for long, and only then', async () => {
    const keeps = (more: string) =>
      layerOf(`
def sweep():
    while True:
        time.sleep(3600)
        for key in client.scan_iter("seen:*"):
            client.delete(key)
${more}
def handle(message):
    client.set("seen:" + message["key"], "1")
    return {"status": "done", "result": ctx.sink.perform(message["key"], message["payload"])}
`)
    const counted = async (more: string) => (await play(await load(keeps(more)))).of('keys-counted')
    expect(await counted('threading.Thread(target=sweep, daemon=True).start()')).toMatchObject([
      { withoutExpiry: 1, maySweep: 'timer-waits' },
    ])
    expect(await counted('')).toEqual([expect.not.objectContaining({ maySweep: expect.anything() })])
  })

  it('answers with the result of the sink', async () => {
    const run = await play(await load(layerOf(lock)))
    expect(run.of('answered').map(({ outcome }) => outcome)).toEqual([
      { status: 'done', result: expect.objectContaining({ effectId: 'effect-1' }) },
    ])
    expect(run.unsupported).toEqual([])
  })

  it('has virtual time, its own identity and chance, which repeat', async () => {
    const notice = layerOf(`
def handle(message):
    before = time.monotonic()
    time.sleep(2.5)
    return {"status": "done", "result": [
        time.monotonic() - before, datetime.datetime.now().isoformat(), int(time.time() * 1000) - message["producedAt"],
        os.getpid(), str(uuid.uuid4()), random.random(), ctx.instance_id, time.localtime()[:6],
    ]}
`)
    const options: Play = { visibilityMs: 60_000 }
    const results = []
    for (const _ of [1, 2]) results.push((await play(await load(notice), options)).of('answered')[0]!.outcome)
    expect((results[0] as unknown as { result: unknown[] }).result.slice(0, 3)).toEqual([
      2.5,
      expect.stringMatching(/^2026-01-01T00:00:02\.5/),
      2500,
    ])
    expect(results[1]).toEqual(results[0])
  })

  it('observes a jump of its clock', async () => {
    const notice = layerOf(`
def handle(message):
    return {"status": "done", "result": round(time.time() - message["producedAt"] / 1000)}
`)
    const step = {
      kind: 'clock-step',
      when: { at: 'time', ms: 0 },
      machine: 0,
      byMs: 3_600_000,
      healAfterMs: 60_000,
    } as const
    const run = await play(await load(notice), {
      faults: [step],
      messages: [{ key: 'k', payload: 1, publishAtMs: 10 }],
    })
    expect(run.of('answered')[0]!.outcome).toEqual({ status: 'done', result: 3600 })
  })

  it('has time-outs in virtual time', async () => {
    const layer = await load(
      layerOf(`
impatient = redis.Redis(host=ctx.redis["host"], port=ctx.redis["port"], socket_timeout=3)
def handle(message):
    impatient.ping()
    before = time.time()
    try:
        impatient.get("k")
    except redis.TimeoutError:
        return {"status": "done", "result": round(time.time() - before, 3)}
    return {"status": "retry"}
`),
    )
    const cut = {
      kind: 'partition',
      when: { at: 'command-unexecuted', consumer: 0, nth: 1 },
      node: 'redis',
      way: 'both',
      healAfterMs: 60_000,
    } as const
    const started = performance.now()
    const run = await play(layer, { faults: [cut], visibilityMs: 60_000 })
    expect(run.of('answered')[0]?.outcome).toEqual({ status: 'done', result: 3 })
    expect(performance.now() - started).toBeLessThan(3_000)
  })

  it('may have threads, locks and queues', async () => {
    const layer = await load(
      layerOf(`
renewals = []
lock = threading.Lock()
def handle(message):
    done = threading.Event()
    told = queue.Queue()
    def renew():
        while not done.wait(1.0):
            with lock:
                client.set("lease:" + message["key"], "x", px=2000)
                renewals.append(time.monotonic())
        told.put(len(renewals))
    thread = threading.Thread(target=renew)
    thread.start()
    time.sleep(3.5)
    done.set()
    thread.join()
    return {"status": "done", "result": told.get()}
`),
    )
    const run = await play(layer, { visibilityMs: 60_000 })
    expect(run.of('answered')[0]?.outcome).toEqual({ status: 'done', result: 3 })
    expect(run.executed.map(({ label }) => label)).toEqual(['SET', 'SET', 'SET'])
  })

  it('is deployed by its own operator before its consumers start', async () => {
    const deploys = layerOf(
      `
def handle(message):
    return {"status": "done", "result": [client.get("deployed"), ctx.instance_id]}
`,
      ', deploy=lambda ctx: redis.Redis(host=ctx.redis["host"], port=ctx.redis["port"]).set("deployed", "yes")',
    )
    const run = await play(await load(deploys))
    expect(run.of('answered')[0]!.outcome).toEqual({ status: 'done', result: ['yes', 'consumer-1'] })
    const failing = layerOf('def handle(message): pass', ', deploy=lambda ctx: sys.exit("not empty")')
    await expect(load(failing).then((layer) => play(layer))).rejects.toThrow(/`deploy` fails .*SystemExit: not empty/)
    const asking = layerOf('def handle(message): pass', ', deploy=lambda ctx: onceproof._Sink("plain").perform("k", 1)')
    await expect(load(asking).then((layer) => play(layer))).rejects.toThrow(
      /`deploy` fails .*deploy performs no effect/,
    )
  })

  it('has another digest if a script in its words changes, and only then', async () => {
    const name = layerOf(lock)
    const file = name.split(' ')[1]!
    const text = fs.readFileSync(file, 'utf8')
    const digests = []
    for (const more of ['', '', '# edited']) {
      fs.writeFileSync(file, `${text}${more}`)
      digests.push((await play(await load(name))).digest)
    }
    expect(digests[1]).toBe(digests[0])
    expect(digests[2]).not.toBe(digests[0])
  })

  it('is identified by the files in its words, but not by system programs or compiled files', () => {
    const folder = path.dirname(layerOf(lock).split(' ')[1]!)
    const script = path.join(folder, 'layer.py')
    expect(programFiles(`exec:sh ${script} ${folder} --mode=fast none.py`)).toEqual([script])
    expect(programFiles(`exec:${process.execPath} ${script}`)).toEqual([process.execPath, script])
    expect(scriptFiles(`exec:${process.execPath} ${script}`)).toEqual([[script, fs.readFileSync(script)]])
  })

  it('is killed by a crash, and leaves nothing behind after the run', async () => {
    const file = path.join(os.tmpdir(), `onceproof-pids-${process.pid}`)
    const layer = await load(
      layerOf(`
with open("${file}", "a") as book:
    book.write(open("/proc/self/stat").read().split()[0] + "\\n")
def handle(message):
    return {"status": "done", "result": ctx.sink.perform(message["key"], message["payload"])}
`),
    )
    const crash = { kind: 'crash', when: { at: 'effect-unapplied', consumer: 0, nth: 1 }, healAfterMs: 10 } as const
    const run = await play(layer, { faults: [crash] })
    expect(run.of('process-ended').map(({ how }) => how)).toEqual(['crashed'])
    const used = fs.readFileSync(file, 'utf8').trim().split('\n')
    fs.rmSync(file)
    expect(used).toHaveLength(2)
    for (const pid of used) await expect.poll(() => stateOf(pid)).toMatch(/gone|Z/)
  })

  it('is stopped by a pause while virtual time advances, and resumes later', async () => {
    const file = path.join(os.tmpdir(), `onceproof-pids-${process.pid}`)
    const layer = await load(
      layerOf(`
own = open("/proc/self/stat").read().split()[0]
with open("${file}", "a") as book:
    book.write(ctx.instance_id + " " + own + "\\n")
def is_stopped(pid):
    return open("/proc/" + pid + "/stat").read().split(") ")[1][0] == "T"
def handle(message):
    time.sleep(1)
    first = dict(line.split() for line in open("${file}"))["consumer-1"]
    # A system stops a process some time after the signal was sent: its threads must be scheduled first.
    asked = 0
    while ctx.instance_id != "consumer-1" and not is_stopped(first) and asked < 100_000:
        asked += 1
    return {"status": "done", "result": [ctx.instance_id, time.monotonic(), is_stopped(first)]}
`),
    )
    const pause = { kind: 'pause', when: { at: 'time', ms: 500 }, consumer: 0, healAfterMs: 9000 } as const
    const messages = ['a', 'b', 'c', 'd'].map((key) => ({ key, payload: 1, publishAtMs: 0 }))
    const run = await play(layer, { consumers: 2, messages, faults: [pause], visibilityMs: 60_000 })
    fs.rmSync(file)
    const results = run
      .of('answered')
      .map(({ outcome }) => (outcome as unknown as { result: [string, number, boolean] }).result)
    const of = (name: string) => results.filter(([consumer]) => consumer === name)
    expect(of('consumer-2').length).toBeGreaterThan(0)
    for (const [, at, stopped] of of('consumer-2'))
      expect({ early: at < 2, stopped }).toEqual({ early: true, stopped: true })
    expect(of('consumer-1').length).toBeGreaterThan(0)
    for (const [, at, stopped] of of('consumer-1'))
      expect({ late: at > 9, stopped }).toEqual({ late: true, stopped: false })
  })

  it.each(boundaries)('can be paused or killed at the boundary %s', async (at) => {
    const layer = await load(layerOf(lock), { helloMs: 20_000, silenceMs: 5_000 })
    const when = { at, consumer: 0, nth: 1 } as const
    for (const kind of ['pause', 'crash']) {
      const run = await play(layer, { faults: [{ kind, when, healAfterMs: 9000 }], visibilityMs: 60_000 })
      expect(run.of('fault-struck')).toHaveLength(1)
      expect(run.of('process-ended').map(({ how }) => how)).toEqual(kind === 'crash' ? ['crashed'] : [])
      expect(run.of('settled').map(({ as }) => as)).toEqual(['done'])
      expect(run.unsupported).toEqual([])
    }
  })

  it('gets a refused connection, a lost one and an unresolved name like errors of sockets', async () => {
    const layer = await load(
      layerOf(`
def handle(message):
    try:
        client.get("k")
        return {"status": "done", "result": None}
    except redis.ConnectionError as error:
        return {"status": "done", "result": str(error)}
`),
    )
    const loses = { kind: 'lost-request', when: { at: 'command-unexecuted', consumer: 0, nth: 1 } } as const
    const broken = await play(layer, { faults: [loses] })
    expect(broken.of('answered')[0]!.outcome).toMatchObject({ result: expect.stringMatching(/reset by peer/) })
    const down = { kind: 'redis-restart', when: { at: 'time', ms: 0 }, healAfterMs: 60_000 } as const
    const messages = [{ key: 'k', payload: 1, publishAtMs: 10 }]
    const refused = await play(layer, { faults: [down], messages })
    expect(refused.of('answered')[0]!.outcome).toMatchObject({ result: expect.stringMatching(/Error 111 connecting/) })
    const nameless = { kind: 'dns-failure', when: { at: 'time', ms: 5 }, healAfterMs: 60_000 } as const
    const twice = [...messages, { key: 'l', payload: 1, publishAtMs: 0 }]
    const unknown = await play(layer, { faults: [nameless], messages: twice })
    expect(JSON.stringify(unknown.of('answered').map(({ outcome }) => outcome))).toMatch(
      /closed by server|reset by peer|Name or service not known/,
    )
  })

  it.each(['sentinel', 'cluster'] as const)('follows a failover by redis-py: %s', async (shape) => {
    const layer = await load(
      layerOf(shape === 'sentinel' ? ofSentinels : ofCluster, ', shapes=["single", "sentinel", "cluster"]'),
    )
    const death = { kind: 'redis-restart', when: { at: 'time', ms: 1000 }, healAfterMs: 30_000 } as const
    const shards = shape === 'cluster' ? { shards: 3, sentinels: 0 } : { sentinels: 3 }
    const run = await play(layer, { redis: { ...replicated, ...shards }, faults: [death], visibilityMs: 120_000 })
    expect(run.unsupported).toEqual([])
    expect(run.of('topology').some(({ what }) => what === 'promoted')).toBe(true)
    const { outcome } = run.of('answered')[0]!
    const { failed, last } = (outcome as unknown as { result: { failed: number; last: boolean } }).result
    expect(failed).toBeGreaterThan(0)
    expect(last).toBe(true)
  })
})

/**
 * Writes for twenty seconds, and returns how often that failed, and whether the last write
 * succeeded.
 */
const writes = `
def handle(message):
    failed, last = 0, False
    for at in range(40):
        try:
            for key in ["a", "b", "c"]: client.incr(key)
            last = True
        except (redis.RedisError, OSError) as error:
            failed, last = failed + 1, False
        time.sleep(0.5)
    return {"status": "done", "result": {"failed": failed, "last": last}}
`
const ofSentinels = `
places = [(one["host"], one["port"]) for one in ctx.redis["sentinels"]]
watched = redis.sentinel.Sentinel(places, socket_timeout=1)
client = watched.master_for(ctx.redis["name"], socket_timeout=1)
${writes}`
const ofCluster = `
places = [redis.cluster.ClusterNode(one["host"], one["port"]) for one in ctx.redis["nodes"]]
client = redis.cluster.RedisCluster(startup_nodes=places, socket_timeout=1, cluster_error_retry_attempts=1)
${writes}`
const replicated: RedisPlan = {
  replicas: 1,
  sentinels: 0,
  downAfterMs: 1000,
  failoverTimeoutMs: 10_000,
  keeps: 'nothing',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 0,
}

function stateOf(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0]!
  } catch {
    return 'gone'
  }
}
