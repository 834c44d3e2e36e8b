import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { programWords } from '../../src/contract/api/program-name.ts'
import { temporaryFolder } from '../cli/run-cli.ts'
import { needs } from '../needs/needs.ts'
import { layerOf } from './programs.ts'

const clients = fileURLToPath(new URL('../../clients/python', import.meta.url))
const redis = { host: '10.0.0.2', port: 6379, url: 'redis://10.0.0.2:6379', nodes: [] }
const identity = { instanceId: 'consumer-1', pid: 1, hostname: 'host', seed: 1, sink: 'plain' }
const create = { type: 'create', redis, ...identity, leaseMs: 1000, retentionMs: 1000, n: 1, wallUs: 0, monoUs: 0 }

needs({ python: 'redis' }).describe('a process of a program', () => {
  it('ends if its harness disappears while it works', async () => {
    const [begun, go] = ['begun', 'go'].map((name) => path.join(temporaryFolder(), name))
    const works = `open(${JSON.stringify(begun)}, "w").close()\nwhile not os.path.exists(${JSON.stringify(go)}): pass`
    const [file, ...args] = programWords(layerOf(`${works}\nhandle = None`))!
    const child = spawn(file!, args, { env: { ...process.env, PYTHONPATH: clients } })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    await once(child.stdout, 'data')
    child.stdin.write(`${JSON.stringify(create)}\n`)
    await expect.poll(() => fs.existsSync(begun!), { timeout: 20_000 }).toBe(true)
    for (const end of [child.stdin, child.stdout, child.stderr]) end.destroy()
    fs.writeFileSync(go!, '')
    expect(await ended).toEqual([1, null])
  })
})
