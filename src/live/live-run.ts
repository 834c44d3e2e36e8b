/**
 * One run in earnest: the plan's messages, time limits and faults on real processes, servers and proxies, under the same
 * conductor as a simulated one, so that the same checkers judge it. What is the machine's is measured: a run whose own
 * timers were late by more than the margin says so, and is not judged.
 */
import path from 'node:path'
import { canonicalJson } from '../contract/json.ts'
import type { LiveOutcome } from '../contract/live-run.ts'
import { type Plan, slotOf } from '../contract/plan.ts'
import { Conductor } from '../run/conductor.ts'
import { brokerPatienceMs, headerOf } from '../run/header.ts'
import { Limits } from '../run/limits.ts'
import type { StorePort } from '../run/ports.ts'
import { BrokerLink } from './broker-link.ts'
import { LiveClocks } from './clocks.ts'
import type { ConsumerProcess } from './consumer-process.ts'
import { LiveConsumers } from './consumers.ts'
import { CreateOrders } from './create-order.ts'
import { deployFirst } from './deployment.ts'
import type { Servers } from './environment.ts'
import { Gates } from './gates.ts'
import { recordKeyCount } from './key-count.ts'
import { sortFaults } from './live-faults.ts'
import { LiveLinks, type SlotLinks } from './live-links.ts'
import { records } from './lost-records.ts'
import { openLinks } from './open-links.ts'
import { LiveProblem } from './problem.ts'
import { ProcessMessages } from './process-messages.ts'
import { LiveRecorder } from './recorder.ts'
import type { LiveRunRequest } from './run-request.ts'
import { SentinelStore } from './sentinel-store.ts'
import { ServerWatch } from './server-watch.ts'
import { LiveServer } from './servers/live-server.ts'
import type { SentinelDeployment } from './servers/sentinel-deployment.ts'
import { SingleServerStore } from './single-server-store.ts'
import { LiveLedger } from './sink/ledger.ts'
import { openSink } from './sink/service.ts'
import { LiveTimers } from './timers.ts'

/** How long a run goes on after everything came to rest, and for handlers that have not answered. */
const patience = { afterglowUs: 300_000, patienceUs: 4_000_000 }
/** A fault that lasts longer leaves a run no time to come to rest. */
const longestLimitMs = 5_000
/** How often it is asked whether everything is at rest. */
const restEveryMs = 10
/** How long the store has to count its keys at the end. */
const countingMs = 2_000

let runs = 0

/** @throws LiveProblem where the run could not be made */
export async function liveRun(request: LiveRunRequest): Promise<LiveOutcome> {
  const servers = await request.environment.startServers(request.shape)
  try {
    const run = new LiveRun(request, servers, await openLedger(request))
    return await run.play().finally(() => run.close())
  } finally {
    await servers.close()
  }
}

function openLedger({ directory, sink, plan }: LiveRunRequest): Promise<LiveLedger> {
  const habits = { ...plan, nowMs: () => performance.now() }
  return LiveLedger.create(path.join(directory.folder, `ledger-${++runs}`), sink, habits)
}

class LiveRun {
  readonly #plan: Plan
  readonly #timers = new LiveTimers((error) => this.#failed(error))
  readonly #recorder = new LiveRecorder(() => this.#conductor.planUs)
  readonly #clocks = new LiveClocks(this.#timers)
  readonly #sorted: ReturnType<typeof sortFaults>
  readonly #limits: Limits
  readonly #server: LiveServer
  readonly #sentinels: SentinelDeployment | null
  readonly #store: StorePort
  readonly #watch: ServerWatch
  readonly #orders: CreateOrders
  /** Where Sentinels watch several servers: the store hears which one they announce. */
  readonly #promoted: (node: string) => void
  readonly #consumers: LiveConsumers
  readonly #gates: Gates
  readonly #conductor: Conductor<ConsumerProcess>
  #slots: readonly SlotLinks[] = []
  /** What is open and must be closed, the last first. */
  readonly #open: (() => unknown)[] = []
  #end: (why: string | null) => void = () => {}
  #failure: unknown = null

