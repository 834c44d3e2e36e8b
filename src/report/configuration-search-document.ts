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
    lineOf(['*weakest Redis that survives this*', ...losses.map(({ id }) => `*${title(layer.weakestFor[id])}*`)]),
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

\`\`\`
pnpm sim configurations --impl ./my-layer.ts
pnpm sim --impl ./my-layer.ts --scenario frontier/sentinel/cut-off     # a cell is a scenario too
\`\`\`

- \`--with-next <id or path>\` plays a rolling upgrade.
- \`--on <deployment>\` and \`--loss <kind>\` select rows and columns by their ids in the data.
- A layer that says \`waitsForReplicas: true\`, and waits for \`redis.waitFor\` of them if it is given, gets the rows about waiting for fewer replicas than all.

Exit codes:

- 0: every cell has a verdict, whether the layer holds or breaks.
- 2: bad input.
- 3: the harness failed.
- 4: a cell has no verdict, because the runs did not reach a goal or because something is not simulated.
- 130: interrupted.

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

\`violation\` and \`pair\` are as in \`results.json\`. Only \`timings\` depends on the time and the machine.`

/** The command's options for these layers. All layers share one next version. */
function layerOptions(layers: readonly ConfigurationSearchLayer[]): string {
  const named = layers.map(({ implementation }) => versionsOf(implementation))
  const next = named[0]?.[1]
  return `${named.map(([from]) => ` --impl ${from}`).join('')}${next === undefined ? '' : ` --with-next ${next}`}`
}

/**
 * A link to the layer's heading. A name of two versions has no link, because its heading has
 * another anchor.
 */
const linkTo = ({ implementation }: ConfigurationSearchLayer): string =>
  /^[\w-]+$/.test(implementation) ? `[\`${implementation}\`](#${implementation})` : `\`${implementation}\``

export function configurationSearchDocument(results: ConfigurationSearchResults): string {
  const { layers, losses, seed, sink } = results
  const runs = layers.flatMap(({ cells }) => cells).reduce((sum, { pair }) => sum + (pair?.runs ?? 0), 0)
  return `${[
    '# The weakest Redis on which a layer is safe',
    `<!-- Written by \`pnpm sim configurations${layerOptions(layers)} --write-docs docs/findings/configurations.md\`. -->`,
    'The deployments of Redis on which each layer is safe:',
    layers.map((layer) => `- ${linkTo(layer)}: ${safetyOf(layer, results)}`).join('\n'),
    `The rows of each table are deployments of Redis, from the one that loses most to the one that loses least. The columns are losses. Each cell is a separate campaign with seed ${seed} and a ${sink} sink, ${grouped(runs)} runs in all:`,
    [
      '- `✓ 300, 2/2`: the layer held in 300 runs. They reached both states without which they would prove nothing.',
      '- `✕ failover`: the layer broke, with the kind of the break.',
      '- `?`: no verdict.',
      '- `–`: this deployment cannot have this loss.',
    ].join('\n'),
    'Below each table is the smallest break of each column. The report of the command has a token for every cell.',
    'Only invariants that depend on Redis count: no effect happens twice, and no message is lost, dead-lettered without a cause, answered falsely, or put off for longer than the layer declares. A layer that breaks without any fault of Redis breaks on all deployments. If a cell shows `restart`, `failover`, `split-brain` or `flush`, a loss of Redis broke the layer.',
    'The losses:',
    losses.map(({ title, about }) => `- **${title}**: ${about}`).join('\n'),
    ...layers.map((layer) => section(layer, results)),
    howTo,
  ].join('\n\n')}\n`
}
