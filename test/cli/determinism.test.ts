import { beforeAll, describe, expect, it } from 'vitest'
import type { PairResult, Results } from '../../src/contract/results/results.ts'
import { temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

/** Answers with a value of `drawn`. Nothing else differs between the adapters of this file. */
function adapter(id: string, drawn: string): string {
  return `import crypto from 'node:crypto'
let handled = 0
export default {
  id: '${id}',
  create: () => ({ handle: async () => ({ status: 'refused', error: 'drawn: ' + ${drawn} }) }),
}
`
}

/** One campaign of as many layers, each with one of these values. Returns their pairs in order. */
async function campaignOf(...drawn: string[]): Promise<{ code: number | null; pairs: PairResult[] }> {
  const cwd = temporaryFolder()
  const ids = drawn.map((_, at) => `drawn-${at}`)
  ids.forEach((id, at) => {
    write(cwd, `${id}.ts`, adapter(id, drawn[at]!))
  })
  const layers = ids.flatMap((id) => ['--impl', `./${id}.ts`])
  const args = [...layers, '--scenario', 'competing-consumers', '--runs', '3', '--json', '--no-html', '--workers', '1']
  const { code, stdout } = await onceproofHere(args, { cwd })
  const { pairs }: Results = JSON.parse(stdout)
  return { code, pairs: ids.map((id) => pairs.find(({ implementation }) => implementation === id)!) }
}

describe('the determinism check', () => {
  it('catches uncontrolled chance, and names the first event that differs', async () => {
    const { code, pairs } = await campaignOf(`crypto.generateKeySync('hmac', { length: 64 }).export().toString('hex')`)
    expect(code).toBe(3)
    expect(pairs[0]!.verdict).toBe('error')
    expect(pairs[0]!.reason).toMatch(
      /^nondeterminism: run \d+ is not repeatable; first difference: event \d+: .*"drawn: /,
    )
  })

  describe('in a campaign of layers with controlled values', () => {
    const virtual = ['Math.random()', 'Date.now()', 'crypto.randomUUID()', 'performance.now()', 'process.pid']
    let code: number | null
    let pairs: PairResult[]
    beforeAll(async () => {
      ;({ code, pairs } = await campaignOf(...virtual, 'handled++'))
    })

    it.each(virtual.map((drawn, at) => [drawn, at] as const))('accepts %s, which is virtual', (_, at) => {
      expect(pairs[at]!.verdict).not.toBe('error')
      expect(pairs[at]!.assumptions.join()).not.toContain('every run loaded the modules again')
    })

    it('reports module state that outlives a run, and judges the layer without it', () => {
      expect(pairs.at(-1)!.assumptions.at(-1)).toContain('every run loaded the modules again')
      expect(pairs.at(-1)!.verdict).not.toBe('error')
    })

    it('exits with a code other than 3', () => expect(code).not.toBe(3))
  })
})
