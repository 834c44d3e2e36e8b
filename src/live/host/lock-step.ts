import type { ProcessRef } from '../../run/process-ref.ts'
import { HeldServers } from '../held/held-servers.ts'
import { HeldSteps } from '../held/held-steps.ts'
import { HeldStore } from '../held/held-store.ts'
import { bySchedule } from '../lockstep/by-schedule.ts'
import { HeldCommands } from '../lockstep/held-commands.ts'
import { HeldSessions } from '../lockstep/held-sessions.ts'
import { LockStepReplayer } from '../lockstep/lock-step-replayer.ts'
import { OwnTimers } from '../lockstep/own-timers.ts'
import { Rest } from '../lockstep/rest.ts'
import { ScheduleClock } from '../lockstep/schedule-clock.ts'
import { ScheduleTime } from '../lockstep/schedule-time.ts'
import { ScheduledLinks } from '../lockstep/scheduled-links.ts'
import type { LiveServer } from '../servers/live-server.ts'
import { serverOf, severalOf } from '../stores/topology.ts'
import type { ShiftedClock } from './clocks.ts'
import type { ProcessTime } from './protocol.ts'
import { RunParts } from './run-parts.ts'
import type { LiveRunRequest } from './run-request.ts'

/**
 * The maximum wait for a step of the schedule while it is unknown whether the step can still come.
 * This is longer than a busy machine takes to start a process.
 */
const stepTimeoutMs = 20_000

type Follows = NonNullable<LiveRunRequest['follows']>

export interface LockStep {
  readonly kind: 'lock-step'
  readonly parts: RunParts
  readonly replayer: LockStepReplayer
  readonly commands: HeldCommands
  readonly time: ScheduleTime
}

/** A run that follows a schedule. Its servers follow the schedule as well. */
export function lockStep(follows: Follows, ...given: ConstructorParameters<typeof RunParts>): LockStep {
  const parts = new RunParts(...given)
  const { timers } = parts
  const processes = () => parts.runner.slots.connected()
  const ownTimers = new OwnTimers(() => replayer, processes)
  const rest = new Rest({
    processes,
    atSink: (process) => commands.atSink(process),
    endsInTurn: parts.request.environment.endsInTurn,
    wait: (ms) => timers.wait(ms),
  })
  const replayer: LockStepReplayer = new LockStepReplayer(follows.schedule, new ScheduleClock(timers), {
    until: follows.until,
    timeoutMs: stepTimeoutMs,
    wanted: (step) => commands.wanted(step),
    // A server that is down has no keys.
    expireInMs: (keys, server) => expireInMs(parts, keys, server).catch(() => -1),
    timers: ownTimers,
    rest,
  })
  const time = new ScheduleTime(replayer.pace, Date.now() - timers.nowMs())
  const links = new ScheduledLinks(
    () => parts.liveLinks,
    (process, fault) => reset(parts, process, fault),
  )
  const commands = heldCommands(parts, replayer, links)
  parts.openStores({
    time,
    several: (first) => held(parts, follows, replayer, links, first),
    stopped: (name) => machineStopped(parts, name),
  })
  parts.createRunner({
    gates: commands,
    pace: bySchedule(replayer, links),
    epochMs: () => time.epochMs,
    timeOf: (slot) => processTime(time, parts.clocks.known(slot)),
    scheduled: { ownTimers, rest },
  })
  return { kind: 'lock-step', parts, replayer, commands, time }
}

/** The time on a machine with that clock. `clock`: null if no fault shifts it. */
function processTime(time: ScheduleTime, clock: ShiftedClock | null): ProcessTime {
  const { offsetMs, frozenAtMs } = clock?.shift ?? { offsetMs: 0, frozenAtMs: null }
  return { wallMs: frozenAtMs ?? time.wallMs() + offsetMs, monotonicMs: time.nowMs() }
}

function heldCommands(parts: RunParts, replayer: LockStepReplayer, links: ScheduledLinks): HeldCommands {
  const { failed, recorder, request, servers } = parts
  return new HeldCommands({
    runner: () => parts.runner,
    recorder,
    replayer,
    connects: async (slot, port) => {
      const node = nodeBehind(parts, slot, port)
      await links.connects(slot, node)
      return servers.held?.named(node).up ?? true
    },
    isCluster: request.plan.redis?.shards !== undefined,
    machineBehind: (slot, port) => nodeBehind(parts, slot, port),
    wrote: async (server, args) => severalOf(parts.topology)?.wrote?.(server, args),
    sessions: heldSessions(parts, replayer),
    committed: (requests) => parts.sites.get('postgres')?.committed(requests),
    failed,
  })
}

/**
 * The PostgreSQL sessions, which are held because transactions wait for each other; null without
 * PostgreSQL.
 */
function heldSessions(parts: RunParts, replayer: LockStepReplayer): HeldSessions | null {
  if (parts.servers.postgres === undefined) return null
  const server = 'postgres'
  return new HeldSessions({
    replayer,
    sessions: () => parts.sites.get(server)!.sessions,
    linkOf: (slot) => parts.links[slot]!.servers.get(server)!,
    failed: parts.failed,
  })
}

function held(
  parts: RunParts,
  { schedule, until }: Follows,
  replayer: LockStepReplayer,
  links: ScheduledLinks,
  first: LiveServer,
) {
  const { failed, recorder, request } = parts
  const { held: deployment } = parts.servers
  if (deployment === undefined) return null
  const { keeps } = request.plan.redis!
  const store = new HeldStore({
    deployment,
    recorder,
    keeps: keeps !== 'nothing',
    deployedTo: schedule.deployedTo,
    returns: schedule.returns,
    stopped: ({ name }) => machineStopped(parts, name),
    cutConsumers: (machines, on) => links.cutOff(machines, on),
    disturbed: () => steps.disturbed(),
  })
  const steps = new HeldSteps({ deployment, store, replayer, schedule, until, failed })
  return new HeldServers(deployment, store, steps, first, (node, key) => parts.expired(node, key))
}

/** `server`: the name of one of several servers; null if there is only one. */
async function expireInMs(parts: RunParts, keys: readonly string[], server: string | null): Promise<number> {
  if (server === null) return serverOf(parts.topology).expireInMs(keys)
  return parts.servers.held!.named(server).expireInMs(keys)
}

/**
 * Ends the connections of processes to a machine that has stopped, because a process that never
 * reads a reply does not notice their end.
 */
function machineStopped({ runner, links, servers }: RunParts, name: string): void {
  for (const process of runner.slots.connected()) {
    const port = links[process.slot]!.servers.get(name)?.port ?? servers.held!.named(name).machine.port
    process.send({ type: 'reset', port })
  }
}

function reset({ consumers, evidence }: RunParts, process: ProcessRef, fault: number): boolean {
  if (!evidence.resets(fault, process)) return false
  consumers.named(process.name)!.send({ type: 'reset' })
  return true
}

/** The server behind the slot's link of that port, or the Sentinel that listens on that port. */
function nodeBehind(parts: RunParts, slot: number, port: number): string {
  const sentinel = parts.servers.held?.watchers.find(({ machine }) => machine.port === port)
  return sentinel?.name ?? parts.linkBehind(slot, port)[0]
}
