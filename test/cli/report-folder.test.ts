import { expect, it } from 'vitest'
import { printPage, saveReport } from '../../src/cli/report-folder.ts'
import { exitCodeWithUnwritten, forgetUnwritten } from '../../src/cli/unwritten.ts'

const full = () => {
  throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
}

it('no line names the page of a report that could not be written', () => {
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  const options = { reports: 'reports', html: true, open: false }
  printPage(options, saveReport('reports', full), say)
  expect(lines).toEqual([])
  printPage(
    options,
    saveReport('reports', () => {}),
    say,
  )
  expect(lines).toEqual(['report: reports/latest/index.html'])
})

it('an output that could not be written ends with exit code 2, and hides no violation or failed harness', () => {
  const codes = [0, 1, 3, 4] as const
  forgetUnwritten()
  expect(codes.map(exitCodeWithUnwritten)).toEqual([0, 1, 3, 4])
  saveReport('reports', full)
  expect(codes.map(exitCodeWithUnwritten)).toEqual([2, 1, 3, 2])
  forgetUnwritten()
})
