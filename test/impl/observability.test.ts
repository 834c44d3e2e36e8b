/** The dashboard and the alerts ask for metrics, labels and values that the layer emits. */
import fs from 'node:fs'
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { parser } from '@prometheus-io/lezer-promql'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openTelemetry } from '../../src/impl/opentelemetry.ts'
import { everyEvent } from './telemetry-events.ts'

interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

interface Selector {
  readonly name: string
  readonly matchers: readonly { readonly label: string; readonly by: string; readonly value: string }[]
}

interface Expression {
  readonly place: string
  readonly text: string
}

const read = (name: string) => fs.readFileSync(new URL(`../../observability/${name}`, import.meta.url), 'utf8')

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

/** The series that Prometheus reads from a layer that has had every event. */
async function emittedSeries(): Promise<readonly Series[]> {
  const reader = new Reader()
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test')
  const telemetry = openTelemetry({ meter })
  telemetry.observeDoubts({ async *doubts() {} })
  await telemetry.traced('order-1', async () => {})
  for (const event of everyEvent) telemetry.onEvent(event)
  const { resourceMetrics, errors } = await reader.collect()
  expect(errors).toEqual([])
  const text = new PrometheusSerializer(undefined, false, undefined, true, true).serialize(resourceMetrics)
  return text.split('\n').flatMap((line) => {
    const [, name, labels = ''] = /^([a-z_]+)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    if (name === undefined) return []
    const pairs = [...labels.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, label, value]) => [label!, value!])
    // Prometheus adds the label `job` itself.
    return [{ name, labels: { ...Object.fromEntries(pairs), job: 'orders' } }]
  })
}

function dashboardExpressions(): readonly Expression[] {
  const { panels } = JSON.parse(read('once-dashboard.json')) as {
    panels: readonly { title: string; targets: readonly { expr: string }[] }[]
  }
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ place: title, text: withValues(expr) })))
}

/** Grafana replaces its variables before Prometheus reads the expression. */
const withValues = (text: string) => text.replaceAll('$__rate_interval', '1m').replaceAll('$job', '.*')

function alertExpressions(): readonly Expression[] {
  const { groups } = parse(read('once-alerts.yml')) as {
    groups: readonly { rules: readonly { alert: string; expr: string }[] }[]
  }
  return groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ place: alert, text: expr })))
}

/** The vector selectors of an expression. @throws Error if Prometheus would not parse it */
function selectorsOf({ place, text }: Expression): readonly Selector[] {
  const found: { name: string; matchers: Selector['matchers'][number][] }[] = []
  parser.parse(text).iterate({
    enter({ type, from, to, node }) {
      if (type.isError) throw new Error(`${place}: not PromQL at ${from}: ${text}`)
      const own = text.slice(from, to)
      if (type.name === 'VectorSelector') found.push({ name: /^\w*/.exec(own)![0], matchers: [] })
      if (type.name !== 'UnquotedLabelMatcher') return
      const [label, by, value] = ['LabelName', 'MatchOp', 'StringLiteral'].map((child) => {
        const at = node.getChild(child)!
        return text.slice(at.from, at.to)
      })
      found.at(-1)!.matchers.push({ label: label!, by: by!, value: JSON.parse(value!) })
    },
  })
  return found
}

/** Each label of the grouping `by (…)`, except those of buckets. */
const groupingsOf = ({ text }: Expression) =>
  [...text.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(/, */))

/** What an expression asks for and no series has. */
function unknownParts(expression: Expression, series: readonly Series[]): readonly string[] {
  const selectors = selectorsOf(expression)
  const unknown = selectors.flatMap(({ name, matchers }) => {
    const named = series.filter((one) => one.name === name)
    if (named.length === 0) return [`metric ${name}`]
    return matchers.flatMap(({ label, by, value }) => {
      if (by === '=' && named.some(({ labels }) => labels[label] === value)) return []
      const values = value === '.*' ? [''] : value.split('|')
      const isThere = (one: string) =>
        named.some(({ labels }) => (one === '' ? label in labels : labels[label] === one))
      return by === '=~' ? values.filter((one) => !isThere(one)).map((one) => `${label} ${one}`) : [`${label} ${value}`]
    })
  })
  const asked = series.filter(({ name }) => selectors.some((selector) => selector.name === name))
  const groupings = groupingsOf(expression).filter((label) => !asked.some(({ labels }) => label in labels))
  return [...unknown, ...groupings.map((label) => `label ${label}`)]
}

describe.each([
  ['the dashboard', dashboardExpressions()],
  ['the alerts', alertExpressions()],
])('%s', (_, expressions) => {
  it('asks only for metrics, labels and values that the layer emits', async () => {
    const series = await emittedSeries()
    const unknown = expressions.flatMap((expression) =>
      unknownParts(expression, series).map((part) => `${expression.place}: ${part}`),
    )
    expect(unknown).toEqual([])
    expect(expressions.flatMap(selectorsOf).length).toBeGreaterThanOrEqual(expressions.length)
  })
})

describe('the check of expressions', () => {
  const unknownIn = async (text: string) => unknownParts({ place: 'a panel', text }, await emittedSeries())

  it.each([
    ['rate(once_run_total[5m])', 'metric once_run_total'],
    ['once_runs_total{status="doubt"}', 'status doubt'],
    ['once_runs_total{status=~"retry|doubt"}', 'status doubt'],
    ['once_runs_total{key="a"}', 'key a'],
    ['once_runs_total{key=~".*"}', 'key '],
    ['sum by (key) (once_runs_total)', 'label key'],
  ])('finds what is unknown in %s', async (text, part) => {
    expect(await unknownIn(text)).toEqual([part])
  })

  it('finds an expression that is not PromQL', async () => {
    await expect(unknownIn('sum(once_runs_total')).rejects.toThrow('a panel: not PromQL at')
  })
})

it('every alert that waits for an event counts a series that begins at 0', async () => {
  const reader = new Reader()
  openTelemetry({ meter: new MeterProvider({ readers: [reader] }).getMeter('test') })
  const { resourceMetrics } = await reader.collect()
  const text = new PrometheusSerializer(undefined, false, undefined, true, true).serialize(resourceMetrics)
  const counted = alertExpressions().filter(({ text }) => text.includes('increase('))
  expect(counted.length).toBeGreaterThan(5)
  for (const { place, matchers } of counted.flatMap((one) => selectorsOf(one).map((two) => ({ ...two, ...one }))))
    for (const { label, value } of matchers)
      for (const one of value.split('|')) expect(text, place).toMatch(new RegExp(`${label}="${one}"[^\\n]* 0$`, 'm'))
})
