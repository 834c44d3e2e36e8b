/** Checks whether a user may execute a command. Source: acl.c of Redis 7.0. */
import { type Command, flagBits } from '../command.ts'
import { matchesGlob } from '../glob.ts'
import { type KeyReference, keyReferences } from '../key-specs.ts'
import type { Selector } from './selector.ts'
import type { User } from './user.ts'

/** `at` is the index of the denied word; 0 for the command itself. */
export interface Denied {
  readonly what: 'command' | 'key' | 'channel'
  readonly at: number
}

const order = ['command', 'key', 'channel']

/**
 * Null if the command is allowed. If there are several selectors, the result is the denial of the
 * one that passed the most checks.
 */
export function denied(user: User, command: Command, args: readonly string[]): Denied | null {
  let worst: Denied = { what: 'command', at: 0 }
  let keys: readonly KeyReference[] | undefined
  for (const selector of user.selectors) {
    const found = deniedBy(selector, command, args, () => (keys ??= keyReferences(command, args)))
    if (found === null) return null
    const further = order.indexOf(found.what) - order.indexOf(worst.what)
    if (further > 0 || (further === 0 && found.at > worst.at)) worst = found
  }
  return worst
}

function deniedBy(
  selector: Selector,
  command: Command,
  args: readonly string[],
  keysOf: () => readonly KeyReference[],
): Denied | null {
  if (!mayRun(selector, command, args)) return { what: 'command', at: 0 }
  if (!selector.allKeys) {
    const key = keysOf().find((reference) => reference.at < args.length && !mayTouch(selector, args, reference))
    if (key !== undefined) return { what: 'key', at: key.at }
  }
  if (!selector.allChannels) {
    const channel = channelsOf(command, args).find(({ at, isPattern }) => !mayUse(selector, args[at]!, isPattern))
    if (channel !== undefined) return { what: 'channel', at: channel.at }
  }
  return null
}

function mayRun(selector: Selector, command: Command, args: readonly string[]): boolean {
  if (selector.allCommands || (command.flags & flagBits.no_auth) !== 0 || selector.commands.has(command)) return true
  const words = selector.firstArguments.get(command)
  const first = args[command.fullName.includes('|') ? 2 : 1]?.toLowerCase()
  return words?.some((word) => word.toLowerCase() === first) === true
}

function mayTouch({ patterns }: Selector, args: readonly string[], { at, flags }: KeyReference): boolean {
  const reads = flags.includes('access')
  const writes = flags.some((flag) => flag === 'insert' || flag === 'delete' || flag === 'update')
  return patterns.some(
    ({ pattern, read, write }) => (read || !reads) && (write || !writes) && matchesGlob(pattern, args[at]!),
  )
}

const subscribes = new Set(['subscribe', 'ssubscribe', 'psubscribe'])

function channelsOf({ fullName }: Command, args: readonly string[]): { at: number; isPattern: boolean }[] {
  if (fullName === 'publish' || fullName === 'spublish') return [{ at: 1, isPattern: false }]
  if (!subscribes.has(fullName)) return []
  return args.slice(1).map((_, index) => ({ at: index + 1, isPattern: fullName === 'psubscribe' }))
}

/**
 * True if the selector allows the channel. A pattern of PSUBSCRIBE must be equal to one of the
 * allowed patterns.
 */
export function mayUse({ channels }: Selector, channel: string, isPattern: boolean): boolean {
  return channels.some((pattern) => (isPattern ? pattern === channel : matchesGlob(pattern, channel)))
}
