import { commandName } from '../../src/compare/compare.ts'
import type { Sequence } from '../step.ts'

/**
 * Commands that count as used by layers even if no sequence contains them: those that client
 * libraries send by themselves, and common commands of layers.
 */
const byClients = [
  ...['hello', 'auth', 'select', 'info', 'ping', 'quit', 'reset', 'client|setname', 'client|setinfo', 'client|id'],
  ...['client|list', 'client|kill', 'command', 'readonly', 'subscribe', 'unsubscribe', 'psubscribe', 'punsubscribe'],
  ...[
    'publish',
    'multi',
    'exec',
    'discard',
    'watch',
    'unwatch',
    'script|load',
    'script|exists',
    'script|flush',
    'role',
  ],
  ...['eval', 'evalsha', 'cluster|slots', 'cluster|nodes', 'cluster|shards', 'wait', 'time', 'set', 'get', 'del'],
  ...['expire', 'pexpire', 'ttl', 'pttl', 'exists', 'incr', 'hset', 'hget', 'hgetall', 'hmget', 'hincrby', 'lpush'],
  ...[
    'brpop',
    'rpop',
    'lmove',
    'zadd',
    'zrange',
    'zrangebyscore',
    'zrem',
    'xadd',
    'xreadgroup',
    'xack',
    'sadd',
    'srem',
  ],
]

/** The commands of `byClients` and of the sequences, including those in scripts. */
export function usedByLayers(sequences: readonly Sequence[]): ReadonlySet<string> {
  const used = new Set<string>(byClients)
  for (const { steps } of sequences) {
    for (const step of steps) {
      if (step.kind !== 'command') continue
      used.add(commandName(step.args))
      for (const [, name] of step.args.join('\n').matchAll(/redis\.p?call\(\s*['"](\w+)['"]/g)) {
        used.add(commandName([name!]))
      }
    }
  }
  return used
}
