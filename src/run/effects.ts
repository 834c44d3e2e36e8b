import { assert } from 'virtual-node/assert'
import type { Fact } from '../contract/api/history.ts'
import { canonicalJson } from '../contract/api/json.ts'
import type { Boundary, Plan } from '../contract/api/plan.ts'
import type { CancelAnswer, EffectRequest, Receipt } from '../contract/api/sink.ts'
import type { SourcePosition } from '../contract/api/source-position.ts'
import type { SinkQuestion } from '../contract/results/step.ts'
import { cancellationLabel } from '../contract/results/where-text.ts'
import type { Decision } from './boundary-event.ts'
import { Count } from './count.ts'
import { andThen, caught, type MaybePromise } from './maybe-promise.ts'
import type { RunPorts } from './ports.ts'
import type { ProcessRef } from './process-ref.ts'
import type { EffectGift } from './sink/effect-gift.ts'
import type { Forgetting } from './sink/memory-ledger.ts'
import type { AnswerText, SinkReply } from './sink/sink-errors.ts'
import { type AskedFor, arrivalStep, askedStep, taking } from './steps.ts'

/** The members of the run that `Effects` uses. */
export interface EffectsRun<P extends ProcessRef>
  extends Pick<RunPorts<P>, 'recorder' | 'after' | 'ledger' | 'failed' | 'steps'> {
  readonly plan: Plan
  pass(process: P, boundary: Boundary, label: string | null): MaybePromise<Decision>
  isPoisonous(key: string, how: 'sink-fails'): boolean
  /** The delivery that the process handles for the key; null unless there is exactly one. */
  deliveryOf(process: P, key: string): number | null
}

interface Request extends EffectRequest {
  readonly requestId: number
  /** The layer's line that sent the request, if that is known. */
  readonly sentFrom?: SourcePosition
}

type Named = Pick<Request, 'requestId' | 'key'>

/** A request to cancel effects. */
export type Cancellation = Pick<Required<EffectRequest>, 'key' | 'reference'>

/** `unavailable`: an error that leaves the outcome open. */
export type CancelReply = CancelAnswer | Extract<SinkReply, { readonly status: 'unavailable' }>

/**
 * The requests to the sink: passes them through their boundaries, and records them in the history.
 */
export class Effects<P extends ProcessRef> {
  #requests = 0
  /** The requests by id. Filled only if steps are recorded or followed. */
  readonly #asked = new Map<number, AskedFor & { readonly process: string }>()
  /** Requests that the sink is working on. */
  readonly #underWay = new Count('a request to the sink is answered once')

  constructor(private readonly run: EffectsRun<P>) {}

  /** True if the sink is working on a request. */
  get busy(): boolean {
    return this.#underWay.now > 0
  }

  nextRequestId(): number {
    return ++this.#requests
  }

  /** Called when the layer sends a request. From now on, the request may leave the process. */
  sent(process: P, request: Request): MaybePromise<Decision> {
    if (this.run.steps !== undefined) this.#note(process.name, request)
    return taking(
      this.run.steps,
      () => ({ kind: 'effect-sent', process: process.name, key: request.key }),
      () => this.#sent(process, request),
    )
  }

  #note(process: string, { requestId, key }: Named): void {
    const before = [...this.#asked.values()].filter((one) => one.process === process && one.key === key)
    this.#asked.set(requestId, { process, key, nth: before.length + 1 })
  }

  /** The members that identify the request in its steps. */
  askedFor(requestId: number): AskedFor {
    const { key, nth } = this.#asked.get(requestId)!
    return { key, nth }
  }

