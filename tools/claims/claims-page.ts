/** docs/claims.md as Markdown: the same claims, items and evidence give the same page. */
import type { Claim, Evidence } from './claims.ts'
import type { Item } from './items.ts'

/** What became of an evidence when it was played. */
export type Reported =
  | { readonly runs: number }
  | { readonly way: string; readonly why: string; readonly replay: string }

/** Of an evidence, as the page says it. */
export function nameOf({ layer, scenario, sink = 'plain' }: Evidence): string {
  return `\`${layer}\` under \`${scenario}\`, ${sink} sink`
}

const verdicts = ['true', 'true, assuming', 'refuted', 'not judged'] as const
const words = {
  true: 'True',
  'true, assuming': 'True under an assumption',
  refuted: 'Refuted',
  'not judged': 'Not judged yet',
} as const

export function claimsPage(
  claims: readonly Claim[],
  items: readonly Item[],
  report: (evidence: Evidence) => Reported,
): string {
  const counts = verdicts.map(
    (verdict) =>
      `${claims.filter((one) => one.verdict === verdict).length} ${verdict === 'true, assuming' ? 'true under an assumption' : verdict}`,
  )
  const whole = items.filter(({ missing }) => missing === null).length
  const sections = [
    '# What the articles claim, and what is so',
    '<!-- Written by `pnpm claims --write`. Edit bench/claims instead. -->',
    `Five articles make these claims, in our words. ${claims.length} of them: ${counts.join(', ')}. Each that is judged has runs in which it holds, or a run that breaks, or both. A claim that names a flaw is true where the flaw shows. A run that broke is made small, and may be told in a scenario that is cheaper to play than the one in which it was seen.`,
    '## Claims',
    ...claims.map((claim) => claimText(claim, report)),
    '## Items',
    `What they propose, item by item: ${whole} of ${items.length} are here; of the others the missing premise is named.`,
    ['| article | item | here | missing |', '|---|---|---|---|', ...items.map(itemRow)].join('\n'),
  ]
  return `${sections.join('\n\n')}\n`
}

function claimText(
  { article, says, verdict, because, evidence }: Claim,
  report: (evidence: Evidence) => Reported,
): string {
  const head = `**${article}: ${says}** ${words[verdict]}: ${because}.`
  return [head, ...evidence.map((one) => evidenceText(one, report(one)))].join('\n\n')
}

function evidenceText(evidence: Evidence, reported: Reported): string {
  if ('runs' in reported) return `- ${nameOf(evidence)}: holds in ${reported.runs} runs.`
  return `- ${nameOf(evidence)}: ${reported.way}: ${reported.why}.\n\n  \`\`\`\n  ${reported.replay}\n  \`\`\``
}

function itemRow({ article, item, where, missing }: Item): string {
  return `| ${article} | ${item} | ${missing === null ? 'yes: ' : ''}${where} | ${missing ?? ''} |`
}
