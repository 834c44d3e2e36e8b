/**
 * One connection of a replica or a Sentinel to another machine of its deployment, in a run that
 * follows a schedule. Its first command identifies the caller. Orders of a Sentinel (`SLAVEOF`,
 * sent between MULTI and EXEC) wait for their step, and so do a replica's PSYNC and the data that
 * follow.
 */
import net, { type Socket } from 'node:net'
import { CommandReader } from '../consumer/resp.ts'
import { bothEnds } from '../proxy/both-ends.ts'
import type { Address } from '../proxy/link-proxy.ts'
import type { HeldRules, Order } from './held-rules.ts'
import { ReplicaStream, type Sync } from './replica-stream.ts'

export interface Setting {
  readonly rules: HeldRules
  /** The name of the destination machine. */
  readonly name: string
  readonly isSentinel: boolean
  readonly to: Address
  /**
   * The machine that identifies itself by these words; null if it is not part of the deployment.
   */
  whoSays(words: readonly string[]): { readonly name: string; readonly isSentinel: boolean } | null
  /** Called when that replica receives the data of this machine. */
  syncs(replica: string, how: Sync): void
}

export class HeldConnection {
  readonly closed: Promise<unknown>
  readonly #far: Socket
  #who: { readonly name: string; readonly isSentinel: boolean } | null = null
  /** Bytes that have arrived and were not forwarded yet. */
  #toNode = Buffer.alloc(0)
  #toClient = Buffer.alloc(0)
  #stream: ReplicaStream | null = null

  constructor(
    private readonly near: Socket,
    private readonly setting: Setting,
  ) {
    this.#far = net.connect(setting.to)
    const sockets = [near, this.#far]
    this.closed = bothEnds(sockets)
    for (const [at, socket] of sockets.entries()) socket.on('close', () => sockets[1 - at]!.destroySoon())
    near.on('data', (bytes: Buffer) => {
      this.#toNode = Buffer.concat([this.#toNode, bytes])
      this.passOn()
    })
    this.#far.on('data', (bytes: Buffer) => {
      this.#toClient = Buffer.concat([this.#toClient, bytes])
      this.passOn()
    })
  }

  destroy(): void {
    for (const socket of [this.near, this.#far]) socket.destroy()
  }

  /** Forwards everything that may pass now. */
  passOn(): void {
    this.#passOnRequests()
    this.#passOnReplies()
  }

  #passOnRequests(): void {
    const { rules, name, isSentinel } = this.setting
    for (;;) {
      this.#passOnSignsOfLife()
      const commands = new CommandReader().take(this.#toNode)
      const [first] = commands
      if (first === undefined) return
      this.#who ??= this.setting.whoSays(first.args)
      const who = this.#who
      if (who !== null && !rules.reach(who.name, name)) return
      if (isSentinel && !rules.mayLearn(name)) return
      const end = who === null ? first.end : this.#endOfAllowed(commands, who.name)
      if (end === null) return
      this.#far.write(this.#toNode.subarray(0, end))
      this.#toNode = this.#toNode.subarray(end)
    }
  }

  /** Forwards empty lines, which a replica sends while it empties its data set for a full sync. */
  #passOnSignsOfLife(): void {
    const end = this.#toNode.findIndex((byte) => byte !== newline)
    const lines = end < 0 ? this.#toNode.length : end
    if (lines === 0) return
    this.#far.write(this.#toNode.subarray(0, lines))
    this.#toNode = this.#toNode.subarray(lines)
  }

  /**
   * The end of the requests that may pass; null if the first command, or the transaction that it
   * begins, must wait.
   */
  #endOfAllowed(commands: readonly { args: readonly string[]; end: number }[], who: string): number | null {
    const { rules, name } = this.setting
    const [first] = commands
    const word = wordOf(first!.args)
    if (word === 'PSYNC') {
      if (rules.limitOf(who, name) === null) return null
      this.#stream = new ReplicaStream(
        Number(first!.args[2]),
        () => rules.limitOf(who, name) ?? 0,
        () => rules.mayHaveData(who),
        (how) => this.setting.syncs(who, how),
      )
    }
    if (word !== 'MULTI') return first!.end
    const last = commands.findIndex(({ args }) => wordOf(args) === 'EXEC')
    if (last < 0) return null
    const orders = commands
      .slice(0, last)
      .flatMap(({ args }) => (wordOf(args) === 'SLAVEOF' ? [orderOf(name, args)] : []))
    return orders.every((order) => rules.allows(order)) ? commands[last]!.end : null
  }

  #passOnReplies(): void {
    const { rules, name, isSentinel } = this.setting
    const who = this.#who
    if (who !== null && !rules.reach(who.name, name)) return
    if (who?.isSentinel === true && !isSentinel && !rules.mayLearn(who.name)) return
    const bytes = this.#toClient
    this.#toClient = Buffer.alloc(0)
    const passed = this.#stream === null ? bytes : this.#stream.take(bytes)
    if (passed.length > 0) this.near.write(passed)
  }
}

const newline = 10

const wordOf = ([word = '']: readonly string[]): string => word.toUpperCase()

function orderOf(server: string, [, host = '', port = '']: readonly string[]): Order {
  return { server, follows: host.toUpperCase() === 'NO' ? null : { host, port: Number(port) } }
}
