/** A machine that works for all campaigns of a fleet until it is stopped. */
import type { Executor } from '../campaign/play/executor.ts'
import type { Places } from './file-ref.ts'
import { FleetProblem } from './fleet-problem.ts'
import { difference, type Identity } from './identity.ts'
import { openQueue } from './open-queue.ts'
import type { QueueAddress } from './queue-address.ts'
import { Registry } from './registry.ts'
import { type Serving, serveCampaign, sweep } from './serve-campaign.ts'
import { whenStopped } from './when-stopped.ts'

export interface WorkerRequest {
  readonly address: QueueAddress
  /** The current identity of this machine, which may change while the worker runs. */
  readonly identity: () => Identity
  readonly places: Places
  /** The name of this worker, which campaigns report. */
  readonly name: string
  /** The number of threads. */
  readonly workers: number
  readonly startExecutor: () => Executor
  readonly say: (line: string) => void
  readonly stopped: () => boolean
}

const lookMs = 300

/**
 * @throws FleetProblem if the queue cannot be used, or a campaign needs another version of
 * Onceproof or Node
 */
export async function serveFleet(request: WorkerRequest): Promise<void> {
  const redis = await openQueue(request.address, request.say)
  const served = new CampaignsServed(request, new Registry(redis))
  request.say(
    `worker ${request.name}: ${request.workers} ${request.workers === 1 ? 'thread' : 'threads'} for ${request.address.shown}; stop it with Ctrl-C`,
  )
  const stop = whenStopped(request.stopped)
  try {
    while (!request.stopped()) {
      // While Redis is unreachable, this waits until it is back.
      await stop.unless(
        () => served.look(),
        async () => {},
      )
      await new Promise((resolve) => setTimeout(resolve, lookMs))
    }
  } finally {
    stop.close()
    await served.close()
    redis.disconnect()
  }
}

class CampaignsServed {
  readonly #serving = new Map<string, Serving>()
  readonly #refused = new Set<string>()

  constructor(
    private readonly request: WorkerRequest,
    private readonly registry: Registry,
  ) {}

  /** Joins new campaigns, and leaves those that have ended. */
  async look(): Promise<void> {
    const { alive, dead } = await this.registry.all()
    for (const id of [...this.#serving.keys()].filter((one) => !alive.has(one))) await this.#leave(id)
    for (const id of dead) await this.#remove(id)
    for (const id of [...this.#refused].filter((one) => !alive.has(one))) this.#refused.delete(id)
    for (const [id, wanted] of alive) {
      if (!this.#serving.has(id) && !this.#refused.has(id)) await this.#join(id, wanted)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#serving.values()].map((one) => one.stop('when done')))
  }

  async #join(id: string, wanted: Identity): Promise<void> {
    const { address, places, name, workers, startExecutor, identity } = this.request
    const why = difference(identity(), wanted)
    if (why !== null) {
      await this.#refuse(id, why)
      if (this.#serving.size === 0) throw new FleetProblem(`worker ${name}`, why)
      return
    }
    await this.registry.enter(id, name, { workers, refused: null })
    const refuse = (reason: string): void =>
      void this.#refuse(id, reason).then(
        () => this.#leave(id),
        () => {},
      )
    this.#serving.set(id, serveCampaign(id, { address, places, executor: startExecutor(), workers, refuse }))
  }

  async #refuse(id: string, why: string): Promise<void> {
    if (this.#refused.has(id)) return
    this.#refused.add(id)
    this.request.say(`worker ${this.request.name} refuses a campaign: ${why}`)
    await this.registry.enter(id, this.request.name, { workers: 0, refused: why })
  }

  async #leave(id: string): Promise<void> {
    const serving = this.#serving.get(id)
    this.#serving.delete(id)
    await serving?.stop('at once')
    const { alive } = await this.registry.all()
    if (!alive.has(id)) await this.#remove(id)
  }

  async #remove(id: string): Promise<void> {
    await this.registry.remove(id, await sweep(id, this.request.address))
  }
}
