/**
 * Prints a selector as the rules that would recreate it, as ACL LIST and GETUSER do. Source: acl.c
 * of Redis 7.0.
 */
import type { Command } from '../command.ts'
import { type CommandTable, categories, isIn, withSubcommands } from './categories.ts'
import type { KeyPattern, Selector } from './selector.ts'

export function describeSelector(selector: Selector, table: CommandTable): string {
  const keys = selector.allKeys ? ['~*'] : selector.patterns.map(printKeys)
  const channels = selector.allChannels ? ['&*'] : ['resetchannels', ...selector.channels.map((name) => `&${name}`)]
  return [...keys, ...channels, describeCommands(selector, table)].join(' ')
}

export function printKeys({ pattern, read, write }: KeyPattern): string {
  if (read && write) return `~${pattern}`
  return `%${read ? 'R' : write ? 'W' : ''}~${pattern}`
}

/**
 * Starts from all or no commands, then repeatedly adds the category that fits best, then single
 * commands.
 */
export function describeCommands(selector: Selector, table: CommandTable): string {
  const all = withSubcommands(table)
  const adds = !selector.futureCommands
  const rules = [adds ? '-@all' : '+@all']
  const reached = new Set<Command>(adds ? [] : all)
  const left = new Set(selector.commands)
  const applied = new Set<string>()
  for (;;) {
    const category = bestCategory(all, left, adds, applied)
    if (category === undefined) break
    applied.add(category)
    rules.push(`${adds ? '+' : '-'}@${category}`)
    for (const command of all) {
      if (!isIn(command, category)) continue
      change(reached, command, adds)
      change(left, command, !adds)
    }
  }
  for (const command of all) {
    const allowed = selector.commands.has(command)
    if (allowed !== reached.has(command)) {
      rules.push(`${allowed ? '+' : '-'}${command.fullName}`)
      change(reached, command, allowed)
    }
    const words = allowed ? [] : (selector.firstArguments.get(command) ?? [])
    rules.push(...words.map((word) => `+${command.fullName}|${word}`))
  }
  return rules.join(' ')
}

function change(set: Set<Command>, command: Command, add: boolean): void {
  for (const one of [command, ...(command.subcommands?.values() ?? [])]) {
    if (add) set.add(one)
    else set.delete(one)
  }
}

/**
 * Prefers a category with the fewest wrong commands, then with the most right commands. A category
 * must have more right than wrong commands.
 */
function bestCategory(
  all: readonly Command[],
  left: ReadonlySet<Command>,
  adds: boolean,
  applied: ReadonlySet<string>,
): string | undefined {
  let best: { readonly category: string; readonly wrong: number; readonly right: number } | undefined
  for (const category of categories) {
    if (applied.has(category)) continue
    const members = all.filter((command) => isIn(command, category))
    const on = members.filter((command) => left.has(command)).length
    const [right, wrong] = adds ? [on, members.length - on] : [members.length - on, on]
    if (right <= wrong) continue
    if (best === undefined || wrong < best.wrong || (wrong === best.wrong && right > best.right)) {
      best = { category, wrong, right }
    }
  }
  return best?.category
}
