/**
 * A run as a string: everything that is needed to replay it, and enough of its digest to detect a
 * divergence. The string is compressed in pure JavaScript, so that every version of Node makes the
 * same token for the same run.
 */
import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate'
import { marksOf } from 'virtual-node/kernel'
import { canonicalJson } from '../../contract/api/json.ts'
import type { Plan } from '../../contract/api/plan.ts'
import { type SinkKind, sinkKinds } from '../../contract/api/sink.ts'
import { visible } from '../../contract/results/visible.ts'
import { mostChoices, packedLists, unpackedLists } from './packed-lists.ts'
import type { PairName } from './pair-ref.ts'
import { boundsProblem } from './plan-bounds.ts'
import { planProblem } from './plan-problem.ts'
import type { RunChoices } from './run-choices.ts'
import type { Trail } from './trail.ts'

/** One run with its address. Scenario and implementation are ids of the catalogue or paths. */
export interface RecordedRun extends PairName, RunChoices, Trail {
  /** The seed and the run number of the campaign's run from which the plan was shrunk. */
  readonly seed: number
  readonly run: number
  readonly plan: Plan
}

export type Decoded =
  | { readonly ok: true; readonly run: RecordedRun }
  /**
   * `unreadable`: not a token; `incompatible`: valid, but this version cannot run its plan;
   * `refused`: exceeds the limits that every run of a campaign keeps; for safety, it is not run.
   */
  | { readonly ok: false; readonly why: 'unreadable' | 'incompatible' | 'refused'; readonly problem: string }

export const longestToken = 2_000
/** The maximum number of bytes of a run as JSON, in a file or unpacked from a token. */
export const longestRun = 2_000_000
/** The maximum length of a name (an id or a path), in characters. */
const longestName = 1_000
const prefix = 'op2_'
/** The prefix of earlier versions, whose tokens did not contain choices by name. */
const earlierPrefix = 'op1_'

/**
 * The token, or null if the run is too long for one. A file can hold such a run, unless `excessOf`
 * returns a reason.
 */
export function encodeToken(run: RecordedRun): string | null {
  const packed = deflateSync(strToU8(encodeRun(run)), { level: 9, dictionary })
  const token = prefix + Buffer.from(packed).toString('base64url')
  return token.length <= longestToken && excessOf(run) === null ? token : null
}

/**
 * Why neither a token nor a file can hold a run, in one clause: the decoder would refuse it. Null
 * if they can.
 */
export function excessOf(run: RecordedRun): string | null {
  const decoded = decodeRun(encodeRun(run))
  return decoded.ok || decoded.why !== 'refused' ? null : decoded.problem
}

/** The content of a file that is used instead of a token. */
export function encodeRun(run: RecordedRun): string {
  const { choices, ...rest } = run
  return canonicalJson({ ...rest, ...(choices === undefined ? {} : { choices: packedLists(choices) }), version: 2 })
}

/** True if the text has the prefix of a token, of this version or of an earlier one. */
export function isToken(text: string): boolean {
  return text.startsWith(prefix) || text.startsWith(earlierPrefix)
}

export function decodeToken(token: string): Decoded {
  if (token.startsWith(earlierPrefix)) return earlier('an op1_ token')
  if (token.length > longestToken) return unreadable(`too long for a token (at most ${longestToken} characters)`)
  if (!/^op2_[A-Za-z0-9_-]+$/.test(token)) return unreadable('not a token; a token starts with op2_')
  try {
    const packed = Buffer.from(token.slice(prefix.length), 'base64url')
    // The buffer is one byte longer than the limit. `inflateSync` never writes past the end of
    // `out`, so a longer run fills the buffer.
    const text = inflateSync(packed, { dictionary, out: new Uint8Array(longestRun + 1) })
    return decodeRun(strFromU8(text))
  } catch {
    return unreadable('incomplete or damaged')
  }
}

