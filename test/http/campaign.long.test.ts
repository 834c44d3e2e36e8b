import { describe, expect, it } from 'vitest'
import { drawRun } from '../../src/campaign/play/draw-run.ts'
import { invariants, judge } from '../../src/check/index.ts'
import type { Scenario } from '../../src/contract/api/scenario.ts'
import type { InvariantName } from '../../src/contract/api/verdict.ts'
import { loadImplementation } from '../../src/sim/adapters/load-implementation.ts'
import { runWorld } from '../../src/sim/world.ts'

const root = new URL('../../', import.meta.url)

/**
 * The violations of the layer in those runs, each kind once. Each run is repeated with more detail,
 * and must be the same.
 */
async function violationsOf(layer: string, scenarios: readonly string[], runs: number): Promise<string[]> {
  const implementation = await loadImplementation(new URL(`layers/${layer}.ts`, import.meta.url).pathname)
  const kinds = new Set<string>()
  let answered = 0
  for (const id of scenarios) {
    const scenario: Scenario = (await import(`${root}scenarios/${id}.ts`)).default
    for (let run = 0; run < runs; run++) {
      const { value, choiceSeed } = drawRun(scenario, 1, run)
      const play = (scrutinise: boolean) =>
        runWorld({
          ...{ scenario, implementation, plan: value.value, choices: { seed: choiceSeed } },
          ...{ sink: 'plain', record: false, scrutinise },
        })
      const { history, digest, unsupported } = await play(false)
      expect(unsupported).toEqual([])
      expect(history.events.findLast(({ type }) => type === 'ended')).toMatchObject({ complete: true })
      answered += history.events.filter(({ type }) => type === 'answered').length
      if (run === 0) expect((await play(true)).digest).toBe(digest)
      for (const { name, verdict } of judge(history, Object.keys(invariants) as InvariantName[]))
        if (verdict.verdict === 'violated') for (const { kind } of verdict.violations) kinds.add(`${name} ${kind}`)
    }
  }
  // A run may have no answer: a broker does not redeliver a message after it has committed a later
  // offset.
  expect(answered).toBeGreaterThan(scenarios.length * runs)
  return [...kinds].sort()
}

describe('a layer that is an HTTP server is judged like any other:', () => {
  for (const layer of ['marker-fastify', 'marker-hono', 'marker-plain'])
    it(`${layer} holds if messages are only redelivered`, async () => {
      expect(await violationsOf(layer, ['only-redeliveries'], 12)).toEqual([])
    })

  it('the middleware on the reference holds under all faults', async () => {
    const scenarios = [
      'key-reuse',
      'crash-mid-logic',
      'lost-reply',
      'network-partition',
      'slow-lock-holder',
      'data-loss',
    ]
    expect(await violationsOf('once-express', scenarios, 6)).toEqual([])
  })

  it('the naive middleware breaks if two requests for a key overlap', async () => {
    expect(await violationsOf('naive-express', ['competing-consumers'], 8)).toContain('at-most-once duplicate')
  })
})
