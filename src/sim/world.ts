/** Builds one run from scenario, implementation, plan and choices, and plays it to its end. */

import type { History } from '../contract/history.ts'
import { canonicalJson } from '../contract/json.ts'
import type { Plan } from '../contract/plan.ts'
import type { Scenario } from '../contract/scenario.ts'
import type { SinkKind } from '../contract/sink.ts'
import type { CommandLabels } from '../run/command-labels.ts'
import type { StruckFault, UnstruckFault } from '../run/fault-injection.ts'
import { brokerPatienceMs, headerOf, type JudgedBy, judgedBy } from '../run/header.ts'
import { Digest } from './kernel/digest.ts'
import { epochMs } from './kernel/epoch.ts'
import type { KernelLimits } from './kernel/kernel.ts'
import { foundDisagreement, trackOwners } from './runtime/current.ts'
import { LoadError, type LoadedImplementation } from './runtime/load-implementation.ts'
import { real } from './runtime/real.ts'
import { catchStrays } from './runtime/turns.ts'
import { SimulatedWorld } from './world/simulated-world.ts'
import type { TrafficEvent } from './world/traffic.ts'

export interface WorldRequest {
  readonly scenario: Scenario
  readonly implementation: LoadedImplementation
  readonly sink: SinkKind
  readonly plan: Plan
  /** Choice streams are derived from the seed by name; those named in `own` from a seed of their own. */
  readonly choices: { readonly seed: number; readonly own?: Readonly<Record<string, number>> }
  /** False: a hot run, with facts only. True: traces too. */
  readonly record: boolean
  /**
   * Looks closer, at a price: module graphs made anew for this run, and work followed through promises from process
   * to process. A run that differs from an ordinary one has state that leaks.
   */
  readonly scrutinise?: boolean
  /** Writes down what Redis executed. */
  readonly traffic?: boolean
}

/** A command that Redis executed for a consumer. */
export interface ExecutedCommand {
  readonly process: string
  readonly label: string
  /** How many events the history had by then. */
  readonly seq: number
}

export interface RunResult {
  readonly history: History
  /** Over plan, choices, outcomes and effects: equal for hot and recorded runs of one request. */
  readonly digest: string
  /** Over the whole recorded history; null in hot runs. */
  readonly historyDigest: string | null
  readonly choiceCount: number
  /** The order of process, command and outcome; times left out. */
  readonly scheduleHash: string
  /** Names of crash points: those at which a crash struck, and all that were passed. */
  readonly cells: readonly string[]
  readonly cellsSeen: readonly string[]
  readonly unsupported: readonly string[]
  readonly unstruck: readonly UnstruckFault[]
  readonly strikes: readonly StruckFault[]
  readonly executed: readonly ExecutedCommand[]
  /** What happened in the world, of all kinds: what the run cost, the same on every machine. */
  readonly eventCount: number
  /** What Redis executed, in order; null where it was not asked for. */
  readonly traffic: readonly TrafficEvent[] | null
}

/** What a fault, a livelock or a broken layer may at most cost: virtual time and events (DESIGN 3.9). */
const limits = { timeUs: 4 * 86_400 * 1_000_000, events: 60_000 }
/** Machines that watch each other do about 200 things a second, whatever else happens. */
const watchedLimits = { ...limits, events: 400_000 }

/** A layer may take as long as it declares: machines that watch each other need events for all of that time. */
function limitsOf({ redis }: Plan, judged: JudgedBy): KernelLimits {
  if (redis === undefined) return limits
  const longestMs = Math.min(brokerPatienceMs(judged), longestWatchedMs)
  return { ...watchedLimits, events: Math.max(watchedLimits.events, (longestMs / 1000) * 400) }
}
const longestWatchedMs = 2 * 3_600_000

/** Whether a run was asked for that has not ended. */
let underWay = false

/**
 * Plays one run. Runs must not overlap in one thread, not even in turns: they share the current process, Node's queues
 * and the count of executed lines of scripts, so a second one beside the first would change both and say nothing.
 * @throws LoadError when `create` of the implementation never settles, or always fails, whatever the faults, or when
 * `handle` answers what is no outcome
 * @throws Error when another run of this thread has not ended: a bug of ours
 */
export async function runWorld(request: WorldRequest): Promise<RunResult> {
  if (underWay) throw new Error('two runs overlap in one thread: each must end before the next is asked for')
  underWay = true
  try {
    return await playWorld(request)
  } finally {
    underWay = false
  }
}

function playWorld(request: WorldRequest): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    // Draining works from a macrotask only.
    real.setImmediate(() => {
      const giveBack = catchStrays()
      const scrutinise = request.scrutinise ?? false
      if (scrutinise) trackOwners(true)
      const finish = (world: SimulatedWorld, how: 'rest' | 'time' | 'events') => {
        const leak = foundDisagreement()
        if (scrutinise) trackOwners(false)
        if (leak !== null) world.unsupported(leak)
        world.end(how)
        giveBack()
        if (world.bug !== null) throw world.bug
        if (world.adapterFailure !== null) throw new LoadError(request.implementation.path, world.adapterFailure)
        const result = resultOf(request, world)
        world.dispose()
        return result
      }
      const fail = (error: unknown) => {
        if (scrutinise) trackOwners(false)
        giveBack()
        reject(error)
      }
      try {
        const world = new SimulatedWorld(request, { epochMs, fresh: scrutinise })
        const how = world.play(limitsOf(world.plan, judgedBy(request.implementation.implementation, request.scenario)))
        if (typeof how === 'string') resolve(finish(world, how))
        else how.then((late) => resolve(finish(world, late))).catch(fail)
      } catch (error) {
        fail(error)
      }
    })
  })
}

function resultOf(request: WorldRequest, world: SimulatedWorld): RunResult {
  const { journal, recorder, conductor } = world
  const { crashPoints, injection } = conductor
  const { labels } = world.site
  const { digest, count } = world.kernel.choices
  const history: History = { header: headerOf(subjectOf(request), world.plan), events: recorder.events }
  return {
    history,
    digest: digest.hex(),
    historyDigest: request.record ? historyDigest(history) : null,
    choiceCount: count,
    scheduleHash: journal.scheduleDigest.hex(),
    cells: renamedCells(labels, crashPoints.struck),
    cellsSeen: renamedCells(labels, crashPoints.passed),
    unsupported: [...world.unsupportedSet],
    unstruck: injection.unstruck,
    strikes: injection.struck.map(({ index, label }) => ({ index, label: label && labels.renamed(label) })),
    executed: journal.executed.map((command) => ({ ...command, label: labels.renamed(command.label) })),
    eventCount: world.kernel.turns,
    traffic: world.traffic,
  }
}

/** Crash points by the names that their scripts have at the end of the world. */
function renamedCells(labels: CommandLabels, cells: ReadonlySet<string>): string[] {
  return [...new Set([...cells].map((cell) => labels.renamed(cell)))]
}

function subjectOf({ scenario, implementation, sink }: WorldRequest) {
  const judged = judgedBy(implementation.implementation, scenario)
  return { scenario: scenario.id, implementation: implementation.implementation.id, sink, ...judged }
}

function historyDigest({ events }: History): string {
  const digest = new Digest()
  for (const event of events) digest.text(canonicalJson(event))
  return digest.hex()
}
