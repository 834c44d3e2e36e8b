/** Whole worlds with adapters for tests of the world, the broker, the sink and the faults. */

import fc from 'fast-check'
import { Redis } from 'ioredis'
import { epochMs } from 'virtual-node/kernel'
import { install } from 'virtual-node/runtime'
import type { HistoryEvent } from '../../src/contract/api/history.ts'
import type { CreateContext, Implementation } from '../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'
import type { Plan, PlannedFault } from '../../src/contract/api/plan.ts'
import type { SinkKind } from '../../src/contract/api/sink.ts'
import type { LoadedImplementation } from '../../src/sim/adapters/load-implementation.ts'
import { ReadableFiles } from '../../src/sim/adapters/loader.ts'
import { type RunResult, runWorld } from '../../src/sim/world.ts'

install()

const calm: Plan = {
  consumers: 1,
  messages: [{ key: 'order-1', payload: { order: 1 }, publishAtMs: 0 }],
  leaseMs: 1000,
  retentionMs: 86_400_000,
  visibilityMs: 5000,
  redeliveryMs: 100,
  maxAttempts: 5,
  effectMs: 10,
  effectTimeoutMs: 500,
  faults: [],
}

export interface Play extends Partial<Plan> {
  readonly seed?: number
  readonly sink?: SinkKind
  readonly record?: boolean
  readonly scrutinise?: boolean
  readonly runTrace?: boolean
  readonly positions?: boolean
  readonly untilUs?: number
  readonly mustWork?: boolean
}

export interface Played extends RunResult {
  /** The events of one type, in order. */
  of<T extends HistoryEvent['type']>(type: T): Extract<HistoryEvent, { type: T }>[]
}

/** Plays one world with that adapter. By default, it is recorded and has a plain sink. */
export async function play(
  adapter: (Pick<Implementation, 'create'> & Partial<Implementation>) | LoadedImplementation,
  options: Play = {},
): Promise<Played> {
  const { seed = 1, sink = 'plain', record = true, scrutinise = false, ...looks } = options
  const { runTrace = false, positions = false, untilUs, mustWork = false, ...plan } = looks
  const result = await runWorld({
    scenario: { ...scenario, plans: fc.constant(calm) },
    implementation: 'instantiate' in adapter ? adapter : loaded(adapter),
    plan: { ...calm, ...plan },
    choices: { seed },
    sink,
    record,
    scrutinise,
    runTrace,
    positions,
    mustWork,
    ...(untilUs === undefined ? {} : { untilUs }),
  })
  const of = (type: string) => result.history.events.filter((event) => event.type === type)
  return { ...result, of: of as Played['of'] }
}

/** The same world with and without that fault. */
export async function withAndWithout(
  adapter: () => Pick<Implementation, 'create'>,
  fault: PlannedFault,
  options: Play = {},
): Promise<{ struck: Played; spared: Played }> {
  const struck = await play(adapter(), { ...options, faults: [fault] })
  return { struck, spared: await play(adapter(), options) }
}

const scenario = {
  id: 'by-hand',
  story: '',
  shape: 'single' as const,
  assumptions: [],
  invariants: [],
  goals: [],
  recoveryCapMs: 60_000,
}

const ownFiles = new ReadableFiles(import.meta.filename)
ownFiles.permit(false)

export function loaded(adapter: Pick<Implementation, 'create'> & Partial<Implementation>): LoadedImplementation {
  const implementation = { id: 'by-hand', ...adapter }
  return {
    implementation,
    path: 'by-hand.ts',
    scripts: [],
    digest: '01234567',
    files: ownFiles,
    takeIn: () => null,
    instantiate: () => implementation,
  }
}

type Handle = (message: Message, redis: Redis, context: CreateContext) => Promise<Outcome> | Outcome

/**
 * An adapter whose `handle` gets the message, a Redis client and the context of `create`. The
 * client gives up a command when its connection breaks. Its connection errors go to `errors`.
 */
export function layer(handle: Handle, errors: string[] = []): Pick<Implementation, 'create'> {
  return {
    create(context) {
      const redis = new Redis({ ...context.redis.options, maxRetriesPerRequest: 0 })
      redis.on('error', ({ message }) => errors.push(message))
      return { handle: async (message) => handle(message, redis, context) }
    },
  }
}

/** Virtual milliseconds since the start of the world, for a process with a correct clock. */
export const nowMs = () => Date.now() - epochMs

export const done = { status: 'done', result: null } as const

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The error that the layer received; null for success. */
export const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: Error) => (error.message.startsWith('Reached the max retries') ? gaveUp : error.message),
  )

/** The connection broke before the reply. */
export const gaveUp = 'gave up'
