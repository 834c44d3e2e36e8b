/**
 * The object of a heavyweight lock. `key` identifies it; `title` is its name in deadlock messages.
 */
export interface LockTag {
  readonly kind: 'relation' | 'tuple' | 'transaction' | 'speculative' | 'advisory'
  readonly key: string
  readonly title: string
}

/** The oid of the database that messages contain. */
const databaseOid = 16384

export const relationTag = (oid: number): LockTag => ({
  kind: 'relation',
  key: `r${oid}`,
  title: `relation ${oid} of database ${databaseOid}`,
})

export const tupleTag = (oid: number, tid: number): LockTag => ({
  kind: 'tuple',
  key: `t${oid}:${tid}`,
  title: `tuple (0,${tid}) of relation ${oid} of database ${databaseOid}`,
})

export const transactionTag = (xid: number): LockTag => ({
  kind: 'transaction',
  key: `x${xid}`,
  title: `transaction ${xid}`,
})

/** The lock of a row that ON CONFLICT has inserted speculatively and may remove again. */
export const speculativeTag = (xid: number, token: number): LockTag => ({
  kind: 'speculative',
  key: `s${xid}:${token}`,
  title: `speculative token ${token} of transaction ${xid}`,
})

/** An advisory lock on one key of 64 bits or (`two`) on two keys of 32 bits. */
export const advisoryTag = (high: number, low: number, two: boolean): LockTag => ({
  kind: 'advisory',
  key: `a${high}:${low}:${two ? 2 : 1}`,
  title: `advisory lock [${databaseOid},${high},${low},${two ? 2 : 1}]`,
})
