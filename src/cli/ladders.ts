/** Which layers are the steps of a ladder: one from a first try to the reference, and one for each article. */
import type { PairResult, Results } from '../contract/results/results.ts'
import { type LadderPlan, laddersOf } from '../report/ladders.ts'
import { readPatterns } from './patterns.ts'

/** What a reader meets first, first. */
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

/** Each step adds one thing to what a consumer does; the adapters are the articles' patterns that are that step. */
const steps: LadderPlan = {
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

/** The results with what they say of each ladder, and of layers that are on none. @throws UsageError, as `readPatterns` */
export function withLadders(results: Results): Results {
  const plans = ladderPlans()
  const known = new Set(plans.flatMap(layersOf))
  const others = [...new Set(results.pairs.map(nameOf))].filter((id) => !known.has(id))
  const rest = { name: 'others', steps: others.map((implementation) => ({ step: implementation, implementation })) }
  const ladders = laddersOf([...plans, rest], results, columns)
  return ladders.length === 0 ? results : { ...results, ladders }
}

/** Every layer of a ladder, each once. @throws UsageError, as `readPatterns` */
export function ladderLayers(): string[] {
  return [...new Set(ladderPlans().flatMap(layersOf))]
}

function ladderPlans(): LadderPlan[] {
  const byArticle = new Map<string, LadderPlan['steps'][number][]>()
  for (const { article, name, adapters } of readPatterns())
    byArticle.set(article, [
      ...(byArticle.get(article) ?? []),
      ...adapters.map((implementation) => ({ step: name, implementation })),
    ])
  return [steps, ...[...byArticle].map(([name, patterns]) => ({ name, steps: patterns }))]
}

const nameOf = ({ implementation }: Pick<PairResult, 'implementation'>): string => implementation
const layersOf = ({ steps }: LadderPlan): string[] => steps.map(nameOf)
