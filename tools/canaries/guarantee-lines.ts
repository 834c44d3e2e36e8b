/**
 * Compares the lines of `docs/reference/guarantees.md` with the canaries that each break only one
 * line.
 */
import type { Mutant } from '../../src/contract/api/canary.ts'

/**
 * The sections that contain guarantees or assumptions, with patterns for the beginnings of their
 * lines.
 */
const sections: readonly { readonly title: string; readonly lines: readonly RegExp[] }[] = [
  { title: '### At most one effect per key', lines: [/^\*\*(.+?)\*\*/] },
  { title: '### Everything else', lines: [/^\| (?!guarantee |---)(.+?) \|/] },
  { title: '## What "in doubt" costs, and when', lines: [/^\*\*(.+?)\*\*/, /^\| (?!reason |---)(.+?) \|/] },
  { title: '## First deployment', lines: [/^\*\*(Buckets.+?)\*\*/] },
  { title: '## On PostgreSQL', lines: [/^\*\*(Effects.+?)\*\*/] },
  { title: '## Assumed today', lines: [/^- \*\*(.+?)\*\*/] },
]

/** The first words of each line, in the order of the page. */
export function guaranteeLines(page: string): string[] {
  return sections.flatMap(({ title, lines }) => {
    const start = page.indexOf(`\n${title}\n`)
    if (start === -1) throw new Error(`docs/reference/guarantees.md has no section "${title}" any more`)
    const rest = page.slice(start + 1 + title.length)
    const end = rest.search(/\n##+ /)
    return (end === -1 ? rest : rest.slice(0, end))
      .split('\n')
      .flatMap((line) => lines.flatMap((begins) => begins.exec(line)?.[1] ?? []))
      .map((line) => line.replace(/\.$/, ''))
  })
}

type Canary = Pick<Mutant, 'id' | 'breaks'>

export interface Mismatches {
  /** Canaries that name no line of the page. */
  readonly aimless: readonly string[]
  /** Lines without a canary and without a reason for lacking one. */
  readonly bare: readonly string[]
  /** Reasons for lines that do not exist, or that have a canary. */
  readonly idle: readonly string[]
}

export function mismatches(
  lines: readonly string[],
  canaries: readonly Canary[],
  reasons: Readonly<Record<string, string>>,
): Mismatches {
  const broken = new Set(canaries.map(({ breaks }) => breaks))
  return {
    aimless: canaries.filter(({ breaks }) => breaks === undefined || !lines.includes(breaks)).map(({ id }) => id),
    bare: lines.filter((line) => !broken.has(line) && reasons[line] === undefined),
    idle: Object.keys(reasons).filter((line) => broken.has(line) || !lines.includes(line)),
  }
}

/** The table in `docs/findings/canaries.md`. */
export function guaranteeTable(
  lines: readonly string[],
  canaries: readonly Canary[],
  reasons: Readonly<Record<string, string>>,
): string {
  const rows = lines.map((line) => {
    const ids = canaries.filter(({ breaks }) => breaks === line).map(({ id }) => `\`${id}\``)
    return `| ${line} | ${ids.length > 0 ? ids.join(', ') : `none: ${reasons[line] ?? ''}`} |`
  })
  return ['| line of guarantees.md | canaries that break it alone |', '|---|---|', ...rows].join('\n')
}
