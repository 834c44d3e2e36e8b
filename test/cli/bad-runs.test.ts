/** Tokens and files of runs that `replay`, `live` and `replay-live` refuse, in one line each. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { drawRun } from '../../src/campaign/play/draw-run.ts'
import { encodeRun, encodeToken, type RecordedRun } from '../../src/campaign/token/token.ts'
import { loadScenario } from '../../src/cli/load-scenario.ts'
import { picks } from '../../src/contract/api/plan.ts'
import { expectRefusal } from './refusal.ts'
import { temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

describe('replay of a broken token', () => {
  const tokens = [
    'op2_',
    'op1',
    'op2_abc',
    '',
    ' ',
    'op2_!',
    'op2_AAAA',
    'op2_abc def',
    '../../etc/passwd',
    '/etc',
    'null',
  ]
  it.each([...tokens, `op2_${'A'.repeat(2_000)}`, `op2_${'_'.repeat(1_000)}`])('refuses %j', (token) =>
    expectRefusal(['replay', token], 2, /copy the whole token|incomplete or damaged|at most 2000/),
  )
})

const scenario = await loadScenario(path.resolve('scenarios/competing-consumers.ts'))
const { value, choiceSeed } = drawRun(scenario, 1, 0)
const good: RecordedRun = {
  scenario: 'competing-consumers',
  implementation: '001-get-set',
  sink: 'plain',
  seed: 1,
  run: 0,
  plan: value.value,
  choiceSeed,
  stepCount: 1,
  trail: 'A',
  digest: 'deadbeef',
}
const { plan } = good
const redis = {
  ...{ replicas: 2, sentinels: 3, downAfterMs: 500, failoverTimeoutMs: 1000, keeps: 'nothing' },
  ...{ minReplicasToWrite: 0, fullSyncMs: 10, loadingMs: 10 },
}
const alone = { ...redis, replicas: 0, sentinels: 0 }
const message = plan.messages[0]!
const fault = { kind: 'crash', when: { at: 'time', ms: 1 } }
const ofRun = (more: object): object => ({ ...JSON.parse(encodeRun(good)), ...more })
const ofPlan = (more: object): object => ofRun({ plan: { ...plan, ...more } })
const aimed = (at: string, of: unknown): object =>
  ofPlan({ faults: [{ ...fault, when: { at, ms: 1, consumer: 0, nth: 1, of } }] })
const many = <T>(n: number, one: T): T[] => Array.from({ length: n }, () => one)
const folder = temporaryFolder()
const replayFile = (text: string): string[] => ['replay', write(folder, 'run.json', text)]

const durations = ['leaseMs', 'retentionMs', 'visibilityMs', 'redeliveryMs', 'effectMs', 'effectTimeoutMs'] as const
describe.each(durations)('a plan whose `%s`', (name) => {
  it.each([
    [-1, 4, 'is -1; it must not be negative'],
    ['5', 4, `has no \`${name}\` (a number)`],
    [null, 4, `has no \`${name}\` (a number)`],
    [undefined, 4, `has no \`${name}\` (a number)`],
    [1e12, 2, 'a number over 8640000000'],
  ])('is %j', (bad, code, text) => {
    const escaped = new RegExp(text.replaceAll(/[()]/g, '\\$&'))
    return expectRefusal(replayFile(JSON.stringify(ofPlan({ [name]: bad }))), code, escaped)
  })
})

const runs: readonly [string, object | null | string, number, RegExp][] = [
  ['that is not JSON', '{"plan":', 2, /incomplete or damaged/],
  ['null', null, 2, /has no run/],
  ['a list', [], 2, /has no run/],
  ['of a later version', ofRun({ version: 3 }), 2, /has no run of this version/],
  ['of an earlier version', ofRun({ version: 1 }), 4, /run the campaign again/],
  ['without a scenario', ofRun({ scenario: undefined }), 2, /lacks parts/],
  ['with a number as name', ofRun({ implementation: 5 }), 2, /lacks parts/],
  ['of an unknown sink', ofRun({ sink: 'drain' }), 2, /lacks parts/],
  ['with half a seed', ofRun({ seed: 0.5 }), 2, /lacks parts/],
  ['of any implementation', ofRun({ implementation: '*' }), 2, /names no scenario or implementation/],
  ['of any scenario', ofRun({ scenario: '**/*.ts' }), 2, /names no scenario or implementation/],
  ['of a one-character pattern', ofRun({ implementation: '00?-get-set' }), 2, /names no scenario or implementation/],
  ['of nothing', ofRun({ implementation: '' }), 2, /names no scenario or implementation/],
  ['with control characters', ofRun({ implementation: '\u001b[2J' }), 2, /names no scenario or implementation/],
  ['of a very long name', ofRun({ scenario: 'x'.repeat(5_000) }), 2, /names no scenario or implementation/],
  ['of a missing layer', ofRun({ implementation: '001-get-sett' }), 2, /did you mean 001-get-set\?/],
  ['of a missing scenario', ofRun({ scenario: 'lost-replay' }), 2, /did you mean lost-reply\?/],
  [
    'of a file',
    ofRun({ implementation: './evil.ts' }),
    2,
    /that you must name yourself: --impl <the path of evil\.ts>$/,
  ],
  [
    'of a file in another folder',
    ofRun({ implementation: '/tmp/evil.mjs' }),
    2,
    /the run needs a file that you must name yourself/,
  ],
  ['of a file with a blank', ofRun({ implementation: './my layer.ts' }), 2, /--impl <the path of my layer\.ts>$/],
  [
    'of a scenario in a file',
    ofRun({ scenario: '../evil.ts' }),
    2,
    /the run needs a file that you must name yourself: --scenario/,
  ],
  ['of an unknown cell', ofRun({ scenario: 'frontier/no/where' }), 2, /^scenario frontier\/no\/where: /],
  [
    'of an unknown tuned value',
    ofRun({ scenario: 'tune/lease/7ms/work-1ms' }),
    2,
    /^scenario tune\/lease\/7ms\/work-1ms: /,
  ],
  ['without a plan', ofRun({ plan: undefined }), 4, /it has no plan/],
  ['with a list as plan', ofRun({ plan: [] }), 4, /it has no plan/],
  ['with too many consumers', ofPlan({ consumers: 100_000 }), 2, /`consumers` is 100000; at most 64/],
  ['without consumers', ofPlan({ consumers: 0 }), 4, /`consumers` is 0; it must be a whole number from 1/],
  ['with half a consumer', ofPlan({ consumers: 1.5 }), 4, /`consumers` is 1\.5/],
  ['that never gives up', ofPlan({ maxAttempts: 1e9 }), 2, /`maxAttempts` is 1000000000; at most 10000/],
  ['without messages', ofPlan({ messages: 'many' }), 4, /no list of messages/],
  ['of a message without a key', ofPlan({ messages: [{ publishAtMs: 0, payload: 1 }] }), 4, /no list of messages/],
  ['of too many messages', ofPlan({ messages: many(1_001, message) }), 2, /has 1001 messages; at most 1000/],
  [
    'of a very long key',
    ofPlan({ messages: [{ ...message, key: 'k'.repeat(70_000) }] }),
    2,
    /message 1 has a key or payload that is too long/,
  ],
  [
    'of a very large payload',
    ofPlan({ messages: [{ ...message, payload: 'p'.repeat(3e5) }] }),
    2,
    /message 1 has a key or payload that is too long/,
  ],
  ['published next year', ofPlan({ messages: [{ ...message, publishAtMs: 4e10 }] }), 2, /a number over/],
  ['without faults', ofPlan({ faults: {} }), 4, /no list of faults/],
  [
    'with a fraction of a microsecond',
    ofPlan({ effectMs: 1.0005 }),
    4,
    /`effectMs` is 1\.0005; it must be a whole number/,
  ],
  ['of too many faults', ofPlan({ faults: many(1_001, fault) }), 2, /has 1001 faults; at most 1000/],
  ['of a fault without a kind', ofPlan({ faults: [5] }), 4, /fault 1 lacks a kind/],
  ['of an unknown fault', ofPlan({ faults: [{ ...fault, kind: 'meteor' }] }), 4, /the fault meteor of its plan/],
  [
    'of a fault without a boundary',
    ofPlan({ faults: [{ ...fault, when: { at: 'noon' } }] }),
    4,
    /fault 1 lacks a kind/,
  ],
  ['of a fault before the start', ofPlan({ faults: [{ ...fault, when: { at: 'time', ms: -1 } }] }), 4, /fault 1 lacks/],
  ['of an empty aim', aimed('command-unsent', {}), 4, /fault 1 has no target: `of` must be/],
  ['of an aim that is a command', aimed('command-unsent', 'SET'), 4, /fault 1 has no target/],
  ['of a pick above the maximum', aimed('command-unsent', { pick: picks }), 4, /a label or a `pick` below 6/],
  ['of a negative pick', aimed('command-unsent', { pick: -1 }), 4, /fault 1 has no target/],
  ['of a key after the reply', aimed('reply-received', { label: 'GET', key: 'k' }), 4, /a key only before the reply$/],
  ['of a command at an effect', aimed('effect-unsent', { label: 'GET' }), 4, /at a boundary of commands/],
  ['of a command at a time', aimed('time', { label: 'GET' }), 4, /at a boundary of commands/],
  ['of a fault that never heals', ofPlan({ faults: [{ ...fault, healAfterMs: 1e15 }] }), 2, /a number over/],
  [
    'of a fault with a very long text',
    ofPlan({ faults: [{ ...fault, error: 'e'.repeat(3e5) }] }),
    2,
    /fault 1 is too large/,
  ],
  ['of a nested fault', ofPlan({ faults: [{ ...fault, extra: { a: [{ b: 1e300 }] } }] }), 2, /a number over/],
  ['with a number instead of a Redis', ofPlan({ redis: 5 }), 4, /`redis` must be an object/],
  ['with null instead of a Redis', ofPlan({ redis: null }), 4, /`redis` must be an object/],
  ['with half a Redis', ofPlan({ redis: { ...redis, loadingMs: undefined } }), 4, /no `loadingMs`/],
  [
    'with a thousand replicas',
    ofPlan({ redis: { ...redis, replicas: 1_000 } }),
    2,
    /`redis\.replicas` is 1000; at most 16/,
  ],
  ['with a thousand Sentinels', ofPlan({ redis: { ...redis, sentinels: 1_000 } }), 2, /`redis\.sentinels` is 1000/],
  ['with a thousand shards', ofPlan({ redis: { ...redis, shards: 1_000 } }), 2, /`redis\.shards` is 1000/],
  ['without a shard', ofPlan({ redis: { ...redis, shards: 0 } }), 4, /`redis\.shards` must be 1 or more/],
  ['with a thousand servers', ofPlan({ redis: { ...alone, independent: 1_000 } }), 2, /`redis\.independent` is 1000/],
  [
    'with independent shards',
    ofPlan({ redis: { ...redis, independent: 5, shards: 3 } }),
    4,
    /`redis\.independent` must/,
  ],
  ['with half a replica', ofPlan({ redis: { ...redis, replicas: 0.5 } }), 4, /`redis\.replicas` is 0\.5/],
  ['with minus one Sentinel', ofPlan({ redis: { ...redis, sentinels: -1 } }), 4, /no `sentinels`/],
  ['with a number as persistence', ofPlan({ redis: { ...redis, keeps: 7 } }), 4, /no `keeps`/],
]
it.each(runs)('refuses a run %s', (_, run, code, text) =>
  expectRefusal(replayFile(typeof run === 'string' ? run : JSON.stringify(run)), code, text),
)

