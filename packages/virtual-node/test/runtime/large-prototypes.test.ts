import fs from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { withDictionaries } from '../../src/runtime/large-prototypes.ts'

type Evaluated = Record<string, unknown>
/** Returns the class that gets the members. */
type ClassOf = (evaluated: Evaluated) => unknown

const loaded: ClassOf = (evaluated) => evaluated.default ?? evaluated
const commands = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`command${at}`, {}]))
const attached: ClassOf = ({ attachCommands }) => {
  class BaseClass {}
  ;(attachCommands as (given: object) => void)({ BaseClass, commands, executor: () => {} })
  return BaseClass
}
const configured: ClassOf = ({ attachConfig }) =>
  (attachConfig as (given: object) => unknown)({ BaseClass: class {}, commands, createCommand: () => () => {} })

interface Changed {
  readonly client: string
  readonly file: string
  readonly classOf: ClassOf
  /** The changed lines. */
  readonly places: readonly string[]
}

const each = 'commands.forEach(function (commandName) {'
const every = '    for (const [name, command] of Object.entries(commands)) {'
const ofNodeRedis = '../@redis/client/dist/lib'
const clients: readonly Changed[] = [
  { client: 'ioredis', file: 'built/utils/Commander.js', classOf: loaded, places: [each] },
  { client: 'ioredis5', file: 'built/utils/Commander.js', classOf: loaded, places: [each] },
  { client: 'ioredis4', file: 'built/commander.js', classOf: loaded, places: [each] },
  {
    client: 'ioredis4',
    file: 'built/cluster/index.js',
    classOf: loaded,
    places: [
      'Object.getOwnPropertyNames(commander_1.default.prototype).forEach((name) => {',
      '    if (!Cluster.prototype.hasOwnProperty(name)) {',
    ],
  },
  { client: 'iovalkey', file: 'built/utils/Commander.js', classOf: loaded, places: [each] },
  { client: 'redis', file: `${ofNodeRedis}/commander.js`, classOf: configured, places: [every] },
  { client: 'redis5', file: `${ofNodeRedis}/commander.js`, classOf: configured, places: [every] },
  { client: 'redis4', file: `${ofNodeRedis}/commander.js`, classOf: attached, places: [every] },
  ...[
    ['client/index.js', 'RedisClient'],
    ['client/multi-command.js', 'RedisClientMultiCommand'],
    ['cluster/index.js', 'RedisCluster'],
    ['cluster/multi-command.js', 'RedisClusterMultiCommand'],
  ].map(([file, name]) => ({
    client: 'redis4',
    file: `${ofNodeRedis}/${file}`,
    classOf: loaded,
    places: [`    executor: ${name}.prototype.commandsExecutor`],
  })),
]
const whole = (client: string, file: string): string => {
  const folder = fs.realpathSync(new URL(`../../../../node_modules/${client}`, import.meta.url))
  return fs.realpathSync(`${folder}/${file}`)
}

/** The members of the prototype, in order. */
function members(file: string, source: string, classOf: ClassOf): unknown[] {
  const module: { exports: Evaluated } = { exports: {} }
  new Function('module', 'exports', 'require', source)(module, module.exports, createRequire(file))
  const { prototype } = classOf(module.exports) as { prototype: object }
  return Reflect.ownKeys(prototype).map((key) => {
    const { value, get, set, ...how } = Object.getOwnPropertyDescriptor(prototype, key)!
    return { key, ...how, texts: [value, get, set].map(String) }
  })
}

describe.each(clients)('$client: $file', ({ client, file: inside, classOf, places }) => {
  const file = whole(client, inside)
  const source = fs.readFileSync(file, 'utf8')
  const changed = withDictionaries(file, source)

  it('contains the searched code, and keeps its lines', () => {
    const lines = source.split('\n')
    const differing = changed.split('\n').flatMap((line, at) => (line === lines[at] ? [] : [lines[at]]))
    expect(differing).toEqual(places)
  })

  it('has the same members on its prototype, in the same order', () => {
    const own = members(file, source, classOf)
    expect(own.length).toBeGreaterThan(300)
    expect(members(file, changed, classOf)).toEqual(own)
  })
})

it('the comparison of members detects a helper member that is not deleted', () => {
  const file = whole('redis', `${ofNodeRedis}/commander.js`)
  const source = fs.readFileSync(file, 'utf8')
  const left = withDictionaries(file, source).replace(/delete [\w.]+;/, '')
  expect(members(file, left, configured)).not.toEqual(members(file, source, configured))
})

it('the searched code is not changed in another file or outside a package', () => {
  const source = fs.readFileSync(whole('ioredis', 'built/utils/Commander.js'), 'utf8')
  for (const other of ['/a/node_modules/ioredis/built/utils/other.js', '/a/ioredis/built/utils/Commander.js'])
    expect(withDictionaries(other, source)).toBe(source)
})
