/**
 * A HyperLogLog. It is stored as a string: a header, then the registers in a sparse or dense form.
 */
import { longestRun, place, registerCount } from './element-hash.ts'
import { emptyRuns, type Run, raiseInRuns, readRuns, registersOfRuns, writeRuns } from './sparse.ts'

const magic = 'HYLL'
const headerBytes = 16
const bitsOfRegister = 6
const denseBytes = headerBytes + (registerCount * bitsOfRegister) / 8
/** The constant of Ertl's estimator. */
const alpha = 0.7213475204444817

/** True if the string has a HyperLogLog header. The registers may still be corrupt. */
export function isHyperLogLog(text: string): boolean {
  if (text.length < headerBytes || !text.startsWith(magic)) return false
  const encoding = text.charCodeAt(4)
  return encoding <= 1 && (encoding === 1 || text.length === denseBytes)
}

export class HyperLogLog {
  private runs: Run[] | null
  /** Six bits per register, and one extra byte at the end. */
  private dense: Buffer | null = null

  private constructor(
    /** The first 16 bytes: magic, encoding, three unused bytes, the cached count. */
    private header: string,
    body: string,
  ) {
    this.runs = header.charCodeAt(4) === 1 ? readRuns(body) : null
    if (this.runs === null) this.dense = Buffer.from(`${body}\0`, 'latin1')
  }

  /** `text` must satisfy `isHyperLogLog`. */
  static read(text: string): HyperLogLog {
    return new HyperLogLog(text.slice(0, headerBytes), text.slice(headerBytes))
  }

  static empty(): HyperLogLog {
    return new HyperLogLog(`${magic}\x01${'\0'.repeat(headerBytes - 5)}`, writeRuns(emptyRuns()))
  }

  get text(): string {
    return (
      this.header +
      (this.runs === null ? this.dense!.toString('latin1', 0, denseBytes - headerBytes) : writeRuns(this.runs))
    )
  }

  get isDense(): boolean {
    return this.runs === null
  }

  /** The values of all registers; null if the value is corrupt. */
  get registers(): Uint8Array | null {
    return this.runs === null ? unpack(this.dense!) : registersOfRuns(this.runs)
  }

  /** The runs of the sparse form, `Z:16384 v:1,2 …`; null in the dense form. */
  get description(): string | null {
    if (this.runs === null) return null
    return this.runs
      .map(({ value, length, wide }) => (value > 0 ? `v:${value},${length}` : `${wide ? 'Z' : 'z'}:${length}`))
      .join(' ')
  }

  /**
   * Adds an element; true if a register changed, null if the value is corrupt. `mostBytes` is
   * hll-sparse-max-bytes.
   */
  add(element: string, mostBytes: number): boolean | null {
    const { register, run } = place(element)
    return this.raise(register, run, mostBytes)
  }

  raise(register: number, value: number, mostBytes: number): boolean | null {
    if (this.runs !== null) {
      const outcome = raiseInRuns(this.runs, register, value, mostBytes - headerBytes)
      if (outcome === 'raised') this.forgetCount()
      if (outcome !== 'dense') return outcome === 'corrupt' ? null : outcome === 'raised'
      if (!this.makeDense()) return null
    }
    if (read(this.dense!, register) >= value) return false
    write(this.dense!, register, value)
    return true
  }

  /** Converts to the dense form; false if the value is corrupt. */
  makeDense(): boolean {
    if (this.runs === null) return true
    const registers = registersOfRuns(this.runs)
    if (registers === null) return false
    this.runs = null
    this.dense = pack(registers)
    this.header = `${this.header.slice(0, 4)}\0${this.header.slice(5)}`
    return true
  }

  /** The cached count; null if it is stale. */
  get keptCount(): bigint | null {
    if ((this.header.charCodeAt(15) & 0x80) !== 0) return null
    let count = 0n
    for (let at = 15; at >= 8; at--) count = (count << 8n) | BigInt(this.header.charCodeAt(at))
    return count
  }

  keepCount(count: number): void {
    let bytes = ''
    for (let rest = BigInt(count); bytes.length < 8; rest >>= 8n) bytes += String.fromCharCode(Number(rest & 0xffn))
    this.header = this.header.slice(0, 8) + bytes
  }

  forgetCount(): void {
    const last = String.fromCharCode(this.header.charCodeAt(15) | 0x80)
    this.header = this.header.slice(0, 15) + last
  }
}

/**
 * Source: Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", as in hllCount of
 * Redis 7.0.
 */
export function estimate(registers: Uint8Array): number {
  const histogram = new Array<number>(64).fill(0)
  for (const value of registers) histogram[value]!++
  const m = registerCount
  let z = m * tau((m - histogram[longestRun]!) / m)
  for (let run = longestRun - 1; run >= 1; run--) z = (z + histogram[run]!) * 0.5
  z += m * sigma(histogram[0]! / m)
  return Math.round((alpha * m * m) / z)
}

function sigma(given: number): number {
  if (given === 1) return Number.POSITIVE_INFINITY
  let x = given
  let y = 1
  let z = given
  for (let before = Number.NaN; before !== z; ) {
    x *= x
    before = z
    z += x * y
    y += y
  }
  return z
}

function tau(given: number): number {
  if (given === 0 || given === 1) return 0
  let x = given
  let y = 1
  let z = 1 - given
  for (let before = Number.NaN; before !== z; ) {
    x = Math.sqrt(x)
    before = z
    y *= 0.5
    z -= (1 - x) * (1 - x) * y
  }
  return z / 3
}

function read(bytes: Buffer, register: number): number {
  const bit = register * bitsOfRegister
  return ((bytes[bit >> 3]! | (bytes[(bit >> 3) + 1]! << 8)) >> (bit & 7)) & 0x3f
}

function write(bytes: Buffer, register: number, value: number): void {
  const bit = register * bitsOfRegister
  const word = bytes[bit >> 3]! | (bytes[(bit >> 3) + 1]! << 8)
  const changed = (word & ~(0x3f << (bit & 7))) | (value << (bit & 7))
  bytes[bit >> 3] = changed & 0xff
  bytes[(bit >> 3) + 1] = changed >> 8
}

function unpack(bytes: Buffer): Uint8Array {
  const registers = new Uint8Array(registerCount)
  for (let at = 0; at < registerCount; at++) registers[at] = read(bytes, at)
  return registers
}

function pack(registers: Uint8Array): Buffer {
  const bytes = Buffer.alloc(denseBytes - headerBytes + 1)
  for (let at = 0; at < registerCount; at++) write(bytes, at, registers[at]!)
  return bytes
}
