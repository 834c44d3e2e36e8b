import { createHash } from 'node:crypto'
import { type CommandAim, picks } from '../contract/api/plan.ts'
import { keysNamedIn, type NamedMessage } from '../contract/results/keys-named-in.ts'

/** A command that passes a boundary: its label, and its first Redis key, if that is known. */
export interface PassingCommand {
  readonly label: string
  readonly redisKey?: string | undefined
}

/**
 * Identifies a command by its label and by the message key in its Redis key, not by its number in
 * the run.
 */
export interface CommandKind {
  readonly label: string
  /** Null if the command's Redis key contains no message key. */
  readonly key: string | null
}

/** Maps commands to their kinds, for faults that are aimed at a kind of command. */
export class CommandKinds {
  /** A cache of message keys by Redis key, because a command passes many boundaries. */
  readonly #keys = new Map<string, string | null>()

  constructor(private readonly messages: readonly NamedMessage[]) {}

  of({ label, redisKey }: PassingCommand): CommandKind {
    const key = redisKey === undefined ? null : this.keyIn(redisKey)
    // A script whose body has not been seen is labelled by its SHA-1, which differs between
    // versions of a layer.
    return { label: label.replace(/^EVALSHA [0-9a-f]{8}$/, 'EVALSHA'), key }
  }

  /**
   * The message key that a Redis key contains: the first if there are several, null if there is
   * none.
   */
  keyIn(redisKey: string): string | null {
    let key = this.#keys.get(redisKey)
    if (key === undefined) {
      key = [...keysNamedIn(redisKey, this.messages)][0] ?? null
      this.#keys.set(redisKey, key)
    }
    return key
  }
}

/** The name by which commands of this kind are counted; null if the aim does not match. */
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
