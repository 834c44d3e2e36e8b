/**
 * Builds a simulated run. The order in which its parts are created determines the order of choices,
 * addresses and events.
 */

import type { Journeys } from 'virtual-node/kernel'
import type { PlannedFault } from '../../contract/api/plan.ts'
import { type StoreKind, usualStores } from '../../contract/api/store.ts'
import { brokerGracePeriodMs, hangUs, judgedBy, relayTimeoutUs } from '../../run/header.ts'
import { Runner } from '../../run/runner.ts'
import { MemoryLedger } from '../../run/sink/memory-ledger.ts'
import { SimulatedConsumers } from './consumers.ts'
import { GuardedReports } from './guarded-reports.ts'
import { HangingHandlers } from './hanging-handlers.ts'
import { LayersTimers } from './layers-timers.ts'
import type { Observer } from './observer.ts'
import { otherSites } from './other-sites.ts'
import type { SessionEvent } from './postgres/session-traffic.ts'
import { ProcessServices } from './process-services.ts'
import { RedisSite } from './redis-site.ts'
import { RedisStore } from './redis-store.ts'
import type { PassedBoundary, TimedChoice, WorldRequest } from './request.ts'
import { SimulatedLinks } from './simulated-links.ts'
import { handlerTimeoutUs, SimulatedRun } from './simulated-run.ts'
import { SinkTransport } from './sink-transport.ts'
import type { StoreSite } from './store-site.ts'
import { Tracer, type TracerSetting } from './tracer.ts'
import type { TrafficEvent } from './traffic.ts'
import { TransactionalSink } from './transactional-sink.ts'
import { World } from './world-state.ts'

/** How long a run continues after everything has come to rest. */
const gracePeriodUs = 2_000_000
/** Upper limit of the wait for a handler, for layers that declare a longer bound. */
const longestHangUs = 3_600_000_000

/** `fresh`: with module graphs that are made for this run only. */
export function createRun(request: WorldRequest, epochMs: number, fresh: boolean): SimulatedRun {
  const world = new World(request, epochMs)
  const { kernel, plan, sent } = world
  const { implementation } = request
  const { allow = [], stores = usualStores } = implementation.implementation
  if (request.listChoices === true) world.observers.push(chosenIn(world))
  const traffic: TrafficEvent[] | null = request.traffic ? [] : null
  const sessions: SessionEvent[] | null = request.traffic ? [] : null
  const passed: PassedBoundary[] = []
  const { journeys } = world
  if (journeys !== null) world.observers.push({ found: () => ({ journeys: { ...journeysOf(journeys), passed } }) })
  if (request.traffic) world.observers.push({ found: () => ({ traffic, sessions }) })
  if (world.scheduleRecorder !== null) world.observers.push(world.scheduleRecorder)
  const site = new RedisSite(world, plan.redis, traffic)
  if (request.runTrace) world.observers.push(new Tracer(tracerSettingOf(world, site, stores)))
  const links = new SimulatedLinks(world)
  const ledger = new MemoryLedger(request.sink, { ...plan, nowMs: () => kernel.nowUs / 1000 })
  const effects = () => world.runner.effects
  const transactional = request.sink === 'transactional' ? new TransactionalSink({ world, effects }) : null
  const besides = otherSites(stores, { world, links, transactional, sessions })
  const others = [...besides.values()]
  const addresses = Object.assign({ redis: site.address }, ...others.map((other) => other.addresses))
  const reports = new GuardedReports(world, () => world.runner.slots)
  const { files } = implementation
  const services = new ProcessServices(world, [site, ...others], links, reports, { files, allow })
  const caller = () => sent?.caller() ?? null
  const sink = new SinkTransport({ world, sink: ledger, transactional, effects, caller })
  const consumers = new SimulatedConsumers(world, {
    ...{ host: services, implementation, addresses, fresh, reports },
    callsOf: (process) => sink.callsOf(process),
  })
  world.runner = createRunner(request, world, { consumers, ledger, links, site, besides, passed })
  const layersTimers = new LayersTimers(kernel, () => world.runner.slots.connected(), world.recorder.events)
  const judged = judgedBy(implementation.implementation, request.scenario)
  const hanging =
    implementation.elsewhere === true ? null : new HangingHandlers(world, [site, ...others], hangUs(judged, plan))
  for (const [what, digest] of files.loaded) services.fileRead(what, digest)
  const disposed = [transactional, consumers, sink, services, site, ...others, world.network, kernel]
  return new SimulatedRun({
    ...{ request, world, site, others, addresses, services, layersTimers, hanging, fresh },
    disposed: disposed.filter((part) => part !== null),
  })
}

