import { textOf } from './text.ts'

/** Thrown if a message is shorter than its content requires. */
class ShortMessage extends Error {}

/**
 * Reads a message body from the start: big-endian integers, zero-terminated texts and byte arrays.
 */
export class BodyReader {
  #at = 0

  constructor(private readonly body: string) {}

  byte(): string {
    return this.bytes(1)
  }

  int16(): number {
    const at = this.#skip(2)
    return int16At(this.body, at)
  }

  int32(): number {
    const at = this.#skip(4)
    return int32At(this.body, at)
  }

  bytes(count: number): string {
    const at = this.#skip(count)
    return this.body.slice(at, this.#at)
  }

  /** Skips bytes and returns their offset. */
  #skip(count: number): number {
    const at = this.#at
    const end = at + count
    if (count < 0 || end > this.body.length) throw new ShortMessage('insufficient data left in message')
    this.#at = end
    return at
  }

  /** Reads a String of the protocol. */
  text(): string {
    const end = this.body.indexOf('\0', this.#at)
    if (end === -1) throw new ShortMessage('invalid string in message')
    const text = textOf(this.body.slice(this.#at, end))
    this.#at = end + 1
    return text
  }

  /** Reads an Int16 count, and then that number of items. */
  list<T>(read: () => T): T[] {
    const list: T[] = []
    for (let left = this.int16(); left > 0; left--) list.push(read())
    return list
  }

  get isAtEnd(): boolean {
    return this.#at === this.body.length
  }
}

function int16At(bytes: string, at: number): number {
  return (((bytes.charCodeAt(at) << 8) | bytes.charCodeAt(at + 1)) << 16) >> 16
}

export function int32At(bytes: string, at: number): number {
  return int16At(bytes, at) * 0x10000 + ((bytes.charCodeAt(at + 2) << 8) | bytes.charCodeAt(at + 3))
}
