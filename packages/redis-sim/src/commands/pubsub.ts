/** SUBSCRIBE and related commands, PUBLISH, PUBSUB. Source: pubsub.c of Redis 7.0. */

import { broadcastMessage } from '../cluster/send.ts'
import { type Handler, type Handlers, Several } from '../command.ts'
import { subcommandSyntax } from '../errors.ts'
import { matchesGlob } from '../glob.ts'
import { type Space, Subscribed } from '../pubsub/subscriptions.ts'
import { PushReply, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'

function subscribe(space: Space, verb: string): Handler {
  return (session, args) => {
    const replies: Reply[] = []
    for (let at = 1; at < args.length; at++) {
      session.server.subscriptions.join(session, space, args[at]!)
      replies.push(new PushReply([verb, args[at]!, session.subscribed!.count(space)]))
    }
    return new Several(replies)
  }
}

function unsubscribe(space: Space, verb: string): Handler {
  return (session, args) => {
    const subscribed = (session.subscribed ??= new Subscribed())
    const names = args.length > 1 ? args.slice(1) : [...subscribed[space]]
    const replies: Reply[] = []
    for (const name of names) {
      session.server.subscriptions.leave(session, space, name)
      replies.push(new PushReply([verb, name, subscribed.count(space)]))
    }
    if (names.length === 0) replies.push(new PushReply([verb, null, subscribed.count(space)]))
    return new Several(replies)
  }
}

function channels(space: Space): Handler {
  return ({ server }, args) => {
    if (args.length > 3) return subcommandSyntax(args)
    const pattern = args[2]
    const names = server.subscriptions.names(space)
    return pattern === undefined ? names : names.filter((name) => matchesGlob(pattern, name))
  }
}

function counts(space: Space) {
  return ({ server }: Session, args: readonly string[]): Reply =>
    args.slice(2).flatMap((name) => [name, server.subscriptions.listeners(space, name)])
}

/** In a Cluster, the clients of other nodes also receive the message, but are not counted. */
function publish(space: 'channels' | 'shards'): Handler {
  return ({ server }, [, channel, text]) => {
    if (server.cluster !== null) broadcastMessage(server.cluster, space, channel!, text!)
    return server.subscriptions.publish(space, channel!, text!)
  }
}

export const pubsubHandlers: Handlers = {
  subscribe: subscribe('channels', 'subscribe'),
  psubscribe: subscribe('patterns', 'psubscribe'),
  ssubscribe: subscribe('shards', 'ssubscribe'),
  unsubscribe: unsubscribe('channels', 'unsubscribe'),
  punsubscribe: unsubscribe('patterns', 'punsubscribe'),
  sunsubscribe: unsubscribe('shards', 'sunsubscribe'),
  publish: publish('channels'),
  spublish: publish('shards'),
  'pubsub|channels': channels('channels'),
  'pubsub|shardchannels': channels('shards'),
  'pubsub|numsub': counts('channels'),
  'pubsub|shardnumsub': counts('shards'),
  'pubsub|numpat': ({ server }) => server.subscriptions.names('patterns').length,
}
