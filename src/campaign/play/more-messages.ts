/**
 * A queue keeps a job until a later job removes it, so a run of two messages cannot show whether
 * the number of keys grows with the number of messages. The run is repeated with a short retention
 * and more messages, one at a time.
 */
import { growsWithMore } from '../../check/after-more-messages.ts'
import type { Judgement } from '../../check/index.ts'
import type { History } from '../../contract/api/history.ts'
import type { Plan } from '../../contract/api/plan.ts'
import type { Tally } from '../tally/tally.ts'
import type { CampaignDeps, WorldRequest } from '../types.ts'

const retentionMs = 5000
const added = 12
/**
 * The time between added messages. It is longer than twice the retention, for which layers usually
 * remember a message.
 */
const apartMs = 3 * retentionMs

/**
 * For each tally: whether the number of keys grows, by kind of leftover keys. Runs of known kinds
 * are not played again.
 */
const known = new WeakMap<Tally, Map<string, boolean>>()

/** Makes an unknown `no-immortal-keys` valid if more messages show no growth. */
export async function withMoreMessages(
  verdicts: readonly Judgement[],
  request: WorldRequest,
  history: History,
  tally: Tally,
  deps: Pick<CampaignDeps, 'runWorld'>,
): Promise<readonly Judgement[]> {
  const doubted = verdicts.find(({ name }) => name === 'no-immortal-keys')
  const ended = history.events.at(-1)
  if (doubted?.verdict.verdict !== 'unknown' || ended?.type !== 'ended' || !ended.complete) return verdicts
  if (history.events.some(({ type }) => type === 'unsupported')) return verdicts
  let answers = known.get(tally)
  if (answers === undefined) known.set(tally, (answers = new Map()))
  const kinds = kindsOf(history)
  let grows = answers.get(kinds)
  if (grows === undefined) {
    const { scenario, implementation, sink, choices } = request
    const plan = goingOn(request.plan, history)
    const longer = await deps.runWorld({ scenario, implementation, sink, plan, choices, record: false })
    answers.set(kinds, (grows = growsWithMore(history, longer.history, added)))
  }
  if (grows) return verdicts
  return verdicts.map((one) => (one === doubted ? { name: one.name, verdict: { verdict: 'valid' } } : one))
}

/** The plan with messages added at a time when the run is quiet except for the layer's timers. */
function goingOn(plan: Plan, { events }: History): Plan {
  const lastUs = Math.max(...events.map(({ type, atUs }) => (type === 'keys-counted' || type === 'ended' ? 0 : atUs)))
  const fromMs = Math.ceil(lastUs / 1000) + apartMs
  const { payload } = plan.messages[0]!
  const more = Array.from({ length: added }, (_, n) => ({
    key: `later-${n + 1}`,
    payload,
    publishAtMs: fromMs + n * apartMs,
  }))
  return {
    ...plan,
    messages: [...plan.messages, ...more],
    retentionMs: Math.min(plan.retentionMs, retentionMs),
  }
}

/** A cache key: the names of leftover keys without their numbers, and the faults that struck. */
function kindsOf({ events }: History): string {
  const counted = events.findLast(({ type }) => type === 'keys-counted')
  const names = counted?.type === 'keys-counted' ? (counted.namesWithoutExpiry ?? []) : []
  const struck = new Set(events.map((event) => (event.type === 'fault-struck' ? event.fault : '')))
  return JSON.stringify([names.map((name) => name.replace(/[\da-f]*\d[\da-f]*/gi, '#')).sort(), [...struck].sort()])
}
