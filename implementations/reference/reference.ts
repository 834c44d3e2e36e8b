/**
 * The reference layer (src/impl) behind the harness's contract. docs/reference/guarantees.md has
 * its guarantees. Other adapters in this folder use its other entry points (`prepare`, `reconcile`,
 * `adopt` beside traffic, several buckets, replicas that change).
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { guardedAt } from './parts/guarded-at.ts'
import { placeOf } from './parts/options.ts'

export default defineImplementation({
  id: 'reference',
  about: 'The reference: one record per key, a point of no return before the effect, doubt instead of repetition.',
  expect: 'holds',
  // A lease (at most 10 s in scenarios) and the command timeouts before and after it, 3 times.
  recoveryBoundMs: 60_000,
  // Counts the longest command timeout (2 s): four times to acquire, seven to begin, two to give
  // back or record. Adds a quarter of the longest lease, which the caller waits before `retry`.
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
