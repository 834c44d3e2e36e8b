import fs from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { packageFolder } from '../../src/cli/catalogue.ts'
import { insteadPage, type Measured } from '../../tools/instead/instead-page.ts'
import { measured } from '../../tools/instead/measure.ts'

describe('docs/findings/instead.md', () => {
  let now: Measured
  beforeAll(async () => {
    now = await measured()
  })

  it('equals the present output of `pnpm instead --write`', () => {
    const page = fs.readFileSync(`${packageFolder}docs/findings/instead.md`, 'utf8')
    expect(page).toBe(insteadPage(now))
    // It would differ with another price or another run.
    const dearer: Measured = {
      ...now,
      prices: new Map(now.prices).set('001-get-set', { first: { store: 9, sink: 1 }, copy: { store: 1 } }),
    }
    expect(page).not.toBe(insteadPage(dearer))
  })

  it('is not written if a pattern has no run or no price', () => {
    const none: Measured = { ...now, smallest: new Map() }
    expect(() => insteadPage(none)).toThrow('docs/findings/patterns.md has no run of it')
    expect(() => insteadPage({ ...none, prices: new Map() })).toThrow('a price was not measured')
  })
})
