import fs from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { beforeAll, describe, expect, it } from 'vitest'
import { type CliResult, temporaryFolder } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

const cwd = temporaryFolder()
const textOf = (file: string): string => fs.readFileSync(path.join(cwd, file), 'utf8')
let ran: CliResult

beforeAll(async () => {
  const campaign = [
    '--impl',
    '001-get-set',
    '--scenario',
    'competing-consumers',
    '--runs',
    '3',
    '--bail',
    '--workers',
    '1',
    '--no-html',
  ]
  const files = ['--junit', 'out/junit.xml', '--sarif', 'out/onceproof.sarif', '--json', '--no-config']
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: path.join(cwd, 'summary.md'),
    GITHUB_WORKSPACE: process.cwd(),
  }
  ran = await onceproofHere([...campaign, ...files], { cwd, env })
})

const few = [
  '--impl',
  '001-get-set',
  '--scenario',
  'competing-consumers',
  '--runs',
  '2',
  '--bail',
  '--workers',
  '1',
  '--no-html',
]

describe('results for machines', () => {
  it('match the schema, and each finding has its cause in a sentence', () => {
    const results = JSON.parse(ran.stdout)
    const isValid = new Ajv({ strict: false }).compile(
      JSON.parse(fs.readFileSync('docs/reference/results.schema.json', 'utf8')),
    )
    expect(isValid(results), JSON.stringify(isValid.errors)).toBe(true)
    expect(results.findings[0].why).toMatch(/looked \(GET\)|record|claim/)
  })

  it('include a JUnit file with a failure for the broken pair, and a passed case for the control', () => {
    const { findings } = JSON.parse(ran.stdout)
    const xml = textOf('out/junit.xml')
    expect(xml).toContain('<testsuites name="onceproof" tests="2" failures="1" errors="0" skipped="0">')
    expect(xml).toContain(
      '<testcase classname="001-get-set" name="competing-consumers"><failure type="look-then-write" ',
    )
    expect(xml).toContain(`replay: ${findings[0].replay}`)
  })

  it('include annotations at the line of the repeated call, relative to the repository, and a step summary', () => {
    const [first] = ran.stderr.split('\n').filter((line) => line.startsWith('::error '))
    expect(first).toMatch(
      /^::error file=implementations\/articles\/001-get-set\.ts,line=33,title=1\. Two attempts look before /,
    )
    expect(textOf('summary.md')).toMatch(/^## Onceproof: A side effect can happen twice/)
  })

  it('include SARIF with a result for each finding', () => {
    const { findings } = JSON.parse(ran.stdout)
    const { version, runs } = JSON.parse(textOf('out/onceproof.sarif'))
    expect(version).toBe('2.1.0')
    expect(runs[0].results).toHaveLength(findings.length)
    expect(runs[0].results[0].message.text).toContain(findings[0].why)
  })

  it('include a trace of one run, by replay', async () => {
    const [{ token }] = JSON.parse(ran.stdout).findings
    const { code } = await onceproofHere(['replay', token, '--trace-file', 'run.trace.json'], { cwd })
    const { traceEvents } = JSON.parse(textOf('run.trace.json'))
    const tracks = traceEvents.filter(({ ph }: { ph: string }) => ph === 'M')
    expect(code).toBe(1)
    expect(tracks.map(({ args }: { args: { name: string } }) => args.name)).toEqual(
      expect.arrayContaining(['broker', 'consumer-1', 'Redis', 'sink']),
    )
  })

  it('exclude GitHub on request', async () => {
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: path.join(cwd, 'none.md') }
    const { stdout } = await onceproofHere([...few, '--no-github', '--no-config'], { cwd, env })
    expect(stdout).not.toContain('::error')
    expect(fs.existsSync(path.join(cwd, 'none.md'))).toBe(false)
  })

  it('report a file that cannot be written, and keep the exit code of a violation', async () => {
    fs.mkdirSync(path.join(cwd, 'taken'))
    const { code, stderr } = await onceproofHere([...few, '--junit', 'taken', '--no-config'], { cwd })
    expect(code).toBe(1)
    expect(stderr).toContain('onceproof: --junit taken: not writable (EISDIR); choose another file')
  })
})
