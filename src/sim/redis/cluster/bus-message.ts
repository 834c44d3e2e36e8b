/**
 * What nodes tell each other: one line of words for each message. The content is that of Redis 7.0's bus, the encoding is
 * not: a simulated node and a real one do not understand each other.
 */
export type MessageKind = 'ping' | 'pong' | 'fail' | 'auth-req' | 'auth-ack' | 'update' | 'publish' | 'publishshard'

/** About itself, in every message. */
export interface Header {
  readonly sender: string
  /** Its primary's id; empty for a primary. */
  readonly primary: string
  readonly noFailover: boolean
  readonly currentEpoch: number
  /** Of a replica: its primary's, as its slots. */
  readonly configEpoch: number
  readonly slots: string
  readonly offset: number
}

export interface Message extends Header {
  readonly kind: MessageKind
  /** What follows the header: see those who write it. */
  readonly rest: readonly string[]
}

export function encode(kind: MessageKind, header: Header, rest: readonly string[] = []): string {
  const { sender, primary, noFailover, currentEpoch, configEpoch, slots, offset } = header
  const head = `${kind} ${sender} ${primary} ${noFailover ? 1 : 0} ${currentEpoch} ${configEpoch} ${slots} ${offset}`
  return rest.length === 0 ? `${head}\n` : `${head} ${rest.join(' ')}\n`
}

export function decode(line: string): Message {
  const words = line.split(' ')
  const [kind, sender, primary, noFailover, currentEpoch, configEpoch, slots, offset] = words as [string, ...string[]]
  return {
    kind: kind as MessageKind,
    sender: sender!,
    primary: primary!,
    noFailover: noFailover === '1',
    currentEpoch: Number(currentEpoch),
    configEpoch: Number(configEpoch),
    slots: slots!,
    offset: Number(offset),
    rest: words.slice(8),
  }
}

/** Cuts what comes into lines. */
export class Lines {
  private buffer = ''

  feed(bytes: string, each: (line: string) => void): void {
    // Mostly just one whole line.
    if (this.buffer === '' && bytes.indexOf('\n') === bytes.length - 1) return each(bytes.slice(0, -1))
    this.buffer += bytes
    for (let end = this.buffer.indexOf('\n'); end !== -1; end = this.buffer.indexOf('\n')) {
      const line = this.buffer.slice(0, end)
      this.buffer = this.buffer.slice(end + 1)
      each(line)
    }
  }
}
