/** Made-up results of a campaign, for tests of reports and for viewing pages. */
import { rootCausesOf } from '../../src/campaign/conduct/findings.ts'
import type {
  CampaignViolation,
  Finding,
  PairResult,
  ReplayedViolation,
  Results,
  RootCause,
  ViolationText,
} from '../../src/contract/results/results.ts'

const brokenRun: ViolationText = {
  invariant: 'at-most-once',
  kind: 'repeat-after-crash',
  key: 'order-1',
  seed: 7,
  run: 312,
  token: 'op2_Zm9vYmFyYmF6cXV4',
  replay: 'pnpm sim replay op2_Zm9vYmFyYmF6cXV4',
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
    'The sink applied effect-1 (consumer-2, 100.3 ms) and effect-2 (consumer-3, 103.7 ms) for the same key order-1.',
    'The first request was in doubt: the second attempt should have asked the sink or dead-lettered the message.',
  ],
  eventCount: 27,
  faultCount: 1,
}

export const violation = (changes: Partial<CampaignViolation> = {}): CampaignViolation => ({ ...brokenRun, ...changes })

export const replayed = (changes: Partial<ReplayedViolation> = {}): ReplayedViolation => ({
  ...brokenRun,
  why: 'it died',
  shrunk: false,
  asPlayed: true,
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
  deadLettered: 51,
  distinctSchedules: 1873,
  invariants: {
    'at-most-once': { verdict: 'valid', runsViolated: 0 },
    'no-lost-message': { verdict: 'valid', runsViolated: 0 },
    'no-needless-park': { verdict: 'valid', runsViolated: 0 },
    'same-result': { verdict: 'valid', runsViolated: 0 },
  },
  assumptions: ['one Redis server that keeps its data', 'all copies of a message carry the same payload'],
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
  rootCauses: rootCausesByLayer(changes.findings ?? []),
  findings: [],
  notRun: [],
  coverage: [],
  timings: { totalMs: 28_412, workers: 2 },
  ...changes,
})

function rootCausesByLayer(findings: readonly Finding[]): RootCause[] {
  const layerOf = ({ implementation, sink }: Finding) => `${implementation} ${sink}`
  const layers = [...new Set(findings.map(layerOf))]
  return layers.flatMap((layer) => rootCausesOf(findings.filter((one) => layerOf(one) === layer)))
}

/** As long as a real token. */
const token = (name: string, length: number): string =>
  `op2_${name}_`.padEnd(length, 'jdPbCsMgDAbgJxLiKd39nsR1wsYEmaywx28itEQ')

export const finding = (id: string, changes: Partial<Finding> = {}): Finding => {
  const { invariant, kind, sentence, story, key, eventCount, faultCount } = violation()
  const [replayed, implementation] = [token(id, 240), changes.implementation ?? '000-lua-acquire']
  return {
    id,
    rootCause: id.replace(/^F/, ''),
    implementation,
    sink: 'plain',
    sentence,
    story,
    key,
    eventCount,
    faultCount,
    cause: { invariant, kind, path: ['EVALSHA acquire', 'SET'], decidedBy: 'SET: OK', needs: ['crash'] },
    why: 'the process died after it had sent the effect and before it had recorded it; the claim expired after 5 s, and the next attempt found the key free',
    runs: 30,
    seenIn: [
      { scenario: 'crash-mid-logic', runs: [0, 1, 2, 3, 7] },
      { scenario: 'everything', runs: [4] },
    ],
    shrunk: true,
    scenario: 'crash-mid-logic',
    seed: 7,
    run: 3,
    token: replayed,
    replay: `pnpm sim replay ${replayed}`,
    ...changes,
  }
}

/** Twenty steps that need more than a row each, like those of a key that is deferred for long. */
const longStory: readonly string[] = [
  ...Array.from(
    { length: 8 },
    (_, at) => `${(at * 61.3).toFixed(1).padStart(8)} ms  consumer-2 answers retry for message-1`,
  ),
  `  4910.0 ms  Redis executes EVALSHA 1f3cf8cc… 1 idempotency:v1:order-1 ${'7'.repeat(60)}… for consumer-1: nil`,
  '  5400.0 ms  fault: the sink takes 2.001 s longer for the effect of consumer-1',
  '  7504.7 ms  consumer-1 throws over message-1: SinkTimeout: no answer from the sink within 500 ms',
  '             … 7 more such events not shown',
  '  9007.4 ms  the sink applies effect-1 for order-1, sent by consumer-1',
  '335473.5 ms  redis loses idempotency:v1:order-1 (expiry)',
  '335475.8 ms  the sink applies effect-2 for order-1, sent by consumer-2',
  'The sink applied effect-1 (consumer-1, 9007.4 ms) and effect-2 (consumer-2, 335475.8 ms) for the same key order-1.',
  'An error does not prove that the effect failed: the layer should have asked the sink or dead-lettered the message.',
]

const scenarios = ['clock-skew', 'crash-mid-logic', 'data-loss', 'everything', 'eviction', 'key-reuse', 'late-crash']
const scenariosHeld = ['lost-reply', 'redelivery-storm', 'redis-restart', 'slow-lock-holder', 'split-brain']

/**
 * A layer that breaks in many ways in nineteen scenarios: nine findings, three of them unshrunk.
 */
export const muchBroken = (implementation = '000-lua-acquire', changes: Partial<Results> = {}): Results => {
  const kinds = [
    'repeat-after-error',
    'zombie',
    'repeat-after-crash',
    'duplicate',
    'repeat-after-loss:expiry',
    'retry-goes-on',
  ]
  const findings = Array.from({ length: 9 }, (_, at) => {
    const shrunk = at < 6
    const name = token(`F${at + 1}`, shrunk ? 230 : 560)
    const [invariant, kind] = [at < 5 ? 'at-most-once' : 'bounded-stall', kinds[at] ?? 'retry-goes-on'] as const
    return finding(`F${at + 1}`, {
      implementation,
      shrunk,
      story: longStory,
      runs: 90 - at,
      token: name,
      replay: `pnpm sim replay ${name}`,
      cause: {
        invariant,
        kind,
        path: ['EVALSHA acquire', 'GET', 'SET'],
        decidedBy: 'SET: OK',
        needs: at === 0 ? ['slow-sink'] : ['crash', 'pause'],
      },
    })
  })
  const drawn = token('drawn', 560)
  const violations = findings.map(({ id, cause: { invariant, kind } }) =>
    violation({
      invariant,
      kind,
      story: [],
      shrunk: false,
      finding: id,
      runs: [0, 1, 2, 3, 7],
      replay: `pnpm sim replay ${drawn}`,
    }),
  )
  const pairs = [
    ...[...scenarios, ...scenarios.map((name) => `${name}-again`)].map((scenario) =>
      broken({ implementation, scenario, violations }),
    ),
    ...scenariosHeld.map((scenario) => pair({ implementation, scenario })),
  ]
  const cells = {
    covered: 25,
    total: 61,
    missed: ['answered, lease live', 'command-executed SET, lease expired', 'x'],
    unreached: [],
  }
  const faults = { struck: ['crash'], never: ['flush'] }
  const coverage = [{ implementation, cells, faults, scripts: [], neverSent: [] }]
  return results({ pairs, findings, coverage, exitCode: 1, ...changes })
}
