/**
 * Compares replication and persistence with real servers: the stream of effects, and stories (fixed
 * lists of commands and faults) of several servers.
 */
import { compareStories, type StoryResult } from './compare-stories.ts'
import { compareStreams, type StreamResult } from './stream/compare-streams.ts'

export interface ReplicationResult {
  readonly streams: StreamResult
  readonly stories: StoryResult
}

/** The comparison of streams uses this fraction (one in …) of the number of random commands. */
const shareOfCommands = 5

export async function compareReplication(
  program: string,
  { seed, commands }: { readonly seed: number; readonly commands: number },
): Promise<ReplicationResult> {
  const streams = await compareStreams(program, seed, Math.ceil(commands / shareOfCommands))
  return { streams, stories: await compareStories(program) }
}

export function differencesOf({ streams, stories }: ReplicationResult): number {
  return streams.differences.length + stories.differences.length + stories.unsupported.length
}
