/**
 * The reference layer (src/impl) behind the harness's contract. docs/reference/guarantees.md says
 * what it guarantees. Its other entry points (`prepare`, `reconcile`, `adopt` beside traffic,
 * several buckets, replicas that change) have other adapters in this folder.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { guardedAt } from './parts/guarded-at.ts'
import { placeOf } from './parts/options.ts'

export default defineImplementation({
  id: 'reference',
  about: 'The reference: one record per key, a point of no return before the effect, doubt instead of repetition.',
  expect: 'holds',
  // A lease (the longest that scenarios draw is 10 s) and the time-outs of a command before and
  // after it, thrice over.
  recoveryBoundMs: 60_000,
  // With the longest time-out of a command (2 s): four to acquire, seven to begin, two to give back
  // or to record; and a quarter of the longest lease, for which the caller waits before it answers
  // `retry`.
  answersWithinMs: 13 * 2000 + 2500,
  sinks: ['plain', 'keyed', 'fenced'],
  leavesNoDoubtOn: ['keyed', 'fenced'],
  bindsProducedAt: true,
  maxClockSkewMs: 1000,
  deadLetterReasons: { vanished: 'in-doubt: attempt-vanished' },
  shapes: ['single', 'sentinel', 'cluster'],
  waitsForReplicas: true,
  lacks: ['offline-queue'],
  has: ['command-timeout', 'pipeline'],
  ...guardedAt(placeOf),
})
