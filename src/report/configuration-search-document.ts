/** Renders a configuration search as a Markdown page. Equal results give equal pages. */

import { invariantDoc } from '../check/docs.ts'
import { versionsOf } from '../contract/api/two-versions.ts'
import type {
  ConfigurationSearchCell,
  ConfigurationSearchLayer,
  ConfigurationSearchResults,
} from '../contract/results/configuration-search.ts'
import { cellAt, rowsOf, safetyOf, smallestByLoss } from './configuration-search-summary.ts'
import { counted, goalFigures, grouped } from './figures.ts'
import { shortKind } from './labels.ts'
import { shortStory } from './short-story.ts'

function cellText({ verdict, violation, pair }: ConfigurationSearchCell): string {
  if (verdict === 'n/a') return '–'
  if (pair === null || verdict === 'unknown' || verdict === 'error') return `? (${grouped(pair?.runs ?? 0)})`
  if (verdict === 'breaks') return `**✕ ${violation === null ? '' : shortKind(violation)}**`
  const { reached, of } = goalFigures(pair)
  return `✓ ${grouped(pair.runs)}, ${reached}/${of}`
}

const lineOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

function table(layer: ConfigurationSearchLayer, results: ConfigurationSearchResults): string {
  const { losses } = results
  const body = rowsOf(layer, results).map(({ id, title }) =>
    lineOf([title, ...losses.map((loss) => cellText(cellAt(layer, id, loss.id)))]),
  )
  const title = (id: string | null | undefined) => results.configurations.find((one) => one.id === id)?.title ?? 'none'
  return [
    lineOf(['Redis', ...losses.map((loss) => loss.title)]),
    `|---|${losses.map(() => '---|').join('')}`,
    ...body,
    lineOf(['*the weakest that it survives this on*', ...losses.map(({ id }) => `*${title(layer.weakestFor[id])}*`)]),
  ].join('\n')
}

function section(layer: ConfigurationSearchLayer, results: ConfigurationSearchResults): string {
  const titleOf = (heads: readonly { id: string; title: string }[], id: string) =>
    heads.find((one) => one.id === id)?.title
  const stories = smallestByLoss(layer, results).map(({ loss, configuration, violation }) =>
    [
      `**${titleOf(results.losses, loss)}**, on ${titleOf(results.configurations, configuration)}: ${invariantDoc(violation.invariant).broken} (${violation.kind}), with ${counted(violation.faultCount, 'fault')}:`,
      ['```', ...shortStory(violation), '```'].join('\n'),
      ['```', violation.replay, '```'].join('\n'),
    ].join('\n\n'),
  )
  const open = layer.cells.flatMap(({ verdict, configuration, loss, reason }) =>
    verdict === 'unknown' || verdict === 'error' ? [`- \`${configuration}\`, ${loss}: ${reason}`] : [],
  )
  return [
    `## ${layer.implementation}`,
    `In short: ${safetyOf(layer, results)}.`,
    table(layer, results),
    ...stories,
    ...(open.length === 0 ? [] : [['No verdict:', ...open].join('\n')]),
  ].join('\n\n')
}

const howTo = `## Your layer, and the data

\`pnpm sim configurations --impl ./my-layer.ts\`, with \`--with-next <id or path>\` for a rolling upgrade, and \`--on <deployment>\` and \`--loss <kind>\` for some rows and columns only, by the ids in the data. A layer that says \`waitsForReplicas: true\`, and waits for \`redis.waitFor\` of them where that is given, gets the rows about waiting for fewer than all. A cell is a scenario too: \`pnpm sim --impl ./my-layer.ts --scenario frontier/sentinel/cut-off\`.

Exit codes: 0 when every cell has its verdict, whether it holds or breaks; 4 when some cell has none (a goal was not reached in so few runs, something is not simulated); 3 when the harness failed; 2 for bad input; 130 when interrupted.

\`configurations.json\` beside the page, and \`--json\` on standard output (src/contract/results/configuration-search.ts):

\`\`\`
{ schemaVersion: 1, tool, node, seed, sink, interrupted, exitCode,
  configurations: [ { id, title, about } ],   the rows, from the weakest
  losses: [ { id, title, about } ],           the columns
  layers: [ { implementation, expect,
              cells: [ { configuration, loss, verdict: "holds" | "breaks" | "unknown" | "error" | "n/a", reason,
                         violation: { invariant, kind, token, replay, … } | null,
                         pair: { runs, goals, faults, … } | null } ],
              safeOn: [ configuration ], weakest: configuration | null,
              weakestFor: { loss: configuration | null } } ],
  control, timings }
\`\`\`

\`violation\` and \`pair\` are as in \`results.json\`. Nothing outside \`timings\` depends on when or where it ran.`

/** All layers share one next version. */
function layerOptions(layers: readonly ConfigurationSearchLayer[]): string {
  const named = layers.map(({ implementation }) => versionsOf(implementation))
  const next = named[0]?.[1]
  return `${named.map(([from]) => ` --impl ${from}`).join('')}${next === undefined ? '' : ` --with-next ${next}`}`
}

export function configurationSearchDocument(results: ConfigurationSearchResults): string {
  const { layers, losses, seed, sink } = results
  const runs = layers.flatMap(({ cells }) => cells).reduce((sum, { pair }) => sum + (pair?.runs ?? 0), 0)
  return `${[
    '# The weakest Redis on which a layer is safe',
    `<!-- Written by \`pnpm sim configurations${layerOptions(layers)} --write-docs docs/findings/configurations.md\`. -->`,
    `Redis deployments downwards, from the one that loses most to the one that loses least; what they suffer across. Each cell is a campaign of its own, ${grouped(runs)} runs in all, with seed ${seed} and a ${sink} sink. \`✓ 300, 2/2\`: it held in 300 runs, which reached both states without which they would show nothing. \`✕ failover\`: broken, and by what; every cell's token is in the report of the command, and the smallest of each column below. \`?\`: no verdict. \`–\`: that Redis cannot suffer it.`,
    'Judged is what hangs on Redis: that no effect happens twice, that no message is lost, dead-lettered without a cause, answered falsely, or put off for longer than the layer says. A layer that breaks without any fault of Redis breaks on all of them; where a column shows `restart`, `failover`, `split-brain` or `flush`, it is what Redis lost that broke it.',
    losses.map(({ title, about }) => `- **${title}**: ${about}`).join('\n'),
    ...layers.map((layer) => section(layer, results)),
    howTo,
  ].join('\n\n')}\n`
}
