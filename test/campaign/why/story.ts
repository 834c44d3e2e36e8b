import type { Reply } from 'redis-sim/resp'
import { whyOf } from '../../../src/campaign/causes/why/why.ts'
import type { RunHeader } from '../../../src/contract/api/history.ts'
import type { ExecutedCommand } from '../../../src/sim/world.ts'
import { aRun } from '../../check/history-builder.ts'

/** Builds a history with executed commands, and derives the cause of a violation. */
export function story(changes: Partial<RunHeader> = {}) {
  const history = aRun(changes)
  const executed: ExecutedCommand[] = []
  /** Scripts have a name instead of a SHA-1. */
  const command = (process: string, words: string, reply: Reply) => {
    const args = words.split(' ')
    const label = args[0] === 'EVALSHA' ? args.slice(0, 2).join(' ') : args[0]!
    executed.push({ process, label, seq: history.events.length, args, reply })
  }
  const seqsOf = (...types: string[]) => history.events.flatMap(({ type, seq }) => (types.includes(type) ? [seq] : []))
  /** The violation shows the effects of the key, and events of the types `shown`. */
  const causeOf = (kind: string, ...shown: string[]) => {
    const types = shown.length > 0 ? shown : ['effect-applied']
    const violation = { kind, key: 'k1', sentence: 'something happened', events: seqsOf(...types) }
    return whyOf({ history, executed }, violation)
  }
  const why = (kind: string, ...shown: string[]) => causeOf(kind, ...shown).why
  return { history, executed, command, causeOf, why }
}
