import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import dns from 'node:dns'
import fs from 'node:fs'
import fsPromises from 'node:fs/promises'
import net from 'node:net'
import { promisify } from 'node:util'
import { MessageChannel, Worker } from 'node:worker_threads'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Lab } from '../lab.ts'

const file = new URL(import.meta.url).pathname

describe('work outside the event loop', () => {
  it('takes no virtual time, and completes in the order of the calls', async () => {
    const lab = new Lab()
    const log: string[] = []
    lab.start(() => {
      const done = (name: string) => () => log.push(`${name} at ${performance.now()}`)
      fs.readFile(file, done('readFile'))
      void crypto.subtle.digest('SHA-512', new Uint8Array(3_000_000)).then(done('large digest'))
      zlib.gzip('text', done('gzip'))
      void crypto.subtle.digest('SHA-1', new Uint8Array(1)).then(done('small digest'))
      crypto.pbkdf2('password', 'salt', 10, 16, 'sha1', done('pbkdf2'))
      void fsPromises.stat(file).then(done('stat'))
      void promisify(crypto.scrypt)('password', 'salt', 16).then(done('scrypt'))
      setTimeout(done('timer'), 1)
    })
    await lab.run()
    const inOrder = ['readFile', 'gzip', 'pbkdf2', 'stat', 'scrypt', 'large digest', 'small digest']
    expect(log).toEqual([...inOrder.map((name) => `${name} at 0`), 'timer at 1'])
  })

  it('has the same results and errors as in Node', async () => {
    const asked = () =>
      Promise.all([
        fsPromises.readFile(file, 'utf8').then((text) => text.length),
        fsPromises.readFile(`${file}.missing`).catch((error) => error.code),
        promisify(fs.stat)(`${file}.missing`).catch((error: { code: string }) => error.code),
        promisify(zlib.gunzip)('no gzip').catch((error: { code: string }) => error.code),
        promisify(crypto.pbkdf2)('p', 's', 1, 8, 'sha1').then((key) => key.toString('hex')),
        crypto.subtle.digest('SHA-1', new Uint8Array(3)).then((hash) => Buffer.from(hash).toString('hex')),
        crypto.subtle.digest('none', new Uint8Array(3)).catch((error) => error.name),
      ])
    const lab = new Lab()
    let found: unknown
    lab.start(async () => {
      found = await asked()
    })
    await lab.run()
    expect(found).toEqual(await asked())
  })

  it('continues in a turn of the process that requested it', async () => {
    const lab = new Lab()
    const log: string[] = []
    for (const slot of [0, 1])
      lab.start(async () => {
        await crypto.subtle.digest('SHA-1', new Uint8Array(1))
        await fsPromises.stat(file)
        log.push(`${slot}: ${process.pid}`)
      }, slot)
    await lab.run()
    expect(log).toEqual(['0: 1001', '1: 1101'])
  })
})

/** Ways out of the simulation. */
const exits: Record<string, () => unknown> = {
  spawn: () => childProcess.spawn('true'),
  exec: () => childProcess.exec('true'),
  execSync: () => childProcess.execSync('true'),
  Worker: () => new Worker(''),
  MessageChannel: () => new MessageChannel(),
  fetch: () => fetch('http://10.0.0.9/'),
  'a server on a Unix socket': () => net.createServer().listen('/tmp/socket'),
  'dns.resolveTxt': () => dns.resolveTxt('example.org', () => {}),
  'dns.promises.resolveSrv': () => dns.promises.resolveSrv('example.org'),
  'fs.read': () => fs.read(0, () => {}),
  'fs.promises.open': () => fsPromises.open(file),
  'crypto.generateKeyPair': () => crypto.generateKeyPair('ed25519', {}, () => {}),
  'a subclass of Socket': () => new (class extends net.Socket {})().connect(1),
}

describe('a way out of the simulation', () => {
  for (const [name, leave] of Object.entries(exits))
    it(`is closed and reported: ${name}`, async () => {
      const lab = new Lab()
      lab.start(leave)
      await lab.run()
      expect(lab.deaths[0]).toMatch(/not simulated/)
      expect(lab.unsupportedThings).toHaveLength(1)
    })

  it('is reported, but not refused, if it only makes runs differ', async () => {
    const lab = new Lab()
    lab.start(() => {
      crypto.generateKeyPairSync('ed25519')
      void crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt'])
      new FinalizationRegistry(() => {})
    })
    await lab.run()
    expect(lab.deaths).toEqual([])
    expect(lab.unsupportedThings).toEqual([
      'crypto.generateKeyPairSync, which returns a different value in every run',
      'crypto.subtle.generateKey, which returns a different value in every run',
      'FinalizationRegistry: when it calls back depends on the garbage collector',
    ])
  })

  it('is available outside every process', async () => {
    const channel = new MessageChannel()
    channel.port1.close()
    expect(childProcess.execSync('echo yes').toString()).toBe('yes\n')
    await expect(dns.promises.lookup('localhost')).resolves.toHaveProperty('address')
  })
})
