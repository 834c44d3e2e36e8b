import { RequestParser } from 'redis-sim/resp'

/** Cuts what a client sends, which no server's limits concern. */
export const clientParser = (): RequestParser => new RequestParser(() => Number.POSITIVE_INFINITY)

/** The whole commands that bytes complete, their words as bytes, in order. */
export function commandsIn(parser: RequestParser, bytes: string): string[][] {
  parser.feed(bytes)
  const commands: string[][] = []
  for (let words = parser.next(); Array.isArray(words); words = parser.next()) commands.push(words)
  return commands
}
