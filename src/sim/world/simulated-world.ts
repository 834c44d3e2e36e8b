import type { KeyDescription } from 'redis-sim'
import type { Reply } from 'redis-sim/resp'
import type { MachineClock } from 'virtual-node/kernel'
import { Choices, Kernel, type KernelLimits } from 'virtual-node/kernel'
import { Network } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import { CallOrigins, listenToSending, turns } from 'virtual-node/runtime'
import { canonicalJson } from '../../contract/api/json.ts'
import type { Boundary, Plan, PlannedFault } from '../../contract/api/plan.ts'
import { type StoreKind, usualStores } from '../../contract/api/store.ts'
import type { Heard } from '../../contract/results/step.ts'
import type { Decision } from '../../run/boundary-event.ts'
import { Conductor } from '../../run/conductor.ts'
import { postgresClock } from '../../run/faults/machine.ts'
import { brokerPatienceMs, judgedBy, relayPatienceUs } from '../../run/header.ts'
import { mustAddUp } from '../../run/history-audit.ts'
import { Limits } from '../../run/limits.ts'
import type { MaybePromise } from '../../run/maybe-promise.ts'
import type { RunPorts } from '../../run/ports.ts'
import { withLeaseFor } from '../../run/shortest-lease.ts'
import { MemoryLedger } from '../../run/sink/memory-ledger.ts'
import { Camera, type Scene } from './camera.ts'
import { type Addresses, SimulatedConsumers } from './consumers.ts'
import { Deployment } from './deployment.ts'
import { GuardedReports } from './guarded-reports.ts'
import { Journal, type TracedCommand } from './journal.ts'
import { LayersTimers } from './layers-timers.ts'
import { MachineClocks } from './machine-clocks.ts'
import { otherSites } from './other-sites.ts'
import type { SessionEvent } from './postgres/session-traffic.ts'
import { ProcessServices } from './process-services.ts'
import { Recorder } from './recorder.ts'
import { placedServers } from './redis-layout.ts'
import { RedisSite } from './redis-site.ts'
import { RedisStore } from './redis-store.ts'
import type { TimedChoice, WorldRequest } from './request.ts'
import { ScriptWriter } from './script-writer.ts'
import { SentCommands } from './sent-commands.ts'
import { ServersAhead } from './servers-ahead.ts'
import { SimulatedLinks } from './simulated-links.ts'
import { SinkTransport } from './sink-transport.ts'
import type { StoreSite } from './store-site.ts'
import type { TrafficEvent } from './traffic.ts'
import { TransactionalSink } from './transactional-sink.ts'
import type { World } from './world-state.ts'

/** How long the world goes on after everything came to rest, and for handlers that have not answered. */
const patience = { afterglowUs: 2_000_000, patienceUs: 120_000_000 }

/** The simulated host of one run: virtual processes, a simulated network, a simulated Redis, under one conductor. */
export class SimulatedWorld implements World {
  readonly plan: Plan
  readonly epochMs: number
  readonly kernel: Kernel<VirtualProcess>
  readonly network: Network
  readonly recorder: Recorder
  readonly limits: Limits
  readonly journal: Journal
  readonly conductor: Conductor<VirtualProcess>
  readonly site: RedisSite
  /** What was chosen; null where nobody asked for it. */
  readonly choices: readonly TimedChoice[] | null = null
  /** What Redis executed; null where nobody asked for it. */
  readonly traffic: TrafficEvent[] | null
  readonly sessions: SessionEvent[] | null
  readonly camera: Camera | null
  readonly sent: SentCommands | null
  /** Null where no script was asked for. */
  readonly script: ScriptWriter | null
  readonly serversAhead: ServersAhead | null
  readonly unsupportedSet = new Set<string>()
  readonly #request: WorldRequest
  readonly #fresh: boolean
  /** Null where nobody wants to know who sent what. */
  readonly #origins: CallOrigins | null
  readonly #clocks: MachineClocks
  readonly #services: ProcessServices
  readonly #consumers: SimulatedConsumers
  readonly #sink: SinkTransport
  /** Null where the sink is of another kind. */
  readonly #transactional: TransactionalSink | null
  /** The stores beside Redis. */
  readonly #others: ReadonlyMap<StoreKind, StoreSite>
  readonly #addresses: Addresses
  #deployment: Deployment | null = null
  #startupFailure: string | null = null
  /** It was played for as long as was asked, and was to go on. */
  #isCut = false
  #timeLimitUs = 0
  readonly #layersTimers: LayersTimers
  /** What code of ours threw in a turn of the layer's. */
  bug: unknown = null

