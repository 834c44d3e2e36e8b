import type {
  CancelAnswer,
  EffectRequest,
  EffectResult,
  EffectStatement,
  LookupAnswer,
  RaiseAnswer,
  Sink,
} from '../../contract/api/sink.ts'

/**
 * The calls of a process to the sink. The host carries the calls to the sink and returns the
 * answers.
 */
export interface SinkCalls {
  readonly kind: Sink['kind']
  perform(request: EffectRequest): Promise<EffectResult>
  raise(key: string, fence: number): Promise<RaiseAnswer>
  lookup(key: string): Promise<LookupAnswer>
  cancel(key: string, reference: string): Promise<CancelAnswer>
  /** Absent if no host has a transactional sink. */
  statement?(request: EffectRequest): Promise<EffectStatement>
}

/** The sink that a layer gets, with exactly the methods of its kind. */
export function sinkClient(calls: SinkCalls): Sink {
  const { kind } = calls
  if (kind === 'transactional')
    return { kind, perform: notByRequest, statement: (request) => calls.statement!(request) }
  const plain = { kind, perform: calls.perform.bind(calls) }
  if (kind === 'plain') return plain
  if (kind === 'cancellable') return { ...plain, cancel: calls.cancel.bind(calls) }
  const keyed = { ...plain, lookup: calls.lookup.bind(calls) }
  return kind === 'keyed' ? keyed : { ...keyed, raise: calls.raise.bind(calls) }
}

const notByRequest = (): Promise<never> =>
  Promise.reject(new Error('a transactional sink accepts no request: execute its `statement` in your transaction'))
