import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeReports } from '../../src/report/write-reports.ts'
import { results } from './made-up-results.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'onceproof-reports-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const report = (seed: number, html = true) => ({
  results: results({ seed }),
  files: new Map([['a--b--at-most-once--zombie.json', '{}']]),
  html,
})
const read = (name: string) => readFileSync(path.join(folder, 'reports/latest', name), 'utf8')

test('the page, the data and long counterexamples are written, and no other file stays behind', () => {
  writeReports(path.join(folder, 'reports/latest'), report(7))
  expect(readdirSync(path.join(folder, 'reports'))).toEqual(['latest'])
  expect(readdirSync(path.join(folder, 'reports/latest')).sort()).toEqual([
    'a--b--at-most-once--zombie.json',
    'index.html',
    'results.json',
  ])
  expect(JSON.parse(read('results.json'))).toEqual(results({ seed: 7 }))
})

test('a new report replaces the old one completely', () => {
  const target = path.join(folder, 'reports/latest')
  writeReports(target, report(7))
  writeFileSync(path.join(target, 'left-over.json'), '{}')
  writeReports(target, { ...report(8, false), files: new Map() })
  expect(readdirSync(target)).toEqual(['results.json'])
  expect(JSON.parse(read('results.json')).seed).toBe(8)
  expect(readdirSync(path.join(folder, 'reports'))).toEqual(['latest'])
})

test('the old report stays if the new one cannot be written', () => {
  const target = path.join(folder, 'reports/latest')
  writeReports(target, report(7))
  const unwritable = { ...report(8), files: new Map([['x'.repeat(300), '{}']]) }
  expect(() => writeReports(target, unwritable)).toThrow(/ENAMETOOLONG/)
  expect(JSON.parse(read('results.json')).seed).toBe(7)
  expect(readdirSync(path.join(folder, 'reports'))).toEqual(['latest'])
})

test('the name of a counterexample never leads out of the folder', () => {
  mkdirSync(path.join(folder, 'reports'))
  writeReports(path.join(folder, 'reports/latest'), { ...report(7), files: new Map([['../../escaped.json', '{}']]) })
  expect(existsSync(path.join(folder, 'escaped.json'))).toBe(false)
  expect(read('escaped.json')).toBe('{}')
})
