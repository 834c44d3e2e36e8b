/** Values of options that a command rejects before it plays: exit code 2, and one line. */
import { describe, it } from 'vitest'
import { expectRefusal } from './refusal.ts'

const noNumbers = ['', 'abc', '-1', '1.5', '1e3', '0x10', ' 1', 'NaN', 'Infinity', '99999999999', '1_000', '١']
const numeric: readonly [readonly string[], string][] = [
  [['run'], '--runs'],
  [['run'], '--seed'],
  [['run'], '--workers'],
  [['replay'], '--run'],
  [['redis'], '--port'],
  [['live'], '--margin'],
]
describe.each(numeric)('%s %s', (command, option) => {
  it.each(noNumbers)('refuses %j', async (value) => {
    await expectRefusal([...command, `${option}=${value}`], 2, `${option} ${value.trim()}`.trim())
  })
})

const values: readonly [string, readonly string[]][] = [
  ['--time', ['', '30', '0s', '-1s', '1d', 's', '1 s', '1.s', '1e3ms', 'forever']],
  ['--shard', ['', '1', '0/3', '4/3', '1/0', '1/1001', '-1/3', '1.5/3', 'a/b', '1/3/5']],
  ['--sink', ['', 'Plain', 'fences', 'plain,keyed', '*']],
]
describe.each(values)('run %s', (option, bad) => {
  it.each(bad)('refuses %j', (value) => expectRefusal(['run', `${option}=${value}`], 2, option))
})

it.each(['', '0', '-1', '1e9', '1e-9', 'x', '0.001', '101'])('refuses live --time-scale %j', (value) =>
  expectRefusal(['live', `--time-scale=${value}`], 2, '--time-scale'),
)
