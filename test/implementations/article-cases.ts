/**
 * What the pattern of each article sends, stores and answers, taken from its code by hand. Values
 * are in the form of `describeValue`: JSON by its status and the names of its other members, a
 * token as `<token>`.
 */
import type { Outcome } from '../../src/contract/api/message.ts'

/** Value and time to live in seconds, by the name of the key. */
export type Stored = { readonly [name: string]: readonly [value: string, seconds: number] }

/** `performs`: the effect happens again. `throws`: the error of the effect is rethrown. */
export type Answer = Outcome | 'the receipt' | 'performs' | 'throws'

export interface ArticleCase {
  readonly id: string
  /** The commands of the success case, in order, with those of a script indented. */
  readonly commands: readonly string[]
  readonly during: Stored
  readonly after: Stored
  /** The answer to a delivery after the first was done. */
  readonly duplicate: Answer
  /** The answer to a delivery during the first effect. */
  readonly meanwhile: Answer
  readonly failure: { readonly answer: Answer; readonly stored: Stored }
}

const day = 86_400
const skipped = { status: 'done', result: { status: 'skipped', reason: 'duplicate' } } as const
const nothing = { status: 'done', result: null } as const
const retry = { status: 'retry' } as const
const refused = { status: 'refused', error: 'the effect fails' } as const

const v1 = 'idempotency:v1:order-1'
const started = 'STARTED started_at lock_expiry'
const response = 'COMPLETED started_at completed_at response_body response_code'

function marker(id: string, name: string, lockSeconds: number, duplicate: Outcome): ArticleCase {
  return {
    id,
    commands: [`set ${name} PROCESSING EX ${lockSeconds} NX`, `set ${name} COMPLETED EX ${day}`],
    during: { [name]: ['PROCESSING', lockSeconds] },
    after: { [name]: ['COMPLETED', day] },
    duplicate,
    meanwhile: duplicate,
    failure: { answer: 'throws', stored: {} },
  }
}

function recordOf000(id: string, lockSeconds: number, scripted: boolean, meanwhile: Answer): ArticleCase {
  const acquire = scripted ? [`evalsha <sha> 1 ${v1} (${started}) <now> ${lockSeconds}`, `  GET ${v1}`] : [`get ${v1}`]
  const indent = scripted ? '  SET' : 'set'
  return {
    id,
    commands: [...acquire, `${indent} ${v1} (${started}) EX ${lockSeconds}`, `set ${v1} (${response}) EX ${day}`],
    during: { [v1]: [started, lockSeconds] },
    after: { [v1]: [response, day] },
    duplicate: 'the receipt',
    meanwhile,
    failure: { answer: 'throws', stored: { [v1]: [started, lockSeconds] } },
  }
}

function case002(
  id: string,
  [processing, commands, failed]: readonly [string, readonly string[], Stored],
  meanwhile: Outcome,
): ArticleCase {
  return {
    id,
    commands,
    during: { [v1]: [processing, 300] },
    after: { [v1]: ['COMPLETED result', day] },
    duplicate: 'the receipt',
    meanwhile,
    failure: { answer: 'throws', stored: failed },
  }
}

const owned = 'PROCESSING owner timestamp'
const getThenProcessing = [
  'PROCESSING',
  [`get ${v1}`, `set ${v1} (PROCESSING) EX 300`, `set ${v1} (COMPLETED result) EX ${day}`],
  {},
] as const
const checkAndSet = [
  'PROCESSING timestamp',
  [
    `evalsha <sha> 1 ${v1} (PROCESSING timestamp) 300`,
    `  GET ${v1}`,
    `  SET ${v1} (PROCESSING timestamp) EX 300 NX`,
    `set ${v1} (COMPLETED result) EX ${day}`,
  ],
  {},
] as const
const ownerToken = [
  owned,
  [
    `evalsha <sha> 1 ${v1} <token> (${owned}) 300`,
    `  GET ${v1}`,
    `  SET ${v1} (${owned}) EX 300`,
    `evalsha <sha> 1 ${v1} <token> (COMPLETED result) ${day}`,
    `  GET ${v1}`,
    `  SET ${v1} (COMPLETED result) EX ${day}`,
  ],
  { [v1]: [owned, 300] },
] as const
const watchMulti = [
  owned,
  [
    `get ${v1}`,
    `set ${v1} (${owned}) EX 300 NX`,
    `watch ${v1}`,
    `get ${v1}`,
    'multi',
    `set ${v1} (COMPLETED result) EX ${day}`,
    'exec',
  ],
  { [v1]: [owned, 300] },
] as const

function case003(id: string, lockSeconds: number): ArticleCase {
  const completed = 'COMPLETED response_code response_body'
  return {
    id,
    commands: [`set order-1 (IN_PROGRESS) EX ${lockSeconds} NX`, `set order-1 (${completed}) EX ${day}`],
    during: { 'order-1': ['IN_PROGRESS', lockSeconds] },
    after: { 'order-1': [completed, day] },
    duplicate: 'the receipt',
    meanwhile: retry,
    failure: { answer: 'throws', stored: {} },
  }
}

