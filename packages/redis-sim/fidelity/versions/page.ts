/**
 * Writes the page about the differences between other servers and the simulated version, with a
 * section for each server.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { quote } from '../../src/compare/quote.ts'
import { describeStep } from '../step.ts'
import type { VersionComparison, VersionDifference } from './compare-version.ts'

const head = `# Other versions

This page lists, by command, the replies of other servers that differ from those of the simulated Redis 7.0.15. It is
written by:

    pnpm --filter redis-sim fidelity --redis <binary> --differences docs/reference/redis-versions.md

The command plays stories, the command sequences of the reference and of the articles' layers, scripts and random
commands on both servers, and continues after every difference. Each section belongs to one server. A scenario may
declare which version it stands for (\`redisVersion\`). A version that the simulation does not stand for is refused
when the scenario is loaded.
`

const longest = 160

/** Writes the section of the compared server, replacing its older section. */
export function writePage(path: string, comparison: VersionComparison): void {
  const page = existsSync(path) ? readFileSync(path, 'utf8') : head
  const title = `## ${comparison.server}`
  const sections = page.split(/\n(?=## )/)
  const others = sections.slice(1).filter((text) => text.split('\n', 1)[0] !== title)
  const all = [...others.map((text) => text.trim()), section(title, comparison)].sort()
  writeFileSync(path, `${[head.trim(), ...all].join('\n\n')}\n`)
}

function section(title: string, { replies, differences, layers }: VersionComparison): string {
  const byCommand = group(differences)
  const names = [...byCommand.keys()].sort()
  const table = (wanted: readonly string[]) =>
    wanted.length === 0
      ? 'None.'
      : ['| command | times | for example | 7.0.15 answers | this server answers |', '|---|---:|---|---|---|']
          .concat(wanted.map((name) => row(name, byCommand.get(name)!)))
          .join('\n')
  return [
    title,
    `${replies.toLocaleString('en-US')} replies compared, ${differences.length.toLocaleString('en-US')} different.`,
    '### Commands that layers and their clients send',
    table(names.filter((name) => layers.has(name))),
    '### Other commands',
    table(names.filter((name) => !layers.has(name))),
  ].join('\n\n')
}

function group(differences: readonly VersionDifference[]): Map<string, VersionDifference[]> {
  const groups = new Map<string, VersionDifference[]>()
  for (const difference of differences) {
    const known = groups.get(difference.command)
    if (known === undefined) groups.set(difference.command, [difference])
    else known.push(difference)
  }
  return groups
}

/** The row of one command, with the shortest example. */
function row(command: string, differences: readonly VersionDifference[]): string {
  const length = ({ step, real, simulated }: VersionDifference) =>
    describeStep(step).length + real.length + simulated.length
  const [first] = [...differences].sort((a, b) => length(a) - length(b))
  const { step, real, simulated } = first!
  const [ours, theirs] = whereTheyPart(simulated, real)
  return `| \`${command}\` | ${differences.length} | ${code(describeStep(step).replace(/^\[\d+\] /, ''))} | ${code(ours)} | ${code(theirs)} |`
}

/** Shortens two long replies to the part around their first difference. */
function whereTheyPart(a: string, b: string): [string, string] {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const from = Math.max(0, at - longest / 4)
  const part = (text: string) => `${from > 0 ? '…' : ''}${text.slice(from, from + longest / 2)}`
  return [part(a), part(b)]
}

function code(text: string): string {
  const shown = quote(text)
  const cut = shown.length > longest ? `${shown.slice(0, longest)}…` : shown
  return `\`${cut.replace(/`/g, "'").replace(/\|/g, '\\|')}\``
}
