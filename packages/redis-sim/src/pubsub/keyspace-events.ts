/**
 * Keyspace notifications: parses notify-keyspace-events and publishes events. Source: notify.c of
 * Redis 7.0.
 */
import type { KeyspaceState } from '../keyspace/database.ts'
import type { Subscriptions } from './subscriptions.ts'

/** The meaning of `A`: all classes of events except key misses and new keys. */
const all = 'g$lshzxetd'

export function areEventFlags(text: string): boolean {
  return /^[Ag$lshzxetdnKEm]*$/.test(text)
}

/**
 * Prints the flags in the format of CONFIG GET. If all classes are set, `n` is effective but not
 * printed.
 */
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
