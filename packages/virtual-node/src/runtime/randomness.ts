import crypto from 'node:crypto'
import { caller } from './current.ts'
import type { VirtualProcess } from './process.ts'
import { real } from './real.ts'

/**
 * All sources of chance in Node draw from the stream of the process in whose turn they are called.
 */
function fill(process: VirtualProcess, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += 4) {
    let bits = process.bits()
    for (let i = at; i < at + 4 && i < bytes.length; i++) {
      bytes[i] = bits & 0xff
      bits >>>= 8
    }
  }
}

function viewOf(target: ArrayBufferView | ArrayBuffer, offset = 0, size?: number): Uint8Array {
  const whole =
    target instanceof ArrayBuffer
      ? new Uint8Array(target)
      : new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
  return whole.subarray(offset, size === undefined ? undefined : offset + size)
}

/** RFC 9562, version 4. */
function uuid(process: VirtualProcess): string {
  const bytes = new Uint8Array(16)
  fill(process, bytes)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Buffer.from(bytes).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

type Done<T> = (error: Error | null, value: T) => void

/** Returns at once, or through the callback in a separate turn, as the thread pool would. */
function answer<T>(process: VirtualProcess, value: T, done: Done<T> | undefined): T | undefined {
  if (done === undefined) return value
  process.callBack(() => done(null, value))
  return undefined
}

function randomBytes(process: VirtualProcess, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  fill(process, bytes)
  return bytes
}

export function installRandomness(): void {
  Math.random = () => {
    const process = caller()
    if (process === null) return real.mathRandom()
    // 53 bits, as many as a double in [0, 1) can hold.
    const drawn = ((process.bits() >>> 5) * 0x400_0000 + (process.bits() >>> 6)) / 0x20_0000_0000_0000
    process.host.drew?.(process, drawn)
    return drawn
  }
  installWebCrypto()
  const virtual = {
    randomUUID: (options?: crypto.RandomUUIDOptions) => {
      const process = caller()
      return process === null ? real.randomUUID(options) : uuid(process)
    },
    randomBytes: (size: number, done?: Done<Buffer>) => {
      const process = caller()
      if (process === null) return done === undefined ? real.randomBytes(size) : real.randomBytes(size, done)
      return answer(process, randomBytes(process, size), done)
    },
    pseudoRandomBytes: (size: number, done?: Done<Buffer>) => virtual.randomBytes(size, done),
    randomFillSync: (target: ArrayBufferView | ArrayBuffer, offset?: number, size?: number) => {
      const process = caller()
      if (process === null)
        return real.randomFillSync(target as NodeJS.ArrayBufferView, offset as number, size as number)
      fill(process, viewOf(target, offset, size))
      return target
    },
    randomFill: (target: ArrayBufferView, ...rest: unknown[]) => {
      const process = caller()
      if (process === null) return Reflect.apply(real.randomFill, crypto, [target, ...rest])
      const done = rest.pop() as Done<ArrayBufferView>
      fill(process, viewOf(target, rest[0] as number | undefined, rest[1] as number | undefined))
      process.callBack(() => done(null, target))
    },
    randomInt: (from: number, to?: number | Done<number>, done?: Done<number>) => {
      const process = caller()
      if (process === null)
        return Reflect.apply(
          real.randomInt,
          crypto,
          [from, to, done].filter((a) => a !== undefined),
        )
      const [low, high] = typeof to === 'number' ? [from, to] : [0, from]
      const fraction = (process.bits() * 0x1_0000 + (process.bits() >>> 16)) / 0x1_0000_0000_0000
      return answer(process, low + Math.floor(fraction * (high - low)), typeof to === 'function' ? to : done)
    },
  }
  Object.assign(crypto, virtual)
  // Older names of `randomBytes`.
  for (const name of ['rng', 'prng'])
    Object.defineProperty(crypto, name, { value: virtual.randomBytes, writable: true, configurable: true })
}

function installWebCrypto(): void {
  const prototype = Object.getPrototypeOf(globalThis.crypto) as Crypto
  const { randomUUID, getRandomValues } = prototype
  Object.assign(prototype, {
    randomUUID(this: Crypto) {
      const process = caller()
      return process === null ? randomUUID.call(this) : uuid(process)
    },
    getRandomValues<T extends ArrayBufferView>(this: Crypto, target: T): T {
      const process = caller()
      if (process === null) return getRandomValues.call(this, target as never) as unknown as T
      fill(process, viewOf(target))
      return target
    },
  })
}

type Crypto = typeof globalThis.crypto
