/** Decides which layers are not run under which scenarios, and why. */
import type { Implementation } from '../../contract/api/implementation.ts'
import { type Scenario, usualShapes } from '../../contract/api/scenario.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { Shape } from '../../contract/api/store.ts'
import { usualStores, whyApart } from '../../contract/api/store.ts'

const inWords: Readonly<Record<Shape, string>> = {
  single: 'one server',
  sentinel: 'a primary that Sentinels watch',
  cluster: 'a Redis Cluster',
  independent: 'several independent servers',
}

type AsLayer = Pick<Implementation, 'id' | 'shapes' | 'stores' | 'ownClocks' | 'withoutKey'>
type AsScenario = Pick<
  Scenario,
  'id' | 'shape' | 'stores' | 'elsewhere' | 'needsConsumerClocks' | 'onlySink' | 'notOnSink' | 'keyless'
>

/** Why the layer is not run under the scenario; null if it can be. */
export function unusable(layer: AsLayer, scenario: AsScenario, sink: SinkKind = 'plain'): string | null {
  const why = whyUnusable(layer, scenario, sink)
  return why === null ? null : notRun(layer.id, [scenario.id], why)
}

export const notRun = (layer: string, scenarios: readonly string[], why: string): string =>
  `${layer} × ${scenarios.join(', ')}: n/a, for ${why}`

/** True if a layer may break under the scenario on that sink although it holds on its usual one. */
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
  if (scenario.onlySink !== undefined && scenario.onlySink !== sink)
    return `it is about a sink that is ${scenario.onlySink}`
  if (scenario.notOnSink === sink) return `it is about what a sink answers, and one that is ${sink} is asked nothing`
  if (scenario.keyless && withoutKey === undefined)
    return `it is about messages without a key, and ${id} does not say what it does with them (\`withoutKey\`)`
  if (ownClocks && scenario.needsConsumerClocks)
    return `it puts clocks of consumers wrong, and ${id} reads clocks that the harness does not have`
  const apart = whyApart({ id, stores }, scenario)
  if (apart !== null) return apart
  // The shape of Redis matters only to a layer that uses it.
  if (!stores.includes('redis') || shapes.includes(scenario.shape)) return null
  const can = shapes.map((shape) => inWords[shape]).join(' and ') || 'none that its other version can'
  return `it needs ${inWords[scenario.shape]}, and ${id} says that it can use ${can} only`
}
