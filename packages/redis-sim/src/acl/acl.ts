/**
 * The users of one server. Not simulated: ACL files, `acl-pubsub-default`, and users in the
 * configuration file, so a restarted server only has the user `default`. Source: acl.c of Redis
 * 7.0.
 */

import type { Command } from '../command.ts'
import { describeClient } from '../commands/client.ts'
import { cString } from '../errors.ts'
import { compareBytes } from '../keyspace/entry.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { RedisServer } from '../server.ts'
import type { Session } from '../session.ts'
import { type AclEvent, AclLog } from './acl-log.ts'
import type { CommandTable } from './categories.ts'
import { type Denied, denied, mayUse } from './check.ts'
import { User } from './user.ts'

export class Acl {
  readonly log = new AclLog()
  readonly default: User
  private readonly users = new Map<string, User>()

  constructor(
    private readonly server: RedisServer,
    private readonly table: CommandTable,
  ) {
    this.default = new User('default', table)
    for (const rule of ['+@all', '~*', '&*', 'on']) this.default.set(rule)
    this.users.set('default', this.default)
    this.passwordChanged()
  }

  /** `requirepass` is the password of the user `default`. */
  passwordChanged(): void {
    const { requirepass } = this.server.config
    this.default.set('resetpass')
    this.default.set(requirepass === '' ? 'nopass' : `>${requirepass}`)
  }

  /** True if clients must log in before other commands. */
  get asksForPassword(): boolean {
    return !this.default.noPassword || !this.default.enabled
  }

  find(name: string): User | undefined {
    return this.users.get(name)
  }

  /** Sorted by the bytes of their names. */
  all(): User[] {
    return [...this.users.values()].sort((a, b) => compareBytes(a.name, b.name))
  }

  /** Applies all rules, or none if one is invalid. */
  setUser(name: string, rules: readonly string[]): ErrorReply | undefined {
    const merged = mergeSelectors(rules)
    if (typeof merged === 'string') {
      return new ErrorReply(`ERR Unmatched parenthesis in acl selector starting at '${cString(merged)}'.`)
    }
    const user = this.users.get(name)
    const changed = user?.copy() ?? new User(name, this.table)
    for (const rule of merged) {
      const problem = changed.set(rule)
      if (problem !== undefined) {
        return new ErrorReply(`ERR Error in ACL SETUSER modifier '${cString(rule)}': ${problem}`)
      }
    }
    if (user !== undefined) this.endSubscriptions(user, changed)
    if (user === undefined) this.users.set(name, changed)
    else user.become(changed)
    return undefined
  }

  /** Deletes the user and disconnects its clients; false if there is no such user. */
  delete(name: string, by: Session): boolean {
    const user = this.users.get(name)
    if (user === undefined) return false
    this.users.delete(name)
    for (const connection of [...this.server.connections.values()]) {
      const { session } = connection
      if (session.user !== user) continue
      session.user = this.default
      session.authenticated = false
      if (session === by) session.closeAfterReply = true
      else connection.hangUp()
    }
    return true
  }

  /** True if the password is correct; a failure is added to the log. */
  authenticate(session: Session, args: readonly string[], name: string, password: string): boolean {
    const user = this.users.get(name)
    if (user?.accepts(password)) {
      session.authenticated = true
      session.user = user
      return true
    }
    const context = session.queue === null ? 'toplevel' : 'multi'
    this.note(session, { reason: 'auth', context, object: args[0]!, user: name })
    return false
  }

  /**
   * Checks the session's user; null if the command is allowed. A denial is added to the log.
   * `caller` is the session that called the script.
   */
  denied(
    session: Session,
    command: Command,
    args: readonly string[],
    context: AclEvent['context'],
    caller: Session = session,
  ): Denied | null {
    const found = denied(session.user, command, args)
    if (found === null) return null
    const object = found.what === 'command' ? command.fullName : args[found.at]!
    this.note(caller, { reason: found.what, context, object, user: session.user.name })
    return found
  }

  private note(session: Session, event: AclEvent): void {
    const { config, environment } = this.server
    this.log.add(event, describeClient(session), Math.floor(environment.nowUs() / 1000), config.acllogMaxLen)
  }

  /** Disconnects subscribers of channels that the user may no longer use. */
  private endSubscriptions(user: User, changed: User): void {
    if (changed.selectors.some(({ allChannels }) => allChannels)) return
    const channels = changed.selectors.flatMap((selector) => selector.channels)
    const kept = user.selectors.every(
      (selector) => !selector.allChannels && selector.channels.every((channel) => channels.includes(channel)),
    )
    if (kept) return
    const allows = (name: string, isPattern: boolean) =>
      changed.selectors.some((selector) => mayUse(selector, name, isPattern))
    for (const connection of [...this.server.connections.values()]) {
      const { session } = connection
      if (session.user !== user || session.subscribed === null) continue
      const { channels: own, patterns, shards } = session.subscribed
      const denies = [...patterns].some((name) => !allows(name, true))
      if (denies || [...own, ...shards].some((name) => !allows(name, false))) connection.hangUp()
    }
  }
}

/**
 * Joins selectors that span several words. Returns the first word of an unclosed selector as a
 * string.
 */
function mergeSelectors(rules: readonly string[]): string[] | string {
  const merged: string[] = []
  let open: { readonly first: string; text: string } | null = null
  for (const rule of rules) {
    if (rule.startsWith('(') && !rule.endsWith(')')) open = { first: rule, text: rule }
    else if (open === null) merged.push(rule)
    else {
      open.text += ` ${rule}`
      if (rule.endsWith(')')) {
        merged.push(open.text)
        open = null
      }
    }
  }
  return open === null ? merged : open.first
}
