/** The two ways in which a record can be gone that should have prevented a repeat: its store lost it, or it expired. */
import type { EventOf, HistoryIndex } from '../contract/api/history-index.ts'
import { keysNamedIn } from '../contract/results/keys-named-in.ts'
import { msText } from '../contract/results/time-text.ts'
import type { AttemptPair, Repeat } from './repeat.ts'

function mayConcern(key: string, { redisKeys, seq }: EventOf<'data-lost'>, reading: HistoryIndex): boolean {
  if (redisKeys === undefined) return true
  const messages = reading.of('published').filter((message) => message.seq < seq)
  return redisKeys.some((name) => keysNamedIn(name, messages).has(key))
}

export function afterLoss({ key, first, again }: AttemptPair, reading: HistoryIndex): Repeat | null {
  const since = Math.min(first.began.seq, again.began.seq)
  const loss = reading
    .of('data-lost')
    .filter(({ cause, seq }) => cause !== 'expiry' && seq > since && seq < again.sent.seq)
    .find((lost) => mayConcern(key, lost, reading))
  if (!loss) return null
  const because = `${loss.node} had lost records at ${msText(loss.atUs)} (${loss.cause})`
  return { kind: `repeat-after-loss:${loss.cause}`, because, events: [loss.seq] }
}

/**
 * What expired is named after the key, and may have been a record or a claim: a history does not tell them apart. Of two attempts
 * that were under way at once, what expired may be the later one's own lock, which hides nothing from it.
 */
export function afterExpiry({ key, first, again }: AttemptPair, reading: HistoryIndex): Repeat | null {
  const done = first.delivery?.answered
  if (!done || again.began.seq < done.seq) return null
  const expired = reading
    .of('data-lost')
    .filter(({ cause, seq }) => cause === 'expiry' && seq > done.seq && seq < again.sent.seq)
    .find((lost) => mayConcern(key, lost, reading))
  if (!expired) return null
  const because = `a record or claim of the key had expired at ${msText(expired.atUs)}`
  return { kind: 'repeat-after-loss:expiry', because, events: [expired.seq] }
}
