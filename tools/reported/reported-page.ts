/** docs/findings/reported-bugs.md as Markdown: the same cases and results give the same page. */
import { isToldAs, type Left, placeOf, type ReportedCase, sidesOf } from './cases.ts'
import type { Played } from './play-reported.ts'

export type PlayedCase = ReportedCase & { readonly bugPlayed: Played; readonly fixPlayed?: Played }

export function reportedPage(cases: readonly PlayedCase[], seed: number): string {
  const fixes = cases.flatMap(({ fixPlayed }) => fixPlayed ?? [])
  const passed = fixes.filter(({ exitCode }) => exitCode === 0)
  return `${[
    '# Bugs that others reported',
    '<!-- Written by `pnpm reported --write`. Edit tools/reported/cases.ts and test/reported/layers instead. -->',
    `${cases.length} public reports of idempotency, locks, job queues and HTTP middleware, each written as a small layer in our words: one with the mistake, and one with the repair that the report asks for, if it asks for one. The layers are in \`test/reported/layers\`. Each is judged by defaults, with seed ${seed}: every scenario that fits it.`,
    `**The mistake.** The sentence is the root cause that names it, and the place of that among the root causes of the layer, the gravest first. Exit code 1 says that an invariant is violated. **The repair.** ${passed.length} of ${fixes.length} pass with exit code 0. The others are violated for another reason, which is true of them too; that reason is given. Seconds are those of one machine with two cores.`,
    [
      '| report | layer | exit | seconds | result |',
      '|---|---|---|---|---|',
      ...cases.flatMap((one) => rowsOf(one)),
    ].join('\n'),
  ].join('\n\n')}\n`
}

function rowsOf(one: PlayedCase): string[] {
  const rows = [row(links(one.reports), `\`${one.bug.id}\``, one.bugPlayed, sentenceOf(one))]
  if (one.fix !== undefined && one.fixPlayed !== undefined)
    rows.push(row('', `\`${one.fix.id}\``, one.fixPlayed, repairText(one.fix.left ?? [], one.fixPlayed)))
  return rows
}

const row = (report: string, layer: string, { exitCode, seconds }: Played, text: string): string =>
  `| ${report} | ${layer} | ${exitCode} | ${seconds} | ${text.replaceAll('|', '\\|')} |`

function sentenceOf({ bug, bugPlayed: { findings } }: PlayedCase): string {
  const place = placeOf(bug, findings)
  if (place === null) return '**not named**'
  const { cause, why } = place.found
  return `${place.at + 1}. \`${cause.invariant}\` (${cause.kind}): ${why}`
}

function repairText(left: readonly Left[], { exitCode, findings }: Played): string {
  if (exitCode === 0) return 'passes'
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

/** Explained by a reason of the case, or by a risk without which the run holds. */
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
    if (side === 'bug')
      return placeOf(one.bug, played.findings) === null ? [`${id}: no root cause among the first three names it`] : []
    const left = one.fix!.left ?? []
    return played.findings.some((finding) => !isExplained(left, finding))
      ? [`${id}: a root cause is not explained`]
      : []
  })
}
