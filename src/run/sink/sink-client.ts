import type { EffectRequest, LookupAnswer, RaiseAnswer, Receipt, Sink } from '../../contract/sink.ts'

/** How a process's calls get to the sink and back; the world carries them over the network. */
export interface SinkCalls {
  readonly kind: Sink['kind']
  perform(request: EffectRequest): Promise<Receipt>
  raise(key: string, fence: number): Promise<RaiseAnswer>
  lookup(key: string): Promise<LookupAnswer>
}

/** The sink as a layer sees it: with the methods that its kind has, and no others. */
export function sinkClient(calls: SinkCalls): Sink {
  const { kind } = calls
  const plain = { kind, perform: calls.perform.bind(calls) }
  if (kind === 'plain') return plain
  const keyed = { ...plain, lookup: calls.lookup.bind(calls) }
  return kind === 'keyed' ? keyed : { ...keyed, raise: calls.raise.bind(calls) }
}

/** The sink said no for good: no effect, and none will come from this request. */
export class SinkRefusal extends Error {
  override readonly name = 'SinkRefusal'
}

/** A fenced sink has seen a higher fence: this request had no effect; another holder's may. */
export class StaleFence extends Error {
  override readonly name = 'StaleFence'
}

/** No answer in time: the effect may or may not have happened, and may still happen. */
export class SinkTimeout extends Error {
  override readonly name = 'SinkTimeout'
}

/** An answer that is no answer (502, connection reset): the effect may or may not have happened. */
export class SinkUnavailable extends Error {
  override readonly name = 'SinkUnavailable'
}
