/**
 * For each process of the tests: V8 optimizes a function after six times as much work of it as by itself, and in smaller
 * pieces. Most of these processes live for seconds, and optimizing was a fifth of their CPU time. Nothing that a program does
 * depends on it. Measured with Node 20; later ones have another compiler in between.
 */
const flags = [
  '--interrupt-budget=400000',
  '--max-inlined-bytecode-size=150',
  '--max-inlined-bytecode-size-cumulative=300',
]

export const lateTierUp: string[] = process.versions.node.startsWith('20.') ? flags : []
