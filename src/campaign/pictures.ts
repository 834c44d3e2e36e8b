/** What the page draws of findings: the run that each shows, and the nearest run that holds. */
import type { Picture } from '../contract/timeline.ts'
import type { ShownRun } from './findings.ts'

/** In the order of the findings. A neighbour that no token can hold is told, and not drawn. */
export function picturesOf(shown: readonly ShownRun[]): Picture[] {
  return shown.map(({ finding, timeline, neighbour }) => {
    const { implementation, sink, id } = finding
    const picture = { implementation, sink, finding: id, timeline }
    if (neighbour === null || finding.neighbour?.token == null) return picture
    const { what, replay } = finding.neighbour
    return { ...picture, neighbour: { what, replay, timeline: neighbour } }
  })
}
