/**
 * An idempotency layer (it checks, then acts) that inspects its whole environment, and writes what
 * it finds to Redis and into results.
 */
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import zlib from 'node:zlib'
import { Redis } from 'ioredis'
import { defineImplementation } from 'onceproof'

function around(): string {
  const { env, argv, execPath, execArgv, pid, ppid, title } = process
  const machine = [
    os.hostname(),
    os.cpus(),
    os.loadavg(),
    os.networkInterfaces(),
    os.userInfo(),
    os.tmpdir(),
    os.uptime(),
  ]
  const usage = [process.memoryUsage(), process.cpuUsage(), process.hrtime(), performance.eventLoopUtilization()]
  const date = new Date('2026-03-29 02:30')
  const local = [date.getTime(), date.getHours(), String(date), date.toLocaleString(), new Date().toLocaleString()]
  const words = ['z', 'ä', 'a', 'I', 'ı'].sort((a, b) => a.localeCompare(b))
  const intl = [
    Intl.DateTimeFormat().resolvedOptions(),
    new Intl.NumberFormat().format(1234.5),
    'i'.toLocaleUpperCase(),
  ]
  const files = [process.cwd(), path.resolve('x'), fs.existsSync('package.json'), fs.realpathSync('.')]
  return JSON.stringify([
    { ...env },
    ...[argv, execPath, execArgv, pid, ppid, title, machine, usage, local, words, intl, files],
    ...[crypto.randomUUID(), Math.random()],
  ])
}

export default defineImplementation({
  id: 'nosy',
  about: 'looks at everything around it',
  expect: 'broken',
  create({ redis: { options } }) {
    const redis = new Redis(options)
    redis.on('error', () => {})
    return {
      async handle({ key }) {
        const seen = around()
        const packing = zlib.createGzip()
        packing.end(seen)
        const packed = await text(packing.setEncoding('base64'))
        await redis.set(`seen:${key}`, packed, 'EX', 86_400)
        const digest = crypto.createHash('sha256').update(packed).digest('hex')
        return { status: 'done', result: { digest, size: seen.length } }
      },
      close: () => redis.disconnect(),
    }
  },
})
