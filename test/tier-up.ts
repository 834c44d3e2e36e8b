/**
 * For each process of the tests: V8 optimizes a function after six times as much work of it as by itself. Most of these
 * processes live for seconds, and optimizing was a fifth of their CPU time. Nothing that a program does depends on it.
 * Measured with Node 20; later ones have another compiler in between.
 */
export const lateTierUp: string[] = process.versions.node.startsWith('20.') ? ['--interrupt-budget=400000'] : []
