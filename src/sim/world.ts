/** Builds one run from scenario, implementation, plan and choices, and plays it to its end. */

import { takeBroken } from 'virtual-node/assert'
import type { KernelLimits } from 'virtual-node/kernel'
import { Digest, epochMs } from 'virtual-node/kernel'
import { catchUnhandledErrors, foundDisagreement, real, trackOwners } from 'virtual-node/runtime'
import type { History, HistoryEvent } from '../contract/api/history.ts'
import { canonicalJson } from '../contract/api/json.ts'
import type { Plan } from '../contract/api/plan.ts'
import type { SourcePosition } from '../contract/api/source-position.ts'
import { usualStores } from '../contract/api/store.ts'
import type { CommandLabels } from '../run/command-labels.ts'
import { brokerGracePeriodMs, headerOf, type JudgedBy, judgedBy } from '../run/header.ts'
import { LoadError } from './adapters/load-implementation.ts'
import { createRun } from './world/create-run.ts'
import { noteJobs } from './world/note-jobs.ts'
import { prepareOtherSites } from './world/other-sites.ts'
import type { ExecutedCommand, RunJourneys, RunResult, StoreSession, WorldRequest } from './world/request.ts'
import type { SimulatedRun } from './world/simulated-run.ts'

export type { ExecutedCommand, RunJourneys, RunResult, StoreSession, WorldRequest }

/**
 * Limits that end a run with a livelock, a broken layer or a costly fault: virtual time and events
 * (docs/how-it-works/design.md 9).
 */
const limits = { timeUs: 4 * 86_400 * 1_000_000, events: 60_000 }
/** Machines that watch each other cause about 200 events a second. */
const watchedLimits = { ...limits, events: 400_000 }

/**
 * A layer may take as long as it declares. During that time, machines that watch each other cause
 * events.
 */
function limitsOf({ events }: Pick<WorldRequest, 'events'>, { redis }: Plan, judged: JudgedBy): KernelLimits {
  if (events !== undefined) return { ...limits, events }
  if (redis === undefined) return limits
  const longestMs = Math.min(brokerGracePeriodMs(judged), longestWatchedMs)
  return { ...watchedLimits, events: Math.max(watchedLimits.events, (longestMs / 1000) * 400) }
}
const longestWatchedMs = 2 * 3_600_000

/** True while a run of this thread has not ended. */
let underWay = false

/**
 * Plays one run. Runs must not overlap in one thread, not even in turns: they share the current
 * process, Node's queues and the count of executed script lines, so a second run would silently
 * change the first.
 * @throws LoadError if `create` of the implementation never settles or always fails, whatever the
 * faults, or if `handle` returns something that is not an outcome
 * @throws Error if another run of this thread has not ended: a bug of the harness
 */
export async function runWorld(request: WorldRequest): Promise<RunResult> {
  if (underWay) throw new Error('two runs overlap in one thread; end each before the next begins')
  underWay = true
  try {
    await prepareOtherSites(request.implementation.implementation.stores ?? usualStores)
    for (;;) {
      const result = await playWorld(request)
      if (result !== null) return result
    }
  } finally {
    underWay = false
  }
}

/**
 * Null if the layer imported modules by computed names that were not loaded yet. Then the run must
 * be played again.
 */
