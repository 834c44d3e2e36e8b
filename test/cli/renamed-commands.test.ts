import { expect, it } from 'vitest'
import { onceproofHere } from './run-here.ts'

it('an old command name works, and the new name is printed', async () => {
  const { stderr } = await onceproofHere(['frontier', '--on', 'nowhere'])
  expect(stderr).toMatch(/^frontier is now called configurations\nonceproof: --on nowhere: /)
})

it('an old option name works, and the new name is printed', async () => {
  const { stderr } = await onceproofHere(['canaries', '--own', '--without', 'crash'])
  expect(stderr).toMatch(/^--own is now called --per-fault\nonceproof: --per-fault and --without: /)
})
