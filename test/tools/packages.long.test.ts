import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { listFile, readList } from '../../tools/packages/list.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Packages that layers import and that are development dependencies here. */
const names =
  `@hono/node-server @microfleet/ioredis-lock @sesamecare-oss/redlock ajv bullmq express fastify hono ioredis
  ioredis5 pg postgres redis redis-semaphore redlock4 simple-redis-mutex yaml`.split(/\s+/)

function listed(folder: string): string {
  const script = path.join(root, 'tools/packages/main.ts')
  return execFileSync(process.execPath, ['--import', 'tsx', script, folder], { cwd: root, encoding: 'utf8' })
}

function folderWith(packages: readonly string[]): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'packages-'))
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const dependencies = Object.fromEntries(packages.map((name) => [name, '*']))
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ dependencies }))
  return folder
}

describe('pnpm packages', () => {
  it('loads the packages that layers import, with the results of the list of packages', { timeout: 300_000 }, () => {
    const folder = folderWith(names)
    try {
      const found = readList(listed(folder))
      expect(found.map(({ outcome }) => outcome)).toEqual(names.map(() => 'loads'))
      const kept = new Map(readList(fs.readFileSync(listFile, 'utf8')).map((one) => [one.name, one]))
      const known = found.filter(({ name }) => kept.has(name))
      expect(known.length).toBeGreaterThan(3)
      expect(known).toEqual(known.map(({ name }) => kept.get(name)))
    } finally {
      fs.rmSync(folder, { recursive: true })
    }
  })

  it('reports the refused features that a package uses, and packages that Node cannot load', {
    timeout: 60_000,
  }, () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'packages-'))
    const installed: Record<string, string> = {
      asks: 'process.stdin.isTTY; try { new MessageChannel() } catch {}',
      breaks: "throw new Error('no')",
    }
    for (const [name, source] of Object.entries(installed)) {
      fs.mkdirSync(path.join(folder, 'node_modules', name), { recursive: true })
      fs.writeFileSync(
        path.join(folder, 'node_modules', name, 'package.json'),
        JSON.stringify({ name, version: '1.0.0' }),
      )
      fs.writeFileSync(path.join(folder, 'node_modules', name, 'index.js'), source)
    }
    fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ dependencies: { asks: '*', breaks: '*' } }))
    try {
      expect(readList(listed(folder))).toEqual([
        {
          name: 'asks@1.0.0',
          outcome: 'unknown: new globalThis.MessageChannel, which leaves the simulation (asks/index.js:1)',
          probed: ['globalThis.MessageChannel', 'process.stdin'],
        },
        { name: 'breaks@1.0.0', outcome: 'Node loads nothing', probed: [] },
      ])
    } finally {
      fs.rmSync(folder, { recursive: true })
    }
  })
})
