import { RequestParser } from 'redis-sim/resp'

/** Parses a client's bytes, to which no server's size limits apply. */
export const clientParser = (): RequestParser => new RequestParser(() => Number.POSITIVE_INFINITY)

/** The commands that these bytes complete, in order; their words as bytes. */
export function commandsIn(parser: RequestParser, bytes: string): string[][] {
  parser.feed(bytes)
  const commands: string[][] = []
  for (let words = parser.next(); Array.isArray(words); words = parser.next()) commands.push(words)
  return commands
}
