/**
 * The smallest host for a runner: processes are names, links take a moment, and the store does
 * nothing. Virtual time advances only when nothing is left to do at the moment, so late answers
 * take none.
 */
import type { Fact } from '../../src/contract/api/history.ts'
import type { Plan, PlannedFault } from '../../src/contract/api/plan.ts'
import type { Action } from '../../src/run/actions.ts'
import type { Delivery } from '../../src/run/broker.ts'
import { Limits } from '../../src/run/limits.ts'
import { andThen, type MaybePromise } from '../../src/run/maybe-promise.ts'
import type { ConsumerDriver, RunPorts } from '../../src/run/ports.ts'
import { type Phase, Runner } from '../../src/run/runner.ts'
import { MemoryLedger } from '../../src/run/sink/memory-ledger.ts'

export interface TinyProcess {
  readonly name: string
  readonly slot: number
  state: 'running' | 'paused' | 'ended'
}

export interface TinyOptions {
  /** Answers by promises that resolve late. */
  readonly late?: boolean
  /** The answer to an action; by default, all actions succeed. */
  readonly answer?: (action: Action) => boolean
  readonly createMs?: number
  /** Answers accepted at once, and performs the effect after this time. */
  readonly relayMs?: number
  /** How much faster the clock of consumers is than that of the run. */
  readonly aheadBy?: number
  /** How far the time advances at each reading, like real time. */
  readonly eachLookUs?: number
}

export interface TinyRun {
  readonly facts: readonly (Fact & { readonly atMs: number })[]
  readonly actions: readonly Action[]
  /** Each phase with its start. */
  readonly phases: readonly (readonly [Phase, number])[]
  readonly errors: readonly unknown[]
  /** The produced-at times of the handled deliveries. */
  readonly producedAts: readonly number[]
  readonly runner: Runner<TinyProcess>
}

const calm: Plan = {
  consumers: 1,
  messages: [{ key: 'order-1', payload: { order: 1 }, publishAtMs: 0 }],
  leaseMs: 1000,
  retentionMs: 86_400_000,
  visibilityMs: 5000,
  redeliveryMs: 100,
  maxAttempts: 50,
  effectMs: 10,
  effectTimeoutMs: 500,
  faults: [],
}

export function fault(kind: string, when: object, more: object = {}): PlannedFault {
  return { kind, when, ...more } as unknown as PlannedFault
}

/** Plays a whole run. Each message has one effect, and is answered with its receipt. */
export async function playTiny(given: Partial<Plan>, options: TinyOptions = {}): Promise<TinyRun> {
  const host = new TinyHost({ ...calm, ...given }, options)
  await host.play()
  return host
}

export class TinyHost implements TinyRun {
  readonly facts: (Fact & { readonly atMs: number })[] = []
  readonly actions: Action[] = []
  readonly phases: (readonly [Phase, number])[] = []
  readonly errors: unknown[] = []
  readonly producedAts: number[] = []
  readonly runner: Runner<TinyProcess>
  #nowUs = 0
  readonly #due: { readonly atUs: number; readonly work: () => MaybePromise<void> }[] = []

