/**
 * Calls of `handle` that took longer than the layer declares (`answersWithinMs`), told once a key.
 * Only the layer's own time counts: neither that in which its process stood still, nor that in
 * which some request of the process for the key was under way, nor the work around it. A call that
 * ends with its process is not judged. Neither is one before a sink that can be asked besides,
 * since no history tells how long that took, nor any in a run in which clocks ran fast or slow:
 * timers did so too.
 *
 * A call that had no answer when the run was over counts up to then. If it hangs, it counts on
 * every sink, whatever the clocks did.
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
    `when nothing was under way to wait for; ${bound(boundMs)}`,
  events: [delivered.seq, seq],
})

/** By process; one that has not gone on stands still for ever. */
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

/** Whichever delivery of the process they were for: that cannot always be told. */
function requestsIn({ delivered }: DeliveryRecord, [fromUs, toUs]: Span, reading: HistoryIndex): Span[] {
  return reading
    .requestsOf(delivered.key)
    .filter(({ sent }) => sent.process === delivered.process)
    .map(({ sent, answered }): Span => [sent.atUs, answered?.atUs ?? Number.POSITIVE_INFINITY])
    .filter((span) => span[0] <= toUs && span[1] >= fromUs)
}

/** What the layer's caller does around its requests: around one that was not sent yet, too. */
function workUs(plan: unknown, requests: number): number {
  const { beforeMs = 0, afterMs = 0 } = (plan as Plan | undefined)?.work ?? {}
  return (beforeMs + afterMs) * 1000 * (requests + 1)
}

/** How much of the call the spans cover; they may overlap. */
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
