import type { Workbench } from '../campaign/workbench.ts'
import type { Kind } from './catalogue.ts'
import { type Selected, select } from './select.ts'

/** Files of that kind by id, path or glob. @throws UsageError, LoadError */
export function choose(kind: Kind, names: readonly string[], bench: Workbench): Promise<Selected[]> {
  return select(kind, names, async (file) => {
    if (kind === 'scenario') return (await bench.loadScenario(file)).id
    return (await bench.loadImplementation(file)).implementation.id
  })
}