  constructor(
    plan: Plan,
    private readonly options: TinyOptions,
  ) {
    const machine = { name: 'redis', runs: 'redis', up: true, hasDisk: false } as const
    const carryOut = (action: Action) => this.#carryOut(action)
    const aheadMs = () => (this.#nowUs / 1000) * (options.aheadBy ?? 0)
    const ports: RunPorts<TinyProcess> = {
      plan,
      get epochMs() {
        return aheadMs()
      },
      recorder: { fact: (fact) => void this.facts.push({ ...fact, atMs: this.#nowUs / 1000 }) },
      nowUs: () => (this.#nowUs += options.eachLookUs ?? 0),
      after: (delayUs, work) => this.#after(delayUs, work),
      chance: () => 0,
      driver: this.#driver(),
      links: { carry: (_slot, _direction, arrive) => this.#after(1000, arrive), carryOut },
      clocks: { timersDrift: true, carryOut },
      store: { machines: [machine], primary: machine, carryOut },
      ledger: new MemoryLedger('plain', { nowMs: () => this.#nowUs / 1000 }),
      failed: (error) => void this.errors.push(error),
    }
    const armed = plan.faults.map((one, index) => ({ index, fault: one }))
    const limits = new Limits(plan.leaseMs)
    const timeouts = {
      gracePeriodUs: 100_000,
      handlerTimeoutUs: 1_000_000,
      relayTimeoutUs: 3_000_000,
      brokerGracePeriodMs: 0,
    }
    this.runner = new Runner(ports, { armed, limits, ...timeouts })
  }

  async play(): Promise<void> {
    this.#notePhase()
    this.runner.startConsumers()
    this.runner.begin()
    while (!this.runner.isOver() && this.errors.length === 0) {
      this.#notePhase()
      const next = this.#next() ?? { atUs: this.#nowUs + 10_000, work: () => {} }
      this.#nowUs = next.atUs
      const done = next.work()
      if (done instanceof Promise) void done.catch((error) => this.errors.push(error))
      // All work left by promises happens at this moment.
      await new Promise(setImmediate)
    }
  }

  #notePhase(): void {
    const { phase } = this.runner
    if (this.phases.at(-1)?.[0] !== phase) this.phases.push([phase, this.#nowUs / 1000])
  }

  #after(delayUs: number, work: () => MaybePromise<void>): () => void {
    const due = { atUs: this.#nowUs + delayUs, work }
    this.#due.push(due)
    return () => void (this.#due.includes(due) && this.#due.splice(this.#due.indexOf(due), 1))
  }

  /** The earliest event; among equals, the one that was planned first. */
  #next() {
    const atUs = Math.min(...this.#due.map((one) => one.atUs))
    const at = this.#due.findIndex((one) => one.atUs === atUs)
    return at === -1 ? undefined : this.#due.splice(at, 1)[0]
  }

  #carryOut(action: Action): MaybePromise<boolean> {
    this.actions.push(action)
    const answer = () => this.options.answer?.(action) ?? true
    return this.options.late === true ? Promise.resolve().then(answer) : answer()
  }

  #driver(): ConsumerDriver<TinyProcess> {
    const set = (state: TinyProcess['state']) => (process: TinyProcess) => void (process.state = state)
    return {
      start: (slot, name) => {
        const process: TinyProcess = { name, slot, state: 'running' }
        this.#after((this.options.createMs ?? 1) * 1000, () => this.runner.slots.created(process))
        return process
      },
      inTurn: (_process, work) => work(),
      deliver: (process, delivery) => {
        this.producedAts.push(delivery.entry.message.producedAt)
        this.#handle(process, delivery)
      },
      whenRunning: (_process, work) => work(),
      kill: set('ended'),
      pause: set('paused'),
      resume: set('running'),
    }
  }

  #handle(process: TinyProcess, delivery: Delivery<TinyProcess>): void {
    const { relayMs } = this.options
    const { slots } = this.runner
    if (relayMs === undefined)
      return this.#perform(process, delivery, () =>
        slots.answered(process, delivery, { outcome: { status: 'done', result: null } }),
      )
    slots.answered(process, delivery, { outcome: { status: 'accepted' } })
    this.#after(relayMs * 1000, () => this.#perform(process, delivery, () => {}))
  }

  #perform(process: TinyProcess, delivery: Delivery<TinyProcess>, then: () => void): void {
    const { effects } = this.runner
    const { key, payload } = delivery.entry.message
    const request = { requestId: effects.nextRequestId(), key, payload }
    void andThen(effects.sent(process, request), ({ verdict }) => {
      if (verdict !== 'pass') return
      effects.arrived(process, request, () => {
        if (process.state === 'ended') return
        effects.answered(process, request.requestId, { answer: 'receipt' })
        then()
      })
    })
  }
}
