import { describe, expect, it } from 'vitest'
import { loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
import { AdapterLab, createdBy, giving } from './adapter-lab.ts'

const lab = new AdapterLab()
const created: AdapterLab['created'] = (...args) => lab.created(...args)
const two = ['consumer-1', 'consumer-2']
const afterMs = (ms: number) => `await new Promise((done) => setTimeout(done, ${ms}))`

describe('work that an adapter starts while it is loaded continues in the process:', () => {
  it('timers fire in its virtual time', async () => {
    const before = `
const fired: string[] = []
const from = performance.now()
setTimeout(() => fired.push('once at ' + Math.round(performance.now() - from) + ' in ' + process.pid), 1500)
setInterval(() => fired.push('tick'), 1000).unref()`
    const layer = giving(`(${afterMs(2100)}, [...fired])`, before)
    expect(await created('timer', { 'layer.ts': layer }, two)).toEqual([
      ['tick', 'once at 1500 in 1001', 'tick'],
      ['tick', 'once at 1500 in 1101', 'tick'],
    ])
  })

  it('work of the thread pool completes', async () => {
    const before = `
let bytes = 0
void crypto.subtle.digest('SHA-1', new Uint8Array(1)).then((digest) => { bytes = digest.byteLength })`
    expect(await created('pool', { 'layer.ts': giving(`(${afterMs(1)}, bytes)`, before) })).toEqual([20])
  })

  it('connections are opened in the world of the process', async () => {
    const before = `
import net from 'node:net'
const heard: string[] = []
net.connect(6379, '10.0.0.1').on('error', (error) => heard.push(error.message))`
    expect(await created('client', { 'layer.ts': giving(`(${afterMs(1000)}, heard)`, before) })).toEqual([
      ['connect ECONNREFUSED 10.0.0.1:6379'],
    ])
  })

  it('listeners and properties of `process` belong to the process', async () => {
    const before = "process.on('warning', () => {})\n;(process as { pool?: string }).pool = 'a pool'"
    const layer = giving("[process.listenerCount('warning'), (process as { pool?: string }).pool]", before)
    expect(await created('own', { 'layer.ts': layer }, two)).toEqual([
      [1, 'a pool'],
      [1, 'a pool'],
    ])
  })

  it('state ends with the process', async () => {
    const layer = giving('++calls', 'let calls = 0\nsetInterval(() => calls++, 1000)')
    const loaded = await loadImplementation(lab.adapter('again', { 'layer.ts': layer }))
    expect(await createdBy(loaded, ['consumer-1'])).toEqual([1])
    expect(await createdBy(loaded, ['consumer-1'])).toEqual([1])
  })
})

describe('top-level await', () => {
  it('is awaited in virtual time, in an adapter and in its modules', async () => {
    const files = {
      'layer.ts': giving(
        '[tookMs, order, digest.byteLength]',
        `
import { order } from './first.mjs'
import './second.mjs'
const from = Date.now()
${afterMs(300)}
const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(1))
const tookMs = Date.now() - from
order.push('layer')`,
      ),
      'first.mjs': `export const order = []\n${afterMs(20)}\norder.push('first')`,
      'second.mjs': "import { order } from './first.mjs'\nawait null\norder.push('second')",
    }
    expect(await created('await', files, two)).toEqual([
      [300, ['first', 'second', 'layer'], 32],
      [300, ['first', 'second', 'layer'], 32],
    ])
  })

  it('works with packages, Node’s own modules, and missing packages', async () => {
    const files = {
      'layer.ts': giving(
        '[Redis.name, typeof readFile, os.hostname() === hostname(), missing, dep]',
        `
import os, { hostname } from 'node:os'
import { readFile } from 'fs/promises'
import { Redis } from 'ioredis'
import dep from 'dep'
const missing = await import('nowhere').catch((error) => error.code)`,
      ),
      'node_modules/dep/index.js': "try { require('hiredis') } catch ({ code }) { module.exports = code }",
      'node_modules/dep/package.json': '{ "name": "dep", "version": "1.0.0" }',
      'node_modules/ioredis/package.json': '{ "name": "ioredis", "version": "6.0.0" }',
      'node_modules/ioredis/index.js': 'exports.Redis = class Redis {}',
    }
    expect(await created('await-packages', files)).toEqual([
      ['Redis', 'function', true, 'ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'],
    ])
  })

  it('draws values of its process, which are the same in every load', async () => {
    const layer = giving('drawn', 'const drawn = await Promise.resolve([process.pid, crypto.randomUUID()])')
    const loaded = await loadImplementation(lab.adapter('await-drawn', { 'layer.ts': layer }))
    const [first, second] = (await createdBy(loaded, two)) as [unknown[], unknown[]]
    expect([first[0], second[0]]).toEqual([1001, 1101])
    expect(first[1]).not.toBe(second[1])
    expect(await createdBy(loaded, two)).toEqual([first, second])
  })

  it('is refused by name if it waits for a connection', async () => {
    const layer = giving(
      '1',
      "import net from 'node:net'\nconst socket = net.connect(6379, '10.0.0.1')\nawait new Promise((done) => socket.once('connect', done))",
    )
    const error = await loadImplementation(lab.adapter('await-net', { 'layer.ts': layer })).catch((thrown) => thrown)
    expect(error.kind).toBe('not-simulated')
    expect(error.remedy).toMatch(
      /an unsupported feature \(an answer from the network at its top level\); connect in `create`/,
    )
  })
})

describe('an unsupported feature', () => {
  it('is reported with exit code 4 if it breaks the loading of the adapter', async () => {
    const layer = giving('1', "import { Worker } from 'node:worker_threads'\nnew Worker('./work.js')")
    const error = await loadImplementation(lab.adapter('worker', { 'layer.ts': layer })).catch((thrown) => thrown)
    expect(error.kind).toBe('not-simulated')
    expect(error.remedy).toMatch(/an unsupported feature \(new worker_threads\.Worker, /)
  })

  it('is reported in each run if the adapter can be loaded without it', async () => {
    const layer = giving('1', 'new FinalizationRegistry(() => {})')
    expect(await created('registry', { 'layer.ts': layer })).toEqual([
      1,
      'FinalizationRegistry: when it calls back depends on the garbage collector (layer.ts:3)',
    ])
  })
})
