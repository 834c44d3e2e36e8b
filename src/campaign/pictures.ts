/** What the page draws of findings: the run that each shows, and the nearest run that holds, which is played for it. */
import type { Picture } from '../contract/timeline.ts'
import type { CampaignContext } from './campaign-request.ts'
import type { ShownRun } from './findings.ts'
import { loadPair } from './load-pair.ts'
import { sourceOf } from './run-choices.ts'
import { addressOf } from './tasks.ts'

/** In the order of the findings. Once the user asked to stop, without neighbours. */
export async function picturesOf(
  shown: readonly ShownRun[],
  context: Pick<CampaignContext, 'deps' | 'alone'>,
): Promise<Picture[]> {
  const pictures: Picture[] = []
  for (const one of shown) {
    const { implementation, sink, id } = one.finding
    const neighbour = await neighbourOf(one, context)
    const picture = { implementation, sink, finding: id, timeline: one.timeline }
    pictures.push(neighbour === null ? picture : { ...picture, neighbour })
  }
  return pictures
}

async function neighbourOf(
  { finding: { neighbour: told, key }, neighbour, task }: ShownRun,
  { deps, alone }: Pick<CampaignContext, 'deps' | 'alone'>,
): Promise<NonNullable<Picture['neighbour']> | null> {
  if (told === undefined || neighbour === null || deps.stopped()) return null
  const { run, plan } = neighbour
  const pair = await loadPair(task, deps)
  const choices = sourceOf(neighbour)
  const { history, film } = await alone(() => {
    deps.playing(addressOf(task, run))
    return deps.runWorld({ ...pair, sink: task.sink, plan, choices, record: true, film: true })
  })
  if (film === null) throw new Error('a run that was to be filmed has no film')
  const { what, replay } = told
  return { what, replay, timeline: deps.drawNeighbour({ history, film }, key) }
}
