/** The parts of one live run, put together: the conductor, and all that it and consumer processes speak to. */

import type { StoreKind } from '../../contract/api/store.ts'
import { Conductor } from '../../run/conductor.ts'
import { brokerPatienceMs, relayPatienceUs } from '../../run/header.ts'
import { Limits } from '../../run/limits.ts'
import type { StorePort } from '../../run/ports.ts'
import type { ProcessRef } from '../../run/process-ref.ts'
import { ClusterServers } from '../cluster/cluster-servers.ts'
import type { Servers } from '../environment/environment.ts'
import type { HeldDeployment } from '../held/held-deployment.ts'
import { HeldSteps } from '../held/held-steps.ts'
import { HeldStore } from '../held/held-store.ts'
import { byScript, type Pace } from '../lockstep/by-script.ts'
import { HeldCommands } from '../lockstep/held-commands.ts'
import { HeldSessions } from '../lockstep/held-sessions.ts'
import { OwnTimers } from '../lockstep/own-timers.ts'
import { Rest } from '../lockstep/rest.ts'
import { ScriptClock } from '../lockstep/script-clock.ts'
import { ScriptTime } from '../lockstep/script-time.ts'
import { ScriptedLinks } from '../lockstep/scripted-links.ts'
import { Stepper } from '../lockstep/stepper.ts'
import { LiveServer, type Power } from '../servers/live-server.ts'
import { seen } from '../sightings/sighting.ts'
import { Sightings } from '../sightings/sightings.ts'
import type { LiveLedger } from '../sink/ledger.ts'
import { noRedis } from '../stores/no-redis.ts'
import { openSites } from '../stores/open-sites.ts'
import { SentinelServers } from '../stores/sentinel-servers.ts'
import { ServerWatch } from '../stores/server-watch.ts'
import type { SeveralDeployment, SeveralServers } from '../stores/several-servers.ts'
import { SingleServerStore } from '../stores/single-server-store.ts'
import type { LiveSite } from '../stores/store-site.ts'
import { LiveClocks, type ShiftedClock } from './clocks.ts'
import type { ConsumerProcess } from './consumer-process.ts'
import { LiveConsumers } from './consumers.ts'
import { CreateOrders } from './create-order.ts'
import { Gates, type RunGates } from './gates.ts'
import { sortFaults } from './live-faults.ts'
import { LiveLinks, type SlotLinks } from './live-links.ts'
import { ProcessMessages } from './process-messages.ts'
import type { ProcessTime } from './protocol.ts'
import { LiveRecorder } from './recorder.ts'
import type { LiveRunRequest } from './run-request.ts'
import { LiveTimers } from './timers.ts'

/** How long a run goes on after everything came to rest, and for handlers that have not answered. */
const patience = { afterglowUs: 300_000, patienceUs: 4_000_000 }
/** A fault that lasts longer leaves a run no time to come to rest. */
const longestLimitMs = 5_000
/**
 * How long a step of a script may fail to come where nobody knows whether it still can: more than a busy machine takes to
 * start a process.
 */
const stepPatienceMs = 20_000

/** On a machine with that clock; null where no fault shifts it. */
function processTime(time: ScriptTime, clock: ShiftedClock | null): ProcessTime {
  const { offsetMs, frozenAtMs } = clock?.shift ?? { offsetMs: 0, frozenAtMs: null }
  return { wallMs: frozenAtMs ?? time.wallMs() + offsetMs, monotonicMs: time.nowMs() }
}

/** Several servers that keep to a script. */
interface Held {
  readonly deployment: HeldDeployment
  readonly store: HeldStore
  readonly steps: HeldSteps
}

interface Scripted {
  readonly stepper: Stepper
  readonly held: HeldCommands
  readonly ownTimers: OwnTimers
  readonly rest: Rest
  readonly time: ScriptTime
  readonly links: ScriptedLinks
}

