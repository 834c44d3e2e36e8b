/** Which layers can use the Redis of which scenarios: not all can follow a Cluster. */
import type { Implementation } from '../contract/implementation.ts'
import { type Scenario, type Shape, usualShapes } from '../contract/scenario.ts'

const inWords: Readonly<Record<Shape, string>> = {
  single: 'one server',
  sentinel: 'a primary that Sentinels watch',
  cluster: 'a Redis Cluster',
}

/** Why the layer is not run under the scenario; null where it can be. */
export function unusable(
  { id, shapes = usualShapes }: Pick<Implementation, 'id' | 'shapes'>,
  scenario: Pick<Scenario, 'id' | 'shape'>,
): string | null {
  if (shapes.includes(scenario.shape)) return null
  const can = shapes.map((shape) => inWords[shape]).join(' and ')
  return `${id} × ${scenario.id}: n/a, for it needs ${inWords[scenario.shape]}, and ${id} says that it can use ${can} only`
}
