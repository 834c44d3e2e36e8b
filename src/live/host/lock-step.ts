import type { ProcessRef } from '../../run/process-ref.ts'
import { HeldServers } from '../held/held-servers.ts'
import { HeldSteps } from '../held/held-steps.ts'
import { HeldStore } from '../held/held-store.ts'
import { byScript } from '../lockstep/by-script.ts'
import { HeldCommands } from '../lockstep/held-commands.ts'
import { HeldSessions } from '../lockstep/held-sessions.ts'
import { OwnTimers } from '../lockstep/own-timers.ts'
import { Rest } from '../lockstep/rest.ts'
import { ScriptClock } from '../lockstep/script-clock.ts'
import { ScriptTime } from '../lockstep/script-time.ts'
import { ScriptedLinks } from '../lockstep/scripted-links.ts'
import { Stepper } from '../lockstep/stepper.ts'
import type { LiveServer } from '../servers/live-server.ts'
import { serverOf, severalOf } from '../stores/topology.ts'
import type { ShiftedClock } from './clocks.ts'
import type { ProcessTime } from './protocol.ts'
import { RunParts } from './run-parts.ts'
import type { LiveRunRequest } from './run-request.ts'

/**
 * How long a step of a script may fail to come if it is not known whether it still can: more than a
 * busy machine takes to start a process.
 */
const stepTimeoutMs = 20_000

type Follows = NonNullable<LiveRunRequest['follows']>

export interface LockStep {
  readonly kind: 'lock-step'
  readonly parts: RunParts
  readonly stepper: Stepper
  readonly commands: HeldCommands
  readonly time: ScriptTime
}

/** A run that follows a script, with servers that are held to it. */
export function lockStep(follows: Follows, ...given: ConstructorParameters<typeof RunParts>): LockStep {
  const parts = new RunParts(...given)
  const { timers } = parts
  const processes = () => parts.conductor.slots.connected()
  const ownTimers = new OwnTimers(() => stepper, processes)
  const rest = new Rest({
    processes,
    atSink: (process) => commands.atSink(process),
    endsInTurn: parts.request.environment.endsInTurn,
    wait: (ms) => timers.wait(ms),
  })
  const stepper: Stepper = new Stepper(follows.script, new ScriptClock(timers), {
    until: follows.until,
    timeoutMs: stepTimeoutMs,
    wanted: (step) => commands.wanted(step),
    // A server that is down has no keys.
    expireInMs: (keys, server) => expireInMs(parts, keys, server).catch(() => -1),
    timers: ownTimers,
    rest,
  })
  const time = new ScriptTime(stepper.pace, Date.now() - timers.nowMs())
  const links = new ScriptedLinks(
    () => parts.liveLinks,
    (process, fault) => reset(parts, process, fault),
  )
  const commands = heldCommands(parts, stepper, links)
  parts.openStores({
    time,
    several: (first) => held(parts, follows, stepper, links, first),
    stopped: (name) => machineStopped(parts, name),
  })
  parts.conduct({
    gates: commands,
    pace: byScript(stepper, links),
    epochMs: () => time.epochMs,
    timeOf: (slot) => processTime(time, parts.clocks.known(slot)),
    scripted: { ownTimers, rest },
  })
  return { kind: 'lock-step', parts, stepper, commands, time }
}

/** On a machine with that clock; null if no fault shifts it. */
function processTime(time: ScriptTime, clock: ShiftedClock | null): ProcessTime {
  const { offsetMs, frozenAtMs } = clock?.shift ?? { offsetMs: 0, frozenAtMs: null }
  return { wallMs: frozenAtMs ?? time.wallMs() + offsetMs, monotonicMs: time.nowMs() }
}

function heldCommands(parts: RunParts, stepper: Stepper, links: ScriptedLinks): HeldCommands {
  const { failed, recorder, request, servers } = parts
  return new HeldCommands({
    conductor: () => parts.conductor,
    recorder,
    stepper,
    connects: async (slot, port) => {
      const node = nodeBehind(parts, slot, port)
      await links.connects(slot, node)
      return servers.held?.named(node).up ?? true
    },
    isCluster: request.plan.redis?.shards !== undefined,
    machineBehind: (slot, port) => nodeBehind(parts, slot, port),
    wrote: async (server, args) => severalOf(parts.topology)?.wrote?.(server, args),
    sessions: heldSessions(parts, stepper),
    committed: (requests) => parts.sites.get('postgres')?.committed(requests),
    failed,
  })
}

/** Transactions of PostgreSQL wait for each other. */
function heldSessions(parts: RunParts, stepper: Stepper): HeldSessions | null {
  if (parts.servers.postgres === undefined) return null
  const server = 'postgres'
  return new HeldSessions({
    stepper,
    sessions: () => parts.sites.get(server)!.sessions,
    linkOf: (slot) => parts.links[slot]!.servers.get(server)!,
    failed: parts.failed,
  })
}

function held(parts: RunParts, { script, until }: Follows, stepper: Stepper, links: ScriptedLinks, first: LiveServer) {
  const { failed, recorder, request } = parts
  const { held: deployment } = parts.servers
  if (deployment === undefined) return null
  const { keeps } = request.plan.redis!
  const store = new HeldStore({
    deployment,
    recorder,
    keeps: keeps !== 'nothing',
    deployedTo: script.deployedTo,
    returns: script.returns,
    stopped: ({ name }) => machineStopped(parts, name),
    cutConsumers: (machines, on) => links.cutOff(machines, on),
    disturbed: () => steps.disturbed(),
  })
  const steps = new HeldSteps({ deployment, store, stepper, script, until, failed })
  return new HeldServers(deployment, store, steps, first, (node, key) => parts.expired(node, key))
}

/** `server`: the one of several; null if there is one. */
async function expireInMs(parts: RunParts, keys: readonly string[], server: string | null): Promise<number> {
  if (server === null) return serverOf(parts.topology).expireInMs(keys)
  return parts.servers.held!.named(server).expireInMs(keys)
}

/** A process does not hear of an end behind a reply that is never let in. */
function machineStopped({ conductor, links, servers }: RunParts, name: string): void {
  for (const process of conductor.slots.connected()) {
    const port = links[process.slot]!.servers.get(name)?.port ?? servers.held!.named(name).machine.port
    process.send({ type: 'reset', port })
  }
}

function reset({ consumers, evidence }: RunParts, process: ProcessRef, fault: number): boolean {
  if (!evidence.resets(fault, process)) return false
  consumers.named(process.name)!.send({ type: 'reset' })
  return true
}

/** The server to which the slot's link of that port leads, or the Sentinel that listens there. */
function nodeBehind(parts: RunParts, slot: number, port: number): string {
  const sentinel = parts.servers.held?.watchers.find(({ machine }) => machine.port === port)
  return sentinel?.name ?? parts.linkBehind(slot, port)[0]
}
