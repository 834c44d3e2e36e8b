/** The properties that must be equal for two machines to get equal results. */
export interface Identity {
  readonly version: string
  /** A digest of all sources of Onceproof and the versions of its dependencies. */
  readonly sources: string
  readonly nodeMajor: number
}

/** Why a worker cannot play the runs of another machine; null if it can. */
export function difference(own: Identity, wanted: Identity): string | null {
  if (own.version !== wanted.version)
    return `it has onceproof ${own.version} instead of ${wanted.version}; install that`
  if (own.nodeMajor !== wanted.nodeMajor)
    return `it has Node ${own.nodeMajor} instead of ${wanted.nodeMajor}; run it with that`
  if (own.sources !== wanted.sources)
    return `its onceproof has sources ${own.sources} instead of ${wanted.sources}; install the same on both`
  return null
}