  constructor(
    private readonly request: LiveRunRequest,
    servers: Servers,
    private readonly ledger: LiveLedger,
  ) {
    const { plan, chance, environment, longestMs, shape, sink } = request
    this.#plan = plan
    const pattern = environment.keyPrefix === null ? '*' : `${environment.keyPrefix}*`
    this.#server = new LiveServer(servers.machine, environment.refuses, pattern, (key) => this.#expired(key))
    this.#open.push(() => this.#server.close())
    this.#open.push(() => ledger.close())
    this.#sorted = sortFaults(plan, { shape, refuses: environment.refuses, longestMs })
    this.#limits = new Limits(plan.leaseMs, longestLimitMs)
    const { sentinels = null } = servers
    this.#sentinels = sentinels
    const sentinelStore = sentinels === null ? null : new SentinelStore(sentinels, this.#recorder, records)
    if (sentinelStore !== null) this.#open.push(() => sentinelStore.close())
    this.#promoted = (node) => sentinelStore?.promoted(node)
    this.#store = sentinelStore ?? new SingleServerStore(this.#server, this.#recorder)
    this.#watch = new ServerWatch(sentinels === null ? this.#server : null, environment.redisProxy, this.#timers)
    this.#orders = new CreateOrders({
      plan,
      sink,
      armed: this.#sorted.armed,
      access: servers.machine.access,
      keyPrefix: environment.keyPrefix,
      sentinels,
      clocks: this.#clocks,
      linksOf: (slot) => this.#slots[slot]!,
    })
    this.#gates = new Gates({
      conductor: () => this.#conductor,
      recorder: this.#recorder,
      timers: this.#timers,
      redisLink: (slot) => this.#slots[slot]!.servers.get(this.#store.primary.name)!,
      failed: (error) => this.#failed(error),
    })
    const messages = new ProcessMessages({
      effects: () => this.#conductor.effects,
      gates: this.#gates,
      limits: this.#limits,
      recorder: this.#recorder,
      timers: this.#timers,
    })
    this.#consumers = new LiveConsumers({
      recorder: this.#recorder,
      timers: this.#timers,
      directory: request.directory,
      program: request.program,
      orderFor: (slot, name) => this.#orders.of(slot, name),
      clockOf: (slot) => this.#clocks.known(slot),
      reports: () => this.#conductor.slots,
      heard: (process, message) => messages.hear(process, message),
      failed: (error) => this.#failed(error),
    })
    this.#conductor = new Conductor(
      {
        plan,
        epochMs: Date.now(),
        recorder: this.#recorder,
        nowUs: () => this.#timers.nowUs(),
        after: (delayUs, work) => void this.#timers.after(delayUs / 1000, work),
        chance: (stream, what, n) => chance(stream, what, n),
        driver: this.#consumers,
        links: new LiveLinks(() => this.#slots, this.#timers),
        clocks: this.#clocks,
        store: this.#store,
        ledger,
        failed: (error) => this.#failed(error),
      },
      {
        armed: this.#sorted.armed,
        limits: this.#limits,
        brokerPatienceMs: brokerPatienceMs(this.request),
        ...patience,
      },
    )
  }

  async play(): Promise<LiveOutcome> {
    const startedMs = performance.now()
    const ended = new Promise<string | null>((resolve) => (this.#end = resolve))
    await this.#prepare()
    const ready = this.#consumers.ready(this.#plan.consumers)
    this.#conductor.startConsumers()
    const unready = await Promise.race([ready, ended.then(() => null)])
    if (unready !== null) throw new LiveProblem(this.request.implementation, `\`create\` fails (${unready})`)
    const readyMs = performance.now() - startedMs
    this.#begin()
    const why = await ended
    if (this.#failure !== null) throw this.#failure
    const tooLate = await this.#conclude(why)
    const { crashPoints } = this.#conductor
    return {
      history: { header: this.#header(), events: this.#recorder.events },
      notMade: this.#sorted.notMade,
      worstLateMs: this.#timers.worstLate.ms,
      tooLate,
      readyMs,
      tookMs: performance.now() - startedMs,
      cells: [...crashPoints.struck],
      cellsSeen: [...crashPoints.passed],
      ...(this.#sentinels === null ? {} : { withoutPrimaryMs: Math.round(this.#sentinels.withoutPrimaryMs) }),
      clocks: this.#clocks.means,
    }
  }

  /** Servers, sink, links, clocks and spare processes are there, and the layer is deployed. */
  async #prepare(): Promise<void> {
    const { environment, program, directory, deploys } = this.request
    await this.#server.tellExpired()
    await this.#sentinels?.onSwitch((promoted, replaced) => this.#announced(promoted, replaced))
    const { effects } = this.#conductor
    const sink = await openSink(
      {
        perform: (request, reply) => {
          // A request that no process is known to have sent has no boundary to pass.
          const sender = this.#gates.senderOf(request.requestId)
          if (sender !== undefined) effects.arrived(sender, request, reply)
        },
        raise: (key, fence) => this.ledger.raise(key, fence),
        lookup: (key) => this.ledger.lookup(key),
      },
      (error) => this.#failed(error),
    )
    this.#open.push(() => sink.close())
    const servers = this.#sentinels?.nodes ?? [{ name: this.#store.primary.name, machine: this.#server.machine }]
    const links = await openLinks(`onceproof-${process.pid}-${runs}`, this.#plan.consumers, {
      redis: servers.map(({ machine }) => ({ through: environment.redisProxy, to: machine })),
      sink: { through: environment.sinkProxy, to: { host: '127.0.0.1', port: sink.port } },
    })
    this.#open.push(() => links.close())
    this.#slots = links.sink.map((link, slot) => ({
      broker: new BrokerLink((delayMs, work) => void this.#timers.after(delayMs, work)),
      sink: link,
      servers: new Map(servers.map(({ name }, at) => [name, links.redis[slot]![at]!])),
    }))
    this.#prepareProcesses()
    if (deploys) await deployFirst(program, directory, { type: 'deploy', ...this.#orders.redisFor(0) })
  }

  /** Clocks must be there before the processes that follow them; a process for each slot, and for each planned successor. */
  #prepareProcesses(): void {
    const { armed } = this.#sorted
    for (const { fault } of armed) if (fault.kind.startsWith('clock-')) this.#clocks.of(Number(fault.machine))
    for (let slot = 0; slot < this.#plan.consumers; slot++) this.#consumers.spare(slot)
    for (const { fault } of armed)
      if (fault.kind === 'crash' && fault.healAfterMs !== undefined) this.#consumers.spare(slotOf(fault))
  }

  /** The plan's time begins. */
  #begin(): void {
    const { longestMs } = this.request
    this.#timers.worstLate = { ms: 0, whose: '' }
    this.#sentinels?.startProbing()
    this.#conductor.begin()
    this.#timers.after(longestMs, () => this.#end(`it did not come to rest within ${longestMs} ms`))
    this.#watchForRest()
    this.#watch.start()
  }

  #watchForRest(): void {
    if (this.request.stopped()) return this.#end('it was interrupted')
    if (this.#conductor.isOver(this.#conductor.effects.busy)) return this.#end(null)
    this.#timers.after(restEveryMs, () => this.#watchForRest())
  }

  /** Answers why the run is not to be judged; null where the machine kept up. */
  async #conclude(why: string | null): Promise<string | null> {
    const { marginMs } = this.request
    const { ms, whose } = this.#timers.worstLate
    const late = `the machine did not keep up: a timer of ${whose} was ${Math.round(ms)} ms late, the margin is ${marginMs} ms`
    if (this.#server.up) await this.#withinMs(countingMs, recordKeyCount(this.#recorder, this.#server, this.#sentinels))
    this.#recorder.fact(why === null ? { type: 'ended', complete: true } : { type: 'ended', complete: false, why })
    await this.#watch.look()
    return ms > marginMs ? late : null
  }

  /** Settles when the work is done, or not in time. */
  #withinMs(ms: number, work: Promise<void>): Promise<void> {
    return Promise.race([work, new Promise<void>((resolve) => this.#timers.after(ms, resolve))])
  }

  #header() {
    return headerOf(this.request, JSON.parse(canonicalJson(this.#plan)))
  }

  /** In reverse of how it came up. Nothing of the run is left when it resolves. */
  async close(): Promise<void> {
    this.#timers.stop()
    await this.#consumers.close(this.#conductor.slots.connected())
    for (const close of this.#open.reverse()) await close()
  }

  #failed(error: unknown): void {
    this.#failure ??= error
    this.#end('the harness failed')
  }

  #announced(node: string, other: string): void {
    this.#promoted(node)
    const sentence = `the Sentinels announce ${node} as the primary, in place of ${other}`
    this.#recorder.fact({ type: 'topology', node, what: 'promoted', other, sentence })
  }

  #expired(key: string): void {
    this.#recorder.fact({ type: 'data-lost', node: 'redis', cause: 'expiry', redisKeys: [key] })
  }
}
