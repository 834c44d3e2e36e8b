/**
 * Rewrites scripts that read the time or the remaining lifetime of keys, so that they get the
 * values of the run on a server whose clock differs (docs/how-it-works/decisions/0005). Inserts
 * code before the script, without a line break, and passes the values as additional arguments.
 */
import { scriptSha } from '../model/script-sha.ts'
import { readsLifetimes } from './lifetime-readers.ts'
import type { Lifetime } from './lifetimes.ts'

/**
 * Takes the values from the last arguments: the run's time, which TIME returns, and keys with their
 * remaining lifetimes. PTTL and TTL return the smallest given lifetime of the key that is not below
 * the server's value, because a real clock only decreases that value.
 */
const prelude = `local redis = (function(redis, argv) \
local now, left = table.remove(argv), {} \
for _ = 1, tonumber(table.remove(argv)) do \
local ms, key = tonumber(table.remove(argv)), table.remove(argv) \
left[key] = left[key] or {} table.insert(left[key], ms) end \
local function lives(name, key, said) \
if type(said) ~= 'number' or said < 0 then return said end \
local function shown(ms) if name == 'TTL' then return math.floor((ms + 500) / 1000) end return ms end \
local least for _, ms in ipairs(left[tostring(key)] or {}) do \
if shown(ms + 1) >= said and (least == nil or ms < least) then least = ms end end \
if least == nil then return said end return shown(least) end \
local function clocked(call) return function(name, ...) \
local asked = type(name) == 'string' and string.upper(name) or '' \
if asked == 'TIME' and select('#', ...) == 0 then return {string.match(now, '(%d+) (%d+)')} end \
if asked == 'PTTL' or asked == 'TTL' then return lives(asked, (...), call(name, ...)) end \
return call(name, ...) end end \
return setmetatable({call = clocked(redis.call), pcall = clocked(redis.pcall)}, {__index = redis}) \
end)(redis, ARGV) `

export class ClockedScripts {
  /** For each script, by the SHA-1 of its body as sent: the SHA-1 with the prelude. */
  readonly #shaOf = new Map<string, string>()

  /** The words of the command to send to the real server. */
  translate(args: readonly string[], atUs: number, lifetimes: readonly Lifetime[]): readonly string[] {
    const [name = '', word = '', ...rest] = args
    const reported = () => [
      ...lifetimes.flatMap(({ key, ms }) => [key, String(ms)]),
      String(lifetimes.length),
      timeText(atUs),
    ]
    switch (name.toLowerCase()) {
      case 'eval':
      case 'eval_ro':
        return readsClock(word) ? [name, this.#clocked(word), ...rest, ...reported()] : args
      case 'evalsha':
      case 'evalsha_ro': {
        const sha = this.#shaOf.get(word.toLowerCase())
        return sha === undefined ? args : [name, sha, ...rest, ...reported()]
      }
      case 'script':
        return [name, word, ...rest.map((other) => this.#ofScriptCommand(word, other))]
      default:
        return args
    }
  }

  /** True if the command runs a script that gets its time from the harness. */
  isClocked([name = '', word = '']: readonly string[]): boolean {
    if (/^eval(_ro)?$/i.test(name)) return readsClock(word)
    return /^evalsha(_ro)?$/i.test(name) && this.#shaOf.has(word.toLowerCase())
  }

  /** A reply of the real server, with the SHA-1s that the client knows. */
  restore(reply: string): string {
    let restored = reply
    for (const [sha, clocked] of this.#shaOf) restored = restored.replaceAll(clocked, sha)
    return restored
  }

  #ofScriptCommand(command: string, word: string): string {
    if (/^load$/i.test(command)) return readsClock(word) ? this.#clocked(word) : word
    return this.#shaOf.get(word.toLowerCase()) ?? word
  }

  #clocked(body: string): string {
    // If the first line declares flags, it must stay the first line.
    const from = body.startsWith('#!') ? body.indexOf('\n') + 1 : 0
    const clocked = body.slice(0, from) + prelude + body.slice(from)
    this.#shaOf.set(scriptSha(body), scriptSha(clocked))
    return clocked
  }
}

/**
 * Removes positions from errors of scripts, because the positions differ for a rewritten script.
 */
export function withoutPlaces(reply: string): string {
  return reply.replace(/ script: [0-9a-f]{40}, on @user_script:\d+\.|user_script:\d+: /g, '')
}

function readsClock(body: string): boolean {
  return /\btime\b/i.test(body) || readsLifetimes(body)
}

/** The time in the format of TIME: seconds and microseconds. */
function timeText(us: number): string {
  return `${Math.floor(us / 1e6)} ${us % 1e6}`
}
