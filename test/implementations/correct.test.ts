import fs from 'node:fs'
import { expect, it } from 'vitest'
import type { Results } from '../../src/contract/results.ts'
import { onceproof } from '../cli/run-cli.ts'

/** Of docs/correct-layers.md; no list: all scenarios that the layer can be run in. */
const withoutLoss = [
  'slow-lock-holder',
  'lost-reply',
  'redelivery-storm',
  'network-partition',
  'competing-consumers',
  'key-reuse',
  'crash-mid-logic',
  'poison-handler',
  'late-crash',
]
/** Where clocks step, or the sink forgets sooner than a message may come, or no answer is in time for the broker. */
const ofOtherStores = ['postgres-crash', 'postgres-lost-commits', 'postgres-failover', 'postgres-async-failover']
/** An answer that the database takes back later is beyond any layer. */
const keepingCommits = ofOtherStores.filter((id) => id !== 'postgres-async-failover')
const beyondTheSink = ['clock-skew', 'stale-message', 'slow-settlement', 'redelivery-storm', 'cluster-failover']
const ids = fs.readdirSync(new URL('../../scenarios/', import.meta.url)).map((file) => file.replace(/\.ts$/, ''))
const layers = [
  {
    id: 'lock-before-keyed-sink',
    sink: 'keyed',
    scenarios: ids.filter(
      (id) => ![...beyondTheSink, ...ofOtherStores, 'failed-compensation', 'dynamodb-errors'].includes(id),
    ),
  },
  { id: 'raise-before-fenced-sink', sink: 'fenced', scenarios: [] },
  { id: 'marker-before-plain-sink', sink: 'plain', scenarios: withoutLoss },
  {
    id: 'cancel-before-repeat',
    sink: 'cancellable',
    // Its lease ends by Redis's clock: where that steps, messages are put off for as long.
    scenarios: [...withoutLoss, 'failed-compensation', 'only-pauses', 'only-crashes', 'only-consumer-clocks'],
  },
  { id: 'outbox-before-keyed-sink', sink: 'keyed', scenarios: [...keepingCommits, 'only-crashes', 'only-pauses'] },
  { id: 'record-in-the-effects-transaction', sink: 'transactional', scenarios: keepingCommits },
]

async function violated(id: string, sink: string, scenarios: readonly string[], ...bound: string[]) {
  const where = scenarios.flatMap((scenario) => ['--scenario', scenario])
  const args = ['--impl', id, '--sink', sink, ...where, '--runs', ...bound, '--seed', '4', '--no-html', '--json']
  const { stdout } = await onceproof(['run', ...args])
  const { pairs } = JSON.parse(stdout) as Results
  expect(pairs.every(({ verdict }) => verdict !== 'error')).toBe(true)
  expect(pairs.length).toBeGreaterThanOrEqual(scenarios.length || 15)
  return pairs.filter(({ verdict }) => verdict === 'violated').map(({ scenario, reason }) => `${scenario}: ${reason}`)
}

it('every layer that is argued to be correct is listed here, and on its page', () => {
  const files = fs.readdirSync(new URL('../../implementations/correct/', import.meta.url))
  expect(files.filter((file) => file.endsWith('.ts')).sort()).toEqual(layers.map(({ id }) => `${id}.ts`).sort())
  const page = fs.readFileSync(new URL('../../docs/correct-layers.md', import.meta.url), 'utf8')
  for (const scenario of withoutLoss) expect(page).toContain(`--scenario ${scenario}`)
  for (const scenario of beyondTheSink.slice(0, -1)) expect(page).toContain(`\`${scenario}\``)
})

it.each(layers)(
  '$id is not accused where its assumptions hold',
  async ({ id, sink, scenarios }) => {
    expect(await violated(id, sink, scenarios, '25')).toEqual([])
  },
  240_000,
)

it('and is where they do not', async () => {
  const [told] = await violated('marker-before-plain-sink', 'plain', ['redis-restart'], '60', '--bail')
  expect(told).toMatch(/^redis-restart: the effect of .* was applied by .* and again by/)
}, 120_000)
