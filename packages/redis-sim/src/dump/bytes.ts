/** Converts numbers to bytes (a latin1 string) and back. */

/** `count` bytes, lowest first. */
export function littleEndian(value: bigint | number, count: number): string {
  let rest = BigInt.asUintN(8 * count, BigInt(value))
  let bytes = ''
  for (let at = 0; at < count; at++, rest >>= 8n) bytes += String.fromCharCode(Number(rest & 0xffn))
  return bytes
}

export function bigEndian(value: bigint | number, count: number): string {
  return [...littleEndian(value, count)].reverse().join('')
}

export function readLittleEndian(bytes: string): bigint {
  let value = 0n
  for (let at = bytes.length - 1; at >= 0; at--) value = (value << 8n) | BigInt(bytes.charCodeAt(at))
  return value
}

export function readBigEndian(bytes: string): bigint {
  let value = 0n
  for (let at = 0; at < bytes.length; at++) value = (value << 8n) | BigInt(bytes.charCodeAt(at))
  return value
}

/** Thrown by readers for invalid bytes. */
export class BadBytes extends Error {}

/** Reads bytes from front to back. Throws `BadBytes` if too few bytes are left. */
export class ByteReader {
  at = 0
  constructor(readonly bytes: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length
  }

  take(count: number): string {
    if (!(count >= 0) || this.at + count > this.bytes.length) throw new BadBytes('the bytes end too early')
    const taken = this.bytes.slice(this.at, this.at + count)
    this.at += count
    return taken
  }

  byte(): number {
    return this.take(1).charCodeAt(0)
  }

  /** Reads an unsigned integer of `count` bytes, lowest byte first. */
  little(count: number): bigint {
    return readLittleEndian(this.take(count))
  }

  signed(count: number): bigint {
    return BigInt.asIntN(8 * count, this.little(count))
  }
}
