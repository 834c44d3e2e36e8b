import { isIP } from 'node:net'
import { canonicalJson } from '../../contract/json.ts'
import type { Boundary, Plan, PlannedFault } from '../../contract/plan.ts'
import { Boundaries } from '../../run/boundaries.ts'
import type { Passing, Ruling } from '../../run/boundary-event.ts'
import { Broker } from '../../run/broker.ts'
import type { CommandLabels } from '../../run/command-labels.ts'
import { CrashPoints } from '../../run/crash-points.ts'
import type { FaultTarget } from '../../run/faults/fault.ts'
import { faults } from '../../run/faults/index.ts'
import { Limits } from '../../run/limits.ts'
import { SinkServer } from '../../run/sink/sink-server.ts'
import { Choices } from '../kernel/choices.ts'
import { Digest } from '../kernel/digest.ts'
import { Kernel, type KernelLimits } from '../kernel/kernel.ts'
import { MachineClock } from '../kernel/machine-clock.ts'
import { ErrorReply, type Reply } from '../lua/reply.ts'
import type { Link } from '../network/link.ts'
import { Network } from '../network/network.ts'
import type { ProcessHost, VirtualProcess } from '../runtime/process.ts'
import { turns } from '../runtime/turns.ts'
import type { ExecutedCommand, Strike, UnstruckFault, WorldRequest } from '../world.ts'
import { ConsumerPool } from './consumers.ts'
import { Deployment } from './deployment.ts'
import { Effects } from './effects.ts'
import type { Machine } from './machine.ts'
import { Recorder } from './recorder.ts'
import type { RedisNode } from './redis-node.ts'
import { RedisSite } from './redis-site.ts'
import { commandText, replyText } from './trace-text.ts'
import type { TrafficEvent } from './traffic.ts'
import { withoutMachine } from './without-machine.ts'
import type { World } from './world-state.ts'

interface Surroundings {
  readonly epochMs: number
  readonly fresh: boolean
}

/** How long the world goes on after everything came to rest, for what is still on its way. */
const afterglowUs = 2_000_000

/** How long it waits, then, for handlers that have not answered: a zombie's effect may still come. */
const patienceUs = 120_000_000

/** One run: all its parts, and what connects them. */
export class Run implements World, ProcessHost, FaultTarget {
  readonly plan: Plan
  readonly epochMs: number
  readonly kernel: Kernel<VirtualProcess>
  readonly network: Network
  readonly recorder: Recorder
  readonly broker: Broker<VirtualProcess>
  readonly boundaries: Boundaries
  readonly limits: Limits
  readonly scheduleDigest = new Digest()
  readonly crashPoints: CrashPoints
  readonly unsupportedSet = new Set<string>()
  readonly strikes: Strike[] = []
  readonly executed: ExecutedCommand[] = []
  /** Of the plan's faults: those whose moment came, and those of them that found something to strike. */
  readonly #cameUp = new Set<number>()
  readonly #struck = new Set<number>()
  readonly #pool: ConsumerPool
  readonly #site: RedisSite
  /** What Redis executed; null where nobody asked for it. */
  readonly traffic: TrafficEvent[] | null
  readonly #clocks = new Map<number, MachineClock>()
  /** How many times more each key does each kind of harm. */
  readonly #poisons = { kills: new Map<string, number>(), 'sink-fails': new Map<string, number>() }
  readonly #request: WorldRequest
  readonly #fresh: boolean
  #deployment: Deployment | null = null
  /** When the plan's time began: after the deployment, if there is one. */
  #beganUs: number | null = null
  #namesResolve = true
  #unpublished: number
  /** When the first message with a key is published. */
  readonly #births = new Map<string, number>()
  /** Faults that will heal. */
  #openFaults = 0
  /** Those, and the ones that never do. */
  #standingFaults = 0
  #startupFailure: string | null = null
  #scheduledFaults = 0
  #restUs: number | null = null
  /** What code of ours threw in a turn of the layer's. */
  bug: unknown = null

