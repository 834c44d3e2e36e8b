/**
 * Streams of `zlib` compress on Node's thread pool, and continue when the pool calls back. In a
 * process they compress at once, by the synchronous version of the native call, and continue in a
 * separate turn, at the same virtual time.
 */
import { AsyncResource } from 'node:async_hooks'
import zlib from 'node:zlib'
import { caller } from '../current.ts'

/** The native half of a stream (lib/zlib.js). */
interface Handle {
  init(...args: unknown[]): unknown
  write(...args: unknown[]): void
  writeSync(...args: unknown[]): void
  onerror: (...args: unknown[]) => void
}

/**
 * The callback that `init` got, which is called for each piece, and the asynchronous context of the
 * code that made the stream.
 */
interface Processed {
  readonly callback: (this: Handle) => void
  readonly resource: AsyncResource
}

const processed = new WeakMap<Handle, Processed>()

const makers = [
  'createGzip',
  'createBrotliCompress',
  'createBrotliDecompress',
  'createZstdCompress',
  'createZstdDecompress',
]

function patch(handle: Handle): void {
  const prototype = Object.getPrototypeOf(handle) as Handle
  const { init, write, writeSync } = prototype
  prototype.init = function (this: Handle, ...args) {
    const callback = args.find((arg) => typeof arg === 'function')
    if (callback !== undefined)
      processed.set(this, { callback: callback as Processed['callback'], resource: new AsyncResource('ZLIB') })
    return Reflect.apply(init, this, args)
  }
  prototype.write = function (this: Handle, ...args) {
    const process = caller()
    const known = processed.get(this)
    if (process === null || known === undefined) return Reflect.apply(write, this, args)
    let failure: unknown[] | null = null
    const { onerror } = this
    this.onerror = (...problem) => (failure = problem)
    try {
      Reflect.apply(writeSync, this, args)
    } finally {
      this.onerror = onerror
    }
    const { callback, resource } = known
    process.schedule(0, () => {
      if (failure !== null) resource.runInAsyncScope(onerror, this, ...failure)
      else resource.runInAsyncScope(callback, this)
    })
  }
}

export function installZlibStreams(): void {
  const patched = new Set<object>()
  for (const name of makers) {
    const make = (zlib as unknown as Record<string, (() => zlib.Gzip) | undefined>)[name]
    if (make === undefined) continue
    const stream = make()
    const { _handle: handle } = stream as unknown as { _handle: Handle }
    const prototype = Object.getPrototypeOf(handle) as object
    if (!patched.has(prototype)) patch(handle)
    patched.add(prototype)
    stream.close()
  }
}
