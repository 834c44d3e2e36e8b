import { createHash } from 'node:crypto'
import { type CommandAim, picks } from '../contract/api/plan.ts'
import { keysNamedIn, type NamedMessage } from '../contract/results/keys-named-in.ts'

/**
 * A command that passes a boundary: its label, and the first Redis key that it names, where that is
 * known.
 */
export interface PassingCommand {
  readonly label: string
  readonly redisKey?: string | undefined
}

/**
 * What a command is, apart from its number in the run: label, and the message's key that it is
 * about.
 */
export interface CommandKind {
  readonly label: string
  /** Null where its Redis key tells of no message's key. */
  readonly key: string | null
}

/** Tells what commands are, to those who aim at such. */
export class CommandKinds {
  /** By the Redis key that names it; one passes many boundaries. */
  readonly #keys = new Map<string, string | null>()

  constructor(private readonly messages: readonly NamedMessage[]) {}

  of({ label, redisKey }: PassingCommand): CommandKind {
    const key = redisKey === undefined ? null : this.keyIn(redisKey)
    // Until its body was seen, a script has the name of its text, which each version of a layer
    // changes.
    return { label: label.replace(/^EVALSHA [0-9a-f]{8}$/, 'EVALSHA'), key }
  }

  /** The first of the messages' keys, where it names several; null where it names none. */
  keyIn(redisKey: string): string | null {
    let key = this.#keys.get(redisKey)
    if (key === undefined) {
      key = [...keysNamedIn(redisKey, this.messages)][0] ?? null
      this.#keys.set(redisKey, key)
    }
    return key
  }
}

/** Null where the aim means no such command; else what its commands are counted by. */
export function countedBy(aim: CommandAim, { label, key }: CommandKind): string | null {
  if ('pick' in aim) {
    const name = `${label}\n${key ?? ''}`
    return pickOf(name) === aim.pick ? name : null
  }
  return aim.label === label && (aim.key === undefined || aim.key === key) ? label : null
}

const known = new Map<string, number>()

function pickOf(name: string): number {
  let pick = known.get(name)
  if (pick === undefined) {
    pick = createHash('sha1').update(name).digest()[0]! % picks
    known.set(name, pick)
  }
  return pick
}
