/**
 * The identity that a server reports. It is checked, because programs other than Redis may be
 * called redis-server.
 */

/**
 * The identity from `INFO server`, such as `Redis 7.0.15` or `Valkey 8.1.1`. Other servers report
 * their version in addition to Redis's.
 */
export function identityOfInfo(info: string): string {
  const [, name, version] =
    /^(?!redis_|gcc_)(\w+)_version:(\S+)/m.exec(info) ?? /^(redis)_version:(\S+)/m.exec(info) ?? []
  return name === undefined ? 'a server of an unknown version' : `${name[0]!.toUpperCase()}${name.slice(1)} ${version}`
}

/** The identity from `redis-server --version`; null for another kind of program. */
export function identityOfProgram(printed: string): string | null {
  const [, name, version] = /^(\w+) server v=(\S+)/.exec(printed) ?? []
  return name === undefined ? null : `${name} ${version}`
}
