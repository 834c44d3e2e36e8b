import { expect, it } from 'vitest'
import { printPage, saveReport } from '../../src/cli/report-folder.ts'

it('a report that cannot be written is bad input, and no line names its page', () => {
  const full = () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  const options = { reports: 'reports', html: true, open: false }
  printPage(options, saveReport('reports', 1, full), say)
  expect(lines).toEqual([])
  const written = saveReport('reports', 1, () => {})
  printPage(options, written, say)
  expect(lines).toEqual(['report: reports/latest/index.html'])
})
