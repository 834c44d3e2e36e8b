import { ErrorReply, NullArrayReply, type Reply, StatusReply } from '../resp/reply.ts'

const incomplete = Symbol('incomplete')

/** Parses RESP2 replies from a byte stream that may be split anywhere. */
export class ReplyParser {
  private buffer = ''
  private at = 0

  feed(bytes: string): void {
    this.buffer = this.at === this.buffer.length ? bytes : this.buffer.slice(this.at) + bytes
    this.at = 0
  }

  /**
   * The next complete reply; undefined if more bytes are needed. Throws if the bytes are not a
   * reply.
   */
  next(): Reply | undefined {
    const before = this.at
    const reply = this.read()
    if (reply !== incomplete) return reply
    this.at = before
    return undefined
  }

  private read(): Reply | typeof incomplete {
    const end = this.buffer.indexOf('\r\n', this.at)
    if (end === -1) return incomplete
    const sign = this.buffer[this.at]
    const line = this.buffer.slice(this.at + 1, end)
    this.at = end + 2
    switch (sign) {
      case '+':
        return new StatusReply(line)
      case '-':
        return new ErrorReply(line)
      case ':':
        return Number(line)
      case '$':
        return this.readBulk(Number(line))
      case '*':
        return this.readArray(Number(line))
      default:
        throw new Error(`not a reply of RESP2: ${JSON.stringify(sign + line)}`)
    }
  }

  private readBulk(length: number): string | null | typeof incomplete {
    if (length < 0) return null
    const start = this.at
    if (this.buffer.length < start + length + 2) return incomplete
    this.at = start + length + 2
    return this.buffer.slice(start, start + length)
  }

  private readArray(length: number): Reply | typeof incomplete {
    if (length < 0) return new NullArrayReply()
    const items: Reply[] = []
    for (let at = 0; at < length; at++) {
      const item = this.read()
      if (item === incomplete) return incomplete
      items.push(item)
    }
    return items
  }
}
