import { textOf } from './text.ts'

/** A message ended before what it says is in it. */
class ShortMessage extends Error {}

/** Reads the body of one message from its front: big-endian numbers, texts that end with a zero byte, counted bytes. */
export class BodyReader {
  #at = 0

  constructor(private readonly body: string) {}

  byte(): string {
    return this.bytes(1)
  }

  int16(): number {
    const value = this.#unsigned(2)
    return value >= 0x8000 ? value - 0x10000 : value
  }

  int32(): number {
    return this.#unsigned(4) | 0
  }

  bytes(count: number): string {
    const end = this.#at + count
    if (count < 0 || end > this.body.length) throw new ShortMessage('insufficient data left in message')
    const bytes = this.body.slice(this.#at, end)
    this.#at = end
    return bytes
  }

  /** A String of the protocol, as text. */
  text(): string {
    const end = this.body.indexOf('\0', this.#at)
    if (end === -1) throw new ShortMessage('invalid string in message')
    const text = textOf(this.body.slice(this.#at, end))
    this.#at = end + 1
    return text
  }

  /** An Int16, and as many of what `read` reads as it says. */
  list<T>(read: () => T): T[] {
    return Array.from({ length: this.int16() }, read)
  }

  get isAtEnd(): boolean {
    return this.#at === this.body.length
  }

  #unsigned(count: number): number {
    const bytes = this.bytes(count)
    let value = 0
    for (let at = 0; at < count; at++) value = value * 256 + bytes.charCodeAt(at)
    return value
  }
}
