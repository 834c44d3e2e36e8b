/** Renders docs/findings/reported-bugs.md. The same cases and results give the same page. */
import { isToldAs, type Left, placeOf, type ReportedCase, sidesOf } from './cases.ts'
import type { Played } from './play-reported.ts'

export type PlayedCase = ReportedCase & { readonly bugPlayed: Played; readonly fixPlayed?: Played }

/** `others`: cases that were not played. */
export function reportedPage(cases: readonly PlayedCase[], seed: number, others: readonly ReportedCase[]): string {
  const fixes = cases.flatMap(({ fixPlayed }) => fixPlayed ?? [])
  const passed = fixes.filter(({ exitCode }) => exitCode === 0)
  return `${[
    '# Reported bugs, found again',
    '<!-- Written by `pnpm reported --write`. Edit tools/reported/cases.ts and test/reported/layers instead. -->',
    `This page plays ${cases.length} public bug reports about idempotency, locks, job queues and HTTP middleware. For each report, a small layer of ours has the mistake, and another one has the repair that the report asks for, if any. The layers are in \`test/reported/layers\`. Each is judged with defaults and seed ${seed}, in every scenario that fits it.`,
    [
      '- Exit code 1 means that an invariant is violated.',
      '- A layer with the mistake should be explained by one of its first three root causes. Those that its repair has too are not counted. The table has the position among all of them, with the gravest cause first.',
      `- ${passed.length} of ${fixes.length} repairs pass. The others are violated for another reason, which is true of them too.`,
      '- Seconds are of one machine with two cores. Other jobs that run at the same time make them longer.',
      ...(others.length === 0 ? [] : [`- Not played: ${others.map(({ bug }) => `\`${bug.id}\``).join(', ')}.`]),
    ].join('\n'),
    ['| report | layer | exit | seconds | result |', '|---|---|---|---|---|', ...cases.flatMap(rowsOf)].join('\n'),
    '## Reasons',
    cases.flatMap(reasonsOf).join('\n'),
  ].join('\n\n')}\n`
}

function rowsOf(one: PlayedCase): string[] {
  const rows = [row(links(one.reports), one.bug.id, one.bugPlayed, placeText(one))]
  if (one.fix !== undefined && one.fixPlayed !== undefined)
    rows.push(row('', one.fix.id, one.fixPlayed, one.fixPlayed.exitCode === 0 ? 'passes' : 'another reason'))
  return rows
}

const row = (report: string, layer: string, { exitCode, seconds }: Played, result: string): string =>
  `| ${report} | \`${layer}\` | ${exitCode} | ${seconds} | ${result} |`

function placeText(one: PlayedCase): string {
  const place = placeOfBug(one)
  if (place === null) return '**not found**'
  const { at, notCounted } = place
  return `root cause ${at + 1}${at < 3 ? '' : ` (${notCounted} before it are not counted)`}`
}

const placeOfBug = ({ bug, bugPlayed, fix }: PlayedCase) => placeOf(bug, bugPlayed.findings, fix?.left)

/** The sentences of the findings, which are too long for the cells of the table. */
function reasonsOf(one: PlayedCase): string[] {
  const { bug, fix, fixPlayed } = one
  const place = placeOfBug(one)
  const lines: string[] = []
  if (place !== null) {
    const { cause, why } = place.found
    lines.push(`- \`${bug.id}\`: \`${cause.invariant}\` (${cause.kind}): ${why}`)
  }
  if (fix !== undefined && fixPlayed !== undefined && fixPlayed.exitCode !== 0)
    lines.push(`- \`${fix.id}\`: ${repairText(fix.left ?? [], fixPlayed)}`)
  return lines
}

function repairText(left: readonly Left[], { findings }: Played): string {
  const risks = [...new Set(findings.flatMap(({ acceptable = [] }) => acceptable))]
  const unexplained = findings.filter((finding) => !isExplained(left, finding))
  const reasons = left.filter((reason) => findings.some((finding) => isToldAs(reason, finding)))
  const said = reasons.map(
    ({ admitted, because }) => `${admitted ? 'admitted' : 'for another true reason'}: ${because}`,
  )
  const accepted =
    risks.length === 0 ? [] : [`for a risk that it may accept: ${risks.map((name) => `\`${name}\``).join(', ')}`]
  const others = unexplained.map(
    ({ cause, why }) => `**not explained**: \`${cause.invariant}\` (${cause.kind}): ${why}`,
  )
  return [...said, ...accepted, ...others].join('; ')
}

/**
 * True if a reason of the case explains the finding, or if the run holds without an accepted risk.
 */
const isExplained = (left: readonly Left[], finding: Played['findings'][number]): boolean =>
  finding.acceptable !== undefined || left.some((reason) => isToldAs(reason, finding))

function links(reports: readonly string[]): string {
  return reports
    .map((report) => {
      const [, repository, issue] = /^(\S+\/\S+)#(\d+)$/.exec(report) ?? []
      return repository === undefined ? report : `[${report}](https://github.com/${repository}/issues/${issue})`
    })
    .join(', ')
}

/**
 * Problems in the results: a bug that was not named, or a repair that breaks for an unknown reason.
 */
export function faultsOf(one: PlayedCase): string[] {
  return sidesOf(one).flatMap((side) => {
    const played = side === 'bug' ? one.bugPlayed : one.fixPlayed
    if (played === undefined) return []
    const { id } = one[side]!
    if (side === 'bug') return placeOfBug(one) === null ? [`${id}: no root cause among the first three names it`] : []
    const left = one.fix!.left ?? []
    return played.findings.some((finding) => !isExplained(left, finding))
      ? [`${id}: a root cause is not explained`]
      : []
  })
}
