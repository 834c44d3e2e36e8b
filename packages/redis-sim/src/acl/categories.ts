/** The command categories, in Redis's order. Source: acl.c of Redis 7.0. */
import type { Command } from '../command.ts'

export const categories: readonly string[] = [
  ...['keyspace', 'read', 'write', 'set', 'sortedset', 'list', 'hash', 'string', 'bitmap', 'hyperloglog', 'geo'],
  ...['stream', 'pubsub', 'admin', 'fast', 'slow', 'blocking', 'dangerous', 'connection', 'transaction', 'scripting'],
]

export type CommandTable = ReadonlyMap<string, Command>

/** A container precedes its subcommands. */
export function withSubcommands(table: CommandTable): Command[] {
  return [...table.values()].flatMap((command) => [command, ...(command.subcommands?.values() ?? [])])
}

export function isIn(command: Command, category: string): boolean {
  return command.categories.includes(`@${category}`)
}
