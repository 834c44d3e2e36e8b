import { expect, onTestFinished } from 'vitest'
import { needs } from '../../../../test/needs/needs.ts'
import { compareAll } from '../../fidelity/campaign.ts'
import type { Judged } from '../../fidelity/compare/run-sequence.ts'
import { connectTo } from '../../fidelity/redis-choice.ts'
import { describeStep } from '../../fidelity/step.ts'
import { allCommands } from '../../src/command-table.ts'
import { commandName } from '../../src/compare/compare.ts'
import { RequestParser } from '../../src/resp/request-parser.ts'

/**
 * Variants of a reply with one byte changed: the first, the second, a middle one, or the last one
 * before the line end.
 */
function oneByteChanges(reply: string): string[] {
  const places = [...reply].flatMap((char, at) => (char === '\r' || char === '\n' ? [] : [at]))
  const chosen = new Set([places[0], places[1], places[places.length >> 1], places.at(-1)])
  return [...chosen].flatMap((at) =>
    at === undefined ? [] : [`${reply.slice(0, at)}${otherThan(reply[at]!)}${reply.slice(at + 1)}`],
  )
}

/** Another character of the same kind, so that most replies remain well-formed. */
function otherThan(char: string): string {
  if (/[0-9]/.test(char)) return String((Number(char) + 1) % 10)
  if (char === '+') return '-'
  return '-:*$%~>,#(=_'.includes(char) ? '+' : String.fromCharCode(char.charCodeAt(0) ^ 1)
}

/** The names of the commands in a step. The commands of a raw step are parsed from its bytes. */
function commandsOf({ step }: Judged): string[] {
  if (step.kind === 'command') return [commandName(step.args)]
  const parser = new RequestParser(() => 1e9)
  parser.feed(step.bytes)
  const names: string[] = []
  for (let next = parser.next(); Array.isArray(next); next = parser.next()) names.push(commandName(next))
  return names
}

/** Commands that only return errors in this comparison. */
const onlyErrors: ReadonlySet<string> = new Set(['acl|load', 'acl|save', 'function|kill', 'shutdown'])

/** True if the reply does not show what a handler returns on success. */
function isBeside(reply: string, names: readonly string[]): boolean {
  return reply === '+QUEUED\r\n' || (reply.startsWith('-') && !names.some((name) => onlyErrors.has(name)))
}

const never = 'never compared'
const times = 'a change may pass'

/** Handlers whose successful replies are not compared byte by byte. */
const mayPass: { readonly [name: string]: string } = {
  // These replies contain clock values.
  lastsave: times,
  time: times,
  'xinfo|consumers': times,
  // This reply is random.
  'acl|genpass': times,
  // The real server has no configuration file.
  'config|rewrite': never,
  // These commands are compared with two servers (fidelity/replication).
  psync: never,
  replconf: never,
  replicaof: never,
  slaveof: never,
  // The effects of these commands are compared on servers with separate disks
  // (fidelity/replication), but not the replies.
  bgrewriteaof: never,
  bgsave: never,
  save: never,
  // These commands only return errors on a server outside a Cluster. They are compared on a Cluster
  // of six nodes (fidelity/cluster).
  asking: never,
  'cluster|count-failure-reports': never,
  'cluster|countkeysinslot': never,
  'cluster|getkeysinslot': never,
  'cluster|info': never,
  'cluster|keyslot': never,
  'cluster|links': never,
  'cluster|myid': never,
  'cluster|nodes': never,
  'cluster|replicas': never,
  'cluster|shards': never,
  'cluster|slaves': never,
  'cluster|slots': never,
  readonly: never,
  readwrite: never,
}

needs({ redis: '7.0' }).it('a changed byte in any reply of any handler is a difference', async () => {
  const redis = await connectTo(undefined)
  if (redis.kind !== 'ready') throw new Error('no redis-server')
  onTestFinished(() => redis.stop())
  const noticed = new Map<string, boolean>()
  const result = await compareAll(redis, { seed: 6, commands: 20_000, scripts: 0 }, (reply) => {
    const names = commandsOf(reply)
    if (reply.step.kind === 'raw' && reply.step.replies === 0) for (const name of names) noticed.set(name, true)
    // A handler is not tested again after a reply in which every change was detected, because most
    // replies come from the same few handlers.
    if (names.every((name) => noticed.get(name) === true)) return
    const changes = oneByteChanges(reply.simulated)
    if (changes.length === 0 || isBeside(reply.simulated, names)) return
    const seen = changes.every((change) => reply.outcomeOf(change) === 'different')
    for (const name of names) noticed.set(name, noticed.get(name) === true || seen)
  })
  expect(result.differences.map(({ sequence, step }) => [sequence.name, describeStep(step)])).toEqual([])
  const simulated = [...allCommands()]
    .flatMap((command) => [command, ...(command.subcommands?.values() ?? [])])
    .filter(({ execute }) => execute !== undefined)
    .map(({ fullName }) => fullName)
  const blind = simulated.filter((name) => noticed.get(name) !== true)
  const found = blind.map((name) => [name, noticed.has(name) ? times : never])
  expect(Object.fromEntries(found)).toEqual(mayPass)
})