  constructor(request: WorldRequest, { epochMs, fresh }: { readonly epochMs: number; readonly fresh: boolean }) {
    this.#request = request
    this.#fresh = fresh
    // A plan out of a token has its members in another order; what a layer prints or hashes must not depend on it.
    const planText = canonicalJson(request.plan)
    const plan = withLeaseFor(request.implementation.implementation, JSON.parse(planText))
    this.plan = plan
    this.epochMs = epochMs
    this.limits = new Limits(plan.leaseMs)
    const kernel = new Kernel(new Choices(request.choices), turns)
    this.kernel = kernel
    const { choices } = kernel
    choices.digest.text(planText)
    choices.keeps = request.keepChoices === true
    if (request.listChoices === true) {
      const made: TimedChoice[] = []
      this.choices = made
      choices.observe = (choice) => made.push({ ...choice, atUs: kernel.nowUs })
    }
    this.recorder = new Recorder(() => this.conductor.planUs, choices.digest, request.record)
    this.network = new Network(kernel)
    this.#clocks = new MachineClocks(() => kernel.nowUs, epochMs)
    this.journal = new Journal(this.recorder)
    this.traffic = request.traffic ? [] : null
    this.sessions = request.traffic ? [] : null
    const { sources } = request.implementation
    this.#origins = request.record && request.positions && sources !== undefined ? new CallOrigins(sources) : null
    this.sent = this.#origins && new SentCommands(this.#origins, () => kernel.turns)
    this.script = request.script
      ? new ScriptWriter(
          () => kernel.nowUs,
          () => this.recorder.events,
        )
      : null
    const { serversAheadMs } = request
    this.serversAhead =
      serversAheadMs === undefined
        ? null
        : new ServersAhead(
            serversAheadMs,
            [...placedServers(plan.redis).map((_, at) => -1 - at), postgresClock].map((machine) => this.clock(machine)),
          )
    this.site = new RedisSite(this, plan.redis, this.traffic)
    const { stores = usualStores } = request.implementation.implementation
    this.camera = request.film ? new Camera(this.#scene(stores)) : null
    const links = new SimulatedLinks(this)
    const ledger = new MemoryLedger(request.sink, { ...plan, nowMs: () => kernel.nowUs / 1000 })
    const transactional =
      request.sink === 'transactional'
        ? new TransactionalSink({ world: this, effects: () => this.conductor.effects })
        : null
    this.#transactional = transactional
    this.#others = otherSites(stores, { world: this, links, transactional, sessions: this.sessions })
    const others = [...this.#others.values()]
    this.#addresses = Object.assign({ redis: this.site.address }, ...others.map(({ addresses }) => addresses))
    const reports = new GuardedReports(this, () => this.conductor.slots)
    this.#services = new ProcessServices(this, [this.site, ...others], links, reports, {
      files: request.implementation.files,
      allow: request.implementation.implementation.allow ?? [],
    })
    this.#sink = new SinkTransport({
      world: this,
      sink: ledger,
      transactional,
      effects: () => this.conductor.effects,
      caller: () => this.#origins?.caller() ?? null,
    })
    this.#consumers = new SimulatedConsumers(this, {
      host: this.#services,
      implementation: request.implementation,
      addresses: this.#addresses,
      fresh,
      callsOf: (process) => this.#sink.callsOf(process),
      reports,
    })
    const ports: RunPorts<VirtualProcess> = {
      plan,
      epochMs,
      recorder: this.recorder,
      nowUs: () => kernel.nowUs,
      after: (delayUs, work) => void kernel.schedule(delayUs, null, work),
      chance: (stream, what, n) => {
        const chosen = choices.stream(stream).choose(what, n)
        this.script?.draws.push({ stream, what, n, chosen })
        return chosen
      },
      driver: this.#consumers,
      links,
      clocks: this.#clocks,
      store: new RedisStore(this.site, links),
      otherStores: new Map([...this.#others].map(([kind, { port }]) => [kind, port])),
      ledger,
      failed: (error) => (this.bug ??= error),
      ...(this.script === null ? {} : { steps: this.script }),
    }
    const judged = judgedBy(request.implementation.implementation, request.scenario)
    const { ownClocks = false } = request.implementation.implementation
    const armed = plan.faults
      .map((fault, index) => ({ index, fault }))
      .filter(({ fault }) => !(ownClocks && putsConsumerClockWrong(fault)))
    this.conductor = new Conductor(ports, {
      ...{ armed, limits: this.limits, ...patience },
      brokerPatienceMs: brokerPatienceMs(judged),
      relayPatienceUs: relayPatienceUs(judged),
      timesCalls: judged.answersWithinMs !== undefined,
      declaredRetry: judged.parkReasons?.failed?.retry,
    })
    this.#layersTimers = new LayersTimers(kernel, () => this.conductor.slots.connected(), this.recorder.events)
    for (const [what, digest] of request.implementation.files.loaded) this.#services.fileRead(what, digest)
  }

  play(limits: KernelLimits): 'rest' | 'time' | 'events' | Promise<'rest' | 'time' | 'events'> {
    this.#timeLimitUs = limits.timeUs
    listenToSending(this.sent)
    this.#origins?.follow()
    this.site.whenSettled(() => this.#deploy())
    const { camera, conductor } = this
    if (camera === null) return this.kernel.run(() => this.#isOver(), limits)
    const isOver = () => {
      if (conductor.phase !== 'deploy') camera.look()
      return this.#isOver()
    }
    return this.kernel.run(isOver, limits)
  }

  #isOver(): boolean {
    if (this.conductor.isOver()) return !this.#layersTimers.goesOn(() => this.#keysStay(), this.#timeLimitUs)
    const { untilUs } = this.#request
    if (untilUs !== undefined && this.conductor.planUs > untilUs) this.#isCut = true
    return this.#isCut
  }

  /** Those without expiry that the deployment has not left. */
  #keysStay(): boolean {
    return this.site.immortalKeys.anyLeft(this.#keysWithoutExpiry())
  }

  #scene(stores: readonly StoreKind[]): Scene {
    const { plan, kernel, epochMs } = this
    const consumers = Array.from({ length: plan.consumers }, (_, slot) => `consumer-${slot + 1}`)
    const [servers, sentinels] = stores.includes('redis') ? [this.site.servers, this.site.sentinels] : [[], []]
    return {
      epochMs,
      nowUs: () => this.conductor.planUs,
      worldUs: () => kernel.nowUs,
      events: () => this.recorder.events.length,
      hasBegun: () => this.conductor.phase !== 'deploy',
      servers,
      sentinels,
      stores: stores.filter((kind) => kind !== 'redis'),
      isCluster: plan.redis?.shards !== undefined,
      consumers,
      clocks: new Map([
        ...consumers.map((name, slot) => [name, this.clock(slot)] as const),
        ...servers.map(({ name }, at) => [name, this.clock(-1 - at)] as const),
      ]),
    }
  }

  #deploy(): void {
    const begin = () => {
      for (const site of this.#others.values()) site.deployed()
      this.site.immortalKeys.deployed(this.#keysWithoutExpiry())
      this.conductor.startConsumers()
      this.conductor.begin()
    }
    const { implementation } = this.#request
    if (implementation.implementation.deploy === undefined) return begin()
    this.#deployment = new Deployment(this, this.#services, implementation, this.#addresses, this.#fresh, begin)
  }

  end(how: 'rest' | 'time' | 'events'): void {
    this.#deployment?.mustHaveSucceeded()
    this.#countKeys()
    const ended = this.#layersTimers.wentOn ? 'rest' : how
    this.recorder.fact({ type: 'ended', ...this.#completeness(this.#isCut ? 'time' : ended) })
    mustAddUp(this.recorder.events, this.#request.sink, this.conductor.broker.unsettled)
    this.#startupFailure = this.#isCut ? null : this.#whyNoneStarted()
    for (const process of this.conductor.slots.connected()) process.end()
  }

  /** When everything that is to be known of the run has been asked: what outlives it must not hold it. */
  dispose(): void {
    listenToSending(null)
    this.#origins?.unfollow()
    this.#deployment?.dispose()
    this.#transactional?.dispose()
    const stores = [this.site, ...this.#others.values()]
    for (const part of [this.#consumers, this.#sink, this.#services, ...stores, this.network, this.kernel])
      part.dispose()
  }

  #completeness(how: 'rest' | 'time' | 'events'): { complete: true } | { complete: false; why: string } {
    if (how === 'time') return { complete: false, why: 'the budget of virtual time was spent' }
    if (how === 'events') return { complete: false, why: `the budget of events was spent${this.#timersText()}` }
    if (this.conductor.broker.restful) return { complete: true }
    return { complete: false, why: 'nothing is left to happen, and messages are still open' }
  }

  /** A layer that looks every second has spent the budget before the days of a run are over. */
  #timersText(): string {
    const { timers, turns, nowUs } = this.kernel
    if (timers < turns / 20) return ''
    const often = `timers of the layer's processes went off ${timers} times in ${Math.round(nowUs / 1e6)} s`
    return `: ${often}; longer periods in the adapter would leave it more time`
  }

  #countKeys(): void {
    const told = this.site.immortalKeys.told(this.#keysWithoutExpiry(), this.#layersTimers.waits)
    this.recorder.fact({ type: 'keys-counted', keys: this.#keyCounts().keys, ...told })
  }

  #keyCounts(): { keys: number; withoutExpiry: number } {
    const counted = this.site.primaries.map(({ server }) => server.countKeys())
    const sum = (of: 'keys' | 'withoutExpiry') => counted.reduce((total, one) => total + one[of], 0)
    return { keys: sum('keys'), withoutExpiry: sum('withoutExpiry') }
  }

  #keysWithoutExpiry(): KeyDescription[] {
    if (this.#keyCounts().withoutExpiry === 0) return []
    const described = this.site.primaries.flatMap(({ server }) => server.describeKeys())
    return described.filter(({ expireAtMs }) => expireAtMs === null)
  }

  #whyNoneStarted(): string | null {
    const { createdCount, createError } = this.conductor.slots
    if (createdCount > 0) return null
    if (createError !== null) return `\`create\` fails (${createError}); it must resolve to { handle }`
    const tries = this.conductor.slots.connected().some(({ state }) => state === 'running')
    return tries ? '`create` never settles; it must resolve to { handle }' : null
  }

  /**
   * Why the adapter cannot be judged: it answered what is no outcome, or no consumer ever started, and neither a fault
   * that has not healed nor what the simulator lacks is to blame.
   */
  get adapterFailure(): string | null {
    if (this.unsupportedSet.size > 0) return null
    const { contractError } = this.conductor.slots
    if (contractError !== null) return `the adapter does not keep its contract: ${contractError}`
    return this.conductor.injection.anyInForce ? null : this.#startupFailure
  }

  // What the parts share.

  clock(machine: number): MachineClock {
    return this.#clocks.of(machine)
  }

  pass(
    process: VirtualProcess,
    boundary: Boundary,
    label: string | null,
    sinceUs?: number,
    redisKey?: string,
    hungUp?: boolean,
  ): Decision {
    // Not by guardHarnessCode: every step passes here.
    try {
      return this.now(this.conductor.pass(process, boundary, label, sinceUs, redisKey, hungUp))
    } catch (error) {
      this.bug ??= error
      throw error
    }
  }

  heard(process: VirtualProcess, what: Heard, connection: number, server: string | null): void {
    this.now(this.conductor.heard(process, what, () => connection, server))
  }

  get wantsKeys(): boolean {
    return this.conductor.wantsKeys
  }

  keyIn(values: string | undefined): string | undefined {
    return this.conductor.keyIn(values)
  }

  now<T>(value: MaybePromise<T>): T {
    if (value instanceof Promise) throw new Error('a simulated host must answer at once')
    return value
  }

  schedule(process: VirtualProcess, label: string, args: readonly string[], reply: Reply): void {
    this.journal.step(process, label, args, reply)
  }

  traceCommand(process: VirtualProcess, traced: TracedCommand): void {
    if (this.isRecorded(process)) this.journal.trace(process, traced)
  }

  isRecorded(process: VirtualProcess): boolean {
    return this.conductor.isConsumer(process)
  }

  guardHarnessCode<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.bug ??= error
      throw error
    }
  }

  unsupported(what: string): void {
    if (this.unsupportedSet.has(what)) return
    this.unsupportedSet.add(what)
    this.recorder.fact({ type: 'unsupported', what })
  }
}

function putsConsumerClockWrong({ kind, machine }: PlannedFault): boolean {
  return kind.startsWith('clock-') && Number(machine) >= 0
}
