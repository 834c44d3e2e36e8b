import { Pipe } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import { VirtualTimeout, within } from 'virtual-node/runtime'
import { canonicalJson } from '../../contract/api/json.ts'
import type { PlannedWork } from '../../contract/api/plan.ts'
import type { CancelAnswer, EffectRequest, EffectResult, LookupAnswer, RaiseAnswer } from '../../contract/api/sink.ts'
import type { SourcePosition } from '../../contract/api/source-position.ts'
import type { SinkQuestion } from '../../contract/results/step.ts'
import type { CancelReply, Effects } from '../../run/effects.ts'
import type { MemoryLedger } from '../../run/sink/memory-ledger.ts'
import type { SinkCalls } from '../../run/sink/sink-client.ts'
import { answerText, outcomeOf, type SinkReply, SinkUnavailable } from '../../run/sink/sink-errors.ts'
import { type SinkAnswer, SinkCall } from './sink-call.ts'
import type { TransactionalSink } from './transactional-sink.ts'
import type { World } from './world-state.ts'

interface SinkRun {
  readonly world: World
  readonly sink: MemoryLedger
  /** Null if the sink is of another kind. */
  readonly transactional: TransactionalSink | null
  readonly effects: () => Effects<VirtualProcess>
  /** The source line of the layer that calls the sink; null if unknown. */
  readonly caller: () => SourcePosition | null
}

/**
 * Carries a process's calls to the sink and back. The request and the answer can be late or lost.
 * The caller gives up after the plan's timeout, whatever happens to the request.
 */
export class SinkTransport {
  /** Null once the run is over. */
  #running: SinkRun | null

  constructor(running: SinkRun) {
    this.#running = running
  }

  get #run(): SinkRun {
    if (this.#running === null) throw new Error('the run is over: its sink is closed')
    return this.#running
  }

  /**
   * Called when the run is over; see `VirtualProcess.dispose`. Layers still reference their sink.
   */
  dispose(): void {
    this.#running = null
  }

  callsOf(process: VirtualProcess): SinkCalls {
    const { sink, transactional } = this.#run
    return {
      kind: sink.kind,
      perform: this.#perform.bind(this, process),
      raise: this.#raise.bind(this, process),
      lookup: this.#lookup.bind(this, process),
      cancel: this.#cancel.bind(this, process),
      ...(transactional === null ? {} : { statement: transactional.statement.bind(transactional, process) }),
    }
  }

