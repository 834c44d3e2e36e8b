/** A Redis client's commands and replies on a held stream, which are handled one by one. */
import { questionOf } from '../../run/store-steps.ts'
import { type GateDecision, passGate, passReply, type Replied, report } from './gates.ts'
import { atOnce, type HeldProtocol, HeldStream } from './held-stream.ts'
import { isAnnounced, readsOf } from './reads.ts'
import { asReply, CommandReader, confirms, isPush, ReplyReader, shown } from './resp.ts'
import { namedBy, noteCommand, noteLeaving, type Sent, type WatchedSocket } from './sent-command.ts'

/**
 * Matches commands after which Redis sends messages by itself, about its keys or all commands.
 * Published messages are different: another command causes each of them.
 */
const listening = /^(?:(?:MONITOR|CLIENT TRACKING)\b|[PS]?SUBSCRIBE (?:.* )?(?:__key|[*?[]))/i

export class HeldSocket implements HeldProtocol {
  /** True once a command was sent. Everything before it was the handshake of the client. */
  #handshakeDone = false
  readonly #reader = new CommandReader()
  readonly #replies = new ReplyReader()
  readonly #unanswered: Sent[] = []
  readonly stream: HeldStream

  constructor(
    socket: WatchedSocket,
    private readonly port: number,
    /** True if the connection leads to a Sentinel. */
    private readonly asks: boolean,
    /**
     * True if the connection leads to a Cluster node, which clients also ask about the other nodes.
     */
    private readonly isOfCluster: boolean,
  ) {
    this.stream = new HeldStream(socket, port, this, isOfCluster)
  }

  leave(bytes: Buffer): void {
    let from = 0
    for (const [at, { args, end }] of this.#reader.take(bytes).entries()) {
      const sent = noteCommand(args)
      this.#unanswered.push(sent)
      const part = bytes.subarray(Math.max(from, 0), end)
      this.stream.inTurn(part, this.#mayLeave(sent, at === 0), () => this.#leaves(sent))
      from = end
    }
    if (from < bytes.length) this.stream.inTurn(bytes.subarray(from), Promise.resolve(atOnce), () => {})
  }

  #mayLeave({ label, command, args }: Sent, first: boolean): Promise<GateDecision> {
    if (label === null) return this.isOfCluster ? this.#passSentinel('asking', args) : Promise.resolve(atOnce)
    if (this.asks) return this.#passSentinel('asking', args)
    // A command in the same write as the client's handshake commands does not end the handshake, as
    // in the simulator.
    if (first) this.#handshakeDone = true
    const { connection } = this.stream
    return passGate({ at: 'command-unsent', command, label, connection, port: this.port, first, ...namedBy(args) })
  }

  /**
   * Lets traffic with a Sentinel pass. Only a client's questions are steps; its other commands and
   * their replies pass at once.
   */
  #passSentinel(at: 'asking' | 'told', args: readonly string[]): Promise<GateDecision> {
    const question = questionOf(args)
    if (question === null) return Promise.resolve(atOnce)
    return passGate({ at, connection: this.stream.connection, port: this.port, question })
  }

  #leaves(sent: Sent): void {
    this.stream.underWay++
    if (listening.test(sent.args.join(' '))) this.stream.listens = true
    noteLeaving(sent, this.port, this.stream.connection)
  }

  arrive(data: Buffer): void {
    for (const { bytes, decides } of readsOf(this.#replies.takeWhole(data)))
      this.stream.letIn(bytes, this.#mayEnter(decides))
  }

  outlive(data: Buffer): void {
    for (const reply of this.#replies.takeWhole(data)) {
      const replied = this.#repliedBy(this.#answered(reply), reply)
      if (replied !== null) report({ ...replied, gate: null })
    }
  }

  #mayEnter(reply: Buffer): Promise<GateDecision> {
    const sent = this.#answered(reply)
    if (this.asks) return this.#passSentinel('told', sent?.args ?? [])
    if (sent === null || sent.label === null) {
      if (this.isOfCluster && sent !== null && questionOf(sent.args) !== null)
        return this.#passSentinel('told', sent.args)
      return this.#mayBeHeard(reply)
    }
    return passReply(this.#repliedBy(sent, reply)!)
  }

  #mayBeHeard(reply: Buffer): Promise<GateDecision> {
    const what = isAnnounced(reply) ? 'told' : 'handshake-answered'
    if (what === 'handshake-answered' && this.#handshakeDone) return Promise.resolve(atOnce)
    const { connection, begun } = this.stream
    return passGate({ at: 'heard', what, connection, begun })
  }

  /**
   * Returns the command that the reply answers; null if it answers none. Reports the command if the
   * layer sent it.
   */
  #answered(reply: Buffer): Sent | null {
    const sent = isPush(reply) && !confirms(reply, this.#unanswered[0]) ? undefined : this.#unanswered.shift()
    if (sent !== undefined) this.stream.underWay--
    sent?.answered?.()
    if (sent === undefined) return null
    if (sent.label !== null) report({ type: 'command', command: sent.text, reply: shown(reply) })
    return sent
  }

  /** The reply to report; null if it answers no command of the layer. */
  #repliedBy(sent: Sent | null, reply: Buffer): Replied | null {
    if (sent === null || sent.label === null || this.asks) return null
    const { label, command, args } = sent
    const { connection } = this.stream
    return { type: 'replied', connection, command, label, args, reply: asReply(reply), ...namedBy(args) }
  }
}
