/**
 * A table of everything that the tool can print, `every-sentence.txt`, so that a reader can judge
 * all sentences together. Expressions in a sentence are `_`.
 */
import { expect, it } from 'vitest'
import { proseOf, readSources } from '../architecture/plain-english.ts'

const renewal = '`pnpm vitest run test/report/every-sentence.test.ts -u` writes the table again'

/** By file, in the order of the source. */
const sentences = [...readSources()]
  .filter(([file]) => /^src\/.*\.ts$/.test(file))
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([file, text]) => {
    const messages = proseOf(file, text).filter(({ kind }) => kind === 'message')
    return { file, messages: messages.map((message) => message.text.replace(/\s+/g, ' ').trim()) }
  })
  .filter(({ messages }) => messages.length > 0)

it('the table of all sentences is up to date', async () => {
  const table = sentences.map(({ file, messages }) => `${file}\n${messages.map((text) => `  ${text}\n`).join('')}`)
  await expect(table.join('\n'), renewal).toMatchFileSnapshot('every-sentence.txt')
})

const longest = 90

/** Paragraphs of pages, a workflow and style sheets are longer. The list may only shrink. */
const exceptions: { readonly [file: string]: number } = {
  'src/cli/init-files.ts': 1,
  'src/report/configuration-search-document.ts': 4,
  'src/report/page/style.ts': 2,
  'src/report/patterns-page.ts': 6,
}

it(`no message of the command line or of a report has more than ${longest} characters`, () => {
  const long = sentences
    .filter(({ file }) => /^src\/(?:cli|report)\//.test(file))
    .map(({ file, messages }) => [file, messages.filter((text) => text.length > longest)] as const)
  const unexpected = long.filter(([file, messages]) => messages.length > (exceptions[file] ?? 0))
  expect(unexpected, 'split these messages').toEqual([])
  const counts = long.filter(([, messages]) => messages.length > 0).map(([file, { length }]) => [file, length])
  expect(Object.fromEntries(counts), 'lower the figures in `exceptions`').toEqual(exceptions)
})
