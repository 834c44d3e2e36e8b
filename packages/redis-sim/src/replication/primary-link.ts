/**
 * A replica's connection to its primary: repeated attempts, handshake, full resync and stream.
 * Source: the replica's half of replication.c of Redis 7.0. The replica tries to connect once a
 * second, and immediately after it loses an established connection. It serves its old data until
 * the new data set is complete, and then drops the old data. While it loads the new data set,
 * commands are answered LOADING.
 */

import { encodeCommand } from '../resp/encode-command.ts'
import type { RedisServer } from '../server.ts'
import type { Wire } from '../wires.ts'
import { Handshake, type PsyncAnswer } from './handshake.ts'
import { loadFromPrimary } from './load-from-primary.ts'
import { type Position, PrimaryStream } from './primary-stream.ts'
import { Transfer } from './transfer.ts'

/** The states that ROLE returns, and `loading`, in which commands are refused. */
export type LinkState = 'connect' | 'connecting' | 'handshake' | 'sync' | 'loading' | 'connected'

export class PrimaryLink {
  host = ''
  port = 0
  state: LinkState = 'connect'
  stream: PrimaryStream | null = null
  transfer: Transfer | null = null
  /** The time of the last data from the primary. */
  lastIoMs = 0
  /** Time at which the stream ended; null if there never was a stream. */
  downSinceMs: number | null = null
  /** The position from which the replica continues if the primary knows that history. */
  private known: Position | null = null
  private wire: Wire | null = null
  private handshake: Handshake | null = null
  private lines = ''
  private cancelLoading = () => {}
  /**
   * The bytes that arrived while the data set was being loaded. `ended` is true if the connection
   * ended meanwhile.
   */
  private whileLoading: { bytes: string; ended: boolean } | null = null

  constructor(private readonly server: RedisServer) {}

  believe(position: Position): void {
    this.known = position
  }

  /** The replica's position in its primary's history. */
  get position(): Position | null {
    return this.stream?.position ?? this.known
  }

  turnTo(host: string, port: number): void {
    this.dispose()
    this.host = host
    this.port = port
    this.connect()
  }

  stop(): void {
    this.dispose()
    this.cancelLoading()
  }

  /** Called once a second. */
  tick(nowMs: number): void {
    const silent = Math.floor(nowMs / 1000) - Math.floor(this.lastIoMs / 1000) > this.server.config.replTimeout
    if (this.state === 'loading') return
    if (this.state !== 'connect' && silent) this.lost()
    else if (this.state === 'connect') this.connect()
    this.acknowledge()
  }

  /** Sends the replica's offset to the primary. */
  acknowledge(): void {
    if (this.stream === null || this.wire === null) return
    const { offset } = this.stream
    const far = this.wire.far?.() ?? null
    if (far !== null && 'beat' in far && far.session.replica?.heardBefore(offset)) far.beat(acknowledgement(offset))
    else this.wire.write(encodeCommand(acknowledgement(offset)))
  }

  /** CLIENT KILL TYPE master, or a timeout: closes the connection and reconnects at once. */
  lost(): void {
    this.dispose()
    this.connect()
  }

  /** Drops the connection; saves the position of the stream. */
  private dispose(): void {
    if (this.stream !== null) {
      this.known = this.stream.position
      this.stream = null
      this.downSinceMs = this.server.readClock()
    }
    this.wire?.close()
    this.wire = null
    this.handshake = null
    this.transfer = null
    this.state = 'connect'
  }

  private connect(): void {
    const { wires } = this.server.environment
    if (wires === undefined) return
    this.state = 'connecting'
    this.lines = ''
    this.lastIoMs = this.server.readClock()
    const wire: Wire = wires.dial(this.host, this.port, {
      opened: () => this.wire === wire && this.opened(),
      received: (bytes) => this.wire === wire && this.received(bytes),
      closed: () => this.wire === wire && this.ended(),
    })
    this.wire = wire
  }

  private opened(): void {
    this.state = 'handshake'
    const { id, offset } = this.known ?? { id: '?', offset: -2 }
    this.handshake = new Handshake(this.server.config, (bytes) => this.wire!.write(bytes), id, offset + 1)
  }

  private ended(): void {
    this.wire = null
    if (this.whileLoading !== null) this.whileLoading.ended = true
    else if (this.state === 'connecting' || this.state === 'handshake') this.dispose()
    else this.lost()
  }

  private received(bytes: string): void {
    if (this.whileLoading !== null) this.whileLoading.bytes += bytes
    else if (this.state === 'handshake') this.hear(bytes)
    else if (this.state === 'sync') this.takeData(bytes)
    else if (this.stream !== null) this.follow(bytes)
  }

  private hear(bytes: string): void {
    this.lines += bytes
    while (this.state === 'handshake') {
      const end = this.lines.indexOf('\n')
      if (end === -1) return
      const line = this.lines.slice(0, end).replace(/\r$/, '')
      this.lines = this.lines.slice(end + 1)
      const step = this.handshake!.hear(line)
      if (step === 'refused') return this.dispose()
      if (step !== 'wait') this.answered(step)
    }
    const rest = this.lines
    this.lines = ''
    if (rest !== '') this.received(rest)
  }

  private answered(answer: PsyncAnswer): void {
    this.handshake = null
    if (answer.kind === 'full') {
      this.transfer = new Transfer()
      this.promised = { id: answer.id, offset: answer.offset }
      this.lastIoMs = this.server.readClock()
      this.state = 'sync'
    } else this.goOn(answer.id)
  }

  /** The position to which the incoming data set belongs. */
  private promised = { id: '', offset: 0 }

  /** Partial resync: continues the history, possibly with a new id. */
  private goOn(id: string | undefined): void {
    const { replication } = this.server
    const known = this.known!
    if (id !== undefined && id !== known.id) {
      replication.id2 = known.id
      replication.secondOffset = this.server.replicationOffset + 1
      replication.id = id
      replication.replicas.disconnectAll()
    }
    replication.keepHistory()
    this.begin({ ...known, id: id ?? known.id })
  }

  private begin(position: Position): void {
    this.known = null
    this.transfer = null
    this.stream = new PrimaryStream(this.server, position.id, position)
    this.state = 'connected'
    this.server.replication.hasSynced = true
    this.downSinceMs = null
    this.lastIoMs = this.server.readClock()
    this.server.environment.replicated?.(true)
  }

  private takeData(bytes: string): void {
    this.lastIoMs = this.server.readClock()
    const taken = this.transfer!.take(bytes)
    if (taken === 'broken') this.lost()
    else if (taken !== undefined) this.load(taken.payload, taken.rest)
  }

  private load(payload: string, rest: string): void {
    this.state = 'loading'
    this.known = null
    this.whileLoading = { bytes: rest, ended: false }
    this.cancelLoading = loadFromPrimary(this.server, payload, { ...this.promised, database: -1 }, () => {
      const { bytes, ended } = this.whileLoading!
      this.whileLoading = null
      this.begin({ ...this.promised, database: -1 })
      this.acknowledge()
      if (bytes !== '') this.follow(bytes)
      if (ended) this.lost()
    })
  }

  private follow(bytes: string): void {
    this.lastIoMs = this.server.readClock()
    this.stream!.receive(bytes)
  }
}

function acknowledgement(offset: number): string[] {
  return ['REPLCONF', 'ACK', String(offset)]
}
