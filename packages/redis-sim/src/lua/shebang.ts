/** The optional first line `#!lua flags=…` of a script. */
import { ErrorReply } from '../resp/reply.ts'

/** The flags in the order in which FUNCTION LIST prints them. */
export const knownFlags = ['no-writes', 'allow-oom', 'allow-stale', 'no-cluster', 'allow-cross-slot-keys']

/**
 * `flags` is null if the body has no shebang line. `length` is the number of characters to remove.
 * The line feed after them remains, so line numbers are preserved.
 */
export function parseShebang(body: string): { flags: readonly string[] | null; length: number } | ErrorReply {
  if (!body.startsWith('#!')) return { flags: null, length: 0 }
  const length = body.split('\0', 1)[0]!.indexOf('\n')
  if (length < 0) return new ErrorReply('ERR Invalid script shebang')
  const [engine, ...options] = body.slice(0, length).trim().split(/\s+/)
  if (engine !== '#!lua') return new ErrorReply(`ERR Unexpected engine in script shebang: ${engine}`)
  const flags: string[] = []
  for (const option of options) {
    if (!option.startsWith('flags=')) return new ErrorReply(`ERR Unknown lua shebang option: ${option}`)
    for (const flag of option.slice(6) === '' ? [] : option.slice(6).split(',')) {
      if (!knownFlags.includes(flag)) return new ErrorReply(`ERR Unexpected flag in script shebang: ${flag}`)
      flags.push(flag)
    }
  }
  return { flags, length }
}
