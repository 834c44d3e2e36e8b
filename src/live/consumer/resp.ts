/**
 * RESP as a client's socket shows it: which commands leave, and where replies end. Both take bytes
 * as they come, in pieces (https://redis.io/docs/latest/develop/reference/protocol-spec/). Inline
 * commands are not told apart: client libraries send none.
 */
export interface SentCommand {
  readonly args: readonly string[]
  /** Where its last byte is in all that was taken in, exclusive. */
  readonly end: number
}

const newline = '\r\n'

/** Reads commands, which are arrays of bulk strings. */
export class CommandReader {
  #rest = Buffer.alloc(0)

  /** Commands that are whole with these bytes; `end` counts from the first byte of `bytes`. */
  take(bytes: Buffer): SentCommand[] {
    const before = this.#rest.length
    const all = Buffer.concat([this.#rest, bytes])
    const commands: SentCommand[] = []
    let at = 0
    for (let one = commandAt(all, at); one !== null; one = commandAt(all, at)) {
      at = one.end
      commands.push({ args: one.args, end: one.end - before })
    }
    this.#rest = all.subarray(at)
    return commands
  }
}

function commandAt(all: Buffer, start: number): SentCommand | null {
  const count = lineAt(all, start)
  if (count === null || all[start] !== 42) return null
  const args: string[] = []
  let at = count.end
  for (let left = Number(count.text.slice(1)); left > 0; left--) {
    const length = lineAt(all, at)
    if (length === null) return null
    const from = length.end
    const to = from + Number(length.text.slice(1))
    if (to + 2 > all.length) return null
    args.push(all.toString('latin1', from, to))
    at = to + 2
  }
  return { args, end: at }
}

/** Finds where replies end, and shows the first line of each. */
export class ReplyReader {
  #rest = Buffer.alloc(0)

  /** Replies that are whole with these bytes. Pushes of RESP3 are none. */
  take(bytes: Buffer): string[] {
    return this.takeWhole(bytes).flatMap((reply) => (isPush(reply) ? [] : [shown(reply)]))
  }

  /** The same as they are, with pushes. */
  takeWhole(bytes: Buffer): Buffer[] {
    const all = Buffer.concat([this.#rest, bytes])
    const replies: Buffer[] = []
    let at = 0
    for (let end = replyEnd(all, at); end !== null; end = replyEnd(all, at)) {
      replies.push(all.subarray(at, end))
      at = end
    }
    this.#rest = all.subarray(at)
    return replies
  }
}

/** A message of RESP3 that answers no command. */
export const isPush = (reply: Buffer): boolean => reply[0] === 62

/**
 * Whether a message of RESP3 is the answer to that command: to SUBSCRIBE and its like, which have
 * no other.
 */
export function confirms(reply: Buffer, command: Pick<SentCommand, 'args'> | undefined): boolean {
  const [, kind] = /^>\d+\r\n\$\d+\r\n(\w+)\r\n/.exec(reply.toString('latin1', 0, 64)) ?? []
  return kind !== undefined && kind === command?.args[0]?.toLowerCase()
}

/** A byte a character; what confirms is a list, as in RESP2. */
export const asReply = (reply: Buffer): string => reply.toString('latin1').replace(/^>/, '*')

const oneLine = new Set(['+', '-', ':', '_', '#', ',', '('].map((sign) => sign.charCodeAt(0)))
const bulk = new Set(['$', '=', '!'].map((sign) => sign.charCodeAt(0)))
const pairs = new Set(['%', '|'].map((sign) => sign.charCodeAt(0)))

/** Null where it is not whole yet. */
function replyEnd(all: Buffer, start: number): number | null {
  const line = lineAt(all, start)
  if (line === null) return null
  const sign = all[start]!
  if (oneLine.has(sign)) return line.end
  const length = Number(line.text.slice(1))
  if (bulk.has(sign)) {
    const end = length < 0 ? line.end : line.end + length + 2
    return end > all.length ? null : end
  }
  let end: number | null = line.end
  const parts = pairs.has(sign) ? 2 * length : length
  for (let part = 0; part < parts && end !== null; part++) end = replyEnd(all, end)
  // An attribute stands before the reply that it is about.
  return end !== null && all[start] === 124 ? replyEnd(all, end) : end
}

function lineAt(all: Buffer, start: number): { text: string; end: number } | null {
  const at = all.indexOf(newline, start, 'latin1')
  return at < 0 ? null : { text: all.toString('latin1', start, at), end: at + 2 }
}

/** A reply as a person reads it, its first words. */
export function shown(reply: Buffer): string {
  const text = reply.toString('utf8')
  const [first = '', second = ''] = text.split(newline)
  if (/^(\$-1|\*-1|_)$/.test(first)) return 'nil'
  if (first.startsWith('$')) return short(second)
  if (first.startsWith('-')) return `(error) ${short(first.slice(1))}`
  if (/^[+:,#(]/.test(first)) return short(first.slice(1))
  const words = text.split(newline).filter((line) => line !== '' && !/^[$*%~]-?\d+$/.test(line))
  return short(`[${words.map((word) => word.replace(/^[+:]/, '')).join(', ')}]`)
}

function short(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`
}
