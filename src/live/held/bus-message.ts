/**
 * Messages between Cluster nodes: the parts of `clusterMsg` in Redis 7.0's cluster.h that the
 * harness reads. Numbers are big-endian; the header has a fixed length.
 */
const at = {
  length: 4,
  type: 12,
  count: 14,
  currentEpoch: 16,
  configEpoch: 24,
  offset: 32,
  sender: 40,
  slots: 80,
  primary: 2128,
  end: 2256,
}
const idLength = 40
const slotBytes = 2048

const types = { pong: 1, fail: 3, authRequest: 5, authVote: 6, update: 7 } as const

export interface BusMessage {
  /** The id of the sender. */
  readonly sender: string
  readonly isPong: boolean
  /**
   * True for a message that occurs only in an automatic failover: FAIL, a vote request or a vote.
   */
  readonly isOfFailover: boolean
  /** The epoch in which the sender stands for election; null if the message requests no vote. */
  readonly stands: number | null
  /** The id of the primary that the sender replicates; null if the sender is a primary. */
  readonly primary: string | null
  /** True if the sender is a primary that claims slots in `configEpoch`. */
  readonly servesSlots: boolean
  readonly configEpoch: number
  /** True if the sender has part of its primary's history. */
  readonly hasData: boolean
  /**
   * The id of a node that serves slots which the receiver claims; null in messages that are not
   * about that.
   */
  readonly update: string | null
  readonly bytes: Buffer
}

/** Splits a byte stream into messages. */
export class BusReader {
  #rest = Buffer.alloc(0)

  take(bytes: Buffer): BusMessage[] {
    this.#rest = Buffer.concat([this.#rest, bytes])
    const messages: BusMessage[] = []
    for (;;) {
      const length = this.#rest.length < at.end ? Number.POSITIVE_INFINITY : this.#rest.readUInt32BE(at.length)
      if (this.#rest.length < length) return messages
      messages.push(read(Buffer.from(this.#rest.subarray(0, length))))
      this.#rest = this.#rest.subarray(length)
    }
  }
}

function read(bytes: Buffer): BusMessage {
  const text = (from: number) => bytes.toString('latin1', from, from + idLength)
  const type = bytes.readUInt16BE(at.type)
  const primary = text(at.primary)
  return {
    sender: text(at.sender),
    isPong: type === types.pong,
    isOfFailover: type === types.fail || type === types.authRequest || type === types.authVote,
    stands: type === types.authRequest ? Number(bytes.readBigUInt64BE(at.currentEpoch)) : null,
    primary: primary.startsWith('\0') ? null : primary,
    servesSlots: bytes.subarray(at.slots, at.slots + slotBytes).some((byte) => byte !== 0),
    configEpoch: Number(bytes.readBigUInt64BE(at.configEpoch)),
    hasData: bytes.readBigUInt64BE(at.offset) !== 0n,
    update: type === types.update ? text(at.end + 8) : null,
    bytes,
  }
}

/**
 * A FAIL message from the sender of `said`, which states that a majority considers the node
 * `failing` down.
 */
export function failMessage(said: BusMessage, failing: string): Buffer {
  const message = Buffer.concat([said.bytes.subarray(0, at.end), Buffer.from(failing, 'latin1')])
  message.writeUInt32BE(message.length, at.length)
  message.writeUInt16BE(types.fail, at.type)
  message.writeUInt16BE(0, at.count)
  return message
}
