/** Renders docs/findings/claims.md. The same claims, items and evidence give the same page. */
import type { Claim, Evidence, Played } from './claims.ts'
import type { Item } from './items.ts'

/** The result of playing an evidence. */
export type Reported =
  | { readonly runs: number }
  | { readonly way: string; readonly why: string; readonly replay: string }

/** The name of an evidence on the page. */
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
  const refuted = claims.filter(({ verdict }) => verdict === 'refuted')
  const sections = [
    "# The articles' claims, checked",
    '<!-- Written by `pnpm claims --write`. Edit tools/claims instead. -->',
    `The five articles make ${claims.length} [claims](#claims), listed here in our words: ${counts.join(', ')}. They also make ${items.length} [proposals](#items), and ${whole} of these are played or measured here. The refuted claims:`,
    refuted.map(({ article, says }) => `- ${article}: ${says}`).join('\n'),
    'How to read a claim:',
    [
      '- A claim is refuted only if a run or a test contradicts the article.',
      '- Each judged claim has runs in which it holds, a run that breaks, or a test.',
      '- A claim that names a flaw is true if the flaw appears.',
      "- The consumers of articles 000, 002 and 003 block. So they take one message at a time in every run, except those of 003's outbox.",
      '- A run that breaks was reduced. Its scenario may be cheaper to play than the one in which it was found.',
    ].join('\n'),
    '## Claims',
    ...byArticle(claims).flatMap(([article, ofIt]) => [
      `### Article ${article}`,
      ...ofIt.map((claim) => claimText(claim, report)),
    ]),
    '## Items',
    `The proposals of the articles: ${whole} of ${items.length} are played or measured here. The last column names the missing premise of the others.`,
    ['| article | item | here | missing |', '|---|---|---|---|', ...items.map(itemRow)].join('\n'),
  ]
  return `${sections.join('\n\n')}\n`
}

/** A claim of several articles is listed with the last article. */
function byArticle(claims: readonly Claim[]): [article: string, claims: Claim[]][] {
  const groups = new Map<string, Claim[]>()
  for (const claim of claims) {
    const article = claim.article.slice(-3)
    groups.set(article, [...(groups.get(article) ?? []), claim])
  }
  return [...groups]
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
