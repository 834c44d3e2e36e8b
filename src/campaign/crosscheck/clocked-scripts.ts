/**
 * Scripts that ask for the time, made to get the run's time from a server whose own clock shows another
 * (docs/decisions/0005): one line in front of the script, without a line break, and the time as one more argument.
 */
import { scriptSha } from '../script-sha.ts'

/** Takes the last argument, and answers TIME with it. */
const prelude = `local redis = (function(redis, now) \
local function clocked(call) return function(name, ...) \
if type(name) == 'string' and string.upper(name) == 'TIME' and select('#', ...) == 0 then \
return {string.match(now, '(%d+) (%d+)')} end return call(name, ...) end end \
return setmetatable({call = clocked(redis.call), pcall = clocked(redis.pcall)}, {__index = redis}) \
end)(redis, table.remove(ARGV)) `

export class ClockedScripts {
  /** By the SHA-1 of the script as it was sent: that of the one with the prelude. */
  readonly #shaOf = new Map<string, string>()

  /** The words as the real server is to get them. */
  translate(args: readonly string[], atUs: number): readonly string[] {
    const [name = '', word = '', ...rest] = args
    switch (name.toLowerCase()) {
      case 'eval':
      case 'eval_ro':
        return readsTime(word) ? [name, this.#clocked(word), ...rest, timeText(atUs)] : args
      case 'evalsha':
      case 'evalsha_ro': {
        const sha = this.#shaOf.get(word.toLowerCase())
        return sha === undefined ? args : [name, sha, ...rest, timeText(atUs)]
      }
      case 'script':
        return [name, word, ...rest.map((other) => this.#ofScriptCommand(word, other))]
      default:
        return args
    }
  }

  /** Whether the command runs a script that gets its time from us. */
  isClocked([name = '', word = '']: readonly string[]): boolean {
    if (/^eval(_ro)?$/i.test(name)) return readsTime(word)
    return /^evalsha(_ro)?$/i.test(name) && this.#shaOf.has(word.toLowerCase())
  }

  /** A reply of the real server, with the scripts by the SHA-1 that the client knows. */
  restore(reply: string): string {
    let restored = reply
    for (const [sha, clocked] of this.#shaOf) restored = restored.replaceAll(clocked, sha)
    return restored
  }

  #ofScriptCommand(command: string, word: string): string {
    if (/^load$/i.test(command)) return readsTime(word) ? this.#clocked(word) : word
    return this.#shaOf.get(word.toLowerCase()) ?? word
  }

  #clocked(body: string): string {
    // A first line that declares flags must stay the first.
    const from = body.startsWith('#!') ? body.indexOf('\n') + 1 : 0
    const clocked = body.slice(0, from) + prelude + body.slice(from)
    this.#shaOf.set(scriptSha(body), scriptSha(clocked))
    return clocked
  }
}

/** Errors of scripts without the place where they happened: a wrapped call happens elsewhere. */
export function withoutPlaces(reply: string): string {
  return reply.replace(/ script: [0-9a-f]{40}, on @user_script:\d+\.|user_script:\d+: /g, '')
}

function readsTime(body: string): boolean {
  return /\btime\b/i.test(body)
}

/** As TIME has it: seconds and microseconds. */
function timeText(us: number): string {
  return `${Math.floor(us / 1e6)} ${us % 1e6}`
}
