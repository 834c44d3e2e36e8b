/** SAVE, BGSAVE, BGREWRITEAOF, LASTSAVE. Source: rdb.c and aof.c of Redis 7.0. */

import type { Answer, Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import { ErrorReply, OK, StatusReply } from '../resp/reply.ts'
import type { RedisServer } from '../server.ts'
import type { Session } from '../session.ts'

const busySaving = new ErrorReply('ERR Background save already in progress')

function isSaving({ persistence, replication }: RedisServer): boolean {
  return persistence.isSaving || replication.replicas.isSyncing
}

function save({ server }: Session): Answer {
  if (isSaving(server)) return busySaving
  server.persistence.save()
  return OK
}

/**
 * Inside a transaction, real Redis starts to save after the transaction. The simulation starts to
 * save immediately.
 */
function bgsave({ server, denyBlocking }: Session, args: readonly string[]): Answer {
  if (args.length > 2 || (args.length === 2 && args[1]!.toLowerCase() !== 'schedule')) return syntaxError
  if (isSaving(server)) return busySaving
  server.persistence.saveLater()
  return new StatusReply(denyBlocking ? 'Background saving scheduled' : 'Background saving started')
}

function bgrewriteaof({ server, denyBlocking }: Session): Answer {
  server.persistence.rewrite()
  const when = denyBlocking || isSaving(server) ? 'scheduled' : 'started'
  return new StatusReply(`Background append only file rewriting ${when}`)
}

export const persistenceHandlers: Handlers = {
  save,
  bgsave,
  bgrewriteaof,
  lastsave: ({ server }) => Math.floor(server.persistence.lastSaveMs / 1000),
}
