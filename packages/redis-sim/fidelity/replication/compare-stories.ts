/**
 * Executes each story (a fixed list of commands and faults) on real and on simulated servers, and
 * compares the notes of both runs.
 */
import { isDeepStrictEqual } from 'node:util'
import { RealReplicationTestBed } from './real-test-bed.ts'
import { SimulatedReplicationTestBed } from './simulated-test-bed.ts'
import { following } from './stories/following.ts'
import { promotions } from './stories/promotions.ts'
import { restarts } from './stories/restarts.ts'
import { waiting } from './stories/waiting.ts'
import { type Note, Play, type ReplicationStory, type ReplicationTestBed } from './test-bed.ts'

export interface StoryDifference {
  readonly story: string
  readonly real: Note | undefined
  readonly simulated: Note | undefined
}

export interface StoryResult {
  readonly stories: number
  readonly notes: number
  readonly differences: readonly StoryDifference[]
  /** Commands that are not simulated, or that failed on a replica. */
  readonly unsupported: readonly string[]
}

export const replicationStories: readonly ReplicationStory[] = [...following, ...waiting, ...promotions, ...restarts]

/** Number of stories that run concurrently. Each story has a few processes, which mostly wait. */
const atOnce = 4

export async function compareStories(program: string, stories = replicationStories): Promise<StoryResult> {
  const left = [...stories]
  const differences: StoryDifference[] = []
  const unsupported = new Set<string>()
  let notes = 0
  const work = async () => {
    for (let story = left.shift(); story !== undefined; story = left.shift()) {
      const simulated = new SimulatedReplicationTestBed()
      const expected = await report(story, simulated)
      for (const what of simulated.machines.unsupported) unsupported.add(what)
      notes += expected.length
      let found = differ(story, await report(story, new RealReplicationTestBed(program)), expected)
      // A story with a difference is repeated once, because a busy machine may miss a deadline.
      if (found.length > 0) found = differ(story, await report(story, new RealReplicationTestBed(program)), expected)
      differences.push(...found)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { stories: stories.length, notes, differences, unsupported: [...unsupported] }
}

async function report(story: ReplicationStory, testBed: ReplicationTestBed): Promise<readonly Note[]> {
  const play = new Play(testBed)
  try {
    await story.report(play)
  } catch (error) {
    play.note('failed', (error as Error).message)
  } finally {
    await testBed.stop()
  }
  return play.notes
}

function differ(story: ReplicationStory, real: readonly Note[], simulated: readonly Note[]): StoryDifference[] {
  const found: StoryDifference[] = []
  for (let at = 0; at < Math.max(real.length, simulated.length); at++) {
    if (isDeepStrictEqual(real[at], simulated[at])) continue
    found.push({ story: story.name, real: real[at], simulated: simulated[at] })
  }
  return found
}