export class RunParts {
  readonly timers: LiveTimers
  readonly recorder: LiveRecorder
  readonly clocks: LiveClocks
  readonly sorted: ReturnType<typeof sortFaults>
  /** Null where the layer asks for no Redis. */
  readonly server: LiveServer | null
  /** The stores beside it, by the names of their servers. */
  readonly sites: ReadonlyMap<string, LiveSite>
  /** Several servers that are left alone; null where there is one, or a script. */
  readonly several: SeveralServers | null
  /** Several servers, left alone or held to a script; null where there is one. */
  readonly deployment: SeveralDeployment | null
  /** Null where there is one server, or nothing is held to a script. */
  readonly held: Held | null
  readonly store: StorePort
  readonly watch: ServerWatch
  readonly orders: CreateOrders
  readonly consumers: LiveConsumers
  readonly gates: RunGates
  /** What keeps the run to its script, and what waits there; null where it has none. */
  readonly scripted: Scripted | null
  readonly sightings: Sightings
  readonly conductor: Conductor<ConsumerProcess>
  /** By slot; there once they are opened. */
  links: readonly SlotLinks[] = []
  /** Redis keys that were there, and will never expire, before any consumer was. */
  deployed: ReadonlySet<string> = new Set()
  readonly #liveLinks: LiveLinks

