import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { endingWithParent } from 'test-servers'
import { describe, expect, it, vi } from 'vitest'

const starter = `
const child = require('node:child_process').spawn(...JSON.parse(process.argv[1]), { stdio: 'ignore' })
child.once('spawn', () => console.log(child.pid))
setInterval(() => {}, 1000)`

/** True if the process exists and is not a zombie. */
const runs = (pid: number) =>
  /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout)

/**
 * True if a program still runs after the process that started it was killed. Then kills the
 * program.
 */
async function outlives(words: readonly [string, readonly string[]]): Promise<boolean> {
  const parent = spawn(process.execPath, ['-e', starter, JSON.stringify(words)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [pid] = (await once(parent.stdout, 'data')).map(Number)
  // Wait until the process runs the program itself instead of `setpriv`.
  const name = () => spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
  await vi.waitFor(() => expect(name()).toBe('sleep'))
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  try {
    await vi.waitFor(() => expect(runs(pid!)).toBe(false), { timeout: 2000 })
    return false
  } catch {
    process.kill(pid!, 'SIGKILL')
    return true
  }
}

describe.skipIf(process.platform !== 'linux')('a server of a test on Linux', () => {
  it.each(['KILL', 'QUIT'] as const)('is ended by SIG%s if the process that started it is killed', async (by) => {
    expect(await outlives(endingWithParent('sleep', ['60'], by))).toBe(false)
  })

  it('outlives the killed process that started it if it was started without `endingWithParent`', async () => {
    expect(await outlives(['sleep', ['60']])).toBe(true)
  })
})

it('every `spawn` in the sources and comparisons of a package uses `endingWithParent`', () => {
  const packages = path.join(import.meta.dirname, '../..')
  const folders = fs.readdirSync(packages).flatMap((name) => [`${name}/src`, `${name}/fidelity`])
  const files = folders
    .filter((folder) => fs.existsSync(path.join(packages, folder)))
    .flatMap((folder) =>
      fs.readdirSync(path.join(packages, folder), { recursive: true }).map((name) => `${folder}/${name}`),
    )
  const starts = files
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const calls = fs.readFileSync(path.join(packages, name), 'utf8').matchAll(/\bspawn\(.*/g)
      return [...calls].map(([call]) => `${name}: ${call}`)
    })
  expect(starts.length).toBeGreaterThan(1)
  expect(starts.filter((call) => !call.includes('spawn(...endingWithParent('))).toEqual([])
})
