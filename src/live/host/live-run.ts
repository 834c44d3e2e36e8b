/**
 * One live run: the plan's messages, time limits and faults on real processes, servers and proxies.
 * It has the same runner as a simulated run, so the same checkers judge it. The influence of the
 * machine is measured. A run is unfit, and not judged, if its timers were later than the margin, or
 * if a fault did not have its effect.
 */
import path from 'node:path'
import { assert } from 'virtual-node/assert'
import { canonicalJson } from '../../contract/api/json.ts'
import type { LiveOutcome } from '../../contract/results/live-run.ts'
import { headerOf } from '../../run/header.ts'
import { caught } from '../../run/maybe-promise.ts'
import type { Servers } from '../environment/environment.ts'
import { LiveProblem } from '../environment/problem.ts'
import type { EvidenceSummary } from '../evidence/fault-evidence.ts'
import { usualSettings } from '../postgres/postgres-machine.ts'
import { LiveLedger } from '../sink/ledger.ts'
import { recordKeyCount } from '../stores/key-count.ts'
import { deploymentOf, severalOf } from '../stores/topology.ts'
import { type FreeRunning, freeRunning } from './free-running.ts'
import { type LockStep, lockStep } from './lock-step.ts'
import { openRun } from './open-run.ts'
import type { RunParts } from './run-parts.ts'
import type { LiveRunRequest } from './run-request.ts'
import { withSourcePositions } from './source-positions.ts'

/**
 * The interval at which the run checks whether everything is at rest, or whether it was
 * interrupted.
 */
const restEveryMs = 10
/** The time that the store may take to count its keys at the end. */
const countingMs = 2_000

let runs = 0

/**
 * Makes a run.
 * @throws LiveProblem if the run could not be set up
 */
export async function liveRun(request: LiveRunRequest): Promise<LiveOutcome> {
  const { environment, follows } = request
  // A user's server cannot be used, because held-back traffic is not checked for the key prefix.
  assert(follows === undefined || environment.keyPrefix === null, 'a run with a schedule needs its own servers')
  // The run has a number, because several runs may be in progress.
  const number = ++runs
  const servers = await startServers(request)
  return closing(
    async () => {
      const run: LiveRun = new LiveRun(request, servers, await openLedger(request, number, () => run.nowMs), number)
      return closing(
        () => run.play(),
        () => run.close(),
      )
    },
    () => servers.close(),
  )
}

/** The servers of a scheduled run do nothing by themselves. */
function startServers({ environment, follows, shape, plan, stores }: LiveRunRequest): Promise<Servers> {
  if (follows === undefined || plan.redis === undefined)
    return environment.startServers(shape, { stores, postgres: plan.postgres ?? usualSettings, redis: plan.redis })
  assert(environment.startHeld !== null, 'a run with a schedule and several servers needs servers that support it')
  const first = follows.schedule.steps.map(({ step }) => step).find((step) => step.kind === 'promoted')
  return environment.startHeld({ redis: plan.redis, first: first?.server ?? null })
}

/**
 * Does the work, then closes. If both fail, the first error is reported first, followed by that of
 * closing.
 */
async function closing<T>(work: () => Promise<T>, close: () => Promise<void>): Promise<T> {
  let done: T
  try {
    done = await work()
  } catch (error) {
    await close().catch((also) => {
      if (error instanceof LiveProblem && also instanceof LiveProblem) throw error.and(also)
    })
    throw error
  }
  await close()
  return done
}

function openLedger({ directory, sink, plan }: LiveRunRequest, run: number, nowMs: () => number): Promise<LiveLedger> {
  const habits = { ...plan, nowMs }
  return LiveLedger.create(path.join(directory.folder, `ledger-${run}`), sink, habits)
}

class LiveRun {
  readonly #host: FreeRunning | LockStep
  readonly #parts: RunParts
  /** The closing functions of the opened parts, which are called in reverse order. */
  readonly #open: (() => Promise<void>)[] = []
  #end: (why: string | null) => void = () => {}
  #failure: unknown = null

