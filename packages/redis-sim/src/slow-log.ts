/**
 * SLOWLOG. No time passes while a command runs, so the log records either all commands or none,
 * depending on its threshold.
 */

import type { Command } from './command.ts'
import { redacted } from './monitors.ts'
import type { Reply } from './resp/reply.ts'
import type { RedisServer } from './server.ts'
import type { Session } from './session.ts'

const mostArguments = 32
const mostBytes = 128

export class SlowLog {
  private entries: Reply[] = []
  private nextId = 0

  constructor(private readonly server: RedisServer) {}

  get length(): number {
    return this.entries.length
  }

  /**
   * Adds a command. Called after the command was executed, so a CONFIG SET that changes the
   * threshold is compared with the new threshold.
   */
  add(session: Session, command: Command, args: readonly string[]): void {
    const { config, keyspace } = this.server
    if (config.slowlogLogSlowerThan !== 0 || command.flagNames.includes('skip_slowlog')) return
    const words = redacted(args)
    const time = Math.floor(keyspace.state.nowMs / 1000)
    this.entries.unshift([this.nextId++, time, 0, shortened(words), session.address, session.name])
    this.entries.length = Math.min(this.entries.length, config.slowlogMaxLen)
  }

  /** The newest `count` entries, newest first. */
  latest(count: number): Reply[] {
    return this.entries.slice(0, count)
  }

  reset(): void {
    this.entries = []
  }
}

function shortened(args: readonly string[]): string[] {
  const shown = args.length > mostArguments ? args.slice(0, mostArguments - 1) : args
  const words = shown.map((text) =>
    text.length > mostBytes ? `${text.slice(0, mostBytes)}... (${text.length - mostBytes} more bytes)` : text,
  )
  if (shown.length < args.length) words.push(`... (${args.length - shown.length} more arguments)`)
  return words
}
