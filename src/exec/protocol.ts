/**
 * The messages between the harness and a program, as defined in docs/reference/protocol.md: one
 * line of JSON each.
 */
import { type LockNews, lockNews } from '../contract/api/implementation.ts'
import type { JsonValue } from '../contract/api/json.ts'
import type { Message } from '../contract/api/message.ts'
import type { SinkKind } from '../contract/api/sink.ts'

export const protocolVersion = 1

/** The first line of a program: its protocol and its declarations. */
export interface Hello {
  readonly protocol: number
  readonly id: string
  /**
   * `virtual`: the program uses the time that the harness sends. `own`: the program reads a clock
   * that the harness does not control.
   */
  readonly clocks: 'virtual' | 'own'
  /** The program forks its processes from one process that has loaded everything. */
  readonly forks: boolean
  /** The program supports `deploy`. */
  readonly deploys: boolean
  readonly [member: string]: unknown
}

/** A message of a program. Connections are identified by their local port. */
export type Word =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly error: string }
  | { readonly type: 'outcome'; readonly delivery: number; readonly outcome: JsonValue }
  | { readonly type: 'threw'; readonly delivery: number; readonly error: string }
  | SinkWord
  | { readonly type: 'lock'; readonly key: string; readonly what: LockNews }
  | { readonly type: 'log'; readonly text: string }
  | { readonly type: 'unsupported'; readonly what: string }
  | { readonly type: 'timer'; readonly ms: number }
  | {
      readonly type: 'connect'
      readonly connection: number
      readonly host: string
      readonly port: number
      /**
       * The bytes of the connection are sent in the messages, in latin1, and not over the loopback
       * bridge.
       */
      readonly inline?: boolean
    }
  | { readonly type: 'sent'; readonly connection: number; readonly bytes: number }
  | { readonly type: 'sent'; readonly connection: number; readonly data: string }
  | { readonly type: 'finish'; readonly connection: number }
  | { readonly type: 'close'; readonly connection: number }
  | Idle

const sinkAsks = ['perform', 'raise', 'lookup', 'cancel'] as const

export interface SinkWord {
  readonly type: 'sink'
  readonly id: number
  readonly ask: (typeof sinkAsks)[number]
  readonly key: string
  readonly payload?: JsonValue
  readonly fence?: number
  readonly reference?: string
}

/**
 * The process is idle. `n`: the number of the last message to the process. `untilUs`: when it wakes
 * up by itself, on its monotonic clock; null if it has no timer.
 */
export interface Idle {
  readonly type: 'idle'
  readonly n: number
  readonly untilUs: number | null
}

type Check = (member: unknown) => boolean

const text: Check = (member) => typeof member === 'string'
const number: Check = (member) => typeof member === 'number'
const finiteOrNull: Check = (member) => member === null || Number.isFinite(member)
const flagOrAbsent: Check = (member) => member === undefined || typeof member === 'boolean'
const oneOf =
  (words: readonly string[]): Check =>
  (member) =>
    words.includes(member as string)

/** Checks the members of each message; `parseWord` checks the rest of `sent`. */
const kinds: Readonly<Record<Word['type'], Readonly<Record<string, Check>>>> = {
  ready: {},
  failed: { error: text },
  outcome: { delivery: number },
  threw: { delivery: number, error: text },
  sink: { id: number, ask: oneOf(sinkAsks), key: text },
  lock: { key: text, what: oneOf(lockNews) },
  log: { text },
  unsupported: { what: text },
  timer: { ms: number },
  connect: { connection: number, host: text, port: number, inline: flagOrAbsent },
  sent: { connection: number },
  finish: { connection: number },
  close: { connection: number },
  idle: { n: number, untilUs: finiteOrNull },
}

/** Parses a line of a program; null if it is not a valid message. */
export function parseWord(line: string): Word | null {
  const data = parseObject(line)
  if (data === null || !Object.hasOwn(kinds, String(data.type))) return null
  const { type, bytes, data: sent } = data
  if (type === 'sent' && !(sent === undefined ? isCount(bytes) : isBytes(sent))) return null
  const fits = Object.entries(kinds[type as Word['type']]).every(([name, check]) => check(data[name]))
  return fits ? (data as unknown as Word) : null
}

const isCount = (bytes: unknown): boolean => Number.isSafeInteger(bytes) && (bytes as number) >= 0

/** True for a text with one character per byte. */
const isBytes = (data: unknown): boolean => typeof data === 'string' && !/[^\0-\xff]/.test(data)

export function parseObject(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const data: unknown = JSON.parse(line)
    return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** A message to a process of a program. It is sent with a number and with `Times`. */
export type Notice =
  | ({ readonly type: 'create' } & Birth & LayerBirth)
  | ({ readonly type: 'deploy' } & Birth)
  | { readonly type: 'deliver'; readonly delivery: number; readonly message: Message }
  | { readonly type: 'data'; readonly connection: number; readonly bytes: number }
  | { readonly type: 'data'; readonly connection: number; readonly data: string }
  | { readonly type: 'connected' | 'ended'; readonly connection: number }
  | { readonly type: 'refused' | 'broken'; readonly connection: number; readonly code: string }
  | ({ readonly type: 'answer'; readonly id: number } & SinkGave)
  | { readonly type: 'wake' }

export type SinkGave =
  | { readonly value: JsonValue | undefined }
  | { readonly error: { readonly name: string; readonly message: string } }

/** The environment of a new process. */
export interface Birth {
  readonly redis: Readonly<Record<string, unknown>>
  /**
   * The port of the loopback bridge, to which the process opens all of its connections, whatever
   * their destination.
   */
  readonly carrier: number
  readonly pid: number
  readonly hostname: string
  readonly seed: number
}

/** Additional settings of a process that handles messages. */
interface LayerBirth {
  readonly instanceId: string
  readonly leaseMs: number
  readonly retentionMs: number
  readonly sink: SinkKind
}

/** The clocks of the process in microseconds: since the Unix epoch, and since it started. */
export interface Times {
  readonly wallUs: number
  readonly monoUs: number
}