  /** `failed` gets what goes wrong behind everybody's back. */
  constructor(
    readonly request: LiveRunRequest,
    servers: Servers,
    readonly ledger: LiveLedger,
    failed: (error: unknown) => void,
  ) {
    const { plan, chance, environment, longestMs, shape, sink } = request
    const { held = null, machine } = servers
    const timers = new LiveTimers(failed)
    this.timers = timers
    const recorder = new LiveRecorder(
      () => this.conductor.planUs,
      (fact) => this.sightings.note(fact),
    )
    this.recorder = recorder
    this.scripted = this.#script(servers, timers, failed)
    this.clocks = new LiveClocks(this.scripted?.time ?? timers)
    const pattern = environment.keyPrefix === null ? '*' : `${environment.keyPrefix}*`
    const refusesOfRedis = (power: Power) => environment.refuses(power, 'redis')
    this.server =
      machine === null ? null : new LiveServer(machine, refusesOfRedis, pattern, (key) => this.expired('redis', key))
    const { server } = this
    this.sites = openSites(servers, {
      plan,
      recorder,
      hasEffects: sink === 'transactional',
      stopped: () => this.#machineStopped('postgres'),
      isScripted: this.scripted !== null,
      nowUs: () => timers.nowUs(),
      planUs: () => this.conductor.planUs,
    })
    const { sites } = this
    const { refuses, redisProxy } = environment
    const isHeld = held !== null
    this.sorted = sortFaults(plan, { shape, refuses, forgets: redisProxy.forgets, longestMs, isHeld })
    const { armed } = this.sorted
    const limits = new Limits(plan.leaseMs, longestLimitMs)
    this.several = this.#leaveAlone(servers, failed)
    const { several } = this
    this.held = held === null ? null : this.#hold(held, failed)
    this.deployment = held ?? several?.deployment ?? null
    const { deployment } = this
    this.store =
      this.held?.store ??
      several?.store ??
      (server === null ? noRedis : new SingleServerStore(server, recorder, () => this.#machineStopped('redis')))
    this.watch = new ServerWatch(
      deployment === null ? server : null,
      environment.redisProxy,
      [...sites.values(), ...(several === null ? [] : [several])],
      timers,
    )
    this.sightings = new Sightings({
      plan,
      timers,
      clocks: this.clocks,
      standstillOf: (name) => sites.get(name)?.standstill ?? several?.standstillOf(name) ?? server!.standstill,
      // By a script, what is held back shows it.
      cutOff: () => several?.cutOff() ?? (() => seen),
      consumers: () => this.consumers,
    })
    const { clocks, sightings } = this
    this.orders = new CreateOrders({
      plan,
      sink,
      armed,
      access: machine?.access ?? null,
      sites,
      keyPrefix: environment.keyPrefix,
      several: deployment,
      clocks,
      linksOf: (slot) => this.links[slot]!,
      holds: request.follows !== undefined,
      chances: request.follows?.script.chances,
    })
    this.gates =
      this.scripted?.held ??
      new Gates({
        conductor: () => this.conductor,
        recorder,
        sightings,
        linkOf: (slot, port) => this.#linkBehind(slot, port)[1],
        isUp: (slot, port) => this.sites.get(this.#linkBehind(slot, port)[0])?.port.primary.up ?? true,
        failed,
      })
    const { gates, scripted } = this
    const links = new LiveLinks(() => this.links, timers, sightings)
    this.#liveLinks = links
    const began = Date.now()
    const pace: Pace =
      scripted === null
        ? {
            nowUs: () => timers.nowUs(),
            after: (delayUs, work) => void timers.after(delayUs / 1000, work),
            chance: (stream, what, n) => chance(stream, what, n),
            links,
          }
        : byScript(scripted.stepper, scripted.links)
    const messages = new ProcessMessages({
      effects: () => this.conductor.effects,
      gates,
      limits,
      recorder,
      sightings,
      timers,
      ownTimers: scripted?.ownTimers ?? null,
      rest: scripted?.rest ?? null,
    })
    this.consumers = new LiveConsumers({
      recorder,
      timers,
      directory: request.directory,
      program: request.program,
      orderFor: (slot, name) => this.orders.of(slot, name),
      clockOf: (slot) => clocks.known(slot),
      timeOf: scripted === null ? null : (slot) => processTime(scripted.time, clocks.known(slot)),
      reports: () => this.conductor.slots,
      heard: (process, message) => messages.hear(process, message),
      failed,
    })
    this.conductor = new Conductor(
      {
        ...pace,
        // Messages are stamped by the clock that consumers have, however long the run took to come to them.
        get epochMs() {
          return scripted === null ? began : scripted.time.epochMs
        },
        plan,
        recorder,
        driver: this.consumers,
        clocks,
        store: this.store,
        otherStores: new Map([...sites.values()].map(({ port }) => [port.primary.runs as StoreKind, port])),
        ledger,
        failed,
      },
      {
        ...{ armed, limits, ...patience },
        brokerPatienceMs: brokerPatienceMs(request),
        relayPatienceUs: relayPatienceUs(request),
        timesCalls: request.answersWithinMs !== undefined,
        declaredRetry: request.parkReasons?.failed?.retry,
      },
    )
  }

  #leaveAlone({ sentinels, cluster }: Servers, failed: (error: unknown) => void): SeveralServers | null {
    const { recorder } = this
    if (sentinels !== undefined) return new SentinelServers(sentinels, recorder)
    if (cluster === undefined) return null
    return new ClusterServers(cluster, {
      recorder,
      expired: (node, key) => this.expired(node, key),
      cutConsumers: (nodes, on) => this.#liveLinks.cutOff(nodes, on),
      failed,
    })
  }

  #script(servers: Servers, timers: LiveTimers, failed: (error: unknown) => void): Scripted | null {
    const { follows, environment } = this.request
    if (follows === undefined) return null
    const { script, until } = follows
    const processes = () => this.conductor.slots.connected()
    const ownTimers = new OwnTimers(() => stepper, processes)
    const { endsInTurn } = environment
    const rest = new Rest({
      processes,
      atSink: (process) => held.atSink(process),
      endsInTurn,
      wait: (ms) => timers.wait(ms),
    })
    const stepper: Stepper = new Stepper(script, new ScriptClock(timers), {
      until,
      patienceMs: stepPatienceMs,
      wanted: (step) => held.wanted(step),
      // A server that is down has no keys.
      expireInMs: (keys, server) => this.#expireInMs(keys, server).catch(() => -1),
      timers: ownTimers,
      rest,
    })
    const time = new ScriptTime(stepper.pace, Date.now() - timers.nowMs())
    const links = new ScriptedLinks(
      () => this.#liveLinks,
      (process, fault) => this.#reset(process, fault),
    )
    const held = new HeldCommands({
      conductor: () => this.conductor,
      recorder: this.recorder,
      stepper,
      connects: async (slot, port) => {
        const node = this.#nodeBehind(slot, port)
        await links.connects(slot, node)
        return this.held?.deployment.named(node).up ?? true
      },
      isCluster: this.request.plan.redis?.shards !== undefined,
      machineBehind: (slot, port) => this.#nodeBehind(slot, port),
      wrote: (server, args) => this.#wrote(server, args),
      sessions: this.#sessions(servers, stepper, failed),
      committed: (requests) => this.sites.get('postgres')?.committed(requests),
      failed,
    })
    return { stepper, held, ownTimers, rest, time, links }
  }

  #hold(deployment: HeldDeployment, failed: (error: unknown) => void): Held {
    const { stepper, links } = this.scripted!
    const { script, until } = this.request.follows!
    const { recorder } = this
    const store = new HeldStore({
      deployment,
      recorder,
      keeps: this.request.plan.redis!.keeps !== 'nothing',
      deployedTo: script.deployedTo,
      returns: script.returns,
      stopped: ({ name }) => this.#machineStopped(name),
      cutConsumers: (machines, on) => links.cutOff(machines, on),
      disturbed: () => steps.disturbed(),
    })
    const steps = new HeldSteps({ deployment, store, stepper, script, until, failed })
    return { deployment, store, steps }
  }

