/**
 * A process with a guarded BullMQ worker and its metrics (docs/guide/once.md):
 *
 *     npx tsx guarded-worker.ts       # metrics on http://localhost:9464/metrics
 *
 * $REDIS_PORT, $METRICS_PORT and $CHARGE_MS replace 6379, 9464 and the time that a charge takes.
 */
import fs from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { metrics } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { createOnce } from 'onceproof/once'
import { openTelemetry } from 'onceproof/once/opentelemetry'
import { type Order, orderWorker } from './bullmq-worker.ts'

const { REDIS_PORT = 6379, METRICS_PORT = 9464, CHARGE_MS = 0 } = process.env
const connection = { host: '127.0.0.1', port: Number(REDIS_PORT) }

const exporter = new PrometheusExporter({ port: Number(METRICS_PORT) })
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [exporter] }))

const telemetry = openTelemetry()
const once = createOnce({
  redis: connection,
  replicas: 0,
  leaseMs: 2000,
  retentionMs: 7 * 86_400_000,
  sink: { kind: 'plain', settledByHand: true },
  telemetry,
})
telemetry.observeDoubts(once, { everyMs: 1000 })

/** Stands for a payment provider that remembers nothing. */
async function charge({ key }: Order): Promise<string> {
  await fs.appendFile('charges.log', `${key}\n`)
  await setTimeout(Number(CHARGE_MS))
  return `receipt of ${key}`
}

const worker = orderWorker('orders', once, charge, {
  connection,
  concurrency: 4,
  lockDuration: 2000,
  stalledInterval: 1000,
})
worker.on('failed', (job, error) => console.log(`${job?.data.key} set aside: ${error.message}`))
worker.on('completed', (job, result) => console.log(`${job.data.key} done: ${result}`))
worker.on('ready', () => console.log('ready'))
