import { describe, expect, it } from 'vitest'
import networkPartition from '../../../scenarios/network-partition.ts'
import { drawRun } from '../../../src/campaign/play/draw-run.ts'
import { type LoadedImplementation, loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
import { runWorld } from '../../../src/sim/world.ts'
import { AdapterLab } from '../adapters/adapter-lab.ts'

const lab = new AdapterLab()

/** A layer that loads its memory of keys at the first message, by this expression. */
const layerOf = (load: string) => ({
  'layer.ts': `
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
export default { id: 'layer', create: ({ sink }) => ({
  async handle({ key, payload }) {
    const { results } = ${load}
    if (!results.has(key)) results.set(key, sink.perform({ key, payload }))
    return { status: 'done', result: await results.get(key) }
  },
}) }`,
  'memory.cjs': 'exports.results = new Map()',
})

async function play(implementation: LoadedImplementation, run: number, scrutinise = false) {
  const { value, choiceSeed } = drawRun(networkPartition, 1, run)
  const choices = { seed: choiceSeed }
  const request = { scenario: networkPartition, implementation, sink: 'plain' as const, plan: value.value }
  return runWorld({ ...request, choices, record: false, scrutinise })
}

describe('modules that a layer first names in a run', () => {
  for (const [name, load] of Object.entries({
    'by a computed `require`': "require(['.', 'memory.cjs'].join('/'))",
    'by a computed `import()`': "(await import(['.', 'memory.cjs'].join('/'))).default",
  }))
    it(`run as if they had been loaded at the start: ${name}`, async () => {
      const late = await loadImplementation(lab.adapter(`late ${name.length}`, layerOf(load)))
      const imported = layerOf('memory')
      imported['layer.ts'] = `import memory from './memory.cjs'\n${imported['layer.ts']}`
      const early = await loadImplementation(lab.adapter(`early ${name.length}`, imported))
      for (const run of [0, 1]) {
        const result = await play(late, run)
        expect(result.unsupported).toEqual([])
        expect(result.history.events.some(({ type }) => type === 'effect-applied')).toBe(true)
        expect(result.digest).toBe((await play(early, run)).digest)
      }
    })

  it('are separate for each process', async () => {
    const late = await loadImplementation(lab.adapter('own', layerOf("require(['.', 'memory.cjs'].join('/'))")))
    const shared = layerOf('(globalThis.memory ??= { results: new Map() })')
    const leaking = await loadImplementation(lab.adapter('shared', shared))
    const effects = async (layer: LoadedImplementation) => {
      let applied = 0
      for (let run = 0; run < 5; run++) {
        delete (globalThis as { memory?: unknown }).memory
        const { history } = await play(layer, run, true)
        applied += history.events.filter(({ type }) => type === 'effect-applied').length
      }
      return applied
    }
    expect(await effects(late)).toBeGreaterThan(await effects(leaking))
  })
})
