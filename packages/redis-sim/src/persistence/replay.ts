import { dispatch } from '../dispatch.ts'
import { RequestParser } from '../resp/request-parser.ts'
import type { RedisServer } from '../server.ts'
import { Session } from '../session.ts'

/**
 * Executes the commands of an append-only file. An incomplete transaction at the end has no effect.
 */
export function replay(server: RedisServer, commands: string): void {
  const { state } = server.keyspace
  const { expiry, notify } = state
  const session = new Session(server, 0, 'append-only file', server.readClock())
  session.obeyed = true
  session.authenticated = true
  state.expiry = 'ignore'
  state.notify = null
  const parser = new RequestParser(() => server.config.protoMaxBulkLen)
  parser.feed(commands)
  for (let words = parser.next(); Array.isArray(words); words = parser.next()) dispatch(session, words)
  state.expiry = expiry
  state.notify = notify
}
