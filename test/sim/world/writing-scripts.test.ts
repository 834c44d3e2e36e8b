import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { isWritingScript, writingScripts } from '../../../src/sim/world/writing-scripts.ts'
import type { ExecutedCommand } from '../../../src/sim/world.ts'

const command = (...args: string[]): ExecutedCommand => {
  return { process: 'consumer-1', label: args[0]!, seq: 0, args, reply: null }
}
const shaOf = (body: string) => createHash('sha1').update(body).digest('hex')
const looks = "return redis.call('get', KEYS[1])"
const marks = 'local rcall = redis.call\nreturn rcall("ZADD", KEYS[1], 1, ARGV[1])'

it('a script writes if its text calls a writing command', () => {
  const run = [command('EVAL', looks, '1', 'k'), command('SCRIPT', 'LOAD', marks)]
  const writing = writingScripts(run)
  expect(isWritingScript(run[0]!, writing)).toBe(false)
  expect(isWritingScript(command('EVAL', marks, '1', 'k', 'v'), writing)).toBe(true)
  expect(isWritingScript(command('EVALSHA', shaOf(looks), '1', 'k'), writing)).toBe(false)
  expect(isWritingScript(command('evalsha', shaOf(marks).toUpperCase(), '1', 'k'), writing)).toBe(true)
})

it('a script without a known text does not count as writing', () => {
  expect(isWritingScript(command('EVALSHA', shaOf(marks), '1', 'k'), writingScripts([]))).toBe(false)
})
