/** Two machines get equal results only if these are equal. */
export interface Identity {
  readonly version: string
  /** A digest of all sources of Onceproof and the versions of its dependencies. */
  readonly sources: string
  readonly nodeMajor: number
}

/** Why a worker cannot play the runs of another machine; null if it can. */
export function difference(own: Identity, wanted: Identity): string | null {
  if (own.version !== wanted.version)
    return `its onceproof is ${own.version}, and ${wanted.version} is wanted; install that one`
  if (own.nodeMajor !== wanted.nodeMajor)
    return `its Node is ${own.nodeMajor}, and ${wanted.nodeMajor} is wanted; run it with that one`
  if (own.sources !== wanted.sources)
    return `its onceproof has other sources (${own.sources}, and ${wanted.sources} are wanted); install the same on both`
  return null
}
