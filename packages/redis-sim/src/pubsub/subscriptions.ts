import { matchesGlob } from '../glob.ts'
import { PushReply, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'

/** Channels, patterns, and shard channels (SSUBSCRIBE), which are separate from channels. */
export type Space = 'channels' | 'patterns' | 'shards'

/** The subscriptions of one client, in order. */
export class Subscribed {
  readonly channels = new Set<string>()
  readonly patterns = new Set<string>()
  readonly shards = new Set<string>()

  get any(): boolean {
    return this.channels.size + this.patterns.size + this.shards.size > 0
  }

  /**
   * The number of subscriptions that replies contain. SUBSCRIBE and PSUBSCRIBE share a count;
   * SSUBSCRIBE has its own.
   */
  count(space: Space): number {
    return space === 'shards' ? this.shards.size : this.channels.size + this.patterns.size
  }
}

/**
 * All subscriptions on one server. A message goes to the subscribers of its channel in the order of
 * subscription, then to those of matching patterns. The order of patterns is random in real Redis.
 */
export class Subscriptions {
  private readonly spaces: { readonly [space in Space]: Map<string, Set<Session>> } = {
    channels: new Map(),
    patterns: new Map(),
    shards: new Map(),
  }

  join(session: Session, space: Space, name: string): void {
    const subscribed = (session.subscribed ??= new Subscribed())
    if (subscribed[space].has(name)) return
    subscribed[space].add(name)
    const listeners = this.spaces[space].get(name)
    if (listeners === undefined) this.spaces[space].set(name, new Set([session]))
    else listeners.add(session)
  }

  leave(session: Session, space: Space, name: string): void {
    if (!session.subscribed?.[space].delete(name)) return
    const listeners = this.spaces[space].get(name)!
    listeners.delete(session)
    if (listeners.size === 0) this.spaces[space].delete(name)
  }

  leaveAll(session: Session): void {
    if (session.subscribed === null) return
    for (const space of ['channels', 'patterns', 'shards'] as const) {
      for (const name of session.subscribed[space]) this.leave(session, space, name)
    }
  }

  /** Delivers a message and returns the number of receivers. */
  publish(space: 'channels' | 'shards', channel: string, message: string): number {
    let receivers = 0
    const direct = this.spaces[space].get(channel)
    if (direct !== undefined) {
      const reply: Reply = new PushReply([space === 'shards' ? 'smessage' : 'message', channel, message])
      for (const session of [...direct]) session.outlet.push(reply)
      receivers += direct.size
    }
    if (space === 'shards' || this.spaces.patterns.size === 0) return receivers
    for (const [pattern, sessions] of [...this.spaces.patterns]) {
      if (!matchesGlob(pattern, channel)) continue
      for (const session of [...sessions]) session.outlet.push(new PushReply(['pmessage', pattern, channel, message]))
      receivers += sessions.size
    }
    return receivers
  }

  listeners(space: Space, name: string): number {
    return this.spaces[space].get(name)?.size ?? 0
  }

  /** Names of the channels or patterns that have subscribers. */
  names(space: Space): string[] {
    return [...this.spaces[space].keys()]
  }
}
