/**
 * What a run shows of keys without expiry, beside their names: what the lists, sets, hashes and streams among them hold,
 * and whether the layer keeps those short.
 */
import type { KeptStructure } from '../../contract/history.ts'
import type { Command } from '../redis/command.ts'
import { keysOf } from '../redis/key-specs.ts'
import type { KeyDescription } from '../redis/keyspace/describe.ts'
import type { RedisServer } from '../redis/server.ts'
import { textOf } from './text-of.ts'

/** How many names, structures, and entries of one structure a history carries. */
const most = 100

/** They take entries away whatever the entries are, or the whole key. */
const trims =
  /^(ltrim|xtrim|zremrangeby(score|rank|lex)|spop|b?zpop(min|max)|b?[lr]pop|b?[lz]mpop|b?rpoplpush|b?lmove|del|unlink|rename|renamenx|flushdb|flushall)$/
/** They tell how many entries there are. */
const measures = /^(llen|scard|hlen|zcard|zcount|xlen|memory\|usage)$/
/** The same in the text of a script, where they may stand behind a condition that no run met. */
const trimsInScript = /["'](ltrim|xtrim|maxlen|minid|zremrangeby\w+|spop|zpop\w+|[lr]pop|lmove|rpoplpush)["']/i

export class ImmortalKeys {
  readonly #limits = new Map<string, 'measured' | 'trimmed'>()

  /** A primary executed a command, of a client, of a transaction or of a script. */
  ran(command: Command, args: readonly string[], server: RedisServer): void {
    const { fullName } = command
    if (fullName === 'evalsha' || fullName === 'eval') return this.#readScript(command, args, server)
    if (trims.test(fullName) || isTrimmingAdd(fullName, args))
      for (const key of keysOf(command, args)) this.#limits.set(key, 'trimmed')
    else if (measures.test(fullName)) for (const key of keysOf(command, args)) this.#measured(key)
  }

  /** A script that may trim its keys is as good as one that measures them. */
  #readScript(command: Command, args: readonly string[], server: RedisServer): void {
    const [name, word = ''] = args
    const body = /^evalsha$/i.test(name!) ? server.scripts.find(word.toLowerCase())?.body : word
    if (body !== undefined && trimsInScript.test(body)) for (const key of keysOf(command, args)) this.#measured(key)
  }

  #measured(key: string): void {
    if (!this.#limits.has(key)) this.#limits.set(key, 'measured')
  }

  /** Of the keys without expiry at the end of the run. Empty lists are left out. */
  told(immortal: readonly KeyDescription[]): { structures?: KeptStructure[] } {
    const structures = immortal.flatMap((described) => this.#structure(described)).slice(0, most)
    return structures.length > 0 ? { structures } : {}
  }

  #structure({ key, type, value }: KeyDescription): KeptStructure[] {
    if (type === 'string') return []
    const entries = entriesOf(type, value)
    const kept = this.#limits.get(key) ?? 'never'
    return [{ key: textOf(key), type, size: entries.length, entries: entries.slice(0, most).map(textOf), kept }]
  }
}

/** What there is one of for each entry: members, fields without their values, items. */
function entriesOf(type: KeyDescription['type'], value: KeyDescription['value']): string[] {
  const each = value as readonly (string | readonly [string, string])[]
  if (type !== 'stream') return each.map((one) => (typeof one === 'string' ? one : one[0]))
  return each.flatMap(([id, fields]) => (id!.startsWith('group ') ? [] : [fields!]))
}

/** XADD with a limit. */
function isTrimmingAdd(fullName: string, args: readonly string[]): boolean {
  return fullName === 'xadd' && args.slice(2, 6).some((word) => /^(maxlen|minid)$/i.test(word))
}