interface RunnerParts {
  readonly consumers: SimulatedConsumers
  readonly ledger: MemoryLedger
  readonly links: SimulatedLinks
  readonly site: RedisSite
  /** The stores other than Redis. */
  readonly besides: ReadonlyMap<StoreKind, StoreSite>
  /** Gets the boundaries that consumers pass, if messages are recorded. */
  readonly passed: PassedBoundary[]
}

function createRunner(
  { implementation: { implementation }, scenario }: WorldRequest,
  world: World,
  { consumers, ledger, links, site, besides, passed }: RunnerParts,
) {
  const { kernel, plan, scheduleRecorder } = world
  const judged = judgedBy(implementation, scenario)
  const { ownClocks = false, stores = usualStores } = implementation
  const armed = plan.faults
    .map((fault, index) => ({ index, fault }))
    .filter(({ fault }) => !(ownClocks && putsConsumerClockWrong(fault)))
  return new Runner(
    {
      plan,
      epochMs: world.epochMs,
      recorder: world.recorder,
      nowUs: () => kernel.nowUs,
      after: (delayUs, work) => {
        const event = kernel.schedule(delayUs, null, work)
        return () => kernel.cancel(event)
      },
      chance: (stream, what, n) => {
        const chosen = kernel.choices.stream(stream).choose(what, n)
        scheduleRecorder?.draws.push({ stream, what, n, chosen })
        return chosen
      },
      driver: consumers,
      links,
      clocks: world.clocks,
      store: new RedisStore(site, links),
      otherStores: new Map([...besides].map(([kind, { port }]) => [kind, port])),
      stores,
      ledger,
      failed: (error) => (world.bug ??= error),
      ...(scheduleRecorder === null ? {} : { steps: scheduleRecorder }),
      ...(world.journeys === null
        ? {}
        : { passed: (slot, boundary) => passed.push({ slot, boundary, atUs: kernel.nowUs }) }),
    },
    {
      ...{ armed, limits: world.limits, gracePeriodUs },
      handlerTimeoutUs: Math.max(handlerTimeoutUs, Math.min(hangUs(judged, plan) + 1_000_000, longestHangUs)),
      brokerGracePeriodMs: brokerGracePeriodMs(judged),
      relayTimeoutUs: relayTimeoutUs(judged),
      timesCalls: judged.answersWithinMs !== undefined,
      declaredRetry: judged.deadLetterReasons?.failed?.retry,
    },
  )
}

function putsConsumerClockWrong({ kind, machine }: PlannedFault): boolean {
  return kind.startsWith('clock-') && Number(machine) >= 0
}

const journeysOf = ({ sent, arrived, usedLater }: Journeys) => ({ sent, arrived, usedLater: [...usedLater] })

/** Records all later choices with their times. */
function chosenIn({ kernel }: World): Observer {
  const choices: TimedChoice[] = []
  kernel.choices.observe = (choice) => choices.push({ ...choice, atUs: kernel.nowUs })
  return {
    found: (labels) => ({
      choices: choices.map((choice) => ({ ...choice, about: choice.about && labels.renamed(choice.about) })),
    }),
  }
}

function tracerSettingOf(world: World, site: RedisSite, stores: readonly StoreKind[]): TracerSetting {
  const { epochMs, kernel, plan } = world
  const consumers = Array.from({ length: plan.consumers }, (_, slot) => `consumer-${slot + 1}`)
  const [servers, sentinels] = stores.includes('redis') ? [site.servers, site.sentinels] : [[], []]
  return {
    epochMs,
    nowUs: () => world.runner.planUs,
    worldUs: () => kernel.nowUs,
    events: () => world.recorder.events.length,
    hasBegun: () => world.runner.phase !== 'deploy',
    servers,
    sentinels,
    stores: stores.filter((kind) => kind !== 'redis'),
    hasSeveralPrimaries: plan.redis?.shards !== undefined || plan.redis?.independent !== undefined,
    consumers,
    clocks: new Map([
      ...consumers.map((name, slot) => [name, world.clock(slot)] as const),
      ...servers.map(({ name }, at) => [name, world.clock(-1 - at)] as const),
    ]),
  }
}
