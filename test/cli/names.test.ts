import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { catalogue, globPattern } from '../../src/cli/catalogue.ts'
import { loadScenario } from '../../src/cli/load-scenario.ts'
import { withCommand } from '../../src/cli/main.ts'
import { suggestion } from '../../src/cli/nearest.ts'
import { readDuration } from '../../src/cli/options.ts'
import { select, usualSink } from '../../src/cli/select.ts'
import { UsageError } from '../../src/cli/usage-error.ts'
import type { LoadedImplementation } from '../../src/sim/adapters/load-implementation.ts'

/** Treats files as implementations that declare an id after their name. */
const declared = {
  loadImplementation: async (file: string) => {
    const implementation = { id: `declared-${path.basename(file, '.ts')}` }
    return { implementation } as LoadedImplementation
  },
  loadScenario,
}

describe('arguments', () => {
  it.each([
    [[], ['run']],
    [
      ['--', 'sim', '--runs', '3'],
      ['run', '--runs', '3'],
    ],
    [
      ['sim', 'replay', 'op2_x'],
      ['replay', 'op2_x'],
    ],
    [['--help'], ['--help']],
    [['list'], ['list']],
  ])('%j are %j', (argv, args) => expect(withCommand(argv)).toEqual(args))

  it.each([
    ['30s', 30_000],
    ['1500ms', 1_500],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
  ])('%s is %i milliseconds', (text, ms) => expect(readDuration(text, '--time')).toBe(ms))

  it.each(['30', '0s', 's', '-1s', '3 s'])('%j is not a duration', (text) =>
    expect(() => readDuration(text, '--time')).toThrow(UsageError),
  )
})

describe('a glob', () => {
  it.each([
    ['impl/*.ts', 'impl/a.ts', true],
    ['impl/*.ts', 'impl/deep/a.ts', false],
    ['impl/**/*.ts', 'impl/deep/er/a.ts', true],
    ['impl/**/*.ts', 'impl/a.ts', true],
    ['./00?-*', '001-get-set', true],
    ['a.ts', 'abts', false],
  ])('%s against %s: %s', (glob, name, matches) => expect(globPattern(glob).test(name)).toBe(matches))
})

describe('a wrong name', () => {
  it('gets the nearest names, nearest first', () => {
    expect(suggestion('lost-replay', ['crash', 'lost-relic', 'lost-reply'], '')).toBe(
      'did you mean lost-reply, lost-relic?',
    )
  })
  it('gets a way to look up names if none is similar', () => {
    expect(suggestion('zebra', ['crash', 'pause'], 'ask list')).toBe('ask list')
  })
})

describe('selecting', () => {
  it('finds by id, declared id, glob and path, each file once', async () => {
    const [one] = await select('implementation', ['001-get-set'], declared)
    expect(one).toEqual({ name: '001-get-set', path: expect.stringMatching(/001-get-set\.ts$/) })
    expect(
      await select('implementation', ['001-get-*', one!.path, 'implementations/articles/001-get-set*'], declared),
    ).toEqual([one])
    await expect(select('implementation', ['declared-nothing'], declared)).rejects.toBeInstanceOf(UsageError)
  })

  it('names files outside the catalogue by their relative path', async () => {
    expect(await select('implementation', ['test/cli/run-cli.ts'], declared)).toEqual([
      { name: './test/cli/run-cli.ts', path: path.resolve('test/cli/run-cli.ts') },
    ])
  })
})

it('a layer is played on a plain sink, or on its first one if it cannot use a plain one', () => {
  expect(usualSink({})).toBe('plain')
  expect(usualSink({ sinks: ['keyed', 'plain'] })).toBe('plain')
  expect(usualSink({ sinks: ['keyed', 'fenced'] })).toBe('keyed')
  expect(usualSink({ sinks: ['cancellable'] })).toBe('cancellable')
})

describe('the catalogue', () => {
  it('keeps every scenario in a file of the same name', async () => {
    for (const { id, path: file } of catalogue('scenario')) expect((await loadScenario(file)).id).toBe(id)
  })
})
