/**
 * A consumer: an operating-system process that runs one adapter, unchanged. It loads the adapter
 * and waits for its `create` order. Usage: `node main.cjs <adapter>`. Both files are bundles, so
 * that a process starts in a fraction of a second.
 */
import { createRequire } from 'node:module'
import {
  type DeployContext,
  exportedLayer,
  type Handler,
  type Implementation,
  type RedisAddress,
} from '../../contract/api/implementation.ts'
import type { Outcome } from '../../contract/api/message.ts'
import { checkedOutcome } from '../../run/checked-outcome.ts'
import { lockReports } from '../../run/lock-reports.ts'
import { monotonicMs } from '../host/monotonic.ts'
import { type CreateOrder, isInTurn, type StoreLinks, type TimedOrder, type ToConsumer } from '../host/protocol.ts'
import { installShiftedDate, shiftDate } from './clock-shift.ts'
import { drawAsReported } from './drawn.ts'
import { openGate, report } from './gates.ts'
import { fireTimer, holdTimers } from './held-timers.ts'
import { noteJobs } from './jobs.ts'
import { noteTimers, realTimeout } from './limits.ts'
import { liveSink, reportTimeOut } from './live-sink.ts'
import { askForRest, connections, forgetQuestion } from './rest.ts'
import { installScheduleClocks, setClocks } from './schedule-clock.ts'
import { watchStores } from './watch-stores.ts'

/** The exports of an adapter's module. */
interface Exported {
  readonly default?: Implementation
}

const adapterFile = process.argv[2]!
let handler: Handler | null = null
const waiting: Extract<ToConsumer, { type: 'deliver' }>[] = []

let implementation: Implementation | null = null
void load().then((loaded) => {
  implementation = loaded
  if (loaded !== null) report({ type: 'loaded' })
})
/** This process exits together with the harness. */
process.on('disconnect', () => process.exit(0))
let holds = false
process.on('message', (order: TimedOrder) => {
  if (order.type === 'create') holds = order.holds
  if (holds && isInTurn(order)) inTurn(order)
  else carryOut(order)
})

/**
 * In a scheduled run, handles orders one after the other, each with its immediate effects, because
 * two orders may arrive together.
 */
const orders: TimedOrder[] = []
function inTurn(order: TimedOrder): void {
  orders.push(order)
  if (orders.length === 1) setImmediate(next)
}
function next(): void {
  setImmediate(() =>
    setImmediate(() => {
      orders.shift()
      report({ type: 'digested' })
      if (orders.length > 0) next()
    }),
  )
  const [order] = orders
  if (order!.time !== undefined) setClocks(order!.time)
  carryOut(order!)
}

function carryOut(order: TimedOrder): void {
  if (order.type === 'go') openGate(order)
  else if (order.type === 'deliver') deliver(order)
  else if (order.type === 'time-out') reportTimeOut(order.requestId)
  else if (order.type === 'fire') fireTimer(order.timer)
  else if (order.type === 'clock') shiftDate(order)
  else if (order.type === 'look') lookAtClocks(order.look)
  else if (order.type === 'rest') rest(order)
  else if (order.type === 'rest-over') forgetQuestion()
  else if (order.type === 'reset') for (const connection of [...connections]) connection.breaks(order.port)
  else if (order.type === 'create') void create(order)
  else void deploy(order)
}

function rest({ question, requestsAtSink }: Extract<ToConsumer, { type: 'rest' }>): void {
  askForRest({
    requestsAtSink,
    busy: () => orders.length > 0,
    reported: () => report({ type: 'at-rest', question }),
  })
}

async function load(): Promise<Implementation | null> {
  noteTimers()
  try {
    const program = createRequire(adapterFile)(adapterFile) as Exported & { loading?: Promise<Exported> }
    const exported = program.loading === undefined ? program : await program.loading
    const layer = exportedLayer(exported) as Partial<Implementation> | undefined
    if (typeof layer?.create === 'function') return layer as Implementation
    report({ type: 'load-failed', error: 'its default export has no `create` (a function)' })
  } catch (error) {
    report({ type: 'load-failed', error: describe(error) })
  }
  return null
}

async function create(order: CreateOrder & Pick<TimedOrder, 'time'>): Promise<void> {
  const { instanceId, leaseMs, retentionMs, sink } = order
  process.title = `onceproof-live ${instanceId}`
  watchStores(order)
  if (order.holds) {
    holdTimers()
    installScheduleClocks(order.time!)
    drawAsReported(order.chances)
    noteJobs()
  }
  if (order.shiftsDate) installShiftedDate()
  watchOwnTimers()
  try {
    const lock = lockReports((key, what) => report({ type: 'lock', key, what }))
    const own = { instanceId, leaseMs, retentionMs, sink: liveSink(sink, instanceId, order.holds), lock }
    const made = await implementation!.create(withStores(order, own))
    if (typeof made?.handle !== 'function') throw new Error('create returned no object with a `handle` function')
    handler = made
    report({ type: 'created' })
    for (const delivery of waiting.splice(0)) deliver(delivery)
  } catch (error) {
    report({ type: 'create-failed', error: describe(error) })
  }
}

async function deploy(order: Extract<ToConsumer, { type: 'deploy' }>): Promise<void> {
  watchStores({ ...order, sentinelPorts: [], watchCommands: false, holds: false })
  try {
    await implementation!.deploy?.(withStores(order, {}))
    report({ type: 'deployed' })
  } catch (error) {
    report({ type: 'deploy-failed', error: describe(error) })
  }
}

/**
 * Adds the stores that the layer requests. A layer that uses Redis without requesting it cannot be
 * judged here.
 */
function withStores<T extends object>({ redis, stores }: StoreLinks, own: T) {
  const context = { ...own, ...stores }
  const get = (): RedisAddress => {
    if (redis === undefined) report({ type: 'no-redis' })
    return redis!
  }
  return Object.defineProperty(context, 'redis', { get, enumerable: redis !== undefined }) as T &
    Pick<DeployContext, 'redis' | 'postgres'>
}

function deliver(delivery: Extract<ToConsumer, { type: 'deliver' }>): void {
  if (handler === null) return void waiting.push(delivery)
  const { deliveryId, message } = delivery
  new Promise<Outcome>((resolve) => resolve(handler!.handle(message))).then(
    (outcome) => answer(deliveryId, outcome),
    (error: unknown) => report({ type: 'threw', deliveryId, error: describe(error) }),
  )
}

function answer(deliveryId: number, outcome: Outcome): void {
  const checked = checkedOutcome(outcome, describe)
  if ('error' in checked) report({ type: 'threw', deliveryId, error: checked.error })
  else report({ type: 'answered', deliveryId, outcome: checked.outcome })
}

function lookAtClocks(look: number): void {
  const fromMs = monotonicMs()
  const wallMs = Date.now()
  report({ type: 'looked', look, wallMs, fromMs, toMs: monotonicMs() })
}

/** Measures how late this process's timers are, which shows whether the machine is fast enough. */
function watchOwnTimers(): void {
  const everyMs = 50
  const next = (): void => {
    const dueMs = monotonicMs() + everyMs
    realTimeout(() => {
      const lateMs = monotonicMs() - dueMs
      if (lateMs > 10) report({ type: 'late', ms: lateMs })
      next()
    }, everyMs).unref()
  }
  next()
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
