import { readdirSync, readFileSync } from 'node:fs'
import { Random } from 'test-servers'
import { command, type Sequence, type Step } from './step.ts'

/**
 * A script from the source of an adapter in `implementations/articles`. The first line of the
 * script names its arguments.
 */
interface ArticleScript {
  readonly body: string
  /** The names that the first line gives to ARGV[1], ARGV[2], … */
  readonly argv: readonly string[]
}

/**
 * Sequences that execute these scripts on complete records of the adapters, on truncated records
 * (as after a crash), and on values of other programs.
 */
export function* articleSequences(seed: number, count: number): Generator<Sequence> {
  const scripts = articleScripts()
  const random = new Random(seed)
  for (let number = 0; number < count; number++) {
    const steps = Array.from({ length: 60 }, () => step(random, scripts))
    yield { name: `articles ${seed}/${number}`, connections: 2, steps, timed: true }
  }
}

export function articleScripts(): readonly ArticleScript[] {
  const folder = new URL('../../../implementations/articles/', import.meta.url)
  const found = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .flatMap((name) => [...readFileSync(new URL(name, folder), 'latin1').matchAll(/`(-- [\w-]+: KEYS\[1\][^`]*)`/g)])
    .map(([, body]) => ({ body: body!, argv: headerOf(body!) }))
  return found
}

function headerOf(body: string): readonly string[] {
  const [, words] = /^.*; ARGV (.*)$/m.exec(body) ?? []
  return words === undefined ? [] : words.replaceAll(/\([^)]*\)/g, '').split(', ')
}

const owners = ['consumer-1', 'consumer-1', 'consumer-2', '']

/** Records that the adapters wrote in one run. */
const records = [
  '{"status":"STARTED","started_at":"2023-11-14T22:13:20.004Z","lock_expiry":"2023-11-14T22:18:20.004Z"}',
  '{"status":"STARTED","started_at":"2023-11-14T22:13:20.004Z","lock_expiry":"2099-01-01T00:00:00.000Z"}',
  '{"status":"COMPLETED","started_at":"2023-11-14T22:13:20.004Z","completed_at":"2023-11-14T22:13:20.031Z","response_body":"{\\"effectId\\":\\"effect-1\\"}","response_code":200}',
  '{"status":"PROCESSING","owner":"consumer-1","timestamp":1700000000.004}',
  '{"status":"PROCESSING","owner":"consumer-2","timestamp":1700000000000}',
  '{"status":"PROCESSING","owner":"consumer-1","timestamp":4102444800000}',
  '{"status":"COMPLETED","result":{"effectId":"effect-1"}}',
  '{"status":"COMPLETED","owner":"consumer-1","completedAt":1700000000031,"result":null}',
  'consumer-1',
  'consumer-2',
  'COMPLETED',
]
/** Values that no adapter writes, such as records of another program or version. */
const strange = [
  '',
  '{}',
  '[]',
  'null',
  '{"status":',
  '{"status":"FAILED"}',
  '{"status":"STARTED"}',
  '12',
  '{"status":7}',
]

function step(random: Random, scripts: readonly ArticleScript[]): Step {
  const on = random.below(2)
  const key = random.pick(['idempotency:v1:k1', 'idempotency:v1:k2', 'lock:k1'])
  const record = () => random.pick(random.chance(85) ? records : strange)
  return random.weighted<() => Step>([
    [10, () => evaluate(random, on, key, random.pick(scripts))],
    [4, () => command(on, 'SET', key, record(), 'EX', '86400')],
    [2, () => command(on, 'SET', key, record(), 'EX', '300', 'NX')],
    [2, () => command(on, 'GET', key)],
    [2, () => command(on, 'DEL', key)],
    [1, () => command(on, 'HSET', key, 'status', 'COMPLETED')],
    [1, () => command(on, 'PTTL', key)],
  ])()
}

function evaluate(random: Random, on: number, key: string, { body, argv }: ArticleScript): Step {
  return command(on, 'EVAL', body, '1', key, ...argv.map((name) => argument(random, name)))
}

function argument(random: Random, name: string): string {
  if (/owner/.test(name)) return random.pick(owners)
  if (/seconds/.test(name)) return random.pick(['300', '86400', '10', '10', '0', 'x'])
  if (/stale after/.test(name)) return random.pick(['300000', '0', '-1', 'x'])
  if (/^now/.test(name)) return random.pick(['2023-11-14T22:13:21.000Z', '2024-01-01T00:00:00.000Z'])
  return random.pick(records)
}
