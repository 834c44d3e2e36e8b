/** What a server's disk holds: plain data, for the next server on it to begin from. */
export interface DurableImage {
  /** The snapshot file. */
  readonly snapshot: Snapshot | null
  /** The append-only file: the snapshot that it begins with, and commands. */
  readonly log: { readonly base: string; readonly commands: string } | null
}

/** A data set, with where its server stood in the history that it replicated. */
export interface Snapshot {
  readonly keys: string
  /** Null where no history was kept. */
  readonly history: { readonly id: string; readonly offset: number; readonly database: number } | null
}
