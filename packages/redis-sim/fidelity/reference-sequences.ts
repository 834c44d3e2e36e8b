import { readdirSync, readFileSync } from 'node:fs'
import { Random } from 'test-servers'
import { command, type Sequence, type Step } from './step.ts'

/**
 * Generates sequences that run the reference layer's scripts in random order on a few records, so
 * that every transition and every refusal occurs.
 */
export function* referenceSequences(seed: number, count: number): Generator<Sequence> {
  const folder = new URL('../../../lua/', import.meta.url)
  const scripts = readdirSync(folder)
    .filter((name) => name.endsWith('.lua'))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'latin1'))
  const often = scripts.flatMap((script) => Array<string>(weight(script)).fill(script))
  const random = new Random(seed)
  for (let number = 0; number < count && scripts.length > 0; number++) {
    const steps: Step[] = Array.from({ length: 80 }, () => step(random, random.pick(often)))
    const adopt = scripts.find((script) => script.startsWith('-- adopt'))!
    const adopted = number % 4 === 0 ? [] : [command(0, 'EVAL', adopt, '1', 'generation', '0', 'generation-1')]
    yield { name: `reference ${seed}/${number}`, connections: 1, steps: [...fences, ...adopted, ...steps], timed: true }
  }
}

/**
 * The weight of a script. `complete` is rare, because a completed key stays completed; the scripts
 * that precede `complete` are frequent.
 */
function weight(script: string): number {
  if (/^-- (acquire|begin)/.test(script)) return 12
  return script.startsWith('-- complete') ? 1 : 3
}

/**
 * A fence derives from the clock unless the record has a higher fence. The records begin with this
 * fence, so that the next fences are equal on both servers.
 */
const firstFence = 9_000_000_000_000_000
const fences: readonly Step[] = ['record:0', 'record:1'].map((record) =>
  command(0, 'HSET', record, 'fence', String(firstFence)),
)

/**
 * Runs a script with the keys and arguments that its header names. Leases are long, or end
 * immediately.
 */
function step(random: Random, script: string): Step {
  const record = `record:${random.below(2)}`
  const kinds = [...script.matchAll(/^-- KEYS\[\d+\] +the (record|generation)/gm)].map((match) => match[1]!)
  const keys = kinds.map((kind) => (kind === 'record' ? record : kind))
  const names = [...script.matchAll(/^-- ARGV\[\d+\] +(.*)$/gm)].map((match) => match[1]!)
  return command(0, 'EVAL', script, String(keys.length), ...keys, ...names.map((name) => argument(random, name)))
}

function argument(random: Random, name: string): string {
  if (name.startsWith('owner')) return random.pick(['owner-1', 'owner-1', 'owner-1', 'owner-2'])
  if (name.startsWith('lease')) return random.pick(['100000', '100000', '100000', '-1000'])
  if (name.startsWith('time to live')) return '500000'
  if (name.startsWith('fence')) return String(firstFence + 1 + random.pick([0, 0, 0, 1, 2, 3]))
  if (name.startsWith('highest fence')) return random.pick(['0', String(firstFence + 9)])
  if (/nonce/.test(name)) return random.pick(['nonce-1', 'nonce-1', 'nonce-2', ''])
  if (/^(generation|token)/.test(name)) return 'generation-1'
  if (name.startsWith('kind of sink')) return random.pick(['plain', 'plain', 'keyed', 'fenced'])
  if (name.startsWith('producedAt')) return random.pick(['1', '1', '1', '4102444800000'])
  if (name.startsWith('retention')) return random.pick(['9000000000000', '9000000000000', '1000'])
  if (/^(clock skew|since)/.test(name)) return '0'
  if (name.startsWith('fingerprint')) return random.pick(['same', 'same', 'same', 'same', 'same', 'other'])
  return random.pick(['{"effectId":"e1"}', 'text'])
}
