import { describe, expect, it } from 'vitest'
import { onceproof, temporaryFolder, write } from './run-cli.ts'

/** Answers with what `drawn` draws: nothing else differs between the adapters of this file. */
function adapter(drawn: string): string {
  return `import fs from 'node:fs'
let handled = 0
export default {
  id: 'drawn',
  create: ({ sink }) => ({
    async handle(message) {
      const receipt = await sink.perform({ key: message.key, payload: message.payload })
      return { status: 'done', result: { ...receipt, drawn: ${drawn} } }
    },
  }),
}
`
}

async function campaignOf(drawn: string) {
  const cwd = temporaryFolder()
  write(cwd, 'drawn.ts', adapter(drawn))
  const args = ['--impl', './drawn.ts', '--scenario', 'competing-consumers', '--runs', '60', '--json', '--workers', '1']
  const { code, stdout } = await onceproof(args, { cwd })
  return { code, pair: JSON.parse(stdout).pairs[0] }
}

describe('the determinism check', () => {
  it('catches chance that the harness does not control, and names the first event that differs', async () => {
    const { code, pair } = await campaignOf(`fs.readFileSync('/proc/sys/kernel/random/uuid', 'utf8')`)
    expect(code).toBe(3)
    expect(pair.verdict).toBe('error')
    expect(pair.reason).toMatch(/^nondeterminism: run \d+ is not repeatable; what differs first: event \d+: .*"drawn"/)
  })

  it.each(['Math.random()', 'Date.now()', 'crypto.randomUUID()', 'performance.now()', 'process.pid'])(
    'finds nothing wrong with %s, which is virtual',
    async (drawn) => {
      const { code, pair } = await campaignOf(drawn)
      expect(pair.verdict).toBe('violated')
      expect(code).toBe(1)
    },
  )

  it('names state of modules that outlives a run, and judges the layer without it', async () => {
    const { code, pair } = await campaignOf('handled++')
    expect(pair.assumptions.at(-1)).toContain('modules loaded anew')
    expect(pair.verdict).toBe('violated')
    expect(code).toBe(1)
  })
})
