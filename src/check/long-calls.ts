/**
 * Finds calls of `handle` that took longer than the layer declares (`answersWithinMs`), and reports
 * one call for each key. Only the layer's own time counts. It excludes pauses of its process, the
 * requests of the process for the key, and the simulated work around these requests. Some calls are
 * not judged: calls that end with their process, calls with a sink other than `plain` (because
 * requests other than effects are not timed), and all calls in a run with clock drift (because
 * timers drift as well).
 *
 * For a call without an answer, the time up to the end of the run counts. A call that hangs is
 * reported on every sink, and regardless of clock drift.
 */
import type { History } from '../contract/api/history.ts'
import type { DeliveryRecord, EventOf, HistoryIndex } from '../contract/api/history-index.ts'
import type { Plan } from '../contract/api/plan.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { elapsedText, msText } from '../contract/results/time-text.ts'

type Span = readonly [fromUs: number, toUs: number]
type Ended = EventOf<'answered'> | EventOf<'threw'> | EventOf<'unanswered'>

export function longCalls({ header }: History, reading: HistoryIndex): Violation[] {
  const { answersWithinMs, sink } = header
  if (answersWithinMs === undefined) return []
  const isTimed = sink === 'plain' && !reading.of('fault-struck').some(({ fault }) => fault === 'clock-drift')
  const unanswered = new Map(reading.of('unanswered').map((one) => [one.deliveryId, one]))
  const long = new Map<string, Violation>()
  const standstills = standstillsOf(reading)
  for (const delivery of reading.deliveries.values()) {
    const { key, process, deliveryId } = delivery.delivered
    const end = delivery.answered ?? delivery.threw ?? unanswered.get(deliveryId)
    if (end?.receivedUs === undefined || long.has(key)) continue
    const call: Span = [end.receivedUs, end.atUs]
    if (hangs(end)) long.set(key, hanging(delivery, end, answersWithinMs))
    if (!isTimed || call[1] - call[0] <= answersWithinMs * 1000 || hangs(end)) continue
    const requests = requestsIn(delivery, call, reading)
    const elsewhere = [...requests, ...(standstills.get(process) ?? [])]
    const ownUs = call[1] - call[0] - coveredUs(elsewhere, call) - workUs(header.plan, requests.length)
    if (ownUs <= answersWithinMs * 1000) continue
    long.set(key, violation(delivery, end, ownUs, answersWithinMs))
  }
  return [...long.values()]
}

const hangs = (end: Ended): boolean => end.type === 'unanswered' && end.hangs !== undefined

const bound = (boundMs: number): string => `the layer declares that it answers within ${elapsedText(boundMs)}`

function violation({ delivered }: DeliveryRecord, end: Ended, ownUs: number, boundMs: number): Violation {
  const { key, process } = delivered
  const how = end.type === 'unanswered' ? 'had not answered' : 'answered'
  return {
    kind: 'call-goes-on',
    key,
    sentence: `${process} took ${elapsedText(ownUs / 1000)} (without waiting) for one call for ${key}, which it ${how} at ${msText(end.atUs)}; ${bound(boundMs)}`,
    events: [delivered.seq, end.seq],
  }
}

const hanging = ({ delivered }: DeliveryRecord, { seq, receivedUs, atUs }: Ended, boundMs: number): Violation => ({
  kind: 'call-goes-on',
  key: delivered.key,
  sentence:
    `${delivered.process} was called for ${delivered.key} at ${msText(receivedUs!)} and had not answered at ${msText(atUs)}, ` +
    `when nothing was left to wait for; ${bound(boundMs)}`,
  events: [delivered.seq, seq],
})

/** The pauses of each process. A process that never resumed is paused forever. */
function standstillsOf(reading: HistoryIndex): Map<string, Span[]> {
  const spans = new Map<string, Span[]>()
  const resumed = reading.of('process-resumed')
  for (const { process, seq, atUs } of reading.of('process-paused')) {
    const again = resumed.find((one) => one.process === process && one.seq > seq)
    const span: Span = [atUs, again?.atUs ?? Number.POSITIVE_INFINITY]
    spans.set(process, [...(spans.get(process) ?? []), span])
  }
  return spans
}

/**
 * The requests of the process for the key during the call. Requests of its other deliveries are
 * included, because the delivery of a request is not always known.
 */
function requestsIn({ delivered }: DeliveryRecord, [fromUs, toUs]: Span, reading: HistoryIndex): Span[] {
  return reading
    .requestsOf(delivered.key)
    .filter(({ sent }) => sent.process === delivered.process)
    .map(({ sent, answered }): Span => [sent.atUs, answered?.atUs ?? Number.POSITIVE_INFINITY])
    .filter((span) => span[0] <= toUs && span[1] >= fromUs)
}

/**
 * The duration of the simulated work around the requests of a call, in microseconds. It includes
 * the work for one more request, which may not have been sent yet.
 */
function workUs(plan: unknown, requests: number): number {
  const { beforeMs = 0, afterMs = 0 } = (plan as Plan | undefined)?.work ?? {}
  return (beforeMs + afterMs) * 1000 * (requests + 1)
}

/**
 * The duration of the part of the call that the spans cover, in microseconds. Spans may overlap.
 */
function coveredUs(spans: readonly Span[], [fromUs, toUs]: Span): number {
  let covered = 0
  let at = fromUs
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    const [start, end] = [Math.max(from, at), Math.min(to, toUs)]
    if (end <= start) continue
    covered += end - start
    at = end
  }
  return covered
}
