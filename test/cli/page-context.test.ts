import fs from 'node:fs'
import { expect, it } from 'vitest'
import { remedyIn } from '../../src/cli/page-context.ts'
import { insteadOf } from '../../src/contract/results/remedy-page.ts'

const text = fs.readFileSync(new URL('../../docs/findings/instead.md', import.meta.url), 'utf8')

it('finds the paragraph of a remedy, without the marks of Markdown', () => {
  const remedy = remedyIn(text, insteadOf('repeat-after-crash')!)
  expect(remedy).toMatch(/^[A-Z].*\.$/)
  expect(remedy).not.toMatch(/[`\]]/)
})

it('finds no remedy behind a link that leads nowhere', () => {
  expect(remedyIn(text, 'docs/findings/instead.md#no-such-section')).toBeNull()
  expect(remedyIn('', 'docs/findings/instead.md#a-crash-in-between')).toBeNull()
})
