import fs from 'node:fs'
import { expect, it } from 'vitest'
import type { Results } from '../../src/contract/results/results.ts'
import { linkTo } from '../../tools/instead/instead-page.ts'
import { remedies } from '../../tools/instead/remedies.ts'
import { onceproofHere } from '../cli/run-here.ts'
import { firstBreak } from './played.ts'

const enough = 250

it('every repaired pattern is on its page', () => {
  const files = fs.readdirSync(new URL('../../implementations/repaired/', import.meta.url))
  const links = remedies.map(({ twin }) => linkTo(twin))
  for (const file of files.filter((file) => file.endsWith('.ts')))
    expect(links).toContain(`../../implementations/repaired/${file}`)
})

it.each(remedies)(
  '$twin passes in the decisive scenarios',
  async ({ twin, sink, decisive }) => {
    const where = decisive.flatMap((scenario) => ['--scenario', scenario])
    const asked = ['--impl', twin, '--sink', sink, ...where, '--runs', String(enough), '--no-html', '--json']
    const { stdout } = await onceproofHere(['run', ...asked, '--workers', '1'])
    const { pairs } = JSON.parse(stdout) as Results
    expect(pairs.map(({ scenario, verdict, runs }) => `${scenario}: ${verdict} in ${runs}`).sort()).toEqual(
      decisive.map((scenario) => `${scenario}: pass in ${enough}`).sort(),
    )
  },
  240_000,
)

it.each(remedies)(
  'each pattern of $twin breaks there',
  async ({ patterns, decisive }) => {
    // A key with another payload is a mistake of the layer on any sink.
    for (const { pattern: layer } of patterns)
      for (const scenario of decisive) {
        const sink = scenario === 'key-reuse' ? 'keyed' : 'plain'
        expect(await firstBreak({ layer, scenario, sink, runs: enough }), `${layer} under ${scenario}`).not.toBeNull()
      }
  },
  240_000,
)
