/**
 * Collects what a run shows about keys without expiry: their names, the content of the lists, sets,
 * hashes and streams among them, and whether the layer keeps these structures short. Keys and
 * entries that the deployment left are excluded, because they existed before any message.
 */

import type { Command, KeyDescription, RedisServer } from 'redis-sim'
import { keysOf } from 'redis-sim'
import type { CompiledScript } from 'redis-sim/lua'
import type { Fact, KeptStructure } from '../../contract/api/history.ts'
import { textOf } from './text-of.ts'

/** The maximum number of names, of structures, and of entries of one structure in a history. */
const most = 100

/** Commands that remove entries regardless of their values, or the whole key. */
const trims =
  /^(ltrim|xtrim|zremrangeby(score|rank|lex)|spop|b?zpop(min|max)|b?[lr]pop|b?[lz]mpop|b?rpoplpush|b?lmove|del|unlink|rename|renamenx|flushdb|flushall)$/
/** Commands that remove from their first key and add to the second. */
const moves = /^b?(rpoplpush|lmove)$/
/** Commands that return the number of entries, or the entries. */
const measures =
  /^([lhxz]len|[sz]card|zcount|memory\|usage|smembers|hgetall|hkeys|hvals|[shz]scan|lrange|x(rev)?range|xinfo\|(stream|groups)|z(rev)?range(by(score|lex))?)$/
/**
 * Trimming commands in the text of a script. They count even if the script never executed them in
 * the run.
 */
