/**
 * MONITOR: sends every command that the server executes to the monitoring clients. Source:
 * replication.c of Redis 7.0.
 */

import type { Command } from './command.ts'
import { StatusReply } from './resp/reply.ts'
import type { Session } from './session.ts'

export class Monitors {
  private readonly sessions = new Set<Session>()

  get any(): boolean {
    return this.sessions.size !== 0
  }

  add(session: Session): void {
    this.sessions.add(session)
  }

  remove(session: Session): void {
    this.sessions.delete(session)
  }

  has(session: Session): boolean {
    return this.sessions.has(session)
  }

  /** Reports an executed command. Scripts are reported by `scriptBegins` when they begin. */
  executed(session: Session, command: Command, args: readonly string[]): void {
    if (command.flagNames.includes('skip_monitor') || command.flagNames.includes('admin')) return
    this.report(session, args)
  }

  /** Reports a script before the commands that it runs. */
  scriptBegins(session: Session, args: readonly string[]): void {
    this.report(session, args)
  }

  /** Reports a refused EXEC, which ends the transaction. */
  transactionEnds(session: Session): void {
    if (this.any) this.report(session, ['exec'])
  }

  private report(session: Session, args: readonly string[]): void {
    const { server } = session
    if (server.isLoading) return
    const nowUs = server.environment.nowUs()
    const time = `${Math.floor(nowUs / 1e6)}.${String(nowUs % 1e6).padStart(6, '0')}`
    const who = session.id === 0 ? 'lua' : session.address
    const line = new StatusReply(`${time} [${session.database.index} ${who}] ${redacted(args).map(printed).join(' ')}`)
    for (const monitor of this.sessions) monitor.outlet.push(line)
  }
}

/** Replaces passwords and other secrets by `(redacted)`. */
export function redacted(args: readonly string[]): readonly string[] {
  const name = args[0]!.toLowerCase()
  if (name === 'auth') return [args[0]!, ...args.slice(1).map(() => '(redacted)')]
  if (name === 'acl' && args[1]?.toLowerCase() === 'setuser') {
    return [...args.slice(0, 2), ...args.slice(2).map(() => '(redacted)')]
  }
  if (name !== 'hello') return args
  const at = args.findIndex((word, index) => index >= 2 && word.toLowerCase() === 'auth')
  return at === -1 ? args : args.map((word, index) => (index === at + 1 || index === at + 2 ? '(redacted)' : word))
}

const escapes: { readonly [char: string]: string } = {
  ...{ '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\x07': '\\a', '\b': '\\b' },
}

/** The word in quotes, with escapes. Source: sdscatrepr of Redis 7.0. */
function printed(word: string): string {
  const text = word.replace(
    /[^ -~]|["\\]/g,
    (char) => escapes[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return `"${text}"`
}
