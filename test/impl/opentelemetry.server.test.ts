/** Metrics, spans and log lines of a layer on real servers, with the SDK of OpenTelemetry. */
import { Writable } from 'node:stream'
import { context, type Tracer, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { adopt, createOnce, type OnceOptions } from '../../src/impl/once.ts'
import { type OpenTelemetryOptions, openTelemetry } from '../../src/impl/opentelemetry.ts'
import { buckets, closeLayers, freshMessage, layerAt, never } from './layers.ts'
import { describeOnPostgres } from './real-postgres.ts'
import { describeOnRedis } from './real-redis.ts'

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

class Refusal extends Error {}

const fails = (error: Error) => async () => {
  throw error
}

function observed(options: OpenTelemetryOptions = {}) {
  const reader = new Reader()
  const spans = new InMemorySpanExporter()
  const tracer: Tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer('test')
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test')
  return {
    tracer,
    telemetry: openTelemetry({ meter, tracer, ...options }),
    spans: () => spans.getFinishedSpans(),
    /** The lines that Prometheus reads whose value is not 0, without times. */
    async metrics() {
      const { resourceMetrics, errors } = await reader.collect()
      expect(errors).toEqual([])
      const text = new PrometheusSerializer(undefined, false, undefined, true, true).serialize(resourceMetrics)
      return text.split('\n').filter((line) => !/^#| 0$|_bucket|_sum/.test(line) && line !== '')
    },
  }
}

beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
afterAll(() => context.disable())

describeOnRedis('OpenTelemetry', (redis) => {
  beforeEach(async () => void (await adopt({ redis: redis.client, buckets, since: 0 })))
  afterEach(closeLayers)
  const layer = (options: Partial<OnceOptions>) =>
    layerAt(redis.client, { isRefusal: (error) => error instanceof Refusal, ...options })

  it('counts transitions and answers, and measures durations, without keys', async () => {
    const { telemetry, metrics } = observed({ attributes: { queue: 'orders' } })
    const once = layer({ telemetry })
    const message = freshMessage()
    await once.run(message, async () => 1)
    await once.run(message, never)
    await once.run(freshMessage(), fails(new Refusal('declined')))
    const found = await metrics()
    expect(found).toEqual([
      'once_runs_total{queue="orders",status="done"} 2',
      'once_runs_total{queue="orders",status="refused"} 1',
      'once_run_duration_seconds_count{queue="orders",status="done",repeated="false"} 1',
      'once_run_duration_seconds_count{queue="orders",status="done",repeated="true"} 1',
      'once_run_duration_seconds_count{queue="orders",status="refused",repeated="false"} 1',
      'once_transitions_total{queue="orders",type="acquired"} 2',
      'once_transitions_total{queue="orders",type="begun"} 2',
      'once_transitions_total{queue="orders",on_record="true",type="completed"} 1',
      'once_transitions_total{queue="orders",on_record="true",type="refused"} 1',
    ])
    expect(found.join()).not.toContain(message.key)
  })

  it('counts runs in progress, and an answer in doubt with its reason', async () => {
    const { telemetry, metrics } = observed()
    const once = layer({ telemetry })
    await once.run(freshMessage(), async () => expect(await metrics()).toContain('once_runs_active 1'))
    await once.run(freshMessage(), fails(new Error('502')))
    expect(await metrics()).toContain('once_runs_total{status="in-doubt",reason="effect-unanswered"} 1')
    expect(await metrics()).not.toContain('once_runs_active 1')
  })

  it('reports the number of effects in doubt and the age of the oldest, and stops', async () => {
    const { telemetry, metrics } = observed()
    const once = layer({ telemetry, leaseMs: 300 })
    const message = freshMessage()
    await once.run(message, fails(new Error('502')))
    await expect.poll(async () => (await once.status(message.key)).status).toBe('in-doubt')
    let lists = 0
    const doubts = () => {
      lists++
      return once.doubts()
    }
    const watch = telemetry.observeDoubts({ doubts }, { everyMs: 60_000 })
    const found = await metrics()
    expect(found).toContain('once_doubts 1')
    const [, age] = /once_doubts_oldest_age_seconds (\S+)/.exec(found.join('\n')) ?? []
    expect(Number(age)).toBeGreaterThanOrEqual(0.3)
    expect(Number(age)).toBeLessThan(60)
    await metrics()
    expect(lists).toBe(1)
    watch.stop()
    telemetry.observeDoubts({ doubts }, { everyMs: 0 }).stop()
    await metrics()
    expect(lists).toBe(1)
  })

  it('reports the age of the last list of doubts while lists fail', async () => {
    const { telemetry, metrics } = observed()
    let fail = true
    const doubts = async function* () {
      if (fail) throw new Error('no primary')
      yield* []
    }
    telemetry.observeDoubts({ doubts }, { everyMs: 0 })
    const ageIn = (lines: readonly string[]) => Number(/once_doubts_list_age_seconds (\S+)/.exec(lines.join('\n'))?.[1])
    const first = ageIn(await metrics())
    const second = ageIn(await metrics())
    expect(second).toBeGreaterThan(first)
    fail = false
    expect(ageIn(await metrics())).toBeLessThan(second)
  })

  it('makes a span for each run, around the spans of its effect, with its transitions as events', async () => {
    const { telemetry, tracer, spans } = observed({ attributes: { queue: 'orders' } })
    const once = layer({ telemetry })
    const message = freshMessage()
    const charge = () => tracer.startActiveSpan('charge', async (span) => span.end())
    await tracer.startActiveSpan('consume', async (span) => {
      await once.run(message, charge)
      span.end()
    })
    const [inner, run, outer] = spans()
    expect([inner?.name, run?.name, outer?.name]).toEqual(['charge', 'once.run', 'consume'])
    expect(inner?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId)
    expect(run?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId)
    expect(run?.events.map(({ name }) => name)).toEqual(['once.acquired', 'once.begun', 'once.completed'])
    const about = { 'once.key': message.key, 'once.status': 'done', 'once.repeated': false, queue: 'orders' }
    expect(run?.attributes).toMatchObject(about)
    expect(run?.status).toEqual({ code: 0 })
    expect(outer?.events).toEqual([])
  })

  it('keeps the events of two runs apart, and marks a span whose effect is in doubt as failed', async () => {
    const { telemetry, spans } = observed()
    const once = layer({ telemetry })
    await Promise.all([once.run(freshMessage(), async () => 1), once.run(freshMessage(), fails(new Error('502')))])
    const [done, doubt] = spans().toSorted((a, b) => a.status.code - b.status.code)
    expect(done?.events.map(({ name }) => name)).toEqual(['once.acquired', 'once.begun', 'once.completed'])
    expect(doubt?.events.map(({ name }) => name)).toEqual(['once.acquired', 'once.begun', 'exception'])
    expect(doubt?.status).toEqual({ code: 2, message: 'effect-unanswered' })
  })

  it('ends the span of a wrong call, which rejects as it does without telemetry', async () => {
    const { telemetry, spans, metrics } = observed()
    await expect(layer({ telemetry }).run({ ...freshMessage(), key: '' }, never)).rejects.toThrow(TypeError)
    expect(spans().map(({ name, status }) => [name, status.code])).toEqual([['once.run', 2]])
    expect(await metrics()).toEqual([])
  })

  it('works without an SDK', async () => {
    trace.disable()
    expect(await layer({ telemetry: openTelemetry() }).run(freshMessage(), async () => 1)).toMatchObject({ result: 1 })
  })
})

describeOnRedis('a pino logger', (redis) => {
  beforeEach(async () => void (await adopt({ redis: redis.client, buckets, since: 0 })))
  afterEach(closeLayers)

  it('gets a line for each transition, with its level and its error, without results', async () => {
    const lines: { level: string; msg: string; event: string; err?: { message: string } }[] = []
    const stream = new Writable({ write: (line, _, done) => done(void lines.push(JSON.parse(String(line)))) })
    const options = {
      level: 'debug',
      base: null,
      timestamp: false,
      formatters: { level: (level: string) => ({ level }) },
    }
    const once = layerAt(redis.client, { logger: pino(options, stream) })
    const message = freshMessage()
    await once.run(message, async () => 'receipt')
    await once.run(freshMessage(), fails(new Error('502')))
    expect(lines[0]).toEqual({
      level: 'debug',
      event: 'acquired',
      key: message.key,
      fence: expect.any(Number),
      msg: 'once: this run holds the key',
    })
    expect(lines.map(({ event, level }) => `${level} ${event}`)).toEqual([
      ...['debug acquired', 'debug begun', 'debug completed', 'debug ended'],
      ...['debug acquired', 'debug begun', 'error ended'],
    ])
    expect(lines.at(-1)).toMatchObject({ reason: 'effect-unanswered', err: { message: '502' } })
    expect(JSON.stringify(lines)).not.toContain('receipt')
  })

  it('changes no outcome if it throws, and the process is warned once', async () => {
    const warnings: Error[] = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on('warning', listen)
    const broken = { debug: () => JSON.parse('{'), info() {}, warn() {}, error() {} }
    const once = layerAt(redis.client, { logger: broken })
    expect(await once.run(freshMessage(), async () => 1)).toMatchObject({ status: 'done', result: 1 })
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', listen)
    expect(warnings.map(({ message }) => message)).toEqual([
      'logger failed, and events may be missing: fix the listener',
    ])
  })
})

describeOnPostgres('OpenTelemetry on PostgreSQL', (postgres) => {
  it('observes runs in transactions and runs of requests', async () => {
    const { telemetry, spans, metrics } = observed()
    const common = { pool: postgres.pool, leaseMs: 6000, retentionMs: 600_000, telemetry }
    const rows = createOnce({ ...common, sink: { kind: 'transactional' }, isRefusal: () => false })
    const requests = createOnce(common)
    await rows.run({ ...freshMessage(), key: 'rows' }, async ({ key, tx }) =>
      tx.query('INSERT INTO effects (key) VALUES ($1)', [key]).then(() => 1),
    )
    await requests.run({ ...freshMessage(), key: 'request' }, async () => 1)
    expect(spans().map(({ attributes }) => attributes['once.key'])).toEqual(['rows', 'request'])
    expect(await metrics()).toContain('once_runs_total{status="done"} 2')
  })
})
