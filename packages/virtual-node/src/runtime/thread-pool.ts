import crypto from 'node:crypto'
import fs from 'node:fs'
import zlib from 'node:zlib'
import { caller, within } from './current.ts'
import { replaceFunction } from './node/replace.ts'
import type { VirtualProcess } from './process.ts'
import { awaitOutside } from './turns.ts'

/**
 * Work that Node does outside of the event loop. In a process it takes no virtual time, and
 * completes in the order in which it was issued. A function with a synchronous version runs at
 * once, and its result comes in a separate turn; for a function without a synchronous version
 * (`crypto.subtle`, `Blob`), the kernel waits. All other functions are reported as unsupported
 * (`node/refuse.ts`).
 */
type Callback = (error: unknown, value?: unknown) => void
type AnyFunction = (...args: unknown[]) => unknown
type Functions = Record<string, AnyFunction>

function answerLater(process: VirtualProcess, work: () => unknown, done: Callback): void {
  let answer: () => void
  try {
    const value = work()
    answer = () => done(null, value)
  } catch (error) {
    answer = () => done(error)
  }
  process.callBack(answer)
}

/** Implements `module.name(…, callback)` by the synchronous `module.nameSync(…)`. */
function viaSync(module: Functions, name: string, sync = module[`${name}Sync`]): void {
  const realFunction = module[name]
  if (realFunction === undefined || sync === undefined) return
  replaceFunction(module, name, (process, ...args: unknown[]) => {
    const done = args.at(-1)
    if (typeof done !== 'function') return Reflect.apply(realFunction, module, args)
    answerLater(process, () => Reflect.apply(sync, module, args.slice(0, -1)), done as Callback)
  })
}

/** Implements `fs.promises.name(…)` by `fs.nameSync(…)`. */
function promiseViaSync(name: string): void {
  const promises = fs.promises as unknown as Functions
  const realFunction = promises[name]
  const sync = (fs as unknown as Functions)[`${name}Sync`]
  if (realFunction === undefined || sync === undefined) return
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

/** True for paddings and signatures for which Node draws random numbers itself. */
function drawsChance(name: string, algorithm: unknown): boolean {
  const asked = typeof algorithm === 'object' && algorithm !== null ? (algorithm as { name?: unknown }).name : algorithm
  return (
    (name === 'sign' || name === 'encrypt' || name === 'wrapKey') && /^(ECDSA|RSA-PSS|RSA-OAEP)$/i.test(String(asked))
  )
}

/**
 * Replaces a function without a synchronous version: the kernel waits for its result, and the
 * process gets it in a separate turn.
 */
function awaited(target: Functions, name: string): void {
  const realFunction = target[name]
  if (typeof realFunction !== 'function') return
  target[name] = function (this: unknown, ...args: unknown[]) {
    const process = caller()
    if (process === null) return Reflect.apply(realFunction, this, args)
    if (drawsChance(name, args[0]))
      process.host.unsupported(`crypto.subtle.${name}, which returns a different value in every run`)
    return new Promise((resolve, reject) => {
      awaitOutside(within(null, () => Reflect.apply(realFunction, this, args)) as Promise<unknown>, (result) =>
        process.schedule(0, () => {
          if (result.status === 'fulfilled') resolve(result.value)
          else reject(result.reason)
        }),
      )
    })
  }
}

const words = (text: string) => text.trim().split(/\s+/)

const fsNames = words('access lstat readFile readdir realpath stat')
const zlibNames = words(
  'deflate inflate deflateRaw inflateRaw gzip gunzip unzip brotliCompress brotliDecompress zstdCompress zstdDecompress',
)
const subtleNames = words(
  'digest sign verify encrypt decrypt importKey exportKey deriveBits deriveKey wrapKey unwrapKey generateKey',
)

export function installThreadPool(): void {
  for (const name of fsNames) viaSync(fs as never, name)
  for (const name of fsNames) promiseViaSync(name)
  viaSync(fs.realpath as never, 'native', fs.realpathSync.native as never)
  for (const name of ['arrayBuffer', 'bytes', 'text']) awaited(Blob.prototype as never, name)
  for (const name of zlibNames) viaSync(zlib as never, name)
  for (const name of ['pbkdf2', 'scrypt', 'hkdf']) viaSync(crypto as never, name)
  for (const name of subtleNames) awaited(Object.getPrototypeOf(crypto.webcrypto.subtle), name)
}
