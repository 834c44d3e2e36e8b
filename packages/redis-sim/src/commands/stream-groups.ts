/** XGROUP and XACK. Source: t_stream.c of Redis 7.0. */

import type { Answer, Handler, Handlers } from '../command.ts'
import { cString, subcommandSyntax } from '../errors.ts'
import { StreamEntry } from '../keyspace/stream.ts'
import { ConsumerGroup } from '../keyspace/stream-groups.ts'
import type { StreamId } from '../keyspace/stream-id.ts'
import { ErrorReply, OK } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, typed, typedRead } from './arguments.ts'
import { createConsumer, looseId, strictId } from './stream-arguments.ts'

const noKey = new ErrorReply(
  'ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.',
)

interface GroupOptions {
  makeStream: boolean
  entriesRead: number | null
}

function parseOptions(args: readonly string[], forCreate: boolean): GroupOptions | ErrorReply {
  const options: GroupOptions = { makeStream: false, entriesRead: null }
  for (let at = 5; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    if (forCreate && word === 'mkstream') options.makeStream = true
    else if (word === 'entriesread' && at + 1 < args.length) {
      const read = integer(args[++at]!)
      if (read instanceof ErrorReply) return read
      if (read < -1) return new ErrorReply('ERR value for ENTRIESREAD must be positive or -1')
      options.entriesRead = read === -1 ? null : Number(read)
    } else return subcommandSyntax(args)
  }
  return options
}

function create(session: Session, args: readonly string[]): Answer {
  const options = parseOptions(args, true)
  if (options instanceof ErrorReply) return options
  const { database } = session
  const [, , key, name, idText] = args as [string, string, string, string, string]
  let stream = typed(session, key, 'stream')
  if (stream instanceof ErrorReply) return stream
  if (stream === undefined && !options.makeStream) return noKey
  if (args.length > 8) return subcommandSyntax(args)
  const id = cString(idText) === '$' ? (stream?.lastId ?? 0n) : strictId(idText)
  if (id instanceof ErrorReply) return id
  if (stream === undefined) {
    stream = new StreamEntry()
    database.put(key, stream)
    database.noticeWatchers(key)
  }
  if (stream.groups.has(name)) return new ErrorReply('BUSYGROUP Consumer Group name already exists')
  stream.groups.set(name, new ConsumerGroup(name, id, options.entriesRead))
  changed(session, key, 'xgroup-create')
  return OK
}

/** Changes of a group do not touch the key, so WATCH does not notice them. */
function changed({ database }: Session, key: string, event: string): void {
  database.state.changes++
  database.notify('t', event, key)
}

/** Wraps a command on a group that must exist. */
function onGroup(
  run: (session: Session, args: readonly string[], stream: StreamEntry, group: ConsumerGroup) => Answer,
): Handler {
  return (session, args) => {
    const [, , key, name] = args as [string, string, string, string]
    const stream = typed(session, key, 'stream')
    if (stream instanceof ErrorReply) return stream
    if (stream === undefined) return noKey
    const group = stream.groups.get(name)
    if (group === undefined) {
      return new ErrorReply(`NOGROUP No such consumer group '${cString(name)}' for key name '${cString(key)}'`)
    }
    return run(session, args, stream, group)
  }
}

function setid(session: Session, args: readonly string[]): Answer {
  const options = parseOptions(args, false)
  if (options instanceof ErrorReply) return options
  return onGroup((_session, _args, stream, group) => {
    if (args.length !== 5 && args.length !== 7) return subcommandSyntax(args)
    const id = cString(args[4]!) === '$' ? stream.lastId : looseId(args[4]!)
    if (id instanceof ErrorReply) return id
    group.lastId = id
    group.entriesRead = options.entriesRead
    changed(session, args[2]!, 'xgroup-setid')
    return OK
  })(session, args)
}

function destroy(session: Session, args: readonly string[]): Answer {
  const stream = typed(session, args[2]!, 'stream')
  if (stream instanceof ErrorReply) return stream
  if (stream === undefined) return noKey
  if (!stream.groups.delete(args[3]!)) return 0
  changed(session, args[2]!, 'xgroup-destroy')
  session.database.waiters.signal(args[2]!)
  return 1
}

const createconsumer = onGroup((session, args, _stream, group) => {
  if (group.consumers.has(args[4]!)) return 0
  createConsumer(session.database, args[2]!, group, args[4]!)
  return 1
})

const delconsumer = onGroup((session, args, _stream, group) => {
  const consumer = group.consumers.get(args[4]!)
  if (consumer === undefined) return 0
  const pending = consumer.pending.idsFrom(0n)
  for (const id of pending) group.pending.delete(id)
  group.consumers.delete(args[4]!)
  changed(session, args[2]!, 'xgroup-delconsumer')
  return pending.length
})

function xack(session: Session, args: readonly string[]): Answer {
  const stream = typedRead(session, args[1]!, 'stream')
  if (stream instanceof ErrorReply) return stream
  const group = stream?.groups.get(args[2]!)
  if (group === undefined) return 0
  const ids: StreamId[] = []
  for (const text of args.slice(3)) {
    const id = strictId(text)
    if (id instanceof ErrorReply) return id
    ids.push(id)
  }
  const acknowledged = ids.filter((id) => group.release(id)).length
  session.database.state.changes += acknowledged
  return acknowledged
}

export const streamGroupHandlers: Handlers = {
  'xgroup|create': create,
  'xgroup|setid': setid,
  'xgroup|destroy': destroy,
  'xgroup|createconsumer': createconsumer,
  'xgroup|delconsumer': delconsumer,
  xack,
}
