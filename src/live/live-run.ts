/**
 * One run in earnest: the plan's messages, time limits and faults on real processes, servers and proxies. Its history
 * has the facts that a simulated run's has, so that the same checkers judge it. What is the machine's is measured: a
 * run whose own timers were late by more than the margin says so, and is not judged.
 */
import path from 'node:path'
import { canonicalJson } from '../contract/json.ts'
import { type Boundary, type PlannedFault, slotOf } from '../contract/plan.ts'
import type { Armed } from '../run/boundaries.ts'
import { Broker, redeliveryBoundMs } from '../run/broker.ts'
import { LiveBoundaries, type Passing } from './boundaries.ts'
import { BrokerLink } from './broker-link.ts'
import { findLibfaketime, MachineClock } from './clocks.ts'
import type { ConsumerProcess } from './consumer-process.ts'
import { deployFirst } from './deployment.ts'
import { Effects } from './effects.ts'
import { liveFaults, sortFaults } from './faults/index.ts'
import type { LiveTarget } from './faults/live-fault.ts'
import { LimitBook } from './limit-book.ts'
import type { Link } from './link.ts'
import { openLinks } from './open-links.ts'
import { ConsumerPool, type PoolOwner } from './pool.ts'
import { LiveProblem } from './problem.ts'
import type { FromConsumer, ToConsumer } from './protocol.ts'
import type { ProxiedLink } from './proxy/proxied-link.ts'
import { LiveRecorder } from './recorder.ts'
import type { LiveRunRequest, LiveRunResult } from './run-request.ts'
import { LiveServer, type Machine } from './servers/live-server.ts'
import { primaryName, type SentinelBench } from './servers/sentinel-bench.ts'
import { LiveLedger } from './sink/ledger.ts'
import { openSink } from './sink/service.ts'
import type { Servers } from './stage.ts'
import { LiveTimers } from './timers.ts'

/** How long a run goes on after everything came to rest, for what is still on its way. */
const afterglowMs = 300
/** How long it waits, then, for handlers that have not answered. */
const patienceMs = 4_000
/** How often it is seen to that server and proxy are there. */
const lookEveryMs = 500
/** How long a connection has to notice that it was reset. */
const closingMs = 500

let runs = 0

/** @throws LiveProblem where the run could not be made */
export async function liveRun(request: LiveRunRequest): Promise<LiveRunResult> {
  const servers = await request.stage.startServers(request.shape)
  const run = new LiveRun(request, servers)
  try {
    return await run.play()
  } finally {
    await run.close().finally(() => servers.close())
  }
}

