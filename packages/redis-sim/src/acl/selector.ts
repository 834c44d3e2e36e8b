/** A selector: the commands, keys and channels that it allows. Source: acl.c of Redis 7.0. */
import type { Command } from '../command.ts'
import { type CommandTable, categories, isIn, withSubcommands } from './categories.ts'

export interface KeyPattern {
  readonly pattern: string
  read: boolean
  write: boolean
}

/** Error text of ACL SETUSER for an invalid rule. */
export type Problem = string

export const problems = {
  unknown: 'Unknown command or category name in ACL',
  syntax: 'Syntax error',
  allKeys:
    "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. Try 'resetkeys' to start with an empty list of patterns",
  allChannels:
    "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. Try 'resetchannels' to start with an empty list of channels",
  noPassword: 'The password you are trying to remove from the user does not exist',
  badHash: 'The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters',
  firstArgument: 'Allowing first-arg of a subcommand is not supported',
} as const

const none: ReadonlySet<Command> = new Set()
/**
 * The set of all commands. It is cached, because the user `default` of every server starts with it.
 */
const allOf = new WeakMap<CommandTable, ReadonlySet<Command>>()

function all(table: CommandTable): ReadonlySet<Command> {
  let commands = allOf.get(table)
  if (commands === undefined) {
    commands = new Set(withSubcommands(table))
    allOf.set(table, commands)
  }
  return commands
}

export class Selector {
  allKeys = false
  allChannels = false
  /** True if all commands are allowed, so `commands` need not be searched. */
  allCommands = false
  /** True if the selector started from all commands, so commands added later are allowed, too. */
  futureCommands = false
  commands: ReadonlySet<Command> = none
  /** Allowed first arguments of commands that are otherwise not allowed. */
  readonly firstArguments = new Map<Command, string[]>()
  patterns: KeyPattern[] = []
  channels: string[] = []

  constructor(private readonly table: CommandTable) {}

  copy(): Selector {
    const copy = new Selector(this.table)
    const { allKeys, allChannels, allCommands, futureCommands } = this
    Object.assign(copy, { allKeys, allChannels, allCommands, futureCommands })
    copy.commands = this.commands
    for (const [command, words] of this.firstArguments) copy.firstArguments.set(command, [...words])
    copy.patterns = this.patterns.map((pattern) => ({ ...pattern }))
    copy.channels = [...this.channels]
    return copy
  }

  get isUnrestricted(): boolean {
    return this.allCommands && this.allKeys && this.allChannels
  }

  /** Applies one rule; returns its error, or undefined if it is valid. */
  set(rule: string): Problem | undefined {
    switch (rule.toLowerCase()) {
      case 'allkeys':
      case '~*':
        this.allKeys = true
        this.patterns = []
        return undefined
      case 'resetkeys':
        this.allKeys = false
        this.patterns = []
        return undefined
      case 'allchannels':
      case '&*':
        this.allChannels = true
        this.channels = []
        return undefined
      case 'resetchannels':
        this.allChannels = false
        this.channels = []
        return undefined
      case 'allcommands':
      case '+@all':
        this.commands = all(this.table)
        this.allCommands = true
        this.futureCommands = true
        this.firstArguments.clear()
        return undefined
      case 'nocommands':
      case '-@all':
        this.commands = none
        this.allCommands = false
        this.futureCommands = false
        this.firstArguments.clear()
        return undefined
      default:
        return this.setOther(rule)
    }
  }

  private setOther(rule: string): Problem | undefined {
    const sign = rule[0]
    if (sign === '~' || sign === '%') return this.addKeys(rule)
    if (sign === '&') return this.addChannel(rule.slice(1))
    if (sign !== '+' && sign !== '-') return problems.syntax
    if (rule[1] === '@') return this.setCategory(rule.slice(2), sign === '+')
    if (sign === '+' && rule.includes('|')) return this.allowPart(rule.slice(1))
    const command = this.find(rule.slice(1))
    if (command === undefined) return problems.unknown
    this.change([command], sign === '+')
    return undefined
  }

  private addKeys(rule: string): Problem | undefined {
    if (this.allKeys) return problems.allKeys
    // `~pattern`, `%R~pattern`, `%W~pattern` or `%RW~pattern`. Each letter may occur once.
    const [, letters, end] = /^(?:~|%([^~]*)(~|$))/s.exec(rule)!
    if (letters !== undefined && !/^(r|w|rw|wr)$/i.test(letters)) return problems.syntax
    const pattern = rule.slice(letters === undefined ? 1 : 1 + letters.length + end!.length)
    if (/[\s\0]/.test(pattern)) return problems.syntax
    const read = letters === undefined || /r/i.test(letters)
    const write = letters === undefined || /w/i.test(letters)
    const known = this.patterns.find((other) => other.pattern === pattern)
    if (known === undefined) this.patterns.push({ pattern, read, write })
    else Object.assign(known, { read: known.read || read, write: known.write || write })
    return undefined
  }

  private addChannel(pattern: string): Problem | undefined {
    if (this.allChannels) return problems.allChannels
    if (/[\s\0]/.test(pattern)) return problems.syntax
    if (!this.channels.includes(pattern)) this.channels.push(pattern)
    return undefined
  }

  private setCategory(category: string, allow: boolean): Problem | undefined {
    const name = category.toLowerCase()
    if (!categories.includes(name)) return problems.unknown
    this.change(
      withSubcommands(this.table).filter((command) => isIn(command, name)),
      allow,
    )
    return undefined
  }

  /** Parses `container|subcommand` or `command|first argument`. */
  private allowPart(text: string): Problem | undefined {
    const bar = text.lastIndexOf('|')
    const command = this.find(text.slice(0, bar))
    if (command === undefined) return problems.unknown
    if (command.fullName.includes('|')) return problems.firstArgument
    const part = text.slice(bar + 1)
    if (part === '') return problems.syntax
    if (command.subcommands !== undefined) {
      const subcommand = this.find(text)
      if (subcommand === undefined) return problems.unknown
      this.change([subcommand], true)
      return undefined
    }
    const words = this.firstArguments.get(command) ?? []
    if (!words.some((word) => word.toLowerCase() === part.toLowerCase())) words.push(part)
    this.firstArguments.set(command, words)
    return undefined
  }

  private find(name: string): Command | undefined {
    const [first, second, ...more] = name.toLowerCase().split('|') as [string, string?, ...string[]]
    const command = this.table.get(first)
    return second === undefined || more.length > 0 ? command : command?.subcommands?.get(second)
  }

  /** Allows or forbids the commands; a container also changes its subcommands. */
  private change(changed: readonly Command[], allow: boolean): void {
    const commands = new Set(this.commands)
    for (const command of changed) {
      for (const one of [command, ...(command.subcommands?.values() ?? [])]) {
        if (allow) commands.add(one)
        else commands.delete(one)
      }
      this.firstArguments.delete(command)
    }
    this.commands = commands
    if (!allow && changed.length > 0) this.allCommands = false
  }
}
