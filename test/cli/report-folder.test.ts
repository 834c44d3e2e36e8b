import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { prepareReports, printPage, reportsOption, saveReport } from '../../src/cli/report-folder.ts'
import { exitCodeWithUnwritten, forgetUnwritten } from '../../src/cli/unwritten.ts'
import { writeFolder } from '../../src/report/write-folder.ts'
import { temporaryFolder } from './run-cli.ts'

const full = () => {
  throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
}

it('a printed command names the folder of the report unless it is the default', () => {
  expect(reportsOption('reports')).toBe('')
  expect(reportsOption('/elsewhere')).toBe(' --reports /elsewhere')
  expect(reportsOption('my reports')).toBe(" --reports 'my reports'")
})

it('the page of a report that could not be written is not mentioned', () => {
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  const options = { html: true, open: false }
  const folder = path.join(temporaryFolder(), 'reports')
  printPage(options, saveReport(folder, full), say)
  expect(lines).toEqual([])
  printPage(
    options,
    saveReport(folder, () => {}),
    say,
  )
  expect(lines).toEqual([`report: ${folder}/latest/index.html`])
})

it('an output that could not be written exits with 2, but does not hide a violation or a failed harness', () => {
  const codes = [0, 1, 3, 4] as const
  forgetUnwritten()
  expect(codes.map(exitCodeWithUnwritten)).toEqual([0, 1, 3, 4])
  saveReport('reports', full)
  expect(codes.map(exitCodeWithUnwritten)).toEqual([2, 1, 3, 2])
  forgetUnwritten()
})

it('a report that another command finished meanwhile is kept, and an older one is replaced', () => {
  const folder = path.join(temporaryFolder(), 'reports')
  const leave = (text: string) => (target: string) => writeFolder(target, [['results.json', text]])
  prepareReports(folder)
  saveReport(folder, leave('before'))
  expect(saveReport(folder, leave('the next round of one command'))).toBe(path.join(folder, 'latest'))
  writeFolder(path.join(folder, 'latest'), [['results.json', 'the other command']])
  expect(saveReport(folder, leave('this command'))).toBe(path.join(folder, 'latest-2'))
  const read = (name: string) => fs.readFileSync(path.join(folder, name, 'results.json'), 'utf8')
  expect([read('latest'), read('latest-2')]).toEqual(['the other command', 'this command'])
})