  #raise(process: VirtualProcess, key: string, fence: number): Promise<RaiseAnswer> {
    return this.#ask(process, { what: 'raise', key }, () => this.#run.sink.raise(key, fence))
  }

  #lookup(process: VirtualProcess, key: string): Promise<LookupAnswer> {
    return this.#ask(process, { what: 'lookup', key }, () => this.#run.sink.lookup(key))
  }

  #cancel(process: VirtualProcess, key: string, reference: string): Promise<CancelAnswer> {
    if (process.state === 'ended') return never()
    const { world, effects } = this.#run
    return this.#call<CancelAnswer>(process, null, (reply) => {
      const answer = (given: CancelReply) =>
        reply(given.status === 'unavailable' ? { error: new SinkUnavailable(given.why) } : { value: given })
      this.#carry(process, 'toNode', () =>
        world.now(
          effects().asked(process, { what: 'cancel', key }, () =>
            effects().cancel(process, { key, reference }, this.#because(answer)),
          ),
        ),
      )
    })
  }

  #perform(process: VirtualProcess, request: EffectRequest): Promise<EffectResult> {
    const from = this.#running?.caller() ?? null
    const work = this.#running?.world.plan.work
    return work === undefined ? this.#request(process, request, from) : this.#atWork(process, request, from, work)
  }

  /**
   * Sends a request, with simulated work before and after it. Everything runs in turns of the
   * process.
   */
  async #atWork(
    process: VirtualProcess,
    request: EffectRequest,
    from: SourcePosition | null,
    work: PlannedWork,
  ): Promise<EffectResult> {
    await this.#works(process, work.beforeMs)
    const result = await this.#request(process, request, from)
    await this.#works(process, work.afterMs)
    return result
  }

  #works(process: VirtualProcess, ms: number): Promise<void> | null {
    if (ms === 0) return null
    return new Promise((resolve) => new VirtualTimeout(process, ms, false, resolve))
  }

  #request(
    process: VirtualProcess,
    { key, payload, fence, reference }: EffectRequest,
    from: SourcePosition | null,
  ): Promise<EffectResult> {
    if (this.#running === null) return never()
    const effects = this.#run.effects()
    const requestId = effects.nextRequestId()
    this.#run.world.sent?.requested(requestId)
    // A copy, as if sent over the network: later changes by the caller have no effect.
    const copy = JSON.parse(canonicalJson(payload))
    const fenced = fence === undefined ? {} : { fence }
    const named = reference === undefined ? {} : { reference }
    const request = { requestId, key, payload: copy, ...fenced, ...named, ...(from === null ? {} : { sentFrom: from }) }
    if (process.state === 'ended') return never()
    return this.#call<EffectResult>(
      process,
      (answer) => effects.answered(process, requestId, answerText('error' in answer ? answer.error : null)),
      (reply) => {
        const { verdict } = this.#run.world.now(effects.sent(process, request))
        if (verdict !== 'pass') return
        const answer = (given: SinkReply) => reply(outcomeOf(given))
        this.#carry(process, 'toNode', () => effects.arrived(process, request, this.#because(answer)))
      },
    )
  }

  /** The answer, recorded as caused by the request that is arriving now. */
  #because<A>(answer: (given: A) => void): (given: A) => void {
    const { journeys, kernel } = this.#run.world
    const request = journeys?.at(kernel.turns) ?? null
    if (journeys === null || request === null) return answer
    return (given) => {
      journeys.resume(request, kernel.turns)
      answer(given)
    }
  }

  /** `raise` and `lookup` use the same link, but pass no boundary of an effect. */
  #ask<T>(process: VirtualProcess, question: SinkQuestion, work: () => T): Promise<T> {
    if (process.state === 'ended') return never()
    const { world, effects } = this.#run
    return this.#call<T>(process, null, (reply) => {
      this.#carry(process, 'toNode', () => reply({ value: world.now(effects().asked(process, question, work)) }))
    })
  }

  /**
   * Calls `send`. The returned promise settles with the answer or the timeout, whichever comes
   * first, in a turn of the process.
   */
  #call<T>(
    process: VirtualProcess,
    settled: ((answer: SinkAnswer<T>) => void) | null,
    send: (reply: (answer: SinkAnswer<T>) => void) => void,
  ): Promise<T> {
    const { world } = this.#run
    return new Promise<T>((resolve, reject) => {
      const call = new SinkCall(process, world.plan.effectTimeoutMs, settled, resolve, reject)
      world.guardHarnessCode(() =>
        send((answer) => this.#carry(process, 'toProcess', () => this.#arrived(process, call, received(answer)))),
      )
    })
  }

  #arrived<T>(process: VirtualProcess, call: SinkCall<T>, answer: SinkAnswer<T>): void {
    const { world } = this.#run
    if (process.state === 'ended') return
    if (world.pass(process, 'effect-answered', null).verdict !== 'pass') return
    world.kernel.turn(process, () => call.settle(answer))
  }

  /** Requests of one process can overtake each other, as on several connections. */
  #carry(process: VirtualProcess, way: 'toNode' | 'toProcess', arrive: () => void): void {
    const { world } = this.#run
    const direction = world.network.link(process.slot, 'sink')[way]
    const pipe = new Pipe<null, VirtualProcess>(world.kernel, direction, () => {
      pipe.close()
      arrive()
    })
    if (way === 'toNode') within(null, () => process.whenRunning(() => pipe.send(null)))
    else pipe.send(null)
  }
}

/** Calls of an ended process get no answer. */
function never(): Promise<never> {
  return new Promise(() => {})
}

/**
 * A copy of the answer, as if received over the network, so that the layer cannot alter the sink's
 * object.
 */
function received<T>(answer: SinkAnswer<T>): SinkAnswer<T> {
  if ('error' in answer || answer.value === undefined) return answer
  return { value: JSON.parse(JSON.stringify(answer.value)) }
}
