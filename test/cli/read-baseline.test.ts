import path from 'node:path'
import { expect, it } from 'vitest'
import { readBaseline } from '../../src/cli/read-baseline.ts'
import { finding, results } from '../report/made-up-results.ts'
import { temporaryFolder, write } from './run-cli.ts'

const cwd = temporaryFolder()
const written = (name: string, text: string) => {
  write(cwd, name, text)
  return path.join(cwd, name)
}

it('a baseline has the root causes of results', () => {
  const file = written('results.json', JSON.stringify(results({ findings: [finding('F1')] })))
  expect(readBaseline(file)?.map(({ name }) => name)).toEqual(['crash'])
  expect(readBaseline(undefined)).toBeUndefined()
})

it.each([
  ['', /not valid JSON/],
  ['null', /schemaVersion is undefined instead of 1/],
  [JSON.stringify({ ...results(), schemaVersion: 2 }), /schemaVersion is 2 instead of 1; write it again/],
  [JSON.stringify({ schemaVersion: 1, cells: [] }), /no root causes of a campaign/],
  [JSON.stringify({ schemaVersion: 1, rootCauses: [{ id: '1' }] }), /no root causes of a campaign/],
])('a baseline is refused: %j', (text, line) => {
  expect(() => readBaseline(written('bad.json', text))).toThrow(line)
})

it('a folder is refused as a baseline', () => {
  expect(() => readBaseline(cwd)).toThrow(/not readable \(EISDIR\)/)
})
