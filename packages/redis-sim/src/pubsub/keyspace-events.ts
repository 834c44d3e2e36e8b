/**
 * Keyspace notifications: what notify-keyspace-events means, and where events go. Source: notify.c
 * of Redis 7.0.
 */
import type { KeyspaceState } from '../keyspace/database.ts'
import type { Subscriptions } from './subscriptions.ts'

/** What `A` stands for: every kind of event but key misses and new keys. */
const all = 'g$lshzxetd'

export function areEventFlags(text: string): boolean {
  return /^[Ag$lshzxetdnKEm]*$/.test(text)
}

/** As CONFIG GET prints them. With all kinds given, `n` is obeyed and not printed. */
export function printEventFlags(text: string): string {
  const given = text.replace('A', all)
  const isAll = [...all].every((kind) => given.includes(kind))
  const kinds = isAll ? 'A' : [...`${all}n`].filter((kind) => given.includes(kind)).join('')
  return kinds + [...'KEm'].filter((kind) => given.includes(kind)).join('')
}

export function keyspaceEvents(flags: string, subscriptions: Subscriptions): KeyspaceState['notify'] {
  if (flags === '') return null
  const kinds = flags.replace('A', all)
  return (database, kind, event, key) => {
    if (!kinds.includes(kind)) return
    if (kinds.includes('K')) subscriptions.publish('channels', `__keyspace@${database.index}__:${key}`, event)
    if (kinds.includes('E')) subscriptions.publish('channels', `__keyevent@${database.index}__:${event}`, key)
  }
}
