import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeCommand, freePort, RealConnection, type ReplyNode, readReply, startRedis } from 'test-servers'
import type { CommandSpec, CommandSpecs } from '../src/command-specs.ts'
import type { KeySpec } from '../src/key-specs.ts'

/** A RESP3 reply as JSON. Maps keep the order of their members. */
type Plain = string | number | Plain[] | { [name: string]: Plain }
type Docs = { [name: string]: Plain }

/**
 * The contents of the simulator's files of command tables, by their path in `src`. `program` is a
 * redis-server.
 */
export async function commandFiles(program: string): Promise<Readonly<Record<string, string>>> {
  const server = await startRedis(program)
  const [specs, docs] = await ask(server.port).finally(() => server.stop())
  const [sentinelSpecs] = await askSentinel(program)
  return {
    'commands.json': linePerName(specs),
    'sentinel/commands.json': linePerName(sentinelSpecs),
    'command-docs.json': linePerName(docs),
  }
}

async function askSentinel(program: string): Promise<[CommandSpecs, Docs]> {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-commands-'))
  const file = join(folder, 'sentinel.conf')
  const port = await freePort()
  writeFileSync(file, `port ${port}\nbind 127.0.0.1\ndir ${folder}\n`)
  try {
    const sentinel = await startRedis(program, [], { port, folder, commandLine: [file, '--sentinel'] })
    return await ask(port).finally(() => sentinel.stop())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function ask(port: number): Promise<[CommandSpecs, Docs]> {
  const connection = await RealConnection.open('127.0.0.1', port)
  const words = [['HELLO', '3'], ['COMMAND'], ['COMMAND', 'DOCS']]
  const bytes = await connection.exchange(words.map(encodeCommand).join(''), words.length)
  connection.destroy()
  const hello = readReply(bytes, 0)!
  const commands = readReply(bytes, hello.end)!
  const docs = readReply(bytes, commands.end)!
  return [sorted(specsOf(commands)), sorted(plain(docs) as Docs)]
}

/**
 * Sorts the entries by name, because a server lists commands, and the subcommands in their docs, in
 * random order.
 */
function sorted<T>(byName: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(byName).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The specs of commands and their subcommands, by full name. */
function specsOf(commands: ReplyNode): Record<string, CommandSpec> {
  return Object.fromEntries(
    commands.items.flatMap((command) => {
      const [name, arity, flags, firstKey, lastKey, keyStep, categories, tips, keySpecs] = command.items.map(plain)
      const spec = { arity, flags, firstKey, lastKey, keyStep, categories, tips }
      const own = { ...spec, keySpecs: (keySpecs as unknown as RealKeySpec[]).map(keySpecOf) } as CommandSpec
      return [[name, own], ...Object.entries(specsOf(command.items[9]!))]
    }),
  )
}

interface Search {
  readonly type: string
  readonly spec: Readonly<Record<string, string | number>>
}

interface RealKeySpec {
  readonly notes?: string
  readonly flags: string[]
  readonly begin_search: Search
  readonly find_keys: Search
}

function keySpecOf({ notes, flags, begin_search: begin, find_keys: find }: RealKeySpec): KeySpec {
  const flat = ({ type, spec }: Search) => ({ type, ...spec })
  const noted = notes === undefined ? {} : { note: notes }
  return { ...noted, flags, begin: flat(begin), find: flat(find) } as KeySpec
}

function plain({ sign, text, items }: ReplyNode): Plain {
  if (sign === ':') return Number(text)
  if (sign === '*' || sign === '~') return items.map(plain)
  if (sign !== '%') return text!
  const members = items.flatMap((name, at) => (at % 2 === 0 ? [[name.text!, plain(items[at + 1]!)] as const] : []))
  return Object.fromEntries(
    members.map(([name, value]) => [name, name === 'subcommands' ? sorted(value as Docs) : value]),
  )
}

/** JSON with one line for each name, so that diffs show changed commands. */
function linePerName(byName: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(byName).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}
