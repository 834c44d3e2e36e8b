/**
 * What each client queued since its MULTI: an EXEC's replies are compared one by one, each as its
 * command's.
 */
import { commandName } from 'redis-sim/compare'

export class Transactions {
  readonly #queued = new Map<number, (readonly string[])[]>()

  /** What the command would execute besides itself. */
  of(client: number, args: readonly string[]): readonly (readonly string[])[] {
    return commandName(args) === 'exec' ? (this.#queued.get(client) ?? []) : []
  }

  /** Answers what was queued before the command. */
  follow(client: number, args: readonly string[], reply: string): readonly (readonly string[])[] {
    const queued = this.#queued.get(client) ?? []
    const name = commandName(args)
    if (name === 'multi' && reply === '+OK\r\n') this.#queued.set(client, [])
    else if (name === 'exec' || name === 'discard' || name === 'reset') this.#queued.delete(client)
    else if (reply === '+QUEUED\r\n') queued.push(args)
    return queued
  }
}