function playWorld(request: WorldRequest): Promise<RunResult | null> {
  return new Promise((resolve, reject) => {
    // Draining works only from a macrotask.
    real.setImmediate(() => {
      const giveBack = catchUnhandledErrors(request.implementation.elsewhere !== true)
      const scrutinise = request.scrutinise ?? false
      if (scrutinise) trackOwners(true)
      const finish = (run: SimulatedRun, how: 'rest' | 'time' | 'events') => {
        const { world } = run.parts
        const leak = foundDisagreement()
        if (scrutinise) trackOwners(false)
        const takingIn = request.implementation.takeIn()
        if (takingIn !== null) {
          giveBack()
          run.dispose()
          return takingIn.then(() => null)
        }
        if (leak !== null) world.unsupported(leak)
        const adapterFailure = run.end(how)
        giveBack()
        const bug = world.bug ?? takeBroken()
        if (bug !== null) throw bug
        if (adapterFailure !== null) throw new LoadError(request.implementation.path, adapterFailure)
        const result = resultOf(run)
        run.dispose()
        return result
      }
      const fail = (error: unknown) => {
        if (scrutinise) trackOwners(false)
        giveBack()
        reject(error)
      }
      try {
        const run = createRun(request, epochMs, scrutinise)
        const judged = judgedBy(request.implementation.implementation, request.scenario)
        const how = run.play(limitsOf(request, run.parts.world.plan, judged))
        if (typeof how === 'string') resolve(finish(run, how))
        else how.then((late) => resolve(finish(run, late))).catch(fail)
      } catch (error) {
        fail(error)
      }
    })
  })
}

function resultOf(run: SimulatedRun): RunResult {
  const { request, site, world } = run.parts
  const { journal, recorder, runner } = world
  const { crashPoints, injection, neighbours } = runner
  const { labels } = site
  const { digest, trail } = world.kernel.choices
  const history: History = { header: headerOf(subjectOf(request), world.plan), events: recorder.events }
  const executed = journal.executed.map((command) => ({ ...command, label: labels.renamed(command.label) }))
  noteJobs(history, executed, journal.timesUs)
  return {
    history,
    digest: digest.hex(),
    historyDigest: request.record ? historyDigest(history) : null,
    trail,
    layerDigest: request.implementation.digest,
    chosen: request.keepChoices === true ? world.kernel.choices.chosen() : null,
    scheduleHash: journal.scheduleDigest.hex(),
    cells: renamedCells(labels, crashPoints.struck),
    cellsSeen: renamedCells(labels, crashPoints.passed),
    pairs: renamedCells(labels, neighbours.pairs),
    separated: renamedCells(labels, neighbours.separated),
    unsupported: [...world.unsupportedSet],
    unstruck: injection.unstruck,
    strikes: injection.struck.map(({ index, label }) => ({ index, label: label && labels.renamed(label) })),
    executed,
    ...(world.sent === null
      ? {}
      : { sentFor: { commands: journal.sentFor, requests: world.sent.requests, unanswered: world.sent.unanswered } }),
    eventCount: world.kernel.turns * (request.implementation.elsewhere ? eventsPerRealEvent : 1),
    ...run.found(labels),
  }
}

/**
 * The cost of an event with real processes (200 microseconds) relative to an event without (13
 * microseconds).
 */
const eventsPerRealEvent = 15

/** Crash points and pairs, with the names that their scripts have at the end of the run. */
function renamedCells(labels: CommandLabels, cells: ReadonlySet<string>): string[] {
  return [...new Set([...cells].map((cell) => labels.renamed(cell)))]
}

function subjectOf({ scenario, implementation, sink }: WorldRequest) {
  const judged = judgedBy(implementation.implementation, scenario)
  return { scenario: scenario.id, implementation: implementation.implementation.id, sink, ...judged }
}

/** Leaves out stack frames and source lines, because each edit of the sources moves them. */
function historyDigest({ events }: History): string {
  const digest = new Digest()
  for (const event of events) {
    const { sentFrom: _, ofStart: __, ...reported } = event as HistoryEvent & SentBy
    digest.text(canonicalJson(reported).replace(stackFrames, ''))
  }
  return digest.hex()
}

/** Members that exist only in runs that record source positions. */
interface SentBy {
  readonly sentFrom?: SourcePosition
  readonly ofStart?: true
}

/** Stack frames in JSON: a line break, blanks, `at`, and the rest of the line. */
const stackFrames = /\\n\s+at (?:[^"\\]|\\"|\\\\)*/g
