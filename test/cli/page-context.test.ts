import fs from 'node:fs'
import { expect, it } from 'vitest'
import { remedyIn } from '../../src/cli/page-context.ts'
import { insteadOf } from '../../src/contract/results/remedy-page.ts'

const text = fs.readFileSync(new URL('../../docs/findings/instead.md', import.meta.url), 'utf8')

it('the paragraph of a remedy is found, without Markdown syntax', () => {
  const remedy = remedyIn(text, insteadOf('repeat-after-crash')!)
  expect(remedy).toMatch(/^[A-Z].*\.$/)
  expect(remedy).not.toMatch(/[`\]]/)
})

it('no remedy is found for a broken link', () => {
  expect(remedyIn(text, 'docs/findings/instead.md#no-such-section')).toBeNull()
  expect(remedyIn('', 'docs/findings/instead.md#a-crash-in-between')).toBeNull()
})