  #sent(process: P, { requestId, key, payload, fence, sentFrom }: Request): MaybePromise<Decision> {
    this.run.recorder.fact({
      type: 'effect-sent',
      requestId,
      process: process.name,
      deliveryId: this.run.deliveryOf(process, key),
      key,
      fingerprint: canonicalJson(payload),
      ...(fence === undefined ? {} : { fence }),
      ...(sentFrom === undefined ? {} : { sentFrom }),
    })
    return this.run.pass(process, 'effect-unsent', null)
  }

  /**
   * Called when the request has arrived at the sink. If a fault drops the request, there is never a
   * reply.
   */
  arrived(process: P, request: Request, reply: (reply: SinkReply) => void): void {
    const arriving = taking(
      this.run.steps,
      () => arrivalStep(process, this.askedFor(request.requestId)),
      () => this.#arrived(process, request, reply),
    )
    void caught(arriving, this.run.failed)
  }

  #arrived(process: P, request: Request, reply: (reply: SinkReply) => void): MaybePromise<void> {
    const { run } = this
    const end = this.#begin(reply)
    return andThen(run.pass(process, 'effect-unapplied', null), ({ verdict, slowUs }) => {
      if (verdict === 'drop') return end(null)
      if (verdict === 'fail' || run.isPoisonous(request.key, 'sink-fails'))
        return end({ status: 'unavailable', why: '502 from the sink' })
      run.after(run.plan.effectMs * 1000 + slowUs, () => this.#decide(process, request, verdict === 'refuse', end))
    })
  }

  /**
   * Counts the start of the sink's work. The returned function ends the work, with the answer for
   * the caller, or null for no answer.
   */
  #begin<A>(reply: (answer: A) => void): (answer: A | null) => void {
    this.#underWay.begin()
    let ended = false
    return (answer) => {
      assert(!ended, 'a request to the sink is answered once')
      ended = true
      this.#underWay.end()
      if (answer !== null) reply(answer)
    }
  }

  #decide(process: P, request: Request, refuses: boolean, end: (answer: SinkReply | null) => void): MaybePromise<void> {
    const { requestId, key, payload, fence, reference } = request
    const fenced = fence === undefined ? {} : { fence }
    const named = reference === undefined ? {} : { reference }
    return andThen(this.run.ledger.perform({ key, payload, ...fenced, ...named }, refuses), (answer) => {
      if (answer.status === 'refused') {
        const { status, ...forgetting } = answer
        this.#refused(request, 'refused', forgetting)
        return end({ status })
      }
      if (answer.status === 'cancelled') {
        this.#refused(request, 'cancelled')
        return end(answer)
      }
      if (answer.status === 'stale-fence') {
        this.#refused(request, 'fence')
        return end({ status: 'stale-fence', fence: fence ?? 0, highest: answer.highest })
      }
      const { receipt, gives } = answer
      assert(receipt.key === key, 'a receipt is of the key that was asked for')
      if (answer.status === 'deduplicated')
        this.run.recorder.fact({ type: 'effect-deduplicated', requestId, key, effectId: receipt.effectId })
      else
        this.run.recorder.fact({
          type: 'effect-applied',
          requestId,
          process: process.name,
          key,
          fingerprint: canonicalJson(payload),
          receipt,
          ...(gives === undefined ? {} : { gives }),
          ...fenced,
          ...(answer.forgottenAfterMs === undefined ? {} : { forgottenAfterMs: answer.forgottenAfterMs }),
        })
      return andThen(this.run.pass(process, 'effect-applied', null), ({ verdict }) => {
        if (verdict === 'fail') end({ status: 'unavailable', why: '502 from the sink, after the work was done' })
        else
          end(verdict === 'pass' ? { status: 'applied', receipt: gives === undefined ? receipt : gives.value } : null)
      })
    })
  }

  /**
   * Only for transactional sinks: the reply that a fault causes instead of a statement; null if the
   * statement is returned.
   */
  inPlaceOfStatement(process: P, request: Named, { verdict }: Decision): SinkReply | null {
    if (process.state === 'ended') return null
    if (verdict === 'fail') return { status: 'unavailable', why: 'the effect fails, and has no statement' }
    if (verdict !== 'refuse') return null
    this.#refused(request, 'refused')
    return { status: 'refused' }
  }

  /**
   * Only for transactional sinks: called when the transaction with the effect has committed and is
   * durable.
   */
  committed(process: P, requestId: number, receipt: Receipt, gives: EffectGift | undefined): void {
    this.run.recorder.fact(committedEffect(process.name, requestId, receipt, gives))
  }

  #refused({ requestId, key }: Named, reason: 'refused' | 'fence' | 'cancelled', forgetting: Forgetting = {}): void {
    this.run.recorder.fact({ type: 'effect-refused', requestId, key, reason, ...forgetting })
  }

  /** Called when `raise`, `lookup` or `cancel` has arrived at the sink. `work` answers it. */
  asked<T>(process: P, question: SinkQuestion, work: () => MaybePromise<T>): MaybePromise<T> {
    return taking(this.run.steps, () => askedStep(process, question), work)
  }

  /**
   * Called when a request to cancel has arrived at the sink. The sink takes as long for it as for
   * an effect, and faults of effects apply to it. If a fault drops the request, there is never a
   * reply.
   */
  cancel(process: P, cancellation: Cancellation, reply: (reply: CancelReply) => void): void {
    const { run } = this
    const end = this.#begin(reply)
    const arriving = andThen(run.pass(process, 'effect-unapplied', cancellationLabel), ({ verdict, slowUs }) => {
      if (verdict === 'drop') return end(null)
      if (verdict === 'fail') return end({ status: 'unavailable', why: '502 from the sink' })
      run.after(run.plan.effectMs * 1000 + slowUs, () => this.#cancel(process, cancellation, end))
    })
    void caught(arriving, run.failed)
  }

  #cancel(process: P, { key, reference }: Cancellation, end: (reply: CancelReply | null) => void): MaybePromise<void> {
    return andThen(this.run.ledger.cancel(key, reference), ({ status, effects }) => {
      this.run.recorder.fact({ type: 'effect-cancelled', process: process.name, key, reference, effects })
      return andThen(this.run.pass(process, 'effect-applied', cancellationLabel), ({ verdict }) => {
        if (verdict === 'fail') end({ status: 'unavailable', why: '502 from the sink, after the work was done' })
        else end(verdict === 'pass' ? { status } : null)
      })
    })
  }

  /** Called when the caller's promise has settled. */
  answered(process: P, requestId: number, text: AnswerText): void {
    const reported = taking(
      this.run.steps,
      () => ({
        kind: 'effect-settled',
        process: process.name,
        answer: text.answer,
        ...this.askedFor(requestId),
      }),
      () => this.run.recorder.fact({ type: 'effect-answered', requestId, process: process.name, ...text }),
    )
    void caught(reported, this.run.failed)
  }
}

/** The fact in the history for an effect that is a row of a database and has committed. */
export function committedEffect(
  process: string,
  requestId: number,
  receipt: Receipt,
  gives: EffectGift | undefined,
): Extract<Fact, { type: 'effect-applied' }> {
  return {
    type: 'effect-applied',
    requestId,
    process,
    key: receipt.key,
    fingerprint: canonicalJson(receipt.payload),
    receipt,
    ...(gives === undefined ? {} : { gives }),
  }
}
