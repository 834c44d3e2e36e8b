/** One event of each kind, and an ended run for each answer, for checks of names. */
import type { OnceEvent } from '../../src/impl/once.ts'

type OfType<Type> = Extract<OnceEvent, { readonly type: Type }>
type Ended = OfType<'ended'>

const holder = { key: 'order-1', fence: 7 }

const events: { readonly [Type in OnceEvent['type']]: readonly OfType<Type>[] } = {
  acquired: [{ type: 'acquired', ...holder }],
  'loss-noticed': [{ type: 'loss-noticed', key: 'order-1' }],
  raised: [{ type: 'raised', ...holder, answer: 'clear' }],
  begun: [{ type: 'begun', ...holder }],
  renewed: [{ type: 'renewed', ...holder }],
  'lease-lost': [{ type: 'lease-lost', ...holder, cause: new Error('the lease ended') }],
  abandoned: [{ type: 'abandoned', ...holder, reason: 'prepare-failed' }],
  'given-up': [{ type: 'given-up', ...holder, attempts: 5 }],
  completed: [
    { type: 'completed', ...holder, onRecord: true },
    { type: 'completed', ...holder, onRecord: false },
  ],
  refused: [{ type: 'refused', ...holder, onRecord: true }],
  reconciled: [{ type: 'reconciled', ...holder, answer: 'unknown' }],
  reopened: [{ type: 'reopened', ...holder }],
  ended: [],
}

const ended = { type: 'ended', key: 'order-1', tookMs: 12 } as const

const answers: { readonly [Status in Ended['status']]: readonly Ended[] } = {
  done: [
    { ...ended, status: 'done', repeated: false },
    { ...ended, status: 'done', repeated: true },
  ],
  'done-unkept': [{ ...ended, status: 'done-unkept', repeated: false }],
  refused: [{ ...ended, status: 'refused', repeated: false }],
  retry: [{ ...ended, status: 'retry', reason: 'not-replicated', cause: new Error('0 of 1 replicas') }],
  'in-doubt': [{ ...ended, status: 'in-doubt', reason: 'attempt-vanished' }],
  failed: [{ ...ended, status: 'failed' }],
  conflict: [{ ...ended, status: 'conflict', reason: 'producedAt' }],
}

export const everyEvent: readonly OnceEvent[] = [...Object.values(events).flat(), ...Object.values(answers).flat()]