export function decodeRun(text: string): Decoded {
  if (Buffer.byteLength(text) > longestRun) return refused(`its run is longer than ${longestRun} bytes`)
  let data: Partial<Record<keyof RecordedRun | 'version', unknown>>
  try {
    data = JSON.parse(text)
  } catch {
    return unreadable('incomplete or damaged')
  }
  if (data?.version === 1) return earlier('a run of version 1')
  if (data?.version !== 2) return unreadable('it has no run of this version of onceproof')
  const { scenario, implementation, sink, seed, run, choiceSeed, stepCount, digest, trail, layer } = data
  const named =
    typeof scenario === 'string' &&
    typeof implementation === 'string' &&
    typeof digest === 'string' &&
    typeof trail === 'string'
  const counted = [seed, run, choiceSeed].every((number) => Number.isSafeInteger(number))
  if (!named || !counted || !sinkKinds.includes(sink as SinkKind)) return unreadable('it lacks parts of a run')
  if (!Number.isSafeInteger(stepCount) || trail.length !== marksOf(Number(stepCount)))
    return unreadable('its trail has the wrong number of steps')
  if (layer !== undefined && !/^[0-9a-f]{8}$/.test(String(layer)))
    return unreadable('its layer digest is not 8 hex digits')
  const problem = planProblem(data.plan)
  if (problem !== null) return { ok: false, why: 'incompatible', problem }
  const choices = data.choices === undefined ? undefined : unpackedLists(data.choices)
  if (choices === null) return unreadable('it has no valid lists of choices')
  if (choices === 'too many') return refused(`it has more than ${mostChoices} choices`)
  // Only known members are copied, so that unknown members are dropped.
  const address = { scenario, implementation, sink, seed, run, choiceSeed, stepCount, digest, trail, plan: data.plan }
  const optional = { ...(choices === undefined ? {} : { choices }), ...(layer === undefined ? {} : { layer }) }
  const decoded = { ...address, ...optional } as unknown as RecordedRun
  const excess = [scenario, implementation].some(isNoName)
    ? 'it names no scenario or implementation by id or path'
    : boundsProblem(decoded.plan)
  return excess === null ? { ok: true, run: decoded } : refused(excess)
}

/**
 * True if the text cannot be a name: a name identifies one thing, and contains neither globs nor
 * terminal control characters.
 */
function isNoName(name: string): boolean {
  return name === '' || name.length > longestName || /[*?]/.test(name) || visible(name) !== name
}

/**
 * The error for tokens of earlier versions. They cannot be replayed, because their choices depend
 * on stream names that they do not contain.
 */
function earlier(what: string): Decoded {
  const problem = `${what} is of an earlier version; run the campaign again, or replay it with that version`
  return { ok: false, why: 'incompatible', problem }
}

function refused(problem: string): Decoded {
  return { ok: false, why: 'refused', problem }
}

function unreadable(problem: string): Decoded {
  return { ok: false, why: 'unreadable', problem }
}

/**
 * Substrings that most tokens share. They are spelled out, because the dictionary is part of the
 * format `op2_` and must never change.
 */
const dictionary = strToU8(
  [
    'delivery-received command-unsent command-unexecuted command-executed reply-received effect-unsent effect-unapplied',
    'effect-applied effect-answered answered acknowledged keyed fenced slow-effect lost-reply lost-request partition',
    '"key":"k2","payload":{"amount":2}},{"consumer":1,"kind":"pause","healAfterMs":,"crash","process":,"restartAfterMs":',
    'no-lost-message machine-restart machine-cut-off "machine":,"keeps":"nothing","loadingMs":,"minReplicasToWrite":,',
    '"consumer-3~redis<":[,"consumer-2~sink>":[,"consumer-1~broker<":[,"broker":[0,1],"consumer-1~redis>":[,',
    '{"choiceSeed":,"choices":{},"digest":"","implementation":"reference","001-get-set",',
    '"plan":{"consumers":2,"effectMs":,"effectTimeoutMs":,"faults":[{"healAfterMs":,"kind":"","when":{"at":"time","ms":',
    '{"at":"","consumer":0,"nth":1}}],"leaseMs":,"maxAttempts":,"messages":[{"key":"k1","payload":{"amount":1},',
    '"publishAtMs":0}],"redeliveryMs":,"retentionMs":,"visibilityMs":},"run":,"scenario":"","seed":1,"sink":"plain","stepCount":,"trail":"","version":2}',
  ].join(' '),
)
