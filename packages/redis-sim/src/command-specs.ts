import { readFileSync } from 'node:fs'
import type { KeySpec } from './key-specs.ts'

/** What COMMAND tells of a command. A negative arity is the least number of words. */
export interface CommandSpec {
  readonly arity: number
  readonly flags: readonly string[]
  readonly firstKey: number
  readonly lastKey: number
  readonly keyStep: number
  readonly categories: readonly string[]
  readonly tips: readonly string[]
  readonly keySpecs: readonly KeySpec[]
}

/** By full name, a container before its subcommands. */
export type CommandSpecs = Readonly<Record<string, CommandSpec>>

/**
 * Every command and subcommand that Redis 7.0.15 knows, from the file that
 * fidelity/write-commands.ts writes. A handler in commands/ makes one of them simulated.
 * The server answers the rest as unknown and names them as unsupported.
 */
export function readCommandSpecs(): CommandSpecs {
  return JSON.parse(readFileSync(new URL('./commands.json', import.meta.url), 'utf8'))
}
