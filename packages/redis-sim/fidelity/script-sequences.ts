import { Random } from 'test-servers'
import { generateScript } from './lua/generate.ts'
import { handWrittenScripts } from './lua/scripts.ts'
import { command, type Sequence } from './step.ts'

/**
 * Sequences of one Lua script each, hand-written or generated. Each script runs on servers without
 * data, for clients of both protocol versions.
 */
export function* scriptSequences(seed: number, generated: number): Generator<Sequence> {
  for (const { name, body, keys, argv } of handWrittenScripts) yield sequence(name, body, keys, argv)
  const random = new Random(seed)
  for (let number = 0; number < generated; number++) {
    const { body, keys, argv } = generateScript((n) => random.below(n))
    yield sequence(`generated ${seed}/${number}`, body, keys, argv)
  }
}

function sequence(name: string, body: string, keys: readonly string[], argv: readonly string[]): Sequence {
  const evaluate = command(0, 'EVAL', body, String(keys.length), ...keys, ...argv)
  const steps = [evaluate, command(0, 'FLUSHALL'), command(0, 'HELLO', '3'), evaluate]
  return { name: `script: ${name}`, connections: 1, steps }
}
