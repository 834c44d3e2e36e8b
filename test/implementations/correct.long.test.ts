import fs from 'node:fs'
import { expect, it } from 'vitest'
import type { SinkKind } from '../../src/contract/api/sink.ts'
import { brokenRuns, firstBreak, scenariosOf } from './played.ts'

/**
 * The lists of docs/findings/correct-layers.md. An empty list means all scenarios that fit the
 * layer.
 */
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
/** Excludes clock steps, forgetful sinks, and answers that are too late for the broker. */
const ofOtherStores = [
  ...['postgres-crash', 'postgres-lost-commits', 'postgres-failover', 'postgres-async-failover'],
  ...['postgres-late-copies', 'refused-rows', 'sink-errors'],
]
/** No layer can survive an answer that the database takes back. */
const keepingCommits = ofOtherStores.filter((id) => id !== 'postgres-async-failover')
const beyondTheSink = [
  ...['clock-skew', 'stale-message', 'too-old-meanwhile', 'slow-settlement', 'redelivery-storm'],
  'cluster-failover',
]
const ids = fs.readdirSync(new URL('../../scenarios/', import.meta.url)).map((file) => file.replace(/\.ts$/, ''))
const layers: readonly { readonly id: string; readonly sink: SinkKind; readonly scenarios: readonly string[] }[] = [
  {
    id: 'lock-before-keyed-sink',
    sink: 'keyed',
    scenarios: ids.filter(
      (id) =>
        ![
          ...[...beyondTheSink, ...ofOtherStores, 'failed-compensation', 'fences-after-loss', 'dynamodb-errors'],
          // It declares neither the shape nor how it treats messages without a key.
          ...['quorum-of-five', 'messages-without-key'],
        ].includes(id),
    ),
  },
  { id: 'raise-before-fenced-sink', sink: 'fenced', scenarios: [] },
  { id: 'marker-before-plain-sink', sink: 'plain', scenarios: withoutLoss },
  { id: 'quorum-before-plain-sink', sink: 'plain', scenarios: ['quorum-of-five'] },
  {
    id: 'cancel-before-repeat',
    sink: 'cancellable',
    // Its lease ends by the clock of Redis, whose steps defer messages for as long.
    scenarios: [...withoutLoss, 'failed-compensation', 'only-pauses', 'only-crashes', 'only-consumer-clocks'],
  },
  {
    id: 'outbox-before-keyed-sink',
    sink: 'keyed',
    // Its effects are not rows, and it accepts a sink that forgets while copies still come.
    scenarios: [
      ...keepingCommits.filter((id) => id !== 'refused-rows' && id !== 'postgres-late-copies'),
      ...['only-crashes', 'only-pauses'],
    ],
  },
  {
    id: 'record-in-the-effects-transaction',
    sink: 'transactional',
    scenarios: keepingCommits.filter((id) => id !== 'sink-errors'),
  },
]

it('every layer that is argued to be correct is listed here and on its page', () => {
  const files = fs.readdirSync(new URL('../../implementations/correct/', import.meta.url))
  expect(files.filter((file) => file.endsWith('.ts')).sort()).toEqual(layers.map(({ id }) => `${id}.ts`).sort())
  const page = fs.readFileSync(new URL('../../docs/findings/correct-layers.md', import.meta.url), 'utf8')
  for (const scenario of withoutLoss) expect(page).toContain(`--scenario ${scenario}`)
  for (const scenario of beyondTheSink.slice(0, -1)) expect(page).toContain(`\`${scenario}\``)
})

it.each(layers)(
  '$id holds if its assumptions hold',
  async ({ id: layer, sink, scenarios }) => {
    const fitting = await scenariosOf(layer, sink)
    expect(fitting).toEqual(expect.arrayContaining([...scenarios]))
    for (const scenario of scenarios.length > 0 ? scenarios : fitting)
      expect(await firstBreak({ layer, scenario, sink, runs: 25, seed: 4 }), scenario).toBeNull()
  },
  240_000,
)

it('a layer breaks if its assumptions do not hold', async () => {
  const where = { scenario: 'redis-restart', sink: 'plain', runs: 60, seed: 4 } as const
  const [first] = await brokenRuns({ layer: 'marker-before-plain-sink', ...where })
  expect(first?.kinds).toContain('repeat-after-loss:restart')
}, 120_000)
