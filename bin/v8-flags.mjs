// How V8 compiles: a campaign is over before much of what it optimises has paid for itself.

/**
 * In smaller pieces and sooner. A fifth of a campaign's CPU time was V8's optimising compiler,
 * which puts functions into each other and compiles the whole again wherever one of them meets
 * something new. Measured with Node 20; later ones have another compiler in between. What Node was
 * started with stays as it is.
 */
export function v8Flags(nodeVersion, nodeArguments) {
  if (!nodeVersion.startsWith('20.')) return []
  return flags.filter((flag) => !nodeArguments.some((given) => nameOf(given) === nameOf(flag)))
}

const flags = [
  '--max-inlined-bytecode-size=150',
  '--max-inlined-bytecode-size-cumulative=300',
  '--interrupt-budget=33000',
  // Most of a short campaign is over before the interpreter has warmed up.
  '--always-sparkplug',
  // V8 has four helpers for all threads: as many workers as cores leave no room for them.
  '--no-parallel-scavenge',
]

/** V8 reads `_` as `-`. */
function nameOf(flag) {
  return flag.split('=', 1)[0].replaceAll('_', '-')
}
