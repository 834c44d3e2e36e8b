/** Output for GitHub Actions: annotations on files, and a summary of the step. */
import type { Results } from '../../contract/results/results.ts'
import { visible } from '../../contract/results/visible.ts'
import { acceptedTexts } from '../accepted-lines.ts'
import type { Break } from '../break.ts'
import { counted, grouped } from '../figures.ts'
import { verdictSigns } from '../labels.ts'
import { headlineOf } from '../page/headline.ts'
import { type Asked, failedExamples, fixLines, nameOf, saidOf } from './failures.ts'

/** A place in the user's files. */
export interface SourcePlace {
  /**
   * The path relative to the root of the repository; if the root is unknown, relative to the
   * working directory.
   */
  readonly file: string
  readonly line: number
}

/** Returns the source line that caused a finding; null if unknown. */
export type PlaceOf = (finding: Pick<Break, 'implementation' | 'sourceLine'>) => SourcePlace | null

/** GitHub's limit of annotations of one type for a step. */
const mostAnnotations = 10

/** Workflow commands, one for each root cause, the likeliest first. */
export function annotations(results: Results, asked: Asked, placeOf: PlaceOf): string[] {
  return failedExamples(results, asked)
    .slice(0, mostAnnotations)
    .map((one) => {
      const place = placeOf(one)
      const where = place === null ? '' : `file=${property(place.file)},line=${place.line},`
      const title = `${nameOf(one)} (${one.implementation})`
      return `::${one.known === true ? 'notice' : 'error'} ${where}title=${property(title)}::${data([saidOf(one), ...fixLines(one), one.sentence, `replay: ${one.replay}`].join('\n'))}`
    })
}

/**
 * Escapes data and properties of a workflow command. Source:
 * https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts (escapeData,
 * escapeProperty)
 */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/**
 * The maximum number of root causes: GitHub truncates a summary at 1 MiB, and the report contains
 * all of them.
 */
const mostReported = 20

/** Markdown for GITHUB_STEP_SUMMARY. */
export function stepSummary(results: Results, asked: Asked): string {
  const { title, more } = headlineOf(results)
  const failed = failedExamples(results, asked)
  const left = failed.length - mostReported
  const accepted = acceptedTexts(results.pairs)
  return `${[
    `## Onceproof: ${cell(title)}`,
    cell(more),
    ...failed.slice(0, mostReported).map(reported),
    ...(left > 0 ? [`${counted(left, 'more root cause')} in the report.`] : []),
    ...(accepted.length === 0 ? [] : [['### Accepted', ...accepted.map((text) => `- ${cell(text)}`)].join('\n')]),
    pairTable(results),
  ].join('\n\n')}\n`
}

function reported(one: Break): string {
  const { implementation, sink, root, seenIn, story, replay, cause } = one
  const where = `${counted(root?.runs ?? one.runs, 'run')} of ${cell(seenIn.map(({ scenario }) => scenario).join(', '))}`
  const needs = cause.needs.length === 0 ? 'no fault' : cell(cause.needs.join(', '))
  return [
    `### ${cell(nameOf(one))}`,
    `**${cell(saidOf(one))}** (${cell(implementation)}, ${sink} sink; ${where}; needs ${needs})`,
    fenced([...story, '', ...fixLines(one), `replay: ${replay}`]),
  ].join('\n\n')
}

/**
 * Encloses the lines in a code fence with one backtick more than the longest sequence of backticks
 * in them.
 */
function fenced(lines: readonly string[]): string {
  const longest = Math.max(2, ...(lines.join('\n').match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return [fence, ...lines, fence].join('\n')
}

function pairTable({ pairs }: Results): string {
  const rows = pairs.map(({ implementation, scenario, sink, verdict, runs }) => {
    return `| ${[implementation, scenario, sink, `${verdictSigns[verdict]} ${verdict}`, grouped(runs)].map(cell).join(' | ')} |`
  })
  const head = '| layer | scenario | sink | verdict | runs |\n|---|---|---|---|---|'
  return `<details><summary>${counted(pairs.length, 'pair')}</summary>\n\n${head}\n${rows.join('\n')}\n\n</details>`
}

/** Escapes text of a layer for a line of Markdown. */
const cell = (text: string): string => visible(text).replaceAll(/[\\`*_~&<>|[\]]/g, (sign) => `\\${sign}`)
