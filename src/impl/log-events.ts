/** Events as lines of a log. */
import type { OnceEvent } from './events.ts'

/**
 * A logger with the methods of pino: fields, and then a text.
 * @example
 * ```ts
 * import type { Logger } from 'onceproof/once'
 *
 * const logger: Logger = {
 *   debug: () => {},
 *   info: (fields, text) => console.info(text, fields),
 *   warn: (fields, text) => console.warn(text, fields),
 *   error: (fields, text) => console.error(text, fields),
 * }
 * ```
 */
export interface Logger {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

type Level = keyof Logger
type Line = readonly [level: Level, text: string]
type Ended = Extract<OnceEvent, { type: 'ended' }>

const lines: { readonly [Type in Exclude<OnceEvent['type'], 'ended'>]: Line } = {
  acquired: ['debug', 'this run holds the key'],
  'loss-noticed': ['error', 'Redis may have lost data: messages without a record are in doubt'],
  raised: ['debug', 'the sink was asked to refuse lower fences'],
  begun: ['debug', 'the begin is on record: the effect is sent next'],
  renewed: ['debug', 'the lease was extended'],
  'lease-lost': ['warn', 'the lease ended during the run: an effect that was already sent continues'],
  abandoned: ['info', 'the key was given back, and no effect was sent'],
  'given-up': ['warn', 'maxAttempts attempts failed'],
  completed: ['debug', 'the effect happened'],
  refused: ['info', 'the sink refused for good'],
  reconciled: ['info', 'reconcile was asked about an effect in doubt'],
  reopened: ['info', 'the effect in doubt can no longer happen: another attempt is permitted'],
}

const endings: { readonly [Status in Ended['status']]: Line } = {
  done: ['debug', 'the run ended: the effect happened'],
  'done-unkept': ['warn', 'the run ended: the effect happened, and its result is not JSON'],
  refused: ['debug', 'the run ended: the sink refused for good'],
  retry: ['info', 'the run ended: deliver the message again'],
  'in-doubt': ['error', 'the run ended: it is unknown whether the effect happened'],
  failed: ['error', 'the run ended: maxAttempts attempts failed'],
  conflict: ['error', 'the run ended: the key was used with another message'],
}

/** Reasons that last until an operator acts. */
const forOperators: ReadonlySet<string> = new Set([
  ...['redis-evicts', 'replicas-uncounted', 'not-replicated', 'fences-exhausted'],
])

export function logsTo(logger: Logger): (event: OnceEvent) => void {
  return (event) => {
    const [level, text] = lineOf(event)
    const { type, ...fields } = event
    // pino prints the stack of an error in `err`.
    const { cause, ...rest } = { cause: undefined, ...fields }
    logger[level]({ event: type, ...rest, ...(cause === undefined ? {} : { err: cause }) }, `once: ${text}`)
  }
}

function lineOf(event: OnceEvent): Line {
  if (event.type === 'completed' && !event.onRecord) return ['warn', 'the effect happened, and is not on record yet']
  if (event.type !== 'ended') return lines[event.type]
  const [level, text] = endings[event.status]
  return [forOperators.has(event.reason ?? '') ? 'error' : level, text]
}
