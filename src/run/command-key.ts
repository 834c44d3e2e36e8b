/** The first Redis key of a command, as text; undefined if the command has no key. */
export function keyOfCommand(args: readonly string[]): string | undefined {
  const name = (args[0] ?? '').toUpperCase()
  const key = /^(EVAL|EVALSHA|FCALL)(_RO)?$/.test(name) ? (args[2] === '0' ? undefined : args[3]) : args[1]
  return key === undefined || !/[\x80-\xff]/.test(key) ? key : Buffer.from(key, 'latin1').toString('utf8')
}

/** The first Redis key of the first command in the RESP bytes that a client sends. */
export function keyOfBytes(bytes: string): string | undefined {
  const args: string[] = []
  let at = bytes.indexOf('\r\n') + 2
  for (let found = bulkAt(bytes, at); found !== null && args.length < 4; found = bulkAt(bytes, at)) {
    args.push(found.text)
    at = found.end
  }
  return keyOfCommand(args)
}

/**
 * The RESP bulk string that begins at `at`; null if another type begins there
 * (https://redis.io/docs/latest/develop/reference/protocol-spec/).
 */
export function bulkAt(bytes: string, at: number): { text: string; end: number } | null {
  if (bytes.charCodeAt(at) !== 36) return null
  const line = bytes.indexOf('\r\n', at)
  const length = Number(bytes.slice(at + 1, line))
  const start = line + 2
  return { text: bytes.slice(start, start + length), end: start + length + 2 }
}
