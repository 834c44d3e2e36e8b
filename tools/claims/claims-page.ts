/** docs/findings/claims.md as Markdown: the same claims, items and evidence give the same page. */
import type { Claim, Evidence, Played } from './claims.ts'
import type { Item } from './items.ts'

/** The result of playing an evidence. */
export type Reported =
  | { readonly runs: number }
  | { readonly way: string; readonly why: string; readonly replay: string }

/** The evidence in the words of the page. */
export function nameOf({ layer, scenario, sink = 'plain' }: Played): string {
  return `\`${layer}\` under \`${scenario}\`, ${sink} sink`
}

const verdicts = ['true', 'true, assuming', 'refuted', 'definition', 'not judged'] as const
const words = {
  true: 'True',
  'true, assuming': 'True under an assumption',
  refuted: 'Refuted',
  definition: 'A definition, not judged',
  'not judged': 'Not judged yet',
} as const

export function claimsPage(
  claims: readonly Claim[],
  items: readonly Item[],
  report: (evidence: Played) => Reported,
): string {
  const counts = verdicts.map(
    (verdict) =>
      `${claims.filter((one) => one.verdict === verdict).length} ${verdict === 'true, assuming' ? 'true under an assumption' : verdict === 'definition' ? 'definitions' : verdict}`,
  )
  const whole = items.filter(({ missing }) => missing === null).length
  const sections = [
    '# What the articles claim, and what is so',
    '<!-- Written by `pnpm claims --write`. Edit tools/claims instead. -->',
    `Five articles make these claims, in our words. ${claims.length} of them: ${counts.join(', ')}. A claim is refuted only if a run or a test contradicts what the article says. Each claim that is judged has runs in which it holds, a run that breaks, or a test. A claim that names a flaw is true if the flaw shows. The consumers of articles 000, 002 and 003 block, so theirs take one message at a time in every run, except those of 003's outbox. A run that broke was reduced, and may be shown in a scenario that is cheaper to play than the one in which it was found.`,
    '## Claims',
    ...claims.map((claim) => claimText(claim, report)),
    '## Items',
    `What they propose, item by item: ${whole} of ${items.length} are here. For each other one the page names the missing premise.`,
    ['| article | item | here | missing |', '|---|---|---|---|', ...items.map(itemRow)].join('\n'),
  ]
  return `${sections.join('\n\n')}\n`
}

function claimText(
  { article, says, verdict, because, evidence }: Claim,
  report: (evidence: Played) => Reported,
): string {
  const head = `**${article}: ${says}** ${words[verdict]}: ${because}.`
  return [head, ...evidence.map((one) => evidenceText(one, report))].join('\n\n')
}

function evidenceText(evidence: Evidence, report: (evidence: Played) => Reported): string {
  if ('test' in evidence) return `- ${evidence.shows} (${evidence.test}).`
  const reported = report(evidence)
  if ('runs' in reported) return `- ${nameOf(evidence)}: holds in ${reported.runs} runs.`
  return `- ${nameOf(evidence)}: ${reported.way}: ${reported.why}.\n\n  \`\`\`\n  ${reported.replay}\n  \`\`\``
}

function itemRow({ article, item, where, missing }: Item): string {
  return `| ${article} | ${item} | ${missing === null ? 'yes: ' : ''}${where} | ${missing ?? ''} |`
}
