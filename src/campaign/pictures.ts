/** What pages draw: the run that each finding shows with the nearest run that holds, which is played for it; a replay. */
import type { Film } from '../contract/film.ts'
import type { History } from '../contract/history.ts'
import type { Picture } from '../contract/timeline.ts'
import type { CampaignDeps } from './campaign-deps.ts'
import type { CampaignContext } from './campaign-request.ts'
import type { ShownRun } from './findings.ts'
import { loadPair } from './load-pair.ts'
import { sourceOf } from './run-choices.ts'
import { addressOf } from './tasks.ts'
import type { RecordedRun } from './token.ts'
import type { ToldViolation } from './told-violation.ts'

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

/** Of a run that was replayed: one for each of its violations, or one of a run that holds. */
export function picturesOfReplay(
  history: History,
  film: Film,
  told: readonly ToldViolation[],
  { implementation, sink, plan }: Pick<RecordedRun, 'implementation' | 'sink' | 'plan'>,
  { draw, drawNeighbour }: Pick<CampaignDeps, 'draw' | 'drawNeighbour'>,
): Picture[] {
  const about = { implementation, sink, finding: null }
  const [key = null, ...others] = new Set(plan.messages.map((message) => message.key))
  if (told.length === 0)
    return [{ ...about, timeline: drawNeighbour({ history, film }, others.length === 0 ? key : null) }]
  return told.map(({ invariant, violation, story }) => {
    const shows = { invariant, kind: violation.kind }
    return { ...about, shows, timeline: draw({ history, film }, violation, story) }
  })
}
