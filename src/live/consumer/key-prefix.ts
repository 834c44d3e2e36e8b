/** Checks that a command names only keys with the prefix that is allowed on a user's server. */

/** Commands without keys that change nothing for other clients. */
const keyless = new Set([
  ...['HELLO', 'AUTH', 'CLIENT', 'INFO', 'SELECT', 'PING', 'ECHO', 'TIME', 'COMMAND', 'ROLE', 'WAIT', 'QUIT', 'RESET'],
  ...['MULTI', 'EXEC', 'DISCARD', 'UNWATCH', 'SCRIPT', 'READONLY', 'READWRITE'],
])
/** Subcommands that affect other clients, although their commands are in `keyless`. */
const harmful = new Set([
  'SCRIPT FLUSH',
  'SCRIPT KILL',
  'CLIENT KILL',
  'CLIENT PAUSE',
  'CLIENT UNPAUSE',
  'CLIENT UNBLOCK',
])
/** Commands whose arguments are all keys. */
const allKeys = new Set(['DEL', 'UNLINK', 'EXISTS', 'TOUCH', 'MGET', 'WATCH'])
const scripts = new Set(['EVAL', 'EVALSHA', 'EVAL_RO', 'EVALSHA_RO', 'FCALL', 'FCALL_RO'])
/**
 * Commands whose first argument is the only key. A command that is not listed here counts as
 * outside of the prefix.
 */
const firstKey = new Set(
  (
    'GET SET SETNX SETEX PSETEX GETSET GETDEL GETEX APPEND STRLEN INCR INCRBY DECR DECRBY EXPIRE PEXPIRE EXPIREAT ' +
    'PEXPIREAT PERSIST TTL PTTL EXPIRETIME PEXPIRETIME TYPE DUMP HGET HSET HSETNX HMSET HMGET HGETALL HDEL HEXISTS ' +
    'HINCRBY HKEYS HVALS HLEN LPUSH RPUSH LPOP RPOP LRANGE LLEN LREM LTRIM SADD SREM SMEMBERS SISMEMBER SCARD ' +
    'ZADD ZREM ZSCORE ZRANGE ZRANGEBYSCORE ZCARD ZINCRBY'
  ).split(' '),
)

export function keysOutside(args: readonly string[], prefix: string): boolean {
  const keys = keysOf(args)
  return keys === null || keys.some((key) => !key.startsWith(prefix))
}

function keysOf([command = '', ...args]: readonly string[]): readonly string[] | null {
  const name = command.toUpperCase()
  if (keyless.has(name)) return harmful.has(`${name} ${args[0]?.toUpperCase()}`) ? null : []
  if (allKeys.has(name)) return args
  if (scripts.has(name)) return args.slice(2, 2 + Number(args[1]))
  return firstKey.has(name) ? args.slice(0, 1) : null
}
