/** What must be equal on two machines for their results to be equal. */
export interface Identity {
  readonly version: string
  /** Over all sources of Onceproof, and the versions of what it uses. */
  readonly sources: string
  readonly nodeMajor: number
}

/** Why a worker cannot play the runs of an asker; null where it can. */
export function difference(own: Identity, wanted: Identity): string | null {
  if (own.version !== wanted.version)
    return `it has onceproof ${own.version} instead of ${wanted.version}; install that`
  if (own.nodeMajor !== wanted.nodeMajor)
    return `it has Node ${own.nodeMajor} instead of ${wanted.nodeMajor}; run it with that`
  if (own.sources !== wanted.sources)
    return `its onceproof has sources ${own.sources} instead of ${wanted.sources}; install the same on both`
  return null
}
