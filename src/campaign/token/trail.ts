/**
 * A compact record of a run's steps in its token. It shows how far a replay followed the recorded
 * run, and where the replay diverged.
 */

import { Digest } from 'virtual-node/kernel'
import { wordInDigest } from '../../contract/api/former-names.ts'
import type { History } from '../../contract/api/history.ts'
import type { RunResult } from '../../sim/world.ts'
import { isFact } from './nondeterminism.ts'

export interface Trail {
  readonly stepCount: number
  /** Marks of the steps (`ChoiceTrail.text`). */
  readonly trail: string
  /** The digest of the run's events (`happeningsOf`) as 8 hex digits. */
  readonly digest: string
  /** The digest of the layer's own files as 8 hex digits. Earlier tokens lack it. */
  readonly layer?: string
}

export function trailOf({ trail, history, layerDigest }: Pick<RunResult, 'trail' | 'history' | 'layerDigest'>): Trail {
  return { stepCount: trail.length, trail: trail.text, digest: happeningsOf(history), layer: layerDigest }
}

/**
 * A digest of all facts: who did what, in which order. It excludes times and texts (such as errors
 * and stacks), which change with edits of the layer that leave its commands unchanged.
 */
function happeningsOf({ events }: History): string {
  const digest = new Digest()
  for (const event of events) {
    if (!isFact(event)) continue
    const members = event as unknown as Readonly<Record<string, unknown>>
    for (const name of reported) if (members[name] !== undefined) digest.text(memberText(name, members[name]))
    if (event.type === 'answered') digest.text(wordInDigest(event.outcome.status))
  }
  return digest.hex().slice(0, 8)
}

const memberText = (name: string, member: unknown): string =>
  `${name} ${name === 'as' ? wordInDigest(String(member)) : member}`

const reported = [
  'type',
  'process',
  'key',
  'messageId',
  'attempt',
  'fault',
  'index',
  'node',
  'as',
  'how',
  'cause',
  'answer',
]
