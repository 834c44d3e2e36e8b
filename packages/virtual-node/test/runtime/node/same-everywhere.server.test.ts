import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import * as sees from '../../../src/runtime/node/sees.ts'
import { Lab } from '../../lab.ts'
import { fromAProcess } from './look-around.ts'

interface Looked {
  readonly seen: string
  readonly reported: readonly string[]
  readonly real: string
}

const script = path.join(import.meta.dirname, 'look-around.ts')
const tsx = import.meta.resolve('tsx')

function lookedFrom(cwd: string, env: Record<string, string>, options: readonly string[] = []): Looked {
  const args = [...options, '--import', tsx, script]
  return JSON.parse(execFileSync(process.execPath, args, { cwd, env: { ...process.env, ...env }, encoding: 'utf8' }))
}

describe('the environment of a process', () => {
  const tokyo = lookedFrom(os.tmpdir(), { TZ: 'Asia/Tokyo', LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8' })
  const istanbul = lookedFrom('/', { TZ: 'Europe/Berlin', LC_ALL: 'tr_TR.UTF-8', HOME: '/', SECRET: 'token' }, [
    '--max-old-space-size=512',
  ])

  it('is the same in every zone, locale, folder and environment', async () => {
    expect(tokyo.reported).toEqual([])
    expect(istanbul.seen).toBe(tokyo.seen)
    const { seen } = await fromAProcess()
    expect(JSON.parse(seen)).toEqual(JSON.parse(tokyo.seen))
    // The real environments differ. Otherwise this test would prove nothing.
    expect(istanbul.real).not.toBe(tokyo.real)
  })

  it('is the same if a library has replaced `process.cwd` with a function that caches its first result', async () => {
    await fromAProcess()
    const real = process.cwd
    const folder = process.cwd()
    let remembered: string | null = null
    try {
      // graceful-fs replaces it in this way, and testcontainers loads graceful-fs.
      process.cwd = () => (remembered ??= real.call(process))
      expect(process.cwd()).toBe(folder)
      const { seen } = await fromAProcess()
      expect(seen).toBe(tokyo.seen)
    } finally {
      // Restores `process.cwd` by assignment, because the simulator's replacement keeps the last
      // assigned function, and other test files share this process.
      process.cwd = real
    }
    process.chdir('/')
    try {
      expect(process.cwd()).toBe('/')
    } finally {
      process.chdir(folder)
    }
  })

  it('may have its own `process.cwd`, which other processes and the harness do not see', async () => {
    const lab = new Lab()
    const seen: string[] = []
    const look = () => seen.push(process.cwd())
    const folder = process.cwd()
    const put = () => {
      process.cwd = () => '/srv'
      look()
    }
    lab.start(put)
    lab.start(() => setTimeout(look, 1), 1)
    await lab.run()
    expect(seen).toEqual(['/srv', sees.appFolder])
    expect(process.cwd()).toBe(folder)
  })

  it('has dates and texts like Node in zone UTC and locale en-US', () => {
    const { real } = lookedFrom('/', { TZ: 'UTC', LC_ALL: 'en_US.UTF-8' })
    const expected = JSON.parse(real)
    const { dates, setters, locales } = JSON.parse(tokyo.seen)
    expect(dates).toEqual(expected.dates)
    expect(setters).toEqual(expected.setters)
    expect(locales).toEqual(expected.locales)
    const other = JSON.parse(tokyo.real)
    expect(other.dates).not.toEqual(expected.dates)
    expect(other.locales).not.toEqual(expected.locales)
  })

  it('contains no names of the machine', () => {
    for (const name of [os.hostname(), process.cwd(), process.execPath, 'SECRET'])
      expect(tokyo.seen).not.toContain(name)
  })
})

describe('the page about the environment of a process', () => {
  const page = fs.readFileSync(
    new URL('../../../../../docs/how-it-works/what-a-process-sees.md', import.meta.url),
    'utf8',
  )

  it('has the actual environment variables and other fixed values', () => {
    const [, listed] = /```\n(HOME=[\s\S]*?)\n```/.exec(page)!
    expect(listed!.split('\n')).toEqual(Object.entries(sees.environment).map(([name, value]) => `${name}=${value}`))
    const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`
    const fixed = [sees.zone, sees.locale, sees.appFolder, sees.argv.join(' ')]
    for (const text of [...fixed, mib(sees.memory.total), mib(sees.memory.free), mib(sees.memory.rss)])
      expect(page).toContain(`${text}`)
  })
})
