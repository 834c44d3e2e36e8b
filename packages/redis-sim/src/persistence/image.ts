/** The contents of a server's disk, as plain data for the next server that starts on it. */
export interface DurableImage {
  /** The snapshot file. */
  readonly snapshot: Snapshot | null
  /** The append-only file: its initial snapshot, and commands. */
  readonly log: { readonly base: string; readonly commands: string } | null
}

/** A data set, and the server's position in the replication history. */
export interface Snapshot {
  readonly keys: string
  /** Position in the replication history; null if the server had no history. */
  readonly history: { readonly id: string; readonly offset: number; readonly database: number } | null
}
