import type { StoreKind } from '../../contract/api/store.ts'
import { brokerGracePeriodMs, relayTimeoutUs } from '../../run/header.ts'
import { independentName } from '../../run/independent-servers.ts'
import { Limits } from '../../run/limits.ts'
import type { StorePort } from '../../run/ports.ts'
import { Runner } from '../../run/runner.ts'
import type { Servers } from '../environment/environment.ts'
import { seen } from '../evidence/evidence.ts'
import { FaultEvidence } from '../evidence/fault-evidence.ts'
import type { Pace } from '../lockstep/by-schedule.ts'
import { PostgresSite, type SiteSetting } from '../postgres/postgres-site.ts'
import { LiveServer, type ServerMachine } from '../servers/live-server.ts'
import type { LiveLedger } from '../sink/ledger.ts'
import { IndependentServers } from '../stores/independent-servers.ts'
import { ServerWatch } from '../stores/server-watch.ts'
import type { SeveralServers } from '../stores/several-servers.ts'
import { SingleServerStore } from '../stores/single-server-store.ts'
import type { LiveSite } from '../stores/store-site.ts'
import { deploymentOf, serverOf, severalOf, type Topology } from '../stores/topology.ts'
import { LiveClocks, type TimeOfDay } from './clocks.ts'
import type { ConsumerProcess } from './consumer-process.ts'
import { type LiveConsumerSetting, LiveConsumers } from './consumers.ts'
import { CreateOrders } from './create-order.ts'
import type { RunGates } from './gates.ts'
import { sortFaults } from './live-faults.ts'
import { LiveLinks, type SlotLinks } from './live-links.ts'
import { type Hearers, ProcessMessages } from './process-messages.ts'
import { LiveRecorder } from './recorder.ts'
import type { LiveRunRequest } from './run-request.ts'
import { LiveTimers } from './timers.ts'

/** How long a run continues after everything has come to rest, and how long a handler may take. */
const timeouts = { gracePeriodUs: 300_000, handlerTimeoutUs: 4_000_000 }
/**
 * Longer time limits of a layer are ignored when the duration of faults is chosen, because they
 * would leave no time for the run to come to rest.
 */
const longestLimitMs = 5_000

interface Opening {
  readonly time: TimeOfDay
  /** Creates the drivers of several Redis servers; null if there is only one server. */
  several(first: LiveServer): SeveralServers | null
  /** Called when the machine of that name, and all connections to it, are gone. */
  stopped(name: string): void
}

interface RunnerSetting {
  readonly gates: RunGates
  readonly pace: Pace
  /**
   * Returns the time by the consumers' clock, from which produced-at times are calculated, so that
   * they do not depend on when a message is published.
   */
  readonly epochMs: () => number
  readonly timeOf: LiveConsumerSetting['timeOf']
  readonly scheduled: Pick<Hearers, 'ownTimers' | 'rest'>
}

/** The parts of one live run. `freeRunning` and `lockStep` assemble them. */
export class RunParts {
  readonly timers: LiveTimers
  readonly recorder: LiveRecorder
  readonly sorted: ReturnType<typeof sortFaults>
  // Set by `openStores`, like the next fields.
  topology!: Topology
  /** The stores other than Redis, by the names of their servers. */
  sites!: ReadonlyMap<string, LiveSite>
  clocks!: LiveClocks
  evidence!: FaultEvidence
  liveLinks!: LiveLinks
  // Set by `createRunner`, like the next fields.
  watch!: ServerWatch
  gates!: RunGates
  orders!: CreateOrders
  consumers!: LiveConsumers
  runner!: Runner<ConsumerProcess>
  /** The links of each slot; empty until they are open. */
  links: readonly SlotLinks[] = []
  /** Redis keys without expiry that existed before the first consumer. */
  deployed: ReadonlySet<string> = new Set()

  /** `failed`: called with errors from background work. */
  constructor(
    readonly request: LiveRunRequest,
    readonly servers: Servers,
    readonly ledger: LiveLedger,
    readonly failed: (error: unknown) => void,
  ) {
    const { plan, environment, shape, follows } = request
    // In a scheduled run, a fault may last for any time, because idle time is skipped.
    const longestMs = follows === undefined ? request.longestMs : Number.POSITIVE_INFINITY
    const { refuses, redisProxy } = environment
    this.timers = new LiveTimers(failed)
    this.recorder = new LiveRecorder(
      () => this.runner.planUs,
      (fact) => this.evidence.note(fact),
    )
    const isHeld = servers.held !== undefined
    this.sorted = sortFaults(plan, { shape, refuses, forgets: redisProxy.forgets, longestMs, isHeld })
  }

  openStores(opening: Opening): void {
    const { recorder, request, servers, timers } = this
    const { follows, plan, sink } = request
    const topology = this.#topology(opening)
    this.topology = topology
    this.clocks = new LiveClocks(opening.time)
    this.sites = openSites(servers, {
      plan,
      recorder,
      hasEffects: sink === 'transactional',
      stopped: () => opening.stopped('postgres'),
      followsSchedule: follows !== undefined,
      nowUs: () => timers.nowUs(),
      planUs: () => this.runner.planUs,
    })
    const several = severalOf(topology)
    this.evidence = new FaultEvidence({
      plan,
      timers,
      clocks: this.clocks,
      standstillOf: (name) =>
        this.sites.get(name)?.standstill ?? several?.standstillOf(name) ?? serverOf(topology).standstill,
      cutOff: () => several?.cutOff() ?? (() => seen),
      consumers: () => this.consumers,
    })
    this.liveLinks = new LiveLinks(() => this.links, timers, this.evidence)
  }

