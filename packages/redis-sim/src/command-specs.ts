import { readFileSync } from 'node:fs'
import type { KeySpec } from './key-specs.ts'

/** One command as COMMAND describes it. A negative arity is the minimum number of words. */
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

/** Specs by full name. A container precedes its subcommands. */
export type CommandSpecs = Readonly<Record<string, CommandSpec>>

/**
 * Every command and subcommand of Redis 7.0.15, from the file that fidelity/write-commands.ts
 * writes. A command is simulated if commands/ has a handler for it. The server answers all others
 * as unknown commands and reports them as unsupported.
 */
export function readCommandSpecs(): CommandSpecs {
  return JSON.parse(readFileSync(new URL('./commands.json', import.meta.url), 'utf8'))
}
