import { canonicalJson } from '../../contract/json.ts'
import type { EffectRequest, LookupAnswer, RaiseAnswer, Receipt } from '../../contract/sink.ts'
import { type SinkCalls, SinkRefusal, SinkUnavailable, StaleFence } from '../../run/sink/sink-client.ts'
import type { SinkServer } from '../../run/sink/sink-server.ts'
import { Pipe } from '../network/pipe.ts'
import { within } from '../runtime/current.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import { type SinkAnswer, SinkCall } from './sink-call.ts'
import type { World } from './world-state.ts'

/**
 * Carries a process's calls to the sink and back: request and answer can each be late or lost, and the caller gives
 * up after the plan's time-out, whatever becomes of the request.
 */
export class Effects {
  #requests = 0

  constructor(
    private readonly world: World,
    private readonly sink: SinkServer,
    /** The delivery that the process handles for the key, where it is just one. */
    private readonly deliveryOf: (process: VirtualProcess, key: string) => number | null,
  ) {}

  /** The run is over: see `VirtualProcess.dispose`. Layers hold their sink. */
  dispose(): void {
    Object.assign(this, { world: null, sink: null, deliveryOf: null })
  }

  callsOf(process: VirtualProcess): SinkCalls {
    return {
      kind: this.sink.kind,
      perform: this.#perform.bind(this, process),
      raise: this.#raise.bind(this, process),
      lookup: this.#lookup.bind(this, process),
    }
  }

  #raise(process: VirtualProcess, key: string, fence: number): Promise<RaiseAnswer> {
    return this.#ask(process, () => this.sink.raise(key, fence))
  }

  #lookup(process: VirtualProcess, key: string): Promise<LookupAnswer> {
    return this.#ask(process, () => this.sink.lookup(key))
  }

  #perform(process: VirtualProcess, { key, payload, fence }: EffectRequest): Promise<Receipt> {
    const { world } = this
    const requestId = ++this.#requests
    const fingerprint = canonicalJson(payload)
    const at = { requestId, process: process.name }
    const fenced = fence === undefined ? {} : { fence }
    // As it goes over the network: whoever alters it later alters a copy.
    const request: EffectRequest = { key, payload: JSON.parse(fingerprint), ...fenced }
    const what = { key, fingerprint, ...fenced }
    if (process.state === 'ended') return new Promise(() => {})
    return this.#call<Receipt>(
      process,
      (answer) => this.#told(at, answer),
      (reply) => {
        world.recorder.fact({ type: 'effect-sent', ...at, deliveryId: this.deliveryOf(process, key), ...what })
        if (world.pass(process, 'effect-unsent', null).verdict !== 'pass') return
        this.#carry(process, 'toNode', () => this.#atSink(process, at, request, fingerprint, reply))
      },
    )
  }

  #told(at: { requestId: number; process: string }, answer: SinkAnswer<Receipt>): void {
    const error = 'error' in answer ? answer.error : null
    const kind = error === null ? 'receipt' : error instanceof SinkRefusal ? 'refused' : 'error'
    const text = error === null ? {} : { error: `${error.name}: ${error.message}` }
    this.world.recorder.fact({ type: 'effect-answered', ...at, answer: kind, ...text })
  }

  /** The request arrived. */
  #atSink(
    process: VirtualProcess,
    at: { requestId: number; process: string },
    request: EffectRequest,
    fingerprint: string,
    reply: (answer: SinkAnswer<Receipt>) => void,
  ): void {
    const { world } = this
    const passing = world.pass(process, 'effect-unapplied', null)
    if (passing.verdict === 'drop') return
    if (passing.verdict === 'fail' || world.isPoisonous(request.key, 'sink-fails'))
      return reply({ error: new SinkUnavailable('502 from the sink') })
    world.kernel.schedule(world.plan.effectMs * 1000 + passing.slowUs, null, () => {
      if (passing.verdict === 'refuse') {
        world.recorder.fact({ type: 'effect-refused', requestId: at.requestId, key: request.key, reason: 'refused' })
        return reply({ error: new SinkRefusal('the sink refuses this request for good') })
      }
      this.#apply(process, at, request, fingerprint, reply)
    })
  }

  #apply(
    process: VirtualProcess,
    at: { requestId: number; process: string },
    request: EffectRequest,
    fingerprint: string,
    reply: (answer: SinkAnswer<Receipt>) => void,
  ): void {
    const { recorder } = this.world
    const { key, fence } = request
    const answer = this.sink.perform(request)
    if (answer.status === 'stale-fence') {
      recorder.fact({ type: 'effect-refused', requestId: at.requestId, key, reason: 'fence' })
      return reply({ error: new StaleFence(`fence ${fence} is below ${answer.highest}`) })
    }
    const { receipt } = answer
    if (answer.status === 'deduplicated')
      recorder.fact({ type: 'effect-deduplicated', requestId: at.requestId, key, effectId: receipt.effectId })
    else
      recorder.fact({
        type: 'effect-applied',
        ...at,
        key,
        fingerprint,
        receipt,
        ...(fence === undefined ? {} : { fence }),
      })
    const after = this.world.pass(process, 'effect-applied', null)
    if (after.verdict === 'fail') reply({ error: new SinkUnavailable('502 from the sink, after the work was done') })
    else if (after.verdict === 'pass') reply({ value: receipt })
  }

  /** `raise` and `lookup`: the same road, no boundary of an effect. */
  #ask<T>(process: VirtualProcess, work: () => T): Promise<T> {
    if (process.state === 'ended') return new Promise(() => {})
    return this.#call<T>(process, null, (reply) => {
      this.#carry(process, 'toNode', () => reply({ value: work() }))
    })
  }

  /** Sends, and settles with the first of answer and time-out, in a turn of the process. */
  #call<T>(
    process: VirtualProcess,
    told: ((answer: SinkAnswer<T>) => void) | null,
    send: (reply: (answer: SinkAnswer<T>) => void) => void,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const call = new SinkCall(process, this.world.plan.effectTimeoutMs, told, resolve, reject)
      this.world.guardHarnessCode(() =>
        send((answer) => this.#carry(process, 'toProcess', () => this.#arrived(process, call, received(answer)))),
      )
    })
  }

  #arrived<T>(process: VirtualProcess, call: SinkCall<T>, answer: SinkAnswer<T>): void {
    if (process.state === 'ended') return
    if (this.world.pass(process, 'effect-answered', null).verdict !== 'pass') return
    this.world.kernel.turn(process, () => call.settle(answer))
  }

  /** Requests of one process overtake each other, as over several connections. */
  #carry(process: VirtualProcess, way: 'toNode' | 'toProcess', arrive: () => void): void {
    const direction = this.world.network.link(process.slot, 'sink')[way]
    const pipe = new Pipe<null, VirtualProcess>(this.world.kernel, direction, () => {
      pipe.close()
      arrive()
    })
    if (way === 'toNode') within(null, () => process.whenRunning(() => pipe.send(null)))
    else pipe.send(null)
  }
}

/** The answer as it comes over the network: the sink keeps its own. */
function received<T>(answer: SinkAnswer<T>): SinkAnswer<T> {
  return 'error' in answer ? answer : { value: JSON.parse(JSON.stringify(answer.value)) }
}
