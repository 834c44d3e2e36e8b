/** One record as article 001 stores it, and in other encodings. */
import { createHash } from 'node:crypto'

/** The data that article 001 stores about a processed message. */
export interface DoneRecord {
  readonly messageId: string
  readonly owner: string
  readonly completedAt: number
  readonly transactionId: string
}

export interface Encoding {
  readonly name: string
  /** The part of the record that can be decoded again. */
  readonly keeps: 'all' | 'that it is done'
  readonly key: (record: DoneRecord) => Buffer
  /** The stored value: a string, or the fields of a hash. */
  readonly value: (record: DoneRecord) => Buffer | Readonly<Record<string, string>>
}

/**
 * The nth record. Its fields differ between numbers but have constant lengths: the id has 36
 * characters, like a UUID.
 */
export function recordOf(n: number): DoneRecord {
  const hex = createHash('sha256').update(`message ${n}`).digest('hex')
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
  return {
    messageId: id,
    owner: `consumer-${hex.slice(32, 48)}`,
    completedAt: 1_790_000_000_000 + n,
    transactionId: `txn_${hex.slice(48, 58)}`,
  }
}

const articleKey = ({ messageId }: DoneRecord) => Buffer.from(`idempotency:v2:orders:${messageId}`)
const result = ({ transactionId }: DoneRecord) => ({ success: true, transactionId })
const json = (data: object) => Buffer.from(JSON.stringify(data))

export const encodings: readonly Encoding[] = [
  {
    name: 'JSON, as article 001 has it',
    keeps: 'all',
    key: articleKey,
    value: (record) => {
      const { owner, completedAt } = record
      return json({ status: 'COMPLETED', owner, completedAt, result: result(record) })
    },
  },
  {
    name: 'JSON with names of one letter',
    keeps: 'all',
    key: articleKey,
    value: (record) => json({ s: 'C', o: record.owner, t: record.completedAt, r: record.transactionId }),
  },
  {
    name: 'a hash with three fields',
    keeps: 'all',
    key: articleKey,
    value: (record) => ({ owner: record.owner, completedAt: String(record.completedAt), result: record.transactionId }),
  },
  { name: 'packed: 27 bytes', keeps: 'all', key: articleKey, value: packed },
  {
    name: 'packed, and a key of 18 bytes',
    keeps: 'all',
    key: ({ messageId }) => Buffer.concat([Buffer.from('i:'), Buffer.from(messageId.replaceAll('-', ''), 'hex')]),
    value: packed,
  },
  { name: 'the word COMPLETED', keeps: 'that it is done', key: articleKey, value: () => Buffer.from('COMPLETED') },
  {
    name: 'the same, at a key as idempotency:msg-123',
    keeps: 'that it is done',
    key: ({ completedAt }) => Buffer.from(`idempotency:msg-${completedAt % 1_000_000}`),
    value: () => Buffer.from('COMPLETED'),
  },
  { name: 'the mark 1', keeps: 'that it is done', key: articleKey, value: () => Buffer.from('1') },
]

/** Status, the owner's 8 bytes, the time in 8 bytes, and the transaction's number after `txn_`. */
function packed({ owner, completedAt, transactionId }: DoneRecord): Buffer {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(completedAt))
  const number = transactionId.slice('txn_'.length)
  return Buffer.concat([
    Buffer.from('C'),
    Buffer.from(owner.slice('consumer-'.length), 'hex'),
    time,
    Buffer.from(number),
  ])
}

/** Decodes a packed record. */
export function unpacked(messageId: string, bytes: Buffer): DoneRecord {
  return {
    messageId,
    owner: `consumer-${bytes.subarray(1, 9).toString('hex')}`,
    completedAt: Number(bytes.readBigUInt64BE(9)),
    transactionId: `txn_${bytes.subarray(17).toString()}`,
  }
}

/** Bytes of key and value without overhead. */
export function lengthsOf({ key, value }: Encoding): { readonly keyBytes: number; readonly valueBytes: number } {
  const record = recordOf(123_456)
  const kept = value(record)
  const valueBytes = Buffer.isBuffer(kept) ? kept.length : Object.entries(kept).flat().join('').length
  return { keyBytes: key(record).length, valueBytes }
}
