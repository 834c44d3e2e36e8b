import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { saveReport, tellPage } from '../../src/cli/report-folder.ts'
import { temporaryFolder } from './run-cli.ts'

const program = fileURLToPath(new URL('../../bin/onceproof.mjs', import.meta.url))

/** The command line, in a process in which `first` has been done. */
function after(first: string, args: readonly string[], stdout: 'pipe' | number = 'pipe') {
  const cwd = temporaryFolder()
  const done = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(first)}`, program, ...args],
    { cwd, encoding: 'utf8', stdio: ['ignore', stdout, 'pipe'], timeout: 55_000, killSignal: 'SIGKILL' },
  )
  return { ...done, cwd }
}

/** Once the progress tells of runs. */
const rejection = `
const write = process.stdout.write
process.stdout.write = function (text, ...rest) {
  if (/ runs: /.test(text)) {
    process.stdout.write = write
    setImmediate(() => Promise.reject(new Error('Connection is closed.')))
  }
  return write.call(this, text, ...rest)
}`
const long = ['run', '--scenario', 'competing-consumers', '--runs', '1000000', '--workers', '1']

it('an error that nobody handled ends a campaign with exit code 3, and what was found is in the report', () => {
  const { status, stderr, cwd } = after(rejection, long)
  expect(stderr).toContain('an error that nobody handled: Connection is closed.')
  expect(status).toBe(3)
  const results = JSON.parse(fs.readFileSync(path.join(cwd, 'reports/latest/results.json'), 'utf8'))
  expect(results.pairs[0].runs).toBeGreaterThan(0)
}, 60_000)

it('an old Node is named in one line, and is bad input', () => {
  const { status, stderr } = after(`Object.defineProperty(process.versions, 'node', { value: '18.20.4' })`, ['list'])
  expect(stderr).toBe('onceproof: Node 18.20.4: it is too old; install Node 20.19 or later\n')
  expect(status).toBe(2)
}, 60_000)

it.skipIf(!fs.existsSync('/dev/full'))(
  'standard output on a full disk is named in one line',
  () => {
    const full = fs.openSync('/dev/full', 'w')
    try {
      const { status, stderr } = after('', ['run', '--runs', 'x', '--json'], full)
      expect(stderr).toBe('onceproof: standard output: it cannot be written (ENOSPC); make room for it\n')
      expect(status).toBe(2)
    } finally {
      fs.closeSync(full)
    }
  },
  60_000,
)

it('a report that cannot be written is bad input, and no line names its page', () => {
  const full = () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  const options = { reports: 'reports', html: true, open: false }
  tellPage(options, saveReport('reports', 1, full), say)
  expect(lines).toEqual([])
  tellPage(
    options,
    saveReport('reports', 1, () => {}),
    say,
  )
  expect(lines).toEqual(['report: reports/latest/index.html'])
})

/** Once the first violation is told: a picture of it is still to be drawn. */
const folderGone = `
import fs from 'node:fs'
const write = process.stdout.write
process.stdout.write = function (text, ...rest) {
  if (text.startsWith('violated ')) fs.rmSync(process.cwd(), { recursive: true, force: true })
  return write.call(this, text, ...rest)
}`

it('a command whose folder is removed while it plays says that its report could not be written, exit 2', () => {
  const broken = ['run', '--impl', '001-get-set', '--scenario', 'competing-consumers', '--runs', '2', '--workers', '1']
  const { status, stdout, stderr, cwd } = after(folderGone, broken)
  expect(fs.existsSync(cwd)).toBe(false)
  expect(stdout).toContain('violated  001-get-set')
  expect(stderr).toContain('--reports reports: the report could not be written (ENOENT)')
  expect(status).toBe(2)
}, 60_000)