  #expireInMs(keys: readonly string[], server: string | null): Promise<number> {
    if (server === null) return this.server!.expireInMs(keys)
    return this.held!.deployment.named(server).expireInMs(keys)
  }

  async #wrote(name: string, args: readonly string[]): Promise<void> {
    const { deployment, steps, store } = this.held!
    await store.wrote(deployment.named(name), args)
    await steps.wrote(name)
  }

  /** Of the one server, in which transactions wait for each other. */
  #sessions({ postgres }: Servers, stepper: Stepper, failed: (error: unknown) => void): HeldSessions | null {
    if (postgres === undefined) return null
    const server = 'postgres'
    return new HeldSessions({
      stepper,
      sessions: () => this.sites.get(server)!.sessions,
      linkOf: (slot) => this.links[slot]!.servers.get(server)!,
      failed,
    })
  }

  /** By a script nobody hears of an end behind a reply that is never let in. */
  #machineStopped(name: string): void {
    if (this.scripted === null) return
    for (const process of this.conductor.slots.connected())
      process.send({ type: 'reset', port: this.#portTo(process.slot, name) })
  }

  #reset(process: ProcessRef, fault: number): boolean {
    if (!this.sightings.resets(fault, process)) return false
    this.consumers.named(process.name)!.send({ type: 'reset' })
    return true
  }

  /** The server to which the slot's link of that port leads, or the Sentinel that listens there. */
  #nodeBehind(slot: number, port: number): string {
    const sentinel = this.held?.deployment.watchers.find(({ machine }) => machine.port === port)
    return sentinel?.name ?? this.#linkBehind(slot, port)[0]
  }

  #linkBehind(slot: number, port: number) {
    return [...this.links[slot]!.servers].find(([, link]) => link.port === port)!
  }

  #portTo(slot: number, machine: string): number {
    return this.links[slot]!.servers.get(machine)?.port ?? this.held!.deployment.named(machine).machine.port
  }

  /** A server has found that the key's time is up. */
  expired(node: string, key: string): void {
    this.recorder.fact({ type: 'data-lost', node, cause: 'expiry', redisKeys: [key] })
  }

  /** Timers and connections of the harness's own, after its processes. */
  async close(): Promise<void> {
    this.timers.stop()
    await this.consumers.close(this.conductor.slots.connected())
    await this.several?.close()
    await this.ledger.close()
    this.server?.close()
    for (const site of this.sites.values()) await site.close()
  }
}