  constructor(request: WorldRequest, { epochMs, fresh }: Surroundings) {
    this.#request = request
    this.#fresh = fresh
    // A plan out of a token has its members in another order; what a layer prints or hashes must not depend on it.
    const planText = canonicalJson(request.plan)
    this.plan = JSON.parse(planText)
    this.epochMs = epochMs
    this.limits = new Limits(this.plan.leaseMs)
    this.kernel = new Kernel(new Choices(request.choices.seed, request.choices.own), turns)
    this.kernel.choices.digest.text(planText)
    this.recorder = new Recorder(
      () => this.kernel.nowUs - (this.#beganUs ?? this.kernel.nowUs),
      this.kernel.choices.digest,
      request.record,
    )
    this.network = new Network(this.kernel)
    this.boundaries = new Boundaries(this.plan.faults.map((fault, index) => ({ index, fault })))
    this.crashPoints = new CrashPoints(this.plan.leaseMs)
    this.traffic = request.traffic ? [] : null
    this.#site = new RedisSite(this, this.plan.redis, this.traffic)
    this.#pool = new ConsumerPool(this, this, request.implementation, this.#site.address, fresh)
    this.broker = new Broker(this.#forBroker(), this.#pool)
    this.#pool.broker = this.broker
    const sink = new SinkServer(request.sink)
    this.#pool.effects = new Effects(this, sink, (process, key) => this.#pool.deliveryOf(process, key))
    this.#unpublished = this.plan.messages.length
    for (const leak of request.implementation.leaks) this.unsupported(leak)
  }

  #forBroker() {
    const { plan, recorder, kernel } = this
    const choices = kernel.choices.stream('broker')
    const chance = (what: string, n: number) => choices.choose(what, n)
    const after = (delayUs: number, work: () => void) => kernel.schedule(delayUs, null, work)
    return { plan, recorder, chance, after }
  }

  play(limits: KernelLimits): 'rest' | 'time' | 'events' | Promise<'rest' | 'time' | 'events'> {
    this.#site.whenSettled(() => this.#deploy())
    return this.kernel.run(() => this.#atRest(), limits)
  }

  #deploy(): void {
    const { implementation } = this.#request
    if (implementation.implementation.deploy === undefined) return this.#begin()
    const begin = () => this.#begin()
    this.#deployment = new Deployment(this, this, implementation, this.#site.address, this.#fresh, begin)
  }

  #begin(): void {
    const { plan, kernel } = this
    for (const { key, publishAtMs } of plan.messages)
      this.#births.set(key, Math.min(publishAtMs, this.#births.get(key) ?? publishAtMs))
    this.#beganUs = kernel.nowUs
    for (let slot = 0; slot < plan.consumers; slot++) this.#pool.start(slot)
    plan.messages.forEach((message, at) => {
      kernel.schedule(message.publishAtMs * 1000, null, () => this.#publish(at))
    })
    plan.faults.forEach((fault, index) => {
      if (fault.when.at !== 'time') return
      this.#scheduledFaults++
      kernel.schedule(fault.when.ms * 1000, null, () => {
        this.#scheduledFaults--
        this.#strike(index, fault, null)
      })
    })
  }

  /** `producedAt` is the key's birth: every message with one key carries the same. */
  #publish(at: number): void {
    const { key, payload } = this.plan.messages[at]!
    const bornMs = this.#births.get(key)!
    this.#unpublished--
    const message = { id: `message-${at + 1}`, key, payload, producedAt: this.epochMs + this.#beganUs! / 1000 + bornMs }
    this.broker.publish(message, canonicalJson(payload), false)
  }

  /** Everything is settled, healed and handled; what is still on its way gets a little longer. */
  #atRest(): boolean {
    const quiet =
      this.#unpublished === 0 && this.#openFaults === 0 && this.#scheduledFaults === 0 && this.broker.restful
    if (!quiet) this.#restUs = null
    else this.#restUs ??= this.kernel.nowUs
    if (this.#restUs === null) return false
    return this.kernel.nowUs - this.#restUs > (this.#pool.busy ? patienceUs : afterglowUs)
  }

  end(how: 'rest' | 'time' | 'events'): void {
    this.#deployment?.mustHaveSucceeded()
    const counted = this.#site.primaries.map(({ server }) => server.countKeys())
    const keys = counted.reduce((sum, one) => sum + one.keys, 0)
    const withoutExpiry = counted.reduce((sum, one) => sum + one.withoutExpiry, 0)
    this.recorder.fact({
      type: 'keys-counted',
      keys,
      withoutExpiry,
      namesWithoutExpiry: this.#immortalKeys(withoutExpiry),
    })
    this.recorder.fact({ type: 'ended', ...this.#completeness(how) })
    this.#startupFailure = this.#pool.startupFailure()
    for (const process of this.#pool.connected()) process.end()
  }

  /** When everything that is to be known of the run has been asked. */
  dispose(): void {
    this.#deployment?.dispose()
    for (const part of [this.#pool, this.#site, this.network, this.kernel]) part.dispose()
    Object.assign(this, { kernel: null, network: null, recorder: null, broker: null })
  }

  #completeness(how: 'rest' | 'time' | 'events'): { complete: true } | { complete: false; why: string } {
    if (how !== 'rest')
      return { complete: false, why: `the budget of ${how === 'time' ? 'virtual time' : 'events'} was spent` }
    if (this.broker.restful) return { complete: true }
    return { complete: false, why: 'nothing is left to happen, and messages are still open' }
  }

  #immortalKeys(count: number): string[] {
    if (count === 0) return []
    const described = this.#site.primaries.flatMap(({ server }) => server.describeKeys())
    const all = described.filter(({ expireAtMs }) => expireAtMs === null)
    return all.slice(0, 100).map(({ key }) => key)
  }

  /** Why no consumer ever came into being, where neither a fault that has not healed nor what we lack is to blame. */
  get startupFailure(): string | null {
    return this.#standingFaults > 0 || this.unsupportedSet.size > 0 ? null : this.#startupFailure
  }

  // What processes live on.

  connect(process: VirtualProcess, host: string, port: number, endpoint: Parameters<ProcessHost['connect']>[3]) {
    return this.network.connect(process, host, port, endpoint)
  }

  resolve(hostname: string): string | null {
    if (isIP(hostname) !== 0) return hostname
    return this.#namesResolve ? this.#site.resolve(hostname) : null
  }

  log(process: VirtualProcess, stream: 'stdout' | 'stderr', text: string): void {
    this.recorder.trace({ type: 'log', process: process.name, stream, text: withoutMachine(text) })
  }

  died(process: VirtualProcess, error: unknown): void {
    if (process.state === 'ended') return
    this.#pool.end(process, 'died', error)
    // Whoever runs consumers in earnest has them restarted.
    this.kernel.schedule(1_000_000, null, () => this.restart(process.slot))
  }

  timerStarted(delayMs: number): void {
    this.limits.note(delayMs)
  }

  unsupported(what: string): void {
    if (this.unsupportedSet.has(what)) return
    this.unsupportedSet.add(what)
    this.recorder.fact({ type: 'unsupported', what })
  }

  // Faults.

  pass(process: VirtualProcess, boundary: Boundary, label: string | null, sinceUs?: number): Ruling {
    if (this.#beganUs === null) return untouched
    const alive = process.state !== 'ended'
    const ageUs = this.kernel.nowUs - (sinceUs ?? this.#pool.handlingSinceUs(process))
    const point = alive ? this.crashPoints.pass(boundary, label, ageUs) : null
    const struck = this.boundaries.pass(process.slot, boundary, point?.isNew ?? false)
    if (struck.length === 0) return untouched
    const passing: Passing = { process, slot: process.slot, boundary, label, verdict: 'pass', error: null, slowUs: 0 }
    for (const { index, fault } of struck) {
      const strikes = this.#strike(index, fault, passing)
      if (strikes && fault.kind === 'crash' && point !== null) this.crashPoints.struck.add(point.name)
    }
    if (process.state === 'ended' && passing.verdict === 'pass' && ownSide.has(boundary)) passing.verdict = 'drop'
    return passing
  }

  /** Whether there was something to strike. */
  #strike(index: number, planned: PlannedFault, passing: Passing | null): boolean {
    const fault = this.limits.fixed(planned)
    this.#cameUp.add(index)
    const struck = faults.get(fault.kind)?.strike(this, fault, passing)
    if (struck === null || struck === undefined) return false
    this.#struck.add(index)
    this.strikes.push({ index, label: passing?.label ?? null })
    const { sentence, heal, process, node } = struck
    const about = { fault: fault.kind, index }
    const where = {
      ...(process === undefined ? {} : { process }),
      ...(node === undefined ? {} : { node }),
      ...(passing === null ? {} : { boundary: passing.boundary }),
    }
    this.recorder.fact({ type: 'fault-struck', ...about, sentence, ...where })
    if (heal === undefined) return true
    this.#standingFaults++
    if (fault.healAfterMs === undefined) return true
    this.#openFaults++
    this.kernel.schedule(fault.healAfterMs * 1000, null, () => {
      this.#openFaults--
      this.#standingFaults--
      this.recorder.fact({ type: 'fault-healed', ...about, sentence: heal() })
      if (this.#openFaults === 0) this.recorder.fact({ type: 'all-healed' })
    })
    return true
  }

  /** Planned faults that struck nothing. */
  get unstruck(): UnstruckFault[] {
    const missed = this.plan.faults.map(({ kind }, index) => ({ kind, cameUp: this.#cameUp.has(index) }))
    return missed.filter((_, index) => !this.#struck.has(index))
  }

  get redis(): RedisNode {
    return this.#site.primary
  }

  get machines(): readonly Machine[] {
    return this.#site.machines
  }

  get consumers(): number {
    return this.plan.consumers
  }

  get labels(): CommandLabels {
    return this.#site.labels
  }

  links(slot: number, node: string): readonly Link[] {
    const names = node === 'redis' ? this.machines.map(({ name }) => name) : [node]
    return names.map((name) => this.network.link(slot, name))
  }

  running(slot: number): VirtualProcess | null {
    return this.#pool.running(slot)
  }

  crash(process: VirtualProcess): void {
    this.#pool.end(process, 'crashed')
  }

  restart(slot: number): VirtualProcess {
    return this.#pool.running(slot) ?? this.#pool.start(slot)
  }

  pause(process: VirtualProcess): void {
    process.pause()
    this.recorder.fact({ type: 'process-paused', process: process.name })
  }

  resume(process: VirtualProcess): void {
    if (process.state !== 'paused') return
    this.recorder.fact({ type: 'process-resumed', process: process.name })
    process.resume()
  }

  clock(machine: number): MachineClock {
    let clock = this.#clocks.get(machine)
    if (clock === undefined) {
      clock = new MachineClock(() => this.kernel.nowUs, this.epochMs * 1000)
      this.#clocks.set(machine, clock)
    }
    return clock
  }

  names(resolve: boolean): boolean {
    if (this.#namesResolve === resolve) return false
    this.#namesResolve = resolve
    return true
  }

  keyOf(messageIndex: number): string | null {
    return this.plan.messages[messageIndex % this.plan.messages.length]?.key ?? null
  }

  poison(key: string, how: 'kills' | 'sink-fails', times: number): void {
    this.#poisons[how].set(key, times + (this.#poisons[how].get(key) ?? 0))
  }

  /** Whether the key does its harm this time. */
  isPoisonous(key: string, how: 'kills' | 'sink-fails'): boolean {
    const times = this.#poisons[how].get(key) ?? 0
    if (times > 0) this.#poisons[how].set(key, times - 1)
    return times > 0
  }

  guardHarnessCode<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.bug ??= error
      throw error
    }
  }

  // What is written down.

  schedule(process: VirtualProcess, what: string, outcome: Reply): void {
    this.executed.push({ process: process.name, label: what, seq: this.recorder.events.length })
    this.scheduleDigest.int(process.slot)
    this.scheduleDigest.text(what)
    this.scheduleDigest.int(
      outcome === null ? 1 : outcome instanceof ErrorReply ? 2 : typeof outcome === 'number' ? outcome : 3,
    )
  }

  traceCommand(process: VirtualProcess, args: readonly string[], reply: Reply, node: string | null): void {
    if (!this.recorder.tracing || !this.isRecorded(process)) return
    this.recorder.trace({
      type: 'command',
      process: process.name,
      command: commandText(args),
      reply: replyText(reply),
      ...(node === null ? {} : { node }),
    })
  }

  /** Nothing of a deployment is in the history. */
  isRecorded(process: VirtualProcess): boolean {
    return process.slot < this.plan.consumers
  }

  historyDigest(): string {
    const digest = new Digest()
    for (const event of this.recorder.events) digest.text(canonicalJson(event))
    return digest.hex()
  }
}

const untouched: Ruling = Object.freeze({ verdict: 'pass', error: null, slowUs: 0 })

/** Boundaries inside of the process: one that just ended goes no further; elsewhere things go on without it. */
const ownSide: ReadonlySet<Boundary> = new Set([
  'delivery-received',
  'command-unsent',
  'reply-received',
  'effect-unsent',
  'effect-answered',
  'answered',
])
