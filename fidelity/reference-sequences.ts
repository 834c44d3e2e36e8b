import { readdirSync, readFileSync } from 'node:fs'
import { Random } from './random.ts'
import { command, type Sequence, type Step } from './step.ts'

/** The reference layer's own scripts in random order on a few records: every transition, and every refusal. */
export function* referenceSequences(seed: number, count: number): Generator<Sequence> {
  const folder = new URL('../lua/', import.meta.url)
  const scripts = readdirSync(folder)
    .filter((name) => name.endsWith('.lua'))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'latin1'))
  const random = new Random(seed)
  for (let number = 0; number < count && scripts.length > 0; number++) {
    const steps: Step[] = Array.from({ length: 40 }, () => step(random, random.pick(scripts)))
    yield { name: `reference ${seed}/${number}`, connections: 1, steps, timed: true }
  }
}

/** Arguments as the header of the script names them: leases that are long, or over at once. */
function step(random: Random, script: string): Step {
  const names = [...script.matchAll(/^-- ARGV\[\d+\] +(.*)$/gm)].map((match) => match[1]!)
  return command(0, 'EVAL', script, '1', `record:${random.below(2)}`, ...names.map((name) => argument(random, name)))
}

function argument(random: Random, name: string): string {
  if (name.startsWith('owner')) return random.pick(['owner-1', 'owner-2'])
  if (name.startsWith('lease')) return random.pick(['100000', '100000', '-1000'])
  if (name.startsWith('time to live')) return '500000'
  if (name.startsWith('fence')) return String(1 + random.below(3))
  if (/nonce/.test(name)) return random.pick(['nonce-1', 'nonce-2'])
  if (name.startsWith('fingerprint')) return random.pick(['same', 'same', 'same', 'other'])
  if (name.startsWith("'1'")) return random.pick(['0', '1'])
  return random.pick(['{"effectId":"e1"}', 'text'])
}