  constructor(
    private readonly request: LiveRunRequest,
    servers: Servers,
    ledger: LiveLedger,
    private readonly number: number,
  ) {
    const { follows } = request
    const failed = (error: unknown) => this.#failed(error)
    this.#host =
      follows === undefined
        ? freeRunning(request, servers, ledger, failed)
        : lockStep(follows, request, servers, ledger, failed)
    this.#parts = this.#host.parts
  }

  /** The clock by which the sink forgets. */
  get nowMs(): number {
    return this.#host.kind === 'lock-step' ? this.#host.time.nowMs() : performance.now()
  }

  async play(): Promise<LiveOutcome> {
    try {
      return await this.#play()
    } catch (error) {
      throw error instanceof LiveProblem ? error : await this.#parts.watch.blame(error)
    }
  }

  async #play(): Promise<LiveOutcome> {
    const startedMs = performance.now()
    const ended = new Promise<string | null>((resolve) => (this.#end = resolve))
    const host = this.#host
    const name = `onceproof-${process.pid}-${this.number}`
    await openRun(
      host,
      name,
      (close) => void this.#open.push(close),
      (error) => this.#failed(error),
    )
    if (host.kind === 'free-running') await this.#create(ended)
    else await this.#load(ended)
    const readyMs = performance.now() - startedMs
    if (host.kind === 'free-running') this.#begin()
    else if (!this.request.stopped()) await this.#follow(host, ended)
    const why = await ended
    if (this.#failure !== null) throw this.#failure
    // The steps are read before the cleanup, which does not belong to the schedule.
    const followed = host.kind === 'free-running' ? {} : { followed: followedOf(this.request, host) }
    const { notSeen, unfit } = await this.#conclude(why)
    const { runner, recorder, topology, sorted, timers, clocks } = host.parts
    const withoutPrimaryMs = severalOf(topology)?.withoutPrimaryMs
    return {
      history: { header: this.#header(), events: withSourcePositions(recorder.events, this.request.program) },
      notMade: sorted.notMade,
      notSeen,
      worstLateMs: timers.worstLate.ms,
      unfit,
      readyMs,
      tookMs: performance.now() - startedMs,
      cells: [...runner.crashPoints.struck],
      cellsSeen: [...runner.crashPoints.passed],
      ...(withoutPrimaryMs === undefined ? {} : { withoutPrimaryMs: Math.round(withoutPrimaryMs) }),
      clocks: clocks.means,
      ...followed,
    }
  }

  /**
   * Follows the schedule, which determines when consumers exist and when the plan's time begins.
   */
  async #follow({ parts, replayer }: LockStep, ended: Promise<unknown>): Promise<void> {
    const { longestMs } = this.request
    const { runner, timers, topology, watch } = parts
    timers.after(longestMs, () => this.#end(`it did not finish its schedule within ${longestMs} ms`))
    const begins = Promise.resolve(severalOf(topology)?.begin())
    const isOver = await Promise.race([begins.then(() => false), ended.then(() => true)])
    if (isOver) return
    runner.startConsumers()
    void caught(runner.begin(), (error) => this.#failed(error))
    replayer.follow().then(
      () => this.#end(replayer.left === null ? this.#cutOff() : 'it left its schedule'),
      (error) => this.#failed(error),
    )
    watch.start()
  }

  /** Resolves when every process has loaded its adapter, or when the run must end. */
  async #load(ended: Promise<unknown>): Promise<void> {
    const { implementation, longestMs } = this.request
    // A scheduled run ends with its schedule.
    this.#watchUntil(() => false)
    const tooLong = new Promise<'late'>((resolve) => this.#parts.timers.after(longestMs, () => resolve('late')))
    const how = await Promise.race([this.#parts.consumers.allLoaded(), tooLong, ended])
    if (how === 'late')
      throw new LiveProblem(implementation, `not loaded within ${longestMs} ms, the limit of a live run`)
    if (this.#failure !== null) throw this.#failure
  }

  /**
   * Why the run ends before the end of its schedule; null if it followed the schedule to the end.
   */
  #cutOff(): string | null {
    const { schedule, until } = this.request.follows!
    return until === schedule.steps.length ? null : 'it was followed up to the violation'
  }

  /** Resolves when every consumer accepts messages. */
  async #create(ended: Promise<unknown>): Promise<void> {
    const { implementation, longestMs, plan } = this.request
    const { runner, consumers, timers } = this.#parts
    const ready = consumers.ready(plan.consumers)
    runner.startConsumers()
    const tooLong = new Promise<string>((resolve) => {
      const whose = () => consumers.uncreated.join(' and ')
      timers.after(longestMs, () =>
        resolve(`not settled in ${whose()} within ${longestMs} ms, the limit of a live run`),
      )
    })
    const unready = await Promise.race([ready, tooLong, ended.then(() => null)])
    if (this.#failure !== null) throw this.#failure
    if (unready !== null) throw new LiveProblem(implementation, `its \`create\` ${unready}`)
  }

  /** Begins the plan's time. */
  #begin(): void {
    const { longestMs } = this.request
    const { runner, timers, topology, watch } = this.#parts
    timers.worstLate = { ms: 0, whose: '' }
    void severalOf(topology)?.begin()
    runner.begin()
    timers.after(longestMs, () => this.#end(`it did not finish within ${longestMs} ms`))
    this.#watchUntil(() => runner.isOver(runner.effects.busy))
    watch.start()
  }

  #watchUntil(isOver: () => boolean): void {
    if (this.request.stopped()) return this.#end('it was interrupted')
    if (isOver()) return this.#end(null)
    this.#parts.timers.after(restEveryMs, () => this.#watchUntil(isOver))
  }

  /**
   * Ends the run. `unfit`: why the run must not be judged; null if machine and faults behaved as
   * intended.
   */
  async #conclude(why: string | null) {
    const { marginMs } = this.request
    const { deployed, recorder, topology, evidence, sites, timers, watch } = this.#parts
    const followsSchedule = this.#host.kind === 'lock-step'
    const { ms, whose } = timers.worstLate
    const late = `the machine was too slow: a timer of ${whose} was ${Math.round(ms)} ms late (margin: ${marginMs} ms)`
    // Without a server there are no keys. The keys of a Cluster are not counted, because no single
    // server has all of them.
    if (topology.kind === 'none')
      recorder.fact({ type: 'keys-counted', keys: 0, withoutExpiry: 0, namesWithoutExpiry: [] })
    else if (topology.kind === 'independent' || (topology.server.up && topology.kind !== 'cluster'))
      await this.#withinMs(countingMs, recordKeyCount(recorder, topology.server, deploymentOf(topology), deployed))
    // In a scheduled run, a fault takes effect by holding back traffic, which the next steps
    // verify, so no other evidence is needed.
    const { notSeen, facts, refuted } = followsSchedule ? asScheduled : await evidence.conclude()
    recorder.retract(facts)
    const strange: (string | null)[] = []
    for (const site of sites.values()) strange.push(await site.conclude())
    recorder.fact(why === null ? { type: 'ended', complete: true } : { type: 'ended', complete: false, why })
    await watch.look()
    // Timers may be late in a run that follows a schedule, because it waits for the machine.
    return {
      notSeen,
      unfit: ms > marginMs && !followsSchedule ? late : (strange.find((why) => why !== null) ?? refuted),
    }
  }

  /** Settles when the work is done or the time has passed. */
  #withinMs(ms: number, work: Promise<void>): Promise<void> {
    return Promise.race([work, this.#parts.timers.wait(ms)])
  }

  #header() {
    return headerOf(this.request, JSON.parse(canonicalJson(this.request.plan)))
  }

  /** Closes everything. Nothing of the run remains after this resolves or rejects. */
  async close(): Promise<void> {
    try {
      await this.#parts.close()
    } finally {
      for (const close of this.#open.reverse()) await close()
    }
  }

  #failed(error: unknown): void {
    this.#failure ??= error
    this.#end('the harness failed')
  }
}

const asScheduled: EvidenceSummary = { notSeen: [], facts: new Set(), refuted: null }

function followedOf(
  { follows }: LiveRunRequest,
  { replayer, commands }: LockStep,
): NonNullable<LiveOutcome['followed']> {
  return {
    taken: replayer.taken,
    of: follows!.until,
    left: replayer.left,
    lateMs: replayer.pace.lateMs,
    executed: commands.executed,
    cutShort: commands.cuts,
  }
}
