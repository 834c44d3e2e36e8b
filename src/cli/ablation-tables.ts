/**
 * The layers of each ablation table. One table goes from a first attempt to the reference; each
 * article has a further table.
 */
import type { PairResult, Results } from '../contract/results/results.ts'
import { type AblationPlan, ablationTablesOf } from '../report/ablation-tables.ts'
import { readPatterns } from './patterns.ts'

/** The columns of the tables, in the order in which articles usually treat these problems. */
const columns = [
  'only-redeliveries',
  'only-crashes',
  'only-lost-replies',
  'only-pauses',
  'only-consumer-clocks',
  'only-redis-clock',
  'only-failovers',
  'only-expiry',
]

/**
 * Each step adds one mechanism to a consumer. The adapters are the articles' patterns for these
 * steps.
 */
const steps: AblationPlan = {
  name: 'steps',
  steps: [
    { step: 'naive', implementation: '001-get-set' },
    { step: 'marker', implementation: '000-set-nx-marker' },
    { step: 'lock', implementation: '002-check-and-set-nack-on-skip' },
    { step: 'owner token', implementation: '002-owner-token-nack-on-skip' },
    { step: 'server time', implementation: '001-lua-server-time' },
    { step: 'stored result', implementation: '004-lock-and-record' },
    { step: 'two phases', implementation: '004-two-phase-lock' },
    { step: 'reference', implementation: 'reference' },
  ],
}

/**
 * Adds the ablation tables to the results, with an extra table for all other layers.
 * @throws UsageError like `readPatterns`
 */
export function withAblationTables(results: Results): Results {
  const plans = ablationPlans()
  const known = new Set(plans.flatMap(layersOf))
  const others = [...new Set(results.pairs.map(nameOf))].filter((id) => !known.has(id))
  const rest = { name: 'others', steps: others.map((implementation) => ({ step: implementation, implementation })) }
  const tables = ablationTablesOf([...plans, rest], results, columns)
  return tables.length === 0 ? results : { ...results, ladders: tables }
}

/**
 * Every layer of an ablation table, each once.
 * @throws UsageError like `readPatterns`
 */
export function ablationLayers(): string[] {
  return [...new Set(ablationPlans().flatMap(layersOf))]
}

function ablationPlans(): AblationPlan[] {
  const byArticle = new Map<string, AblationPlan['steps'][number][]>()
  for (const { article, name, adapters } of readPatterns())
    byArticle.set(article, [
      ...(byArticle.get(article) ?? []),
      ...adapters.map((implementation) => ({ step: name, implementation })),
    ])
  return [steps, ...[...byArticle].map(([name, patterns]) => ({ name, steps: patterns }))]
}

const nameOf = ({ implementation }: Pick<PairResult, 'implementation'>): string => implementation
const layersOf = ({ steps }: AblationPlan): string[] => steps.map(nameOf)