const receipt = 'effectId key'
const release = ['eval <release> 1 lock:order-1 <token>', '  GET lock:order-1']
const freed = [...release, '  DEL lock:order-1']

const naive = {
  commands: ['get idempotency:order-1', `set idempotency:order-1 (${receipt}) EX ${day}`],
  during: {},
  after: { 'idempotency:order-1': [receipt, day] },
  duplicate: 'the receipt',
  meanwhile: 'performs',
} as const
const lockAndRecord = {
  commands: [
    'set lock:order-1 <token> EX 10 NX',
    'get record:order-1',
    `set record:order-1 (${receipt}) EX ${day}`,
    ...freed,
  ],
  during: { 'lock:order-1': ['<token>', 10] },
  after: { 'record:order-1': [receipt, day] },
  duplicate: 'the receipt',
} as const
const twoPhaseLock = {
  commands: [
    'set lock:order-1 <token> EX 5 NX',
    'get record:order-1',
    'set record:order-1 (STARTED) EX 300',
    ...freed,
    'set lock:order-1 <token> EX 5 NX',
    `set record:order-1 (COMPLETED result) EX ${day}`,
    ...freed,
    ...release,
  ],
  during: { 'record:order-1': ['STARTED', 300] },
  after: { 'record:order-1': ['COMPLETED result', day] },
  duplicate: 'the receipt',
} as const
const failedRecord = { 'record:order-1': ['FAILED error', day] } as const

/** A lease of 2.5 s, which is rounded up to 3 s. */
export const leaseMs = 2500

export const cases: readonly ArticleCase[] = [
  marker('000-set-nx-marker', v1, day, skipped),
  recordOf000('000-get-set-record', 300, false, retry),
  recordOf000('000-get-set-record-skip', 300, false, nothing),
  recordOf000('000-get-set-record-lease', 3, false, retry),
  recordOf000('000-lua-acquire', 300, true, retry),
  recordOf000('000-lua-acquire-lease', 3, true, retry),
  recordOf000('000-decorator', 300, true, 'throws'),
  recordOf000('000-decorator-lease', 3, true, 'throws'),
  {
    id: '001-get-set',
    commands: ['get idempotency:order-1', `set idempotency:order-1 1 EX ${day}`],
    during: {},
    after: { 'idempotency:order-1': ['1', day] },
    duplicate: nothing,
    meanwhile: 'performs',
    failure: { answer: 'throws', stored: {} },
  },
  marker('001-set-nx-delete', 'idempotency:v1:producer:order-1', 3600, nothing),
  {
    id: '001-lua-server-time',
    commands: [
      'evalsha <sha> 1 idempotency:v2:producer:order-1 <token> 300000 3600',
      '  GET idempotency:v2:producer:order-1',
      '  TIME',
      '  SET idempotency:v2:producer:order-1 (PROCESSING owner timestamp) EX 3600',
      `set idempotency:v2:producer:order-1 (COMPLETED owner completedAt result) EX ${day}`,
    ],
    during: { 'idempotency:v2:producer:order-1': ['PROCESSING owner timestamp', 3600] },
    after: { 'idempotency:v2:producer:order-1': ['COMPLETED owner completedAt result', day] },
    duplicate: nothing,
    meanwhile: retry,
    failure: { answer: retry, stored: {} },
  },
  case002('002-get-then-processing', getThenProcessing, nothing),
  case002('002-get-then-processing-nack-on-skip', getThenProcessing, retry),
  case002('002-check-and-set', checkAndSet, nothing),
  case002('002-check-and-set-nack-on-skip', checkAndSet, retry),
  case002('002-owner-token', ownerToken, nothing),
  case002('002-owner-token-nack-on-skip', ownerToken, retry),
  case002('002-watch-multi', watchMulti, nothing),
  case002('002-watch-multi-nack-on-skip', watchMulti, retry),
  case003('003-set-nx-in-progress', 5),
  case003('003-set-nx-in-progress-lease', 3),
  { id: '004-naive', ...naive, failure: { answer: retry, stored: {} } },
  { id: '004-naive-ack-on-error', ...naive, failure: { answer: refused, stored: {} } },
  { id: '004-lock-and-record', ...lockAndRecord, meanwhile: retry, failure: { answer: retry, stored: {} } },
  {
    id: '004-lock-and-record-ack-on-error',
    ...lockAndRecord,
    meanwhile: nothing,
    failure: { answer: refused, stored: {} },
  },
  { id: '004-two-phase-lock', ...twoPhaseLock, meanwhile: retry, failure: { answer: retry, stored: failedRecord } },
  {
    id: '004-two-phase-lock-ack-on-error',
    ...twoPhaseLock,
    meanwhile: nothing,
    failure: { answer: refused, stored: failedRecord },
  },
]
