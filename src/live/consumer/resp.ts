/**
 * Parses RESP on a client's socket: the commands that are sent, and the ends of replies. Both
 * parsers accept bytes in arbitrary pieces
 * (https://redis.io/docs/latest/develop/reference/protocol-spec/). Inline commands are not
 * supported, because client libraries do not send them.
 */
export interface SentCommand {
  readonly args: readonly string[]
  /** The offset after the command's last byte. */
  readonly end: number
}

const newline = '\r\n'

/** Reads commands, which are arrays of bulk strings. */
export class CommandReader {
  #rest = Buffer.alloc(0)

  /**
   * Returns the commands that are complete with these bytes; `end` counts from the first byte of
   * `bytes`.
   */
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

/** Finds the ends of replies, and returns the first words of each. */
export class ReplyReader {
  #rest = Buffer.alloc(0)

  /** The first words of the replies that are complete with these bytes, without RESP3 pushes. */
  take(bytes: Buffer): string[] {
    return this.takeWhole(bytes).flatMap((reply) => (isPush(reply) ? [] : [shown(reply)]))
  }

  /** The raw replies that are complete with these bytes, including pushes. */
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

/** A RESP3 message that answers no command. */
export const isPush = (reply: Buffer): boolean => reply[0] === 62

/**
 * True if a RESP3 push answers that command. SUBSCRIBE and similar commands have no other answer.
 */
export function confirms(reply: Buffer, command: Pick<SentCommand, 'args'> | undefined): boolean {
  const [, kind] = /^>\d+\r\n\$\d+\r\n(\w+)\r\n/.exec(reply.toString('latin1', 0, 64)) ?? []
  return kind !== undefined && kind === command?.args[0]?.toLowerCase()
}

/** The reply with one character for each byte. A push becomes a list, as in RESP2. */
export const asReply = (reply: Buffer): string => reply.toString('latin1').replace(/^>/, '*')

const oneLine = new Set(['+', '-', ':', '_', '#', ',', '('].map((sign) => sign.charCodeAt(0)))
const bulk = new Set(['$', '=', '!'].map((sign) => sign.charCodeAt(0)))
const pairs = new Set(['%', '|'].map((sign) => sign.charCodeAt(0)))

/** The offset after the reply that begins at `start`; null if it is incomplete. */
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
  // An attribute precedes the reply that it describes.
  return end !== null && all[start] === 124 ? replyEnd(all, end) : end
}

function lineAt(all: Buffer, start: number): { text: string; end: number } | null {
  const at = all.indexOf(newline, start, 'latin1')
  return at < 0 ? null : { text: all.toString('latin1', start, at), end: at + 2 }
}

/** The first words of a reply, for reports. */
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
