// V8 flags for short runs: a campaign ends before most optimizations have paid off.

/**
 * Makes V8 optimize smaller pieces earlier. A fifth of a campaign's CPU time was V8's optimizing
 * compiler, which inlines functions and recompiles the whole when one of them meets something new.
 * Measured with Node 20; later versions have an additional compiler. Flags on Node's command line
 * take precedence.
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
  // V8 has four helper threads. With a worker for each core, they would compete with the workers.
  '--no-parallel-scavenge',
]

/** V8 treats `_` like `-`. */
function nameOf(flag) {
  return flag.split('=', 1)[0].replaceAll('_', '-')
}
