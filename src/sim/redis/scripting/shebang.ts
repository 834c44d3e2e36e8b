import { ErrorReply } from '../../lua/reply.ts'
import { splitInline } from '../resp/inline.ts'

/** What a script declares of itself in a first line `#!lua flags=…`; null for a script without one. */
export interface ScriptFlags {
  readonly noWrites: boolean
}

const flagNames = ['no-writes', 'allow-oom', 'allow-stale', 'no-cluster', 'allow-cross-slot-keys']

/** Source: evalExtractShebangFlags of Redis 7.0. */
export function readShebang(body: string): ScriptFlags | null | ErrorReply {
  if (!body.startsWith('#!')) return null
  const end = body.indexOf('\n')
  if (end === -1) return new ErrorReply('ERR Invalid script shebang')
  const words = splitInline(body.slice(0, end))
  if (words === null || words.length === 0) return new ErrorReply('ERR Invalid engine in script shebang')
  if (words[0] !== '#!lua') return new ErrorReply(`ERR Unexpected engine in script shebang: ${words[0]}`)
  const flags: string[] = []
  for (const word of words.slice(1)) {
    if (!word.startsWith('flags=')) return new ErrorReply(`ERR Unknown lua shebang option: ${word}`)
    if (word !== 'flags=') flags.push(...word.slice(6).split(','))
  }
  const unknown = flags.find((flag) => !flagNames.includes(flag))
  if (unknown !== undefined) return new ErrorReply(`ERR Unexpected flag in script shebang: ${unknown}`)
  return { noWrites: flags.includes('no-writes') }
}