class LiveRun implements LiveTarget, PoolOwner {
  readonly #name = `onceproof-${process.pid}-${++runs}`
  readonly #epochMs = Date.now()
  readonly timers = new LiveTimers((error) => this.failed(error))
  readonly recorder = new LiveRecorder(() => this.timers.nowUs() - this.#beganUs)
  readonly #boundaries: LiveBoundaries
  readonly #sorted: ReturnType<typeof sortFaults>
  readonly #limits: LimitBook
  readonly #clocks = new Map<number, MachineClock>()
  readonly #brokerLinks: BrokerLink[]
  readonly #poisons = { kills: new Map<string, number>(), 'sink-fails': new Map<string, number>() }
  readonly #closings = new Map<ConsumerProcess, (() => void)[]>()
  /** Faults that strike once the reply to a command came back, and at which crash point, by process and command. */
  readonly #uponReply = new Map<string, { readonly point: string; readonly armed: readonly Armed[] }>()
  readonly server: LiveServer
  readonly bench: SentinelBench | null
  readonly broker: Broker<ConsumerProcess>
  readonly #pool: ConsumerPool
  #effects: Effects | null = null
  #links: Awaited<ReturnType<typeof openLinks>> | null = null
  #sink: { port: number; close(): Promise<void> } | null = null
  #ledger: LiveLedger | null = null
  #beganUs = 0
  #readyMs = 0
  #unpublished: number
  #scheduledFaults = 0
  #openFaults = 0
  #striking = 0
  #end: (why: string | null) => void = () => {}
  #failure: unknown = null
  #late: string | null = null

  constructor(
    private readonly request: LiveRunRequest,
    servers: Servers,
  ) {
    const { plan, chance, stage, longestMs } = request
    this.bench = servers.bench ?? null
    const pattern = stage.keyPrefix === null ? '*' : `${stage.keyPrefix}*`
    this.server = new LiveServer(servers.machine, stage.refuses, pattern, (key) => this.#expired(key))
    this.#sorted = sortFaults(plan, stage.refuses, longestMs)
    this.#boundaries = new LiveBoundaries(this.#sorted.armed, plan.leaseMs)
    this.#limits = new LimitBook(plan.leaseMs)
    this.#brokerLinks = Array.from(
      { length: plan.consumers },
      () => new BrokerLink((delayMs, work) => void this.timers.after(delayMs, work)),
    )
    this.#unpublished = plan.messages.length
    this.#pool = new ConsumerPool(this)
    const { timers, recorder } = this
    const after = (delayUs: number, work: () => void) => void timers.after(delayUs / 1000, work)
    this.broker = new Broker({ plan, recorder, chance: (what, n) => chance('broker', what, n), after }, this.#pool)
  }

  get plan() {
    return this.request.plan
  }
  get workplace() {
    return this.request.workplace
  }
  get program() {
    return this.request.program
  }

  async play(): Promise<LiveRunResult> {
    const startedMs = performance.now()
    await this.#prepare()
    const ended = new Promise<string | null>((resolve) => (this.#end = resolve))
    const ready = this.#pool.ready(this.plan.consumers)
    for (let slot = 0; slot < this.plan.consumers; slot++) this.#pool.start(slot)
    await Promise.race([ready, ended])
    if (this.#pool.failure !== null)
      throw new LiveProblem(this.request.implementation, `\`create\` fails (${this.#pool.failure})`)
    this.#readyMs = performance.now() - startedMs
    this.#begin()
    const why = await ended
    if (this.#failure !== null) throw this.#failure
    await this.#conclude(why)
    const { passed, struck } = this.#boundaries.points
    return {
      history: { header: this.#header(), events: this.recorder.events },
      notMade: this.#sorted.notMade,
      worstLateMs: this.timers.worstLate.ms,
      tooLate: this.#late,
      readyMs: this.#readyMs,
      tookMs: performance.now() - startedMs,
      cells: [...struck],
      cellsSeen: [...passed],
      ...(this.bench === null ? {} : { withoutPrimaryMs: Math.round(this.bench.withoutPrimaryMs) }),
      clocks: this.#clocks.size === 0 ? null : findLibfaketime() === null ? 'a shifted Date' : 'libfaketime',
    }
  }

  async #prepare(): Promise<void> {
    const { stage, plan, sink, program, deploys } = this.request
    const { server, workplace } = this
    await server.tellExpired()
    await this.bench?.onSwitch((promoted, replaced) => this.#promoted(promoted, replaced))
    this.#ledger = await LiveLedger.create(path.join(workplace.folder, `ledger-${runs}`), sink)
    const owner = {
      ...{ recorder: this.recorder, timers: this.timers, effectMs: plan.effectMs },
      rule: this.#rule.bind(this),
      sinkFailsOn: (key: string) => this.#isPoisonous(key, 'sink-fails'),
      deliveryOf: this.#pool.deliveryOf.bind(this.#pool),
    }
    this.#effects = new Effects(owner, this.#ledger)
    this.#sink = await openSink(this.#effects, (error) => this.failed(error))
    const ways = {
      redis: (this.bench?.nodes.map(({ machine }) => machine) ?? [server.machine]).map((machine: Machine) => ({
        ...{ through: stage.redisProxy, to: machine },
      })),
      sink: { through: stage.sinkProxy, to: { host: '127.0.0.1', port: this.#sink.port } },
    }
    this.#links = await openLinks(this.#name, plan.consumers, ways)
    for (const { fault } of this.#sorted.armed) if (fault.kind.startsWith('clock-')) this.clock(Number(fault.machine))
    for (let slot = 0; slot < plan.consumers; slot++) this.#pool.spare(slot)
    for (const { fault } of this.#sorted.armed)
      if (fault.kind === 'crash' && fault.healAfterMs !== undefined) this.#pool.spare(slotOf(fault))
    if (deploys) await deployFirst(program, workplace, { type: 'deploy', ...this.#redisFor(0) })
  }

  /** The plan's time begins. */
  #begin(): void {
    const { plan, timers } = this
    this.#beganUs = timers.nowUs()
    for (const event of this.recorder.events) Object.assign(event, { atUs: 0 })
    timers.worstLate = { ms: 0, whose: '' }
    this.bench?.startProbing()
    for (const [at, { publishAtMs }] of plan.messages.entries()) timers.after(publishAtMs, () => this.#publish(at))
    for (const { index, fault } of this.#sorted.armed) {
      if (fault.when.at !== 'time') continue
      this.#scheduledFaults++
      timers.after(fault.when.ms, async () => {
        await this.#strike(index, fault, null)
        this.#scheduledFaults--
      })
    }
    timers.after(this.request.longestMs, () => this.#end(`it did not come to rest within ${this.request.longestMs} ms`))
    this.#watchForRest(null)
    this.#watchSurroundings()
  }

  #watchSurroundings(): void {
    this.timers.after(lookEveryMs, async () => {
      await this.#lookAround()
      this.#watchSurroundings()
    })
  }

  #publish(at: number): void {
    const { key, payload } = this.plan.messages[at]!
    const bornMs = Math.min(...this.plan.messages.filter((one) => one.key === key).map((one) => one.publishAtMs))
    this.#unpublished--
    const producedAt = Math.round(this.#epochMs + this.#beganUs / 1000 + bornMs)
    this.broker.publish({ id: `message-${at + 1}`, key, payload, producedAt }, canonicalJson(payload), false)
  }

  /** Everything is settled, healed and handled; what is still on its way gets a little longer. */
  #watchForRest(sinceMs: number | null): void {
    if (this.request.stopped()) return this.#end('it was interrupted')
    const nowMs = this.timers.nowMs()
    const quiet =
      this.#unpublished === 0 &&
      this.#scheduledFaults === 0 &&
      this.#openFaults === 0 &&
      this.#striking === 0 &&
      this.broker.restful
    const since = quiet ? (sinceMs ?? nowMs) : null
    const busy = this.#pool.busy || (this.#effects?.underWay ?? 0) > 0
    if (since !== null && nowMs - since > (busy ? patienceMs : afterglowMs)) return this.#end(null)
    this.timers.after(10, () => this.#watchForRest(since))
  }

  async #conclude(why: string | null): Promise<void> {
    const { marginMs } = this.request
    const { ms, whose } = this.timers.worstLate
    if (this.server.up) {
      await Promise.race([this.#countKeys(), new Promise((resolve) => this.timers.after(2000, () => resolve(null)))])
    }
    this.#late =
      ms > marginMs
        ? `the machine did not keep up: a timer of ${whose} was ${Math.round(ms)} ms late, the margin is ${marginMs} ms`
        : null
    this.recorder.fact(why === null ? { type: 'ended', complete: true } : { type: 'ended', complete: false, why })
    await this.#lookAround()
  }

  /** What dies mid-run makes faults of its own, which nobody planned. */
  async #lookAround(): Promise<void> {
    const gone = this.bench === null && (await this.server.machine.isAlive?.()) === false
    if (gone && this.server.up)
      throw new LiveProblem(
        'redis-server',
        'it ended in the middle of the run; see whether the machine has memory left',
      )
    if (!(await this.request.stage.redisProxy.isAlive()))
      throw new LiveProblem('the proxy', 'it no longer answers; start it again, or choose --proxy builtin')
  }

  async #countKeys(): Promise<void> {
    const { keys, withoutExpiry } = await this.#countOn(await this.bench?.primary())
    const namesWithoutExpiry = withoutExpiry.slice(0, 100)
    this.recorder.fact({ type: 'keys-counted', keys, withoutExpiry: withoutExpiry.length, namesWithoutExpiry })
  }

  /** On whoever is the primary now. */
  async #countOn(primary: { readonly machine: Machine } | undefined) {
    if (primary === undefined || primary.machine === this.server.machine) return this.server.countKeys()
    const server = new LiveServer(
      primary.machine,
      () => '',
      '*',
      () => {},
    )
    return server.countKeys().finally(() => server.close())
  }

  #header() {
    const { scenario, implementation, sink, plan, recoveryBoundMs } = this.request
    const { leaseMs, retentionMs, visibilityMs } = plan
    return {
      ...{ scenario, implementation, sink, leaseMs, retentionMs, visibilityMs, recoveryBoundMs },
      redeliveryMs: redeliveryBoundMs,
      faultFree: plan.faults.length === 0,
      plan: JSON.parse(canonicalJson(plan)),
    }
  }

  /** In reverse of how it came up. Nothing of the run is left when it resolves. */
  async close(): Promise<void> {
    this.timers.stop()
    await this.#pool.close()
    await this.#links?.close()
    await this.#sink?.close()
    await this.#ledger?.close()
    this.server.close()
  }

  failed(error: unknown): void {
    this.#failure ??= error
    this.#end('the harness failed')
  }

  #promoted(node: string, other: string): void {
    const sentence = `the Sentinels announce ${node} as the primary, in place of ${other}`
    this.recorder.fact({ type: 'topology', node, what: 'promoted', other, sentence })
  }

  #expired(key: string): void {
    this.recorder.fact({ type: 'data-lost', node: 'redis', cause: 'expiry', redisKeys: [key] })
  }

  // What processes are told, and what they pass.

  #redisFor(slot: number) {
    const { bench } = this
    const { access } = this.server.machine
    const { keyPrefix } = this.request.stage
    const [first, ...others] = this.#links!.redis[slot]!.map(({ port }) => ({ host: '127.0.0.1', port }))
    const links = [first!, ...others]
    const prefixed = keyPrefix === null ? {} : { keyPrefix }
    const redisPorts = links.map(({ port }) => port)
    const url = `redis://${first!.host}:${first!.port}`
    const options = { ...first!, ...access, ...prefixed }
    if (bench === null) return { redis: { options, url, nodes: [first!] }, redisPorts, keyPrefix }
    const natMap = Object.fromEntries(
      bench.nodes.map(({ announced: { host, port } }, at) => [`${host}:${port}`, links[at]]),
    )
    const watched = { ...options, sentinels: bench.sentinels, name: primaryName, natMap }
    return { redis: { options: watched, url, nodes: [first!], replicas: others.length }, redisPorts, keyPrefix }
  }

  orderFor(slot: number, name: string): Extract<ToConsumer, { type: 'create' }> {
    const { plan, sink } = this.request
    const url = `http://127.0.0.1:${this.#links!.sink[slot]!.port}`
    return {
      ...{ type: 'create', instanceId: name, leaseMs: plan.leaseMs, ...this.#redisFor(slot) },
      retentionMs: plan.retentionMs,
      sink: { kind: sink, url, timeoutMs: plan.effectTimeoutMs },
      watchCommands: this.#boundaries.watchesCommands(slot),
      shiftsDate: this.clockOf(slot) !== null && findLibfaketime() === null,
    }
  }

  clockOf(slot: number): MachineClock | null {
    return this.#clocks.get(slot) ?? null
  }

  brokerLink(slot: number): BrokerLink {
    return this.#brokerLinks[slot]!
  }

  async pass(process: ConsumerProcess, boundary: Boundary, label: string | null): Promise<boolean> {
    const passing = await this.#rule(process, boundary, label)
    return passing.verdict === 'pass' && process.state !== 'ended'
  }

  async #rule(process: ConsumerProcess, boundary: Boundary, label: string | null): Promise<Passing> {
    const passing: Passing = { process, boundary, label, verdict: 'pass', slowMs: 0 }
    const { name, armed } = this.#boundaries.pass(process.slot, boundary, label, this.#pool.ageMs(process))
    for (const one of armed) await this.#strikeAt(one, name, passing)
    return passing
  }

  async #strikeAt({ index, fault }: Armed, point: string, passing: Passing): Promise<void> {
    const struck = await this.#strike(index, fault, passing)
    if (struck && fault.kind === 'crash') this.#boundaries.points.struck.add(point)
  }

  async gate(process: ConsumerProcess, { gate, where }: Extract<FromConsumer, { type: 'gate' }>): Promise<void> {
    const go = (on: boolean, requestId = 0) => process.send({ type: 'go', gate, drop: !on, requestId })
    if (where.at === 'effect-unsent') {
      const requestId = this.#effects!.sent(process, where)
      return go(await this.pass(process, 'effect-unsent', null), requestId)
    }
    if (where.at === 'effect-answered') return go(await this.pass(process, 'effect-answered', null))
    if (where.at === 'command-unsent') return go(await this.#commandLeaves(process, where.command, where.label))
    const { point, armed } = this.#uponReply.get(`${process.name} ${where.command}`) ?? { point: '', armed: [] }
    for (const one of armed) await this.#strikeAt(one, point, passingOf(process, 'command-executed', where.label))
    go(await this.pass(process, 'reply-received', where.label))
  }

  /** What strikes between a command and its reply must be in place before the command leaves, or waits for the reply. */
  async #commandLeaves(process: ConsumerProcess, command: number, label: string): Promise<boolean> {
    for (const boundary of ['command-unsent', 'command-unexecuted'] as const)
      if (!(await this.pass(process, boundary, label))) return false
    const { name, armed } = this.#boundaries.pass(process.slot, 'command-executed', label, this.#pool.ageMs(process))
    const ahead = armed.filter(({ fault }) => liveFaults.get(fault.kind)?.ahead?.(fault))
    for (const one of ahead) await this.#strikeAt(one, name, passingOf(process, 'command-executed', label))
    const later = armed.filter((one) => !ahead.includes(one))
    if (later.length > 0) this.#uponReply.set(`${process.name} ${command}`, { point: name, armed: later })
    return process.state !== 'ended'
  }

  effectAnswered(process: ConsumerProcess, message: Extract<FromConsumer, { type: 'effect-answered' }>): void {
    const { requestId, answer, error } = message
    const text = error === undefined ? {} : { error }
    this.recorder.fact({ type: 'effect-answered', requestId, process: process.name, answer, ...text })
  }

  limit(ms: number): void {
    this.#limits.note(ms)
  }

  // Faults.

  async #strike(index: number, planned: PlannedFault, passing: Passing | null): Promise<boolean> {
    this.#striking++
    try {
      const fault = this.#limits.fixed(planned)
      const struck = await liveFaults.get(fault.kind)!.strike(this, fault, passing)
      if (struck === null) return false
      const { sentence, heal, process } = struck
      const about = { fault: fault.kind, index }
      const where = {
        ...(process === undefined ? {} : { process }),
        ...(passing === null ? {} : { boundary: passing.boundary }),
      }
      this.recorder.fact({ type: 'fault-struck', ...about, sentence, ...where })
      if (heal === undefined || fault.healAfterMs === undefined) return true
      this.#openFaults++
      this.timers.after(fault.healAfterMs, async () => {
        this.recorder.fact({ type: 'fault-healed', ...about, sentence: await heal() })
        this.#openFaults--
        if (this.#openFaults === 0) this.recorder.fact({ type: 'all-healed' })
      })
      return true
    } finally {
      this.#striking--
    }
  }

  link(slot: number, node: string): Link {
    if (node === 'broker') return this.brokerLink(slot)
    return node === 'sink' ? this.#links!.sink[slot]! : this.redisLink(slot)
  }

  redisLink(slot: number): ProxiedLink {
    return this.#links!.redis[slot]![0]!
  }

  clock(machine: number): MachineClock {
    let clock = this.#clocks.get(machine)
    if (clock === undefined) this.#clocks.set(machine, (clock = new MachineClock(this.timers)))
    return clock
  }

  running(slot: number): ConsumerProcess | null {
    return this.#pool.running(slot)
  }

  crash(process: ConsumerProcess): void {
    this.#pool.crash(process)
  }

  restart(slot: number): ConsumerProcess {
    return this.#pool.restart(slot)
  }

  pause(process: ConsumerProcess): void {
    process.pause()
    this.recorder.fact({ type: 'process-paused', process: process.name })
  }

  resume(process: ConsumerProcess): void {
    if (process.state !== 'paused') return
    this.recorder.fact({ type: 'process-resumed', process: process.name })
    process.resume(this.timers.nowMs())
  }

  whenRedisCloses(process: ConsumerProcess, work: () => Promise<void>): void {
    const once = (): void => void work().catch((error) => this.failed(error))
    this.#closings.set(process, [...(this.#closings.get(process) ?? []), once])
    this.timers.after(closingMs, once)
  }

  redisClosed(process: ConsumerProcess): void {
    for (const work of this.#closings.get(process)?.splice(0) ?? []) work()
  }

  poison(key: string, how: 'kills' | 'sink-fails', times: number): void {
    this.#poisons[how].set(key, times + (this.#poisons[how].get(key) ?? 0))
  }

  killsWhoHandles(key: string): boolean {
    return this.#isPoisonous(key, 'kills')
  }

  killSoon(process: ConsumerProcess): void {
    const afterMs = (this.request.chance('poison', 'kills after', 1000) / 1000) * (this.plan.effectMs + 5)
    this.timers.after(afterMs, () => this.#pool.died(process, 'Error: killed by a poisonous message'))
  }

  /** Whether the key does its harm this time. */
  #isPoisonous(key: string, how: 'kills' | 'sink-fails'): boolean {
    const times = this.#poisons[how].get(key) ?? 0
    if (times > 0) this.#poisons[how].set(key, times - 1)
    return times > 0
  }
}

const passingOf = (process: ConsumerProcess, boundary: Boundary, label: string): Passing => ({
  ...{ process, boundary, label, verdict: 'pass', slowMs: 0 },
})
