/** Results as a campaign could give them, for the tests of reports and for looking at pages. */
import type { PairResult, Results, ViolationResult } from '../../src/contract/results.ts'

export const violation = (changes: Partial<ViolationResult> = {}): ViolationResult => ({
  invariant: 'at-most-once',
  kind: 'repeat-after-crash',
  key: 'order-1',
  seed: 7,
  run: 312,
  token: 'op1_Zm9vYmFyYmF6cXV4',
  replay: 'pnpm sim replay op1_Zm9vYmFyYmF6cXV4',
  sentence:
    'the effect of order-1 was applied by consumer-2 at 100.3 ms and again by consumer-3 at 103.7 ms: consumer-2 had crashed at 98.3 ms before it answered',
  story: [
    ' 96.0 ms  message-1 is published with the key order-1',
    ' 96.0 ms  message-1 is handed to consumer-2 (attempt 1)',
    ' 96.6 ms  Redis executes GET idempotency:order-1 for consumer-2: nil',
    ' 97.3 ms  consumer-2 calls the sink for order-1',
    ' 98.3 ms  fault: consumer-2 is killed before its effect is applied',
    ' 99.3 ms  message-1 is handed to consumer-3 (attempt 2)',
    '100.1 ms  Redis executes GET idempotency:order-1 for consumer-3: nil',
    '100.3 ms  the sink applies effect-1 for order-1, sent by consumer-2',
    '100.7 ms  consumer-3 calls the sink for order-1',
    '103.7 ms  the sink applies effect-2 for order-1, sent by consumer-3',
    'The sink applied effect-1 (consumer-2, 100.3 ms) and effect-2 (consumer-3, 103.7 ms) for the one key order-1.',
    'Nobody could know what had become of the first request: the second attempt should have asked the sink, or parked the message as in doubt.',
  ],
  eventCount: 27,
  faultCount: 1,
  ...changes,
})

export const pair = (changes: Partial<PairResult> = {}): PairResult => ({
  implementation: 'reference',
  scenario: 'crash-mid-logic',
  shape: 'single',
  sink: 'plain',
  verdict: 'pass',
  expect: 'holds',
  reason: null,
  runs: 2000,
  runsRequested: 2000,
  digest: '1f3cf8cc5a3f0c11',
  messages: 5891,
  effects: 5840,
  done: 5840,
  refused: 0,
  parked: 51,
  distinctSchedules: 1873,
  invariants: {
    'at-most-once': { verdict: 'valid', runsViolated: 0 },
    'no-lost-message': { verdict: 'valid', runsViolated: 0 },
    'no-needless-park': { verdict: 'valid', runsViolated: 0 },
    'same-result': { verdict: 'valid', runsViolated: 0 },
  },
  assumptions: ['one Redis server that keeps its data', 'every copy of a message carries the same payload'],
  faults: { crash: 1602, 'duplicate-delivery': 511, redelivery: 204 },
  goals: {
    'a-process-crashed-before-its-effect': 712,
    'a-process-crashed-between-effect-and-acknowledgement': 301,
    'a-lease-was-taken-over': 96,
  },
  cells: { covered: 31, total: 33 },
  unsupportedCommands: [],
  violations: [],
  ...changes,
})

export const broken = (changes: Partial<PairResult> = {}): PairResult =>
  pair({
    implementation: '001-get-set',
    verdict: 'violated',
    reason: violation().sentence,
    invariants: {
      'at-most-once': { verdict: 'violated', runsViolated: 741 },
      'no-lost-message': { verdict: 'valid', runsViolated: 0 },
      'no-needless-park': { verdict: 'valid', runsViolated: 0 },
      'same-result': { verdict: 'violated', runsViolated: 39 },
    },
    goals: { 'a-process-crashed-before-its-effect': 700, 'a-lease-was-taken-over': 'n/a' },
    goalReasons: { 'a-lease-was-taken-over': '001-get-set has no leases' },
    violations: [violation()],
    ...changes,
  })

export const results = (changes: Partial<Results> = {}): Results => ({
  schemaVersion: 1,
  tool: 'onceproof 0.1.0',
  node: 'v20.20.0',
  seed: 7,
  bounded: 'runs',
  interrupted: false,
  exitCode: 0,
  pairs: [pair()],
  control: broken({ expect: 'broken' }),
  findings: [],
  notRun: [],
  coverage: [],
  timings: { totalMs: 28_412, workers: 2 },
  ...changes,
})