it('a file longer than any run is not read', async () => {
  const file = path.join(folder, 'long.json')
  fs.writeFileSync(file, '')
  fs.truncateSync(file, 600_000_000)
  await expectRefusal(['replay', file], 2, /600000000 bytes, but a run has at most 2000000/)
})

it('a token with a file loads only the file that the command names', async () => {
  const own = encodeToken({ ...good, implementation: './not-there.ts' })!
  await expectRefusal(['replay', own, '--impl', 'sub/not-there.ts'], 2, /^sub\/not-there\.ts: no such file/)
  await expectRefusal(['replay', own, '--impl', './other.ts'], 2, /^\.\/other\.ts: no such file/)
  await expectRefusal(['replay', own, '--impl', 'reference'], 2, /^--impl reference: the run has the impl/)
  await expectRefusal(['replay', own, '--impl', './not-there.ts'], 2, /^\.\/not-there\.ts: no such file/)
  await expectRefusal(['replay', encodeToken(good)!, '--impl', 'reference'], 2, /^--impl reference: the run has/)
  await expectRefusal(['replay', encodeToken(good)!, '--seed', '3'], 2, /^option --seed: a token contains everything/)
})

it.each(['sink=keyed', 'seed=9', 'seed=1', 'run=0', 'runs=20', 'runs=5'])('refuses live <token> --%s', (option) =>
  expectRefusal(
    ['live', encodeToken(good)!, `--${option}`],
    2,
    /^option --(sink|seed|runs?): a token contains everything/,
  ),
)

const ofPrograms = ['live', 'replay-live'].flatMap((command) =>
  ['exec:python3 layer.py', 'reference with-next exec:true'].map((layer) => [command, layer] as const),
)
it.each(ofPrograms)(
  'refuses %s <token of %s>, without asking for an option that would be refused next',
  (command, layer) =>
    expectRefusal(
      [command, encodeToken({ ...good, implementation: layer })!],
      2,
      /^the token: a program runs only in the simulator; use `replay`$/,
    ),
)

it('replays the run on which the refused ones are based', async () => {
  const { stdout } = await onceproofHere(replayFile(encodeRun(good)))
  expect(stdout).toContain('001-get-set under competing-consumers')
})
