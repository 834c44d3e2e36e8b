import type { ClientSide, Connection, Tap } from 'virtual-node/network'
import { questionOf } from '../../run/store-steps.ts'
import type { SentinelNode } from './sentinel-node.ts'
import type { World } from './world-state.ts'

/**
 * Records two steps for each query of a consumer's client: the Sentinel replies, and the client
 * receives the reply.
 */
export class AskedSentinels {
  /** By connection, in order: the queries whose replies are in flight; null for other commands. */
  readonly #answers = new WeakMap<ClientSide, (string | null)[]>()

  constructor(private readonly world: World) {}

  /** Watches a Sentinel, and returns the tap for its clients. */
  watch(sentinel: SentinelNode): Tap {
    sentinel.watch((id, args) => {
      const client = sentinel.clientOf(id)
      if (client === undefined || client.process === null || !this.world.isRecorded(client.process)) return
      const answers = this.#answers.get(client) ?? []
      this.#answers.set(client, answers)
      const question = questionOf(args)
      answers.push(question)
      if (question !== null) this.#take('asks', client.process.name, sentinel.name, question)
    })
    return {
      opened: () => {},
      sending: () => {},
      // Commands to a Sentinel do not pass boundaries.
      label: () => null,
      leaving: () => true,
      arriving: () => true,
      hearing: (connection: Connection) => {
        const question = this.#answers.get(connection)?.shift() ?? null
        if (question !== null) this.#take('hears', connection.process.name, sentinel.name, question)
      },
      lost: () => {},
    }
  }

  #take(kind: 'asks' | 'hears', process: string, server: string, question: string): void {
    this.world.scheduleRecorder?.take({ kind, process, server, question }, () => {})
  }
}
