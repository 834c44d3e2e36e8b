/**
 * Renews one token, or reports why the token cannot be renewed. A failure does not stop the renewal
 * of other tokens.
 */
import { encodeToken, type RecordedRun } from '../../src/campaign/token/token.ts'
import { findAgain } from './find-again.ts'
import type { Made } from './maker-child.ts'
import { follows, type Version } from './version.ts'

export interface Renewed {
  readonly fate: 'kept' | 'renewed' | 'failed'
  /** One line: the layer and the scenario of the token, and the result. */
  readonly text: string
  /** The new token. */
  readonly by?: string
}

/**
 * Queries the version that made the tokens. The answer is null if that version cannot read the
 * token either.
 */
export type AskMaker = (token: string) => Promise<Made | null>

/** The result is null for a text that no version can read, such as bad input in tests. */
export async function renew(token: string, now: Version, ask: AskMaker): Promise<Renewed | null> {
  let run = now.decode(token)
  try {
    const asked = run === null ? await ask(token) : null
    run ??= asked?.run ?? null
    if (run === null) return null
    const { text, ...came } = await again(token, run, asked, now, ask)
    return { ...came, text: `${nameOf(run)}: ${text}` }
  } catch (error) {
    const [line] = (error as Error).message.split('\n')
    return { fate: 'failed', text: `${run === null ? token : `${nameOf(run)}, ${token}`}: ${line}` }
  }
}

const nameOf = ({ implementation, scenario }: RecordedRun): string => `${implementation} under ${scenario}`

/** `asked`: the maker's answer about the token, if this version cannot read it. */
async function again(
  token: string,
  old: RecordedRun,
  asked: Made | null,
  now: Version,
  ask: AskMaker,
): Promise<Renewed> {
  const pair = await now.pairOf(old)
  if (pair === null) return { fate: 'failed', text: 'its scenario or layer is in no catalogue' }
  if (asked === null && follows(await now.play(pair, old), old))
    return { fate: 'kept', text: `follows its ${old.stepCount} steps` }
  const made = asked ?? (await ask(token))
  if (made?.lacks !== undefined) return { fate: 'failed', text: `${token}: the given checkout has no ${made.lacks}` }
  const { cause } = made ?? { cause: null }
  if (cause === null)
    return { fate: 'failed', text: 'the given checkout does not follow it either, or it breaks nothing there' }
  const about = `${cause.ways.join(', ')}; needed: ${cause.faults.join(', ') || 'no fault'}`
  const found = await findAgain(now, pair, old, cause)
  const by = found === null ? null : encodeToken(found.run)
  if (found === null || by === null) return { fate: 'failed', text: `nothing breaks by the same cause (${about})` }
  return { fate: 'renewed', text: `by ${found.by} (${about})`, by }
}
