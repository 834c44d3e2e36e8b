/**
 * Tracks the commands that each client has queued since its MULTI, so that the replies in an EXEC
 * are compared one by one.
 */
import { commandName } from 'redis-sim/compare'

export class Transactions {
  readonly #queued = new Map<number, (readonly string[])[]>()

  /** The other commands that this command would execute. */
  of(client: number, args: readonly string[]): readonly (readonly string[])[] {
    return commandName(args) === 'exec' ? (this.#queued.get(client) ?? []) : []
  }

  /** Returns the commands that were queued before. */
  follow(client: number, args: readonly string[], reply: string): readonly (readonly string[])[] {
    const queued = this.#queued.get(client) ?? []
    const name = commandName(args)
    if (name === 'multi' && reply === '+OK\r\n') this.#queued.set(client, [])
    else if (name === 'exec' || name === 'discard' || name === 'reset') this.#queued.delete(client)
    else if (reply === '+QUEUED\r\n') queued.push(args)
    return queued
  }
}
