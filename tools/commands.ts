/**
 * `pnpm commands` prints docs/reference/commands.md with the tables of commands and options that
 * `--help` uses. `pnpm commands --write` writes it. The rest of the page is written by hand.
 */
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command, Option } from 'commander'
import { commandLine } from '../src/cli/command-line.ts'
import { optionGroups } from '../src/cli/command-table.ts'
import type { Output } from '../src/cli/output.ts'

const page = fileURLToPath(new URL('../docs/reference/commands.md', import.meta.url))

/**
 * Returns the page `text` with new tables.
 * @throws Error if the page lacks the marks for them
 */
export function withTables(text: string): string {
  const commands = commandLine({} as Output, () => {}).commands.flatMap((command) =>
    command.commands.length > 0 ? command.commands : [command],
  )
  return between(between(text, 'commands', commandTable(commands)), 'options', optionTables(commands))
}

function between(text: string, name: string, tables: string): string {
  const [begin, end] = [`<!-- ${name}: \`pnpm commands --write\` -->\n`, `\n<!-- end of ${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to === -1) throw new Error(`the page has no ${begin.trim()} … ${end.trim()}`)
  return `${text.slice(0, from)}${begin}\n${tables}${text.slice(to)}`
}

function commandTable(commands: readonly Command[]): string {
  const rows = commands.map((command) => {
    const usage = `${nameOf(command)} ${command.usage().replace(/^\[options\] ?/, '')}`
    return [`\`${usage.trim()}\``, command.description().replace(/--[\w-]+/g, '`$&`')]
  })
  return tableOf(['command', 'does'], rows)
}

/** Both words of a command in a group. */
function nameOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${parent.name()} ${command.name()}` : command.name()
}

/** A table for each group, and one for the options without a group. */
function optionTables(commands: readonly Command[]): string {
  const rows = new Map<string, { readonly name: string; readonly cells: string[]; readonly users: string[] }>()
  for (const command of commands)
    for (const option of command.options) {
      const cells = [`\`${option.flags}\``, meaningOf(option)]
      const row = rows.get(cells.join()) ?? { name: option.attributeName(), cells, users: [] }
      row.users.push(`\`${nameOf(command)}\``)
      rows.set(cells.join(), row)
    }
  const all = [...rows.values()]
  const grouped = Object.entries(optionGroups).map(([title, options]) => {
    const its = Object.keys(options).flatMap((name) => all.filter((row) => row.name === name))
    return { title, its }
  })
  const single = all.filter((row) => grouped.every(({ its }) => !its.includes(row)))
  return [...grouped, { title: 'Options of single commands', its: single }]
    .map(({ title, its }) => {
      const cells = its.map((row) => [...row.cells, row.users.join(', ')])
      return `### ${title}\n\n${tableOf(['option', 'meaning', 'commands'], cells)}`
    })
    .join('\n')
}

function meaningOf({ description, defaultValue, defaultValueDescription, negate }: Option): string {
  const text = description.replace(/--[\w-]+/g, '`$&`')
  if (defaultValue === undefined || negate) return text
  return `${text} (default: \`${defaultValueDescription ?? defaultValue}\`)`
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return [line(head), `|${'---|'.repeat(head.length)}\n`, ...rows.map(line)].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = withTables(fs.readFileSync(page, 'utf8'))
  if (process.argv.includes('--write')) fs.writeFileSync(page, text)
  else process.stdout.write(text)
}