const trimsInScript = /["'](ltrim|xtrim|maxlen|minid|zremrangeby\w+|spop|zpop\w+|[lr]pop|lmove|rpoplpush)["']/i

/** Commands that list keys. A layer may list keys in order to delete old ones. */
const listsKeys = /^(scan|keys)$/
/**
 * Commands that return the oldest entries of a structure, or all entries. A layer that records its
 * keys in a structure may use these commands to find and delete old keys.
 */
const looksThrough =
  /^(smembers|hgetall|hkeys|hvals|[shz]scan|lrange|x(rev)?range|z(rev)?range(store|by(score|lex))?|b?zpop(min|max)|b?[lr]pop|b?[lz]mpop|b?rpoplpush|b?lmove|sort(_ro)?)$/

/**
 * Caches the result for each script, because a script is executed many times in a run and its text
 * is long.
 */
const trimming = new WeakMap<CompiledScript, boolean>()

function mayTrim(script: CompiledScript): boolean {
  let may = trimming.get(script)
  if (may === undefined) {
    may = trimsInScript.test(script.body)
    trimming.set(script, may)
  }
  return may
}

type ReportedKeys = Pick<
  Extract<Fact, { readonly type: 'keys-counted' }>,
  'withoutExpiry' | 'namesWithoutExpiry' | 'maySweep' | 'structures'
>

export class ImmortalKeys {
  readonly #limits = new Map<string, 'measured' | 'trimmed'>()
  readonly #lookedThrough = new Set<string>()
  #wereListed = false
  /** By name: the entries of each key. */
  #deployed: ReadonlyMap<string, readonly string[]> = new Map()

  /**
   * The deployment is done and has left these keys. Forgets the deployment's own commands, because
   * they do not show what the layer does regularly.
   */
  deployed(immortal: readonly KeyDescription[]): void {
    this.#deployed = new Map(immortal.map(({ key, type, value }) => [key, entriesOf(type, value)]))
    this.#limits.clear()
    this.#lookedThrough.clear()
    this.#wereListed = false
  }

  /**
   * A server executed a command of a client, a transaction or a script. A replica also executes the
   * commands of its primary.
   */
  ran(command: Command, args: readonly string[], server: RedisServer): void {
    const { fullName } = command
    if (fullName === 'evalsha' || fullName === 'eval') return this.#readScript(command, args, server)
    if (listsKeys.test(fullName)) this.#wereListed = true
    if (looksThrough.test(fullName)) for (const key of lookedAt(command, args)) this.#lookedThrough.add(key)
    if (moves.test(fullName)) this.#limits.set(keysOf(command, args)[0]!, 'trimmed')
    else if (trims.test(fullName) || isTrimmingAdd(fullName, args))
      for (const key of keysOf(command, args)) this.#limits.set(key, 'trimmed')
    else if (measures.test(fullName)) for (const key of keysOf(command, args)) this.#measured(key)
  }

  /** A script that may trim its keys counts as measuring them. */
  #readScript(command: Command, args: readonly string[], server: RedisServer): void {
    const [name, word = ''] = args
    const script = /^evalsha$/i.test(name!) ? server.scripts.find(word.toLowerCase()) : null
    const may = script === null ? trimsInScript.test(word) : script !== undefined && mayTrim(script)
    if (may) for (const key of keysOf(command, args)) this.#measured(key)
  }

  #measured(key: string): void {
    if (!this.#limits.has(key)) this.#limits.set(key, 'measured')
  }

  /** True if some of the keys without expiry do not belong to the deployment. */
  anyLeft(immortal: readonly KeyDescription[]): boolean {
    return immortal.some(({ key }) => !this.#deployed.has(key))
  }

  /**
   * Facts about the keys without expiry at the end of the run. `waits.any`: true if a consumer has
   * a pending timer, because its callback may trim a structure. `waits.seldom`: true if a pending
   * timer fires seldom (see `LayersTimers`), because its callback may delete old keys.
   */
  reported(
    immortal: readonly KeyDescription[],
    waits: { readonly any: boolean; readonly seldom: boolean },
  ): ReportedKeys {
    const left = immortal.filter(({ key }) => !this.#deployed.has(key))
    const structures = immortal.flatMap((described) => this.#structure(described, waits.any)).slice(0, most)
    return {
      withoutExpiry: left.length,
      namesWithoutExpiry: left.slice(0, most).map(({ key }) => textOf(key)),
      ...(left.length > 0 && this.#wereListed ? { maySweep: 'keys-listed' } : {}),
      ...(left.length > 0 && waits.seldom ? { maySweep: 'timer-waits' } : {}),
      ...(structures.length > 0 ? { structures } : {}),
    }
  }

  #structure({ key, type, value }: KeyDescription, timersWait: boolean): KeptStructure[] {
    if (type === 'string') return []
    const entries = without(this.#deployed.get(key) ?? [], entriesOf(type, value))
    if (entries.length === 0) return []
    const kept = this.#limits.get(key) ?? (timersWait ? 'measured' : 'never')
    const looked = this.#lookedThrough.has(key) ? ({ lookedThrough: true } as const) : {}
    return [
      { key: textOf(key), type, size: entries.length, entries: entries.slice(0, most).map(textOf), kept, ...looked },
    ]
  }
}

/** `entries` without one occurrence of each entry of `some`. */
function without(some: readonly string[], entries: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const one of some) counts.set(one, (counts.get(one) ?? 0) + 1)
  return entries.filter((entry) => {
    const count = counts.get(entry) ?? 0
    counts.set(entry, count - 1)
    return count <= 0
  })
}

/** One string for each entry: members, fields without their values, items. */
function entriesOf(type: KeyDescription['type'], value: KeyDescription['value']): string[] {
  if (type === 'string') return []
  const each = value as readonly (string | readonly [string, string])[]
  if (type !== 'stream') return each.map((one) => (typeof one === 'string' ? one : one[0]))
  return each.flatMap(([id, fields]) => (id!.startsWith('group ') ? [] : [fields!]))
}

/** Excludes the destination key. */
function lookedAt(command: Command, args: readonly string[]): readonly string[] {
  const keys = keysOf(command, args)
  if (command.fullName === 'zrangestore') return keys.slice(1)
  return moves.test(command.fullName) || command.fullName === 'sort' ? keys.slice(0, 1) : keys
}

/** XADD with a limit. */
function isTrimmingAdd(fullName: string, args: readonly string[]): boolean {
  return fullName === 'xadd' && args.slice(2, 6).some((word) => /^(maxlen|minid)$/i.test(word))
}
