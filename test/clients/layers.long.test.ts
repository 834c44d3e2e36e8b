import { describe, expect, it } from 'vitest'
import { drawRun } from '../../src/campaign/play/draw-run.ts'
import { invariants, judge } from '../../src/check/index.ts'
import type { History } from '../../src/contract/api/history.ts'
import type { Scenario } from '../../src/contract/api/scenario.ts'
import type { InvariantName } from '../../src/contract/api/verdict.ts'
import { type LoadedImplementation, loadImplementation } from '../../src/sim/adapters/load-implementation.ts'
import { runWorld } from '../../src/sim/world.ts'

const root = new URL('../../', import.meta.url)
const scenarioNames = ['network-partition', 'crash-mid-logic', 'redis-restart', 'lost-reply']

const load = (layer: string) => loadImplementation(new URL(`layers/${layer}.ts`, import.meta.url).pathname)

async function play(implementation: LoadedImplementation, name: string, run: number, scrutinise: boolean) {
  const scenario: Scenario = (await import(`${root}scenarios/${name}.ts`)).default
  const { value, choiceSeed } = drawRun(scenario, 1, run)
  const choices = { seed: choiceSeed }
  return runWorld({ scenario, implementation, sink: 'plain', plan: value.value, choices, record: false, scrutinise })
}

/** The invariant and kind of each violation. */
function violationsOf(history: History): string[] {
  const judged = judge(history, Object.keys(invariants) as InvariantName[])
  return judged.flatMap(({ name, verdict }) =>
    verdict.verdict === 'violated' ? verdict.violations.map(({ kind }) => `${name} ${kind}`) : [],
  )
}

const marker = /^at-most-once repeat-after-loss:/
/** Jobs stay in Redis until a later job of their queue ends; a lost job is added again. */
const queue = /^no-immortal-keys named-after-a-message$|^at-most-once repeat-after-loss:/

const layers: Record<string, RegExp> = {
  'node-redis-4': marker,
  'node-redis-5': marker,
  'node-redis-6': marker,
  'ioredis-4': marker,
  'ioredis-5': marker,
  'ioredis-6': marker,
  iovalkey: marker,
  bullmq: queue,
}

describe('a layer is judged alike on every client:', () => {
  for (const [layer, rightReasons] of Object.entries(layers))
    it(layer, async () => {
      const loaded = await load(layer)
      const runs = scenarioNames.flatMap((name) => [0, 1, 2].map((run) => ({ name, run })))
      const digests = new Map<object, string>()
      let done = 0
      for (const one of runs) {
        const { history, digest, unsupported } = await play(loaded, one.name, one.run, false)
        expect(unsupported).toEqual([])
        expect(history.events.findLast(({ type }) => type === 'ended')).toMatchObject({ complete: true })
        for (const violation of violationsOf(history)) expect(violation).toMatch(rightReasons)
        done += history.events.filter(({ type }) => type === 'settled').length
        digests.set(one, digest)
      }
      expect(done).toBeGreaterThan(0)
      for (const one of runs.reverse())
        expect((await play(loaded, one.name, one.run, true)).digest).toBe(digests.get(one))
    }, 300_000)
})

it('a layer on a native client, @valkey/valkey-glide, is refused with its name and exit code 4', async () => {
  const error = await load('valkey-glide').catch((thrown) => thrown)
  expect(error).toMatchObject({ name: 'LoadError', kind: 'not-simulated' })
  expect(error.remedy).toMatch(/\(the native addon .*of @valkey\/valkey-glide/)
})
