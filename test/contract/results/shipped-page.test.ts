import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { insteadOf } from '../../../src/contract/results/remedy-page.ts'
import { prefixIn, shippedPage, storyWithPage } from '../../../src/contract/results/shipped-page.ts'

const page = 'docs/findings/instead.md'

/** A project that has installed the package, and a folder in it. */
function project(): { readonly root: string; readonly inner: string } {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'shipped-page-'))
  const inner = path.join(root, 'packages', 'shop')
  const folder = path.join(root, 'node_modules', 'onceproof', 'docs', 'findings')
  for (const made of [inner, folder]) fs.mkdirSync(made, { recursive: true })
  fs.writeFileSync(path.join(folder, 'instead.md'), '')
  return { root, inner }
}

afterEach(() => void vi.restoreAllMocks())

it('a page opens from a project, and from a folder in it', () => {
  const { root, inner } = project()
  for (const folder of [root, inner]) {
    vi.spyOn(process, 'cwd').mockReturnValue(folder)
    expect(fs.existsSync(path.join(folder, shippedPage(page)))).toBe(true)
    const instead = insteadOf('repeat-after-crash')!
    expect(instead).toBe(`${page}#a-crash-in-between`)
    const story = ['1 ms  a step', 'The outcome.']
    expect(storyWithPage({ story, instead })).toEqual([story[0], `The outcome. See ${shippedPage(instead)}`])
    expect(storyWithPage({ story })).toEqual(story)
    expect(storyWithPage({ story: [], instead })).toEqual([])
  }
})

it('a page opens from a clone', () => {
  expect(shippedPage(page)).toBe(page)
  expect(prefixIn(path.parse(process.cwd()).root)).toBe('')
})
