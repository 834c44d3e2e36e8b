/** Executes tasks on other machines: each task is a job in the campaign's queue. */
import { randomUUID } from 'node:crypto'
import { noOrders } from '../campaign/explore/explore-orders.ts'
import type { Counterexample, Executor } from '../campaign/play/executor.ts'
import type { Explored } from '../campaign/play/explore-tasks.ts'
import { revive } from '../campaign/play/sent-error.ts'
import { exploredFromJson } from '../campaign/results/explored-json.ts'
import { tallyFromJson } from '../campaign/results/tally-json.ts'
import { emptyTally, type Tally } from '../campaign/tally/tally.ts'
import { AskedJobs } from './asked-jobs.ts'
import type { Places } from './file-ref.ts'
import type { Identity } from './identity.ts'
import { type Answer, type Job, sent } from './job.ts'
import { openQueue } from './open-queue.ts'
import type { QueueAddress } from './queue-address.ts'
import { Registry } from './registry.ts'
import { serveCampaign } from './serve-campaign.ts'
import { whenStopped } from './when-stopped.ts'
import { WorkersSeen } from './workers-seen.ts'

export interface FleetRequest {
  readonly address: QueueAddress
  readonly identity: Identity
  readonly places: Places
  /** The executor and the number of workers of this machine; null if only other machines play. */
  readonly own: { readonly executor: Executor; readonly workers: number } | null
  /** True if the user asked to stop. */
  readonly stopped: () => boolean
  /**
   * Executes the remaining tasks after the user has asked to stop, without waiting for other
   * machines.
   */
  readonly leftovers: Executor
  readonly say: (line: string) => void
}

const beatMs = 1_000
/** How long an unreachable Redis may delay the end of a campaign, in milliseconds. */
const farewellMs = 2_000

/** @throws FleetProblem when the queue cannot be used */
export async function fleetExecutor(request: FleetRequest): Promise<Executor> {
  const { address, identity, places, own, leftovers, say } = request
  const campaign = randomUUID()
  const redis = await openQueue(address, say)
  const registry = new Registry(redis)
  const jobs = new AskedJobs(campaign, address)
  const workers = new WorkersSeen(address.shown, own?.workers ?? 0, say)
  await jobs.ready()
  await registry.announce(campaign, identity, jobs.lasting)
  const beats = everyBeat(async () => {
    await registry.announce(campaign, identity, jobs.lasting)
    workers.look(await registry.workers(campaign), jobs.count > 0)
    await jobs.lookAfter()
  })
  const serving = own && serveCampaign(campaign, { ...own, address, places, refuse: say })
  const stop = whenStopped(request.stopped)
  const answerTo = async (job: Job): Promise<Answer> => {
    const answer = await jobs.ask(job)
    if (!answer.ok) throw revive(answer.error)
    return answer
  }
  return {
    get size() {
      return workers.tasksWanted
    },
    runChunk: (task) =>
      stop.unless(
        async () => tallyOf(await answerTo({ kind: 'chunk', task: await sent(task, places) })),
        async () => emptyTally(),
      ),
    shrink: (task) =>
      stop.unless(
        async () => counterexampleOf(await answerTo({ kind: 'shrink', task: await sent(task, places) })),
        () => leftovers.shrink({ ...task, budget: 0 }),
      ),
    explore: (task) =>
      stop.unless(
        async () => exploredOf(await answerTo({ kind: 'explore', task: await sent(task, places) })),
        async () => ({ ...noOrders(), isCut: true, passed: new Map() }),
      ),
    async close() {
      stop.close()
      const lastBeat = beats.end()
      await inTime(async () => {
        await lastBeat
        await registry.remove(campaign, [])
        await serving?.stop('at once')
        await jobs.clear()
        await registry.remove(campaign, jobs.keys)
      })
      redis.disconnect()
      await inTime(() => jobs.close())
    },
  }
}

/**
 * Calls `beat` repeatedly without overlapping; `end` waits for the last call. A failed call, for
 * example while Redis is unreachable, does not stop the next call.
 */
function everyBeat(beat: () => Promise<void>): { end(): Promise<void> } {
  let under: Promise<void> = Promise.resolve()
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    under = beat()
      .catch(() => {})
      .finally(() => (busy = false))
  }, beatMs)
  return {
    end() {
      clearInterval(timer)
      return under
    },
  }
}

function tallyOf(answer: Answer): Tally {
  const read = tallyFromJson('tally' in answer ? answer.tally : null)
  if (!read.ok) throw new Error(`unreadable answer of a worker: ${read.problem}`)
  return read.tally
}

function counterexampleOf(answer: Answer): Counterexample {
  if ('counterexample' in answer) return answer.counterexample
  throw new Error('unreadable answer of a worker: not a counterexample')
}

function exploredOf(answer: Answer): Explored {
  const explored = exploredFromJson('explored' in answer ? answer.explored : null)
  if (explored === null) throw new Error('unreadable answer of a worker: not an exploration')
  return explored
}

async function inTime(work: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => (timer = setTimeout(resolve, farewellMs)))
  await Promise.race([work().catch(() => {}), late]).finally(() => clearTimeout(timer))
}
