import { createHash } from 'node:crypto'
import { createLuaMemory, type LuaHost, type LuaMemory } from '../../src/lua/index.ts'
import { ErrorReply, MapReply, OK, type Reply, StatusReply } from '../../src/resp/reply.ts'

type Value = string | Map<string, string>

const wrongType = new ErrorReply('WRONGTYPE Operation against a key holding the wrong kind of value')
const wrongArity = new ErrorReply('ERR Wrong number of args calling Redis command from script')
const notInteger = new ErrorReply('ERR value is not an integer or out of range')
const unknown = new ErrorReply('ERR Unknown Redis command called from script')

/**
 * A host of scripts with the few commands that the Lua tests need (see `arities`). The values are
 * in a Map. There are no faults, no expiry and no options.
 */
export class FewCommands implements LuaHost {
  readonly values = new Map<string, Value>()
  readonly calls: (readonly string[])[] = []
  readonly logs: string[] = []
  readonly memory: LuaMemory = createLuaMemory()
  steps = 0
  /** The error that the next `tick` throws. */
  stop: unknown

  log(level: number, text: string): void {
    this.logs.push(`${level} ${text}`)
  }

  setResp(): void {}

  sha1hex(text: string): string {
    return createHash('sha1').update(text, 'latin1').digest('hex')
  }

  tick(steps: number): void {
    this.steps += steps
    if (this.stop !== undefined) throw this.stop
  }

  mayCall(args: readonly string[]): boolean | null {
    return args[0]!.toUpperCase() in arities ? true : null
  }

  call(args: readonly string[]): Reply {
    this.calls.push(args)
    const name = args[0]!.toUpperCase()
    const arity = arities[name]
    if (arity === undefined) return unknown
    if (arity > 0 ? args.length !== arity : args.length < -arity) return wrongArity
    return this.execute(name, args[1] ?? '', args.slice(2))
  }

  private execute(name: string, key: string, rest: readonly string[]): Reply {
    const value = this.values.get(key)
    switch (name) {
      case 'PING':
        return key === '' ? new StatusReply('PONG') : key
      case 'ECHO':
        return key
      case 'GET':
        return value instanceof Map ? wrongType : (value ?? null)
      case 'SET':
        this.values.set(key, rest[0]!)
        return OK
      case 'EXISTS':
        return this.values.has(key) ? 1 : 0
      case 'INCR':
        return value instanceof Map ? wrongType : this.increment(key, value ?? '0', '1')
      case 'INCRBY':
        return value instanceof Map ? wrongType : this.increment(key, value ?? '0', rest[0]!)
      case 'MGET':
        return [key, ...rest].map((each) => {
          const found = this.values.get(each)
          return typeof found === 'string' ? found : null
        })
      default:
        return typeof value === 'string' ? wrongType : this.onHash(name, key, value, rest)
    }
  }

  private increment(key: string, old: string, by: string): Reply {
    const isInteger = (text: string) => /^(0|-?[1-9]\d{0,18})$/.test(text)
    if (!isInteger(old) || !isInteger(by)) return notInteger
    const sum = BigInt(old) + BigInt(by)
    if (BigInt.asIntN(64, sum) !== sum) return new ErrorReply('ERR increment or decrement would overflow')
    this.values.set(key, String(sum))
    return Number.isSafeInteger(Number(sum)) ? Number(sum) : sum
  }

  private onHash(name: string, key: string, old: Map<string, string> | undefined, rest: readonly string[]): Reply {
    const hash = old ?? new Map<string, string>()
    if (name === 'HGETALL') return new MapReply([...hash].flat())
    if (name === 'HGET') return hash.get(rest[0]!) ?? null
    if (rest.length % 2 !== 0) return new ErrorReply("ERR wrong number of arguments for 'hset' command")
    const before = hash.size
    for (let index = 0; index < rest.length; index += 2) hash.set(rest[index]!, rest[index + 1]!)
    this.values.set(key, hash)
    return hash.size - before
  }
}

/** The number of words of each command; a negative number is a minimum. */
const arities: Record<string, number> = {
  PING: -1,
  ECHO: 2,
  GET: 2,
  SET: 3,
  EXISTS: 2,
  INCR: 2,
  INCRBY: 3,
  MGET: -2,
  HSET: -4,
  HGET: 3,
  HGETALL: 2,
}
