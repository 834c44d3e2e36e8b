/** Decides which layers are not run in which scenarios, and why. */
import type { Implementation } from '../../contract/api/implementation.ts'
import { type Scenario, usualShapes } from '../../contract/api/scenario.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { Shape } from '../../contract/api/store.ts'
import { usualStores, whyApart } from '../../contract/api/store.ts'

const inWords: Readonly<Record<Shape, string>> = {
  single: 'one server',
  sentinel: 'a primary with Sentinels',
  cluster: 'a Redis Cluster',
  independent: 'several independent servers',
}

type AsLayer = Pick<Implementation, 'id' | 'shapes' | 'stores' | 'ownClocks' | 'withoutKey'>
type AsScenario = Pick<
  Scenario,
  'id' | 'shape' | 'stores' | 'elsewhere' | 'needsConsumerClocks' | 'onlySink' | 'notOnSink' | 'keyless'
>

/** Why the layer is not run in the scenario; null if it is run. */
export function unusable(layer: AsLayer, scenario: AsScenario, sink: SinkKind = 'plain'): string | null {
  const why = whyUnusable(layer, scenario, sink)
  return why === null ? null : notRun(layer.id, [scenario.id], why)
}

export const notRun = (layer: string, scenarios: readonly string[], why: string): string =>
  `${layer} × ${scenarios.join(', ')}: skipped, ${why}`

/** True if a layer may break in the scenario on `sink` even if it holds on its usual sink. */
export const isWorthSink = (
  { onlySink, notOnSink, dependsOnSink }: Pick<Scenario, 'onlySink' | 'notOnSink' | 'dependsOnSink'>,
  sink: SinkKind,
): boolean => (onlySink === undefined ? dependsOnSink === true || notOnSink !== undefined : onlySink === sink)

/** The reason, as the rest of the message of `notRun`. */
export function whyUnusable(
  { id, shapes = usualShapes, stores = usualStores, ownClocks, withoutKey }: AsLayer,
  scenario: AsScenario,
  sink: SinkKind,
): string | null {
  if (scenario.onlySink !== undefined && scenario.onlySink !== sink) return `requires a ${scenario.onlySink} sink`
  if (scenario.notOnSink === sink) return `tests answers of the sink, and a ${sink} sink gives none`
  if (scenario.keyless && withoutKey === undefined)
    return `has messages without a key, and ${id} does not declare \`withoutKey\``
  if (ownClocks && scenario.needsConsumerClocks)
    return `changes clocks of consumers, but ${id} reads clocks outside the harness`
  const apart = whyApart({ id, stores }, scenario)
  if (apart !== null) return apart
  // The shape of Redis matters only to a layer that uses it.
  if (!stores.includes('redis') || shapes.includes(scenario.shape)) return null
  const required = `requires ${inWords[scenario.shape]}`
  if (shapes.length === 0) return `${required}, but the versions of ${id} have no supported Redis in common`
  return `${required}, but ${id} supports only ${shapes.map((shape) => inWords[shape]).join(' and ')}`
}
