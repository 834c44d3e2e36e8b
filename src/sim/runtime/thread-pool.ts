import crypto from 'node:crypto'
import fs from 'node:fs'
import zlib from 'node:zlib'
import { caller } from './current.ts'
import type { VirtualProcess } from './process.ts'
import { real } from './real.ts'
import { awaitOutside } from './turns.ts'

/**
 * Work that Node does outside of the event loop. In a process it takes no virtual time, and completes in the order in
 * which it was issued: what has a synchronous twin is done at once and answered in a turn of its own; the rest
 * (`crypto.subtle`) is waited for by the kernel. Left out, and told as unsupported: FinalizationRegistry.
 */
type Callback = (error: unknown, value?: unknown) => void
type AnyFunction = (...args: unknown[]) => unknown

function answerLater(process: VirtualProcess, work: () => unknown, done: Callback): void {
  let error: unknown = null
  let value: unknown
  try {
    value = work()
  } catch (thrown) {
    error = thrown
  }
  process.schedule(0, () => (error === null ? done(null, value) : done(error)))
}

/** `module.name(…, callback)` by its twin `module.nameSync(…)`. */
function viaSync(module: Record<string, unknown>, name: string): void {
  const realFunction = module[name] as AnyFunction | undefined
  const sync = module[`${name}Sync`] as AnyFunction | undefined
  if (realFunction === undefined || sync === undefined) return
  module[name] = (...args: unknown[]) => {
    const process = caller()
    const done = args.at(-1)
    if (process === null || typeof done !== 'function') return Reflect.apply(realFunction, module, args)
    answerLater(process, () => Reflect.apply(sync, module, args.slice(0, -1)), done as Callback)
  }
}

/** `fs.promises.name(…)` by `fs.nameSync(…)`. */
function promiseViaSync(name: string): void {
  const promises = fs.promises as unknown as Record<string, AnyFunction>
  const realFunction = promises[name]!
  const sync = (fs as unknown as Record<string, AnyFunction>)[`${name}Sync`]!
  promises[name] = (...args: unknown[]) => {
    const process = caller()
    if (process === null) return Reflect.apply(realFunction, promises, args)
    return new Promise((resolve, reject) =>
      answerLater(
        process,
        () => Reflect.apply(sync, fs, args),
        (error, value) => (error ? reject(error) : resolve(value)),
      ),
    )
  }
}

/** No synchronous twin: the kernel waits for it, and the process is answered in a turn of its own. */
function awaited(target: Record<string, AnyFunction>, name: string): void {
  const realFunction = target[name]
  if (typeof realFunction !== 'function') return
  target[name] = function (this: unknown, ...args: unknown[]) {
    const process = caller()
    if (process === null) return Reflect.apply(realFunction, this, args)
    return new Promise((resolve, reject) => {
      const settled = (Reflect.apply(realFunction, this, args) as Promise<unknown>).then(
        (value) => void process.schedule(0, () => resolve(value)),
        (error: unknown) => void process.schedule(0, () => reject(error)),
      )
      awaitOutside(settled)
    })
  }
}

const fsNames = ['readFile', 'writeFile', 'appendFile', 'stat', 'access', 'mkdir', 'readdir', 'unlink', 'rename', 'rm']
const zlibNames = [
  'deflate',
  'inflate',
  'deflateRaw',
  'inflateRaw',
  'gzip',
  'gunzip',
  'unzip',
  'brotliCompress',
  'brotliDecompress',
]
const subtleNames = [
  'digest',
  'sign',
  'verify',
  'encrypt',
  'decrypt',
  'importKey',
  'exportKey',
  'deriveBits',
  'deriveKey',
  'wrapKey',
  'unwrapKey',
]

export function installThreadPool(): void {
  for (const name of fsNames) viaSync(fs as never, name)
  for (const name of fsNames) promiseViaSync(name)
  for (const name of zlibNames) viaSync(zlib as never, name)
  for (const name of ['pbkdf2', 'scrypt', 'hkdf']) viaSync(crypto as never, name)
  for (const name of subtleNames) awaited(Object.getPrototypeOf(crypto.webcrypto.subtle), name)
  globalThis.FinalizationRegistry = new Proxy(real.FinalizationRegistry, {
    construct(target, args, newTarget) {
      caller()?.host.unsupported('FinalizationRegistry: when it calls back depends on the garbage collector')
      return Reflect.construct(target, args, newTarget)
    },
  })
}
