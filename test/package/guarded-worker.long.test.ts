/** From `npm install` to a guarded worker with a dashboard, as docs/guide/once.md has it. */
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { freePort, startRedis } from 'test-servers'
import { expect, it } from 'vitest'
import { needs, pathOf } from '../needs/needs.ts'
import { install, pack, run, sameVersion } from './consumer.ts'

const patientMs = 600_000

needs({ redis: '7.0' }).describe('an installed package', () => {
  it(
    'guards a BullMQ worker that is killed during a charge, with a dashboard, within ten minutes',
    async () => {
      const { onceproof } = await pack()
      const began = performance.now()
      const madeAt = String(Date.now())
      const steps: [string, number][] = []
      const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
        const from = performance.now()
        const result = await work()
        steps.push([name, Math.round((performance.now() - from) / 100) / 10])
        return result
      }
      const names = ['bullmq', '@opentelemetry/api', '@opentelemetry/sdk-metrics', '@opentelemetry/exporter-prometheus']
      const folder = await step('npm install', () => install([onceproof, ...names.map(sameVersion)]))
      const server = await startRedis(pathOf('redis'))
      const metricsPort = await freePort()
      const started: ChildProcess[] = []
      try {
        const own = path.join(folder, 'node_modules/onceproof')
        for (const name of ['bullmq-worker', 'guarded-worker', 'add-order'])
          fs.copyFileSync(path.join(own, `examples/once/${name}.ts`), path.join(folder, `${name}.ts`))
        fs.writeFileSync(
          path.join(folder, 'package.json'),
          fs.readFileSync(path.join(folder, 'package.json'), 'utf8').replace('{', '{"type":"module",'),
        )
        const env = {
          ...process.env,
          NODE_OPTIONS: '',
          REDIS_PORT: String(server.port),
          METRICS_PORT: String(metricsPort),
        }
        const tsx = path.join(folder, 'node_modules/.bin/tsx')
        const worker = async (chargeMs: number): Promise<{ child: ChildProcess; text(): string }> => {
          const child = spawn(tsx, ['guarded-worker.ts'], {
            cwd: folder,
            env: { ...env, CHARGE_MS: String(chargeMs) },
            detached: true,
          })
          started.push(child)
          let text = ''
          for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
          await expect.poll(() => text, { timeout: 60_000 }).toContain('ready')
          return { child, text: () => text }
        }
        const kill = (child: ChildProcess) => void process.kill(-child.pid!, 'SIGKILL')
        const add = (key: string) =>
          new Promise((resolve, reject) =>
            spawn(tsx, ['add-order.ts', key, madeAt], { cwd: folder, env, stdio: 'inherit' })
              .on('error', reject)
              .on('close', resolve),
          )
        const charges = () =>
          fs.existsSync(path.join(folder, 'charges.log'))
            ? fs.readFileSync(path.join(folder, 'charges.log'), 'utf8')
            : ''
        const redis = ['--redis', `redis://127.0.0.1:${server.port}`]
        const cli = async (...args: string[]) =>
          (await run(path.join(folder, 'node_modules/.bin/onceproof'), ['once', ...args, ...redis], folder)).stdout

        expect(await step('once adopt', () => cli('adopt', '--since', '0'))).toContain('1024 buckets adopted')
        const slow = await step('start the worker', () => worker(60_000))
        await step('one order, killed during its charge', async () => {
          await add('order-1')
          await expect.poll(charges, { timeout: 60_000 }).toBe('order-1\n')
          kill(slow.child)
        })
        const next = await step('start it again', () => worker(0))
        await step('the order is set aside, and two jobs of another order charge once', async () => {
          await expect.poll(next.text, { timeout: 60_000 }).toContain('order-1 set aside: in-doubt')
          await add('order-2')
          await add('order-2')
          await expect.poll(() => next.text().match(/order-2 done/g)?.length, { timeout: 60_000 }).toBe(2)
          expect(charges()).toBe('order-1\norder-2\n')
        })
        await step('look at the dashboard', async () => {
          await expect
            .poll(async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(), { timeout: 30_000 })
            .toMatch(/^once_doubts\S* 1$/m)
          const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
          const dashboard = fs.readFileSync(path.join(own, 'observability/once-dashboard.json'), 'utf8')
          const asked = new Set(dashboard.match(/\bonce_[a-z_]+/g))
          expect(asked.size).toBeGreaterThan(6)
          for (const name of asked) expect(metrics, name).toContain(name)
        })
        await step('settle the doubt', async () => {
          const { doubts } = JSON.parse(await cli('doubts', '--json'))
          expect(doubts).toMatchObject([{ key: 'order-1', attempt: 1 }])
          const settle = ['settle', 'order-1', '--doubt', doubts[0].id, '--applied', '"receipt of order-1"']
          expect(await cli(...settle, '--dry-run')).toContain('nothing was written')
          expect(await cli(...settle)).toContain('is settled as applied')
          await add('order-1')
          await expect.poll(next.text, { timeout: 60_000 }).toContain('order-1 done: receipt of order-1')
        })
        expect(charges()).toBe('order-1\norder-2\n')
        const seconds = (performance.now() - began) / 1000
        process.stdout.write(
          `${steps.map(([name, took]) => `${name}: ${took} s`).join('\n')}\nall: ${Math.round(seconds)} s\n`,
        )
        expect(seconds).toBeLessThan(600)
      } finally {
        for (const { pid, exitCode, signalCode } of started)
          if (exitCode === null && signalCode === null) process.kill(-pid!, 'SIGKILL')
        await server.stop()
      }
    },
    patientMs,
  )
})
