/** CLIENT KILL in its old form (address) and new form (filters). */

import type { User } from '../acl/user.ts'
import type { Answer, Handlers } from '../command.ts'
import { cString, syntaxError } from '../errors.ts'
import { type Int64, parseInt64 } from '../numbers/int64.ts'
import { ErrorReply, OK } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { type ClientType, clientType, typeOf } from './client.ts'

interface Filters {
  id?: Int64
  type?: ClientType
  address?: string
  localAddress?: string
  user?: User | undefined
  skipSelf: boolean
}

function kill(session: Session, args: readonly string[]): Answer {
  if (args.length === 3) {
    const killed = killMatching(session, { address: args[2]!, skipSelf: false })
    return killed === 0 ? new ErrorReply('ERR No such client') : OK
  }
  const filters = parseFilters(session, args)
  return filters instanceof ErrorReply ? filters : killMatching(session, filters)
}

function parseFilters(session: Session, args: readonly string[]): Filters | ErrorReply {
  const filters: Filters = { skipSelf: true }
  for (let at = 2; at < args.length; at += 2) {
    const value = args[at + 1]
    if (value === undefined) return syntaxError
    const problem = addFilter(session, filters, args[at]!.toLowerCase(), value)
    if (problem !== undefined) return problem
  }
  return filters
}

function addFilter(session: Session, filters: Filters, name: string, value: string): ErrorReply | undefined {
  switch (name) {
    case 'id': {
      const id = parseInt64(value)
      if (id === undefined || id < 1) return new ErrorReply('ERR client-id should be greater than 0')
      filters.id = id
      return undefined
    }
    case 'type': {
      const type = clientType(value)
      if (type instanceof ErrorReply) return type
      filters.type = type
      return undefined
    }
    case 'addr':
      filters.address = value
      return undefined
    case 'laddr':
      filters.localAddress = value
      return undefined
    case 'user':
      filters.user = session.server.acl.find(value)
      return filters.user === undefined ? new ErrorReply(`ERR No such user '${cString(value)}'`) : undefined
    case 'skipme':
      if (!/^(yes|no)$/i.test(value)) return syntaxError
      filters.skipSelf = value.toLowerCase() === 'yes'
      return undefined
    default:
      return syntaxError
  }
}

function killMatching(session: Session, filters: Filters): number {
  let killed = 0
  for (const connection of [...session.server.connections.values()]) {
    const other = connection.session
    if (filters.address !== undefined && other.address !== filters.address) continue
    if (filters.localAddress !== undefined && filters.localAddress !== `127.0.0.1:${session.server.config.port}`)
      continue
    if (filters.user !== undefined && filters.user !== other.user) continue
    if (filters.type !== undefined && filters.type !== typeOf(other)) continue
    if (filters.id !== undefined && filters.id !== other.id) continue
    if (other === session && filters.skipSelf) continue
    if (other === session) session.closeAfterReply = true
    else connection.hangUp()
    killed++
  }
  return killed + (filters.type === 'master' ? killPrimary(session) : 0)
}

/** Closes the link to the primary. The replica reconnects at once and continues at its offset. */
function killPrimary({ server }: Session): number {
  const { link } = server.replication
  if (link?.state !== 'connected') return 0
  link.lost()
  return 1
}

export const clientKillHandlers: Handlers = { 'client|kill': kill }