  createRunner({ gates, pace, epochMs, timeOf, scheduled }: RunnerSetting): void {
    const { clocks, failed, ledger, recorder, request, evidence, sites, timers, topology } = this
    const { plan } = request
    const { armed } = this.sorted
    const limits = new Limits(plan.leaseMs, longestLimitMs)
    const several = severalOf(topology)
    const watched = [...sites.values(), ...(several === null ? [] : [several])]
    // Only a single server is watched here. Faults may kill one of several servers, so the driver
    // of several servers watches them itself.
    const server = topology.kind === 'single' ? topology.server : null
    this.watch = new ServerWatch(server, request.environment.redisProxy, watched, timers)
    this.gates = gates
    this.orders = this.#orders()
    const effects = () => this.runner.effects
    const messages = new ProcessMessages({ effects, gates, limits, recorder, evidence, timers, ...scheduled })
    const { directory, program } = request
    this.consumers = new LiveConsumers({
      ...{ recorder, timers, directory, program, timeOf, failed },
      orderFor: (slot, name) => this.orders.of(slot, name),
      clockOf: (slot) => clocks.known(slot),
      reports: () => this.runner.slots,
      heard: (process, message) => messages.hear(process, message),
    })
    this.runner = new Runner(
      {
        ...{ ...pace, plan, recorder, driver: this.consumers, clocks, store: topology.store, ledger, failed },
        get epochMs() {
          return epochMs()
        },
        otherStores: new Map([...sites.values()].map(({ port }) => [port.primary.runs as StoreKind, port])),
        stores: [
          ...(topology.kind === 'none' ? [] : (['redis'] as const)),
          ...[...sites.values()].map(({ port }) => port.primary.runs as StoreKind),
        ],
      },
      {
        ...{ armed, limits, ...timeouts },
        brokerGracePeriodMs: brokerGracePeriodMs(request),
        relayTimeoutUs: relayTimeoutUs(request),
        timesCalls: request.answersWithinMs !== undefined,
        declaredRetry: request.deadLetterReasons?.failed?.retry,
      },
    )
  }

  #topology({ several, stopped }: Opening): Topology {
    const { recorder, request, servers } = this
    const { keyPrefix, refuses } = request.environment
    if (servers.machine === null) return { kind: 'none', store: noRedis }
    const pattern = keyPrefix === null ? '*' : `${keyPrefix}*`
    const serverAt = (machine: ServerMachine, name: string) =>
      new LiveServer(
        machine,
        (power) => refuses(power, 'redis'),
        pattern,
        (key) => this.expired(name, key),
      )
    if (servers.independent !== undefined) {
      const all = servers.independent.map((machine, at) => serverAt(machine, independentName(at + 1)))
      const independent = new IndependentServers(all, recorder)
      return { kind: 'independent', server: all[0]!, several: independent, store: independent.store }
    }
    const server = serverAt(servers.machine, 'redis')
    const all = several(server)
    if (all === null)
      return { kind: 'single', server, store: new SingleServerStore(server, recorder, () => stopped('redis')) }
    const kind = request.plan.redis?.shards === undefined ? 'sentinel' : 'cluster'
    return { kind, server, several: all, store: all.store }
  }

  #orders(): CreateOrders {
    const { environment, follows, plan, sink } = this.request
    return new CreateOrders({
      plan,
      sink,
      armed: this.sorted.armed,
      access: this.servers.machine?.access ?? null,
      sites: this.sites,
      keyPrefix: environment.keyPrefix,
      several: deploymentOf(this.topology),
      clocks: this.clocks,
      linksOf: (slot) => this.links[slot]!,
      holds: follows !== undefined,
      chances: follows?.schedule.chances,
    })
  }

  /** The name of the server behind the slot's link of that port, with the link. */
  linkBehind(slot: number, port: number) {
    return [...this.links[slot]!.servers].find(([, link]) => link.port === port)!
  }

  /** Called when a server found that the key has expired. */
  expired(node: string, key: string): void {
    this.recorder.fact({ type: 'data-lost', node, cause: 'expiry', redisKeys: [key] })
  }

  /** Closes the parts: the processes first, then the harness's timers and connections. */
  async close(): Promise<void> {
    const { topology } = this
    this.timers.stop()
    await this.consumers.close(this.runner.slots.connected())
    await severalOf(topology)?.close()
    await this.ledger.close()
    if (topology.kind !== 'none') topology.server.close()
    for (const site of this.sites.values()) await site.close()
  }
}

/** The Redis of a run without Redis, in which faults find nothing to strike. */
const noRedis: StorePort = {
  machines: [],
  primary: { name: 'redis', runs: 'redis', up: false, hasDisk: false },
  carryOut: () => false,
}

/** Opens the stores other than Redis. Returns them by the names of their servers. */
function openSites({ postgres }: Pick<Servers, 'postgres'>, setting: SiteSetting): ReadonlyMap<string, LiveSite> {
  return new Map(postgres === undefined ? [] : [['postgres', new PostgresSite(postgres, setting)]])
}
