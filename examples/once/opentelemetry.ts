/**
 * The events of a layer as metrics of OpenTelemetry:
 *
 *     import { metrics } from '@opentelemetry/api'
 *     const once = createOnce({ …, onEvent: measuredBy(metrics.getMeter('once')) })
 *
 * | metric | kind | attributes |
 * |---|---|---|
 * | `once.run.duration` | histogram, ms | `status`, `reason`, `repeated` |
 * | `once.transitions` | counter | `type`, `answer`, `reason`, `on_record` |
 *
 * Keys are not attributes, because each key would have a separate time series. Raise an alarm for
 * `loss-noticed`, `in-doubt` and `lease-lost`, and for the reasons `redis-evicts` and
 * `replicas-uncounted`, which need an operator.
 */
import type { OnceEvent } from '../../src/impl/once.ts'

type Attributes = Record<string, string | boolean>

/** The part of a meter that is used. */
export interface MeterLike {
  createHistogram(name: string, about: { unit: string }): { record(value: number, attributes: Attributes): void }
  createCounter(name: string): { add(value: number, attributes: Attributes): void }
}

export function measuredBy(meter: MeterLike): (event: OnceEvent) => void {
  const durations = meter.createHistogram('once.run.duration', { unit: 'ms' })
  const transitions = meter.createCounter('once.transitions')
  return (event) => {
    if (event.type === 'ended') durations.record(event.tookMs, { status: event.status, ...reportedBy(event) })
    else transitions.add(1, { type: event.type, ...reportedBy(event) })
  }
}

function reportedBy(event: OnceEvent): Attributes {
  return {
    ...('reason' in event ? { reason: event.reason } : {}),
    ...('answer' in event ? { answer: event.answer } : {}),
    ...('repeated' in event ? { repeated: event.repeated } : {}),
    ...('onRecord' in event ? { on_record: event.onRecord } : {}),
  }
}
