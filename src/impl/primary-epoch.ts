/** The epoch of a primary, from INFO replication. */
export interface PrimaryEpoch {
  /** Changes whenever a server becomes a primary. */
  readonly replid: string
  readonly primary: boolean
  /** Replicas whose acknowledgements count. */
  readonly attached: number
}

export function primaryEpochOf(info: string): PrimaryEpoch {
  return {
    replid: /^master_replid:(\S+)/m.exec(info)?.[1] ?? '',
    primary: /^role:master\b/m.test(info),
    attached: info.match(/^slave\d+:.*\bstate=online\b/gm)?.length ?? 0,
  }
}

/**
 * Throws if the primary was demoted in between: even if it was promoted again, it has forgotten
 * writes, and its offsets have another meaning.
 */
export function sameEpoch(before: PrimaryEpoch, after: PrimaryEpoch, meanwhile: string): PrimaryEpoch {
  if (after.primary && before.replid === after.replid) return after
  throw new Error(`the primary was demoted while ${meanwhile}`)
}
