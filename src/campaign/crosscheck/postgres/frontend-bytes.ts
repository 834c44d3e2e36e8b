/** Encodes client messages as bytes of protocol 3.0 (PostgreSQL 15, chapter 55.7). */

import type { FrontendMessage } from 'postgres-sim/wire'
import { bytesOf, int16, int32 } from 'postgres-sim/wire'

export interface SentMessage {
  readonly type: string
  readonly body: Buffer
  /** The message types that end the response to the message; null if ReadyForQuery ends it. */
  readonly ends: string | null
}

const text = (value: string): string => `${bytesOf(value)}\0`
const list = <T>(values: readonly T[], bytes: (value: T) => string): string =>
  int16(values.length) + values.map(bytes).join('')

/**
 * The message as bytes; null for a message that has no response, or that a session cannot receive.
 */
export function sentMessage(message: FrontendMessage): SentMessage | null {
  const made = (type: string, body: string, ends: string | null): SentMessage => ({
    type,
    body: Buffer.from(body, 'latin1'),
    ends,
  })
  switch (message.kind) {
    case 'query':
      return made('Q', text(message.sql), null)
    case 'sync':
      return made('S', '', null)
    case 'parse':
      return made('P', text(message.name) + text(message.sql) + list(message.parameterTypes, int32), '1')
    case 'bind': {
      const { portal, statement, parameterFormats, values, resultFormats } = message
      const names = text(portal) + text(statement)
      const given = list(values, (value) => (value === null ? int32(-1) : int32(value.length) + value))
      return made('B', names + list(parameterFormats, int16) + given + list(resultFormats, int16), '2')
    }
    case 'describe':
      return made('D', message.what + text(message.name), 'Tn')
    case 'close':
      return made('C', message.what + text(message.name), '3')
    case 'execute':
      return made('E', text(message.portal) + int32(message.maxRows), 'CIs')
    default:
      return null
  }
}
