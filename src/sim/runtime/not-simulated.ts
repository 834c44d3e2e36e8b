import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import dgram from 'node:dgram'
import dns from 'node:dns'
import fs from 'node:fs'
import net from 'node:net'
import workerThreads from 'node:worker_threads'
import { caller } from './current.ts'
import { real } from './real.ts'

/**
 * Ways out of the simulation that nothing stands in for. In a process they throw, and the run is marked unsupported:
 * what came back through them would come at a real time, in nobody's turn.
 */
type Functions = Record<string, (...args: unknown[]) => unknown>

function closed(module: object, path: string, names: readonly string[]): void {
  const functions = module as Functions
  for (const name of names) {
    const realFunction = functions[name]
    if (typeof realFunction !== 'function') continue
    functions[name] = new Proxy(realFunction, {
      apply(target, self, args) {
        leave(`${path}.${name}`)
        return Reflect.apply(target, self, args)
      },
      construct(target, args, newTarget) {
        leave(`new ${path}.${name}`)
        return Reflect.construct(target, args, newTarget)
      },
    })
  }
}

function leave(what: string): void {
  const process = caller()
  if (process === null) return
  process.host.unsupported(`${what}, which leaves the simulation`)
  throw new Error(`${what} is not simulated`)
}

/** These work, and what they give differs from run to run. */
function unrepeatable(module: object, path: string, names: readonly string[]): void {
  const functions = module as Functions
  for (const name of names) {
    const realFunction = functions[name]
    if (typeof realFunction !== 'function') continue
    functions[name] = new Proxy(realFunction, {
      apply(target, self, args) {
        caller()?.host.unsupported(`${path}.${name}, which gives something else in every run`)
        return Reflect.apply(target, self, args)
      },
    })
  }
}

const resolvers = Object.keys(dns).filter((name) => /^(resolve|reverse|lookupService)/.test(name))

export function installNotSimulated(): void {
  closed(childProcess.ChildProcess.prototype, 'ChildProcess', ['spawn'])
  closed(childProcess, 'child_process', ['execSync', 'execFileSync', 'spawnSync'])
  closed(workerThreads, 'worker_threads', ['Worker', 'MessageChannel', 'BroadcastChannel'])
  closed(globalThis, 'globalThis', ['MessageChannel', 'BroadcastChannel', 'fetch', 'WebSocket'])
  closed(dgram, 'dgram', ['createSocket'])
  closed(net.Server.prototype, 'net.Server', ['listen'])
  closed(dns, 'dns', resolvers)
  closed(dns.promises, 'dns.promises', resolvers)
  closed(fs, 'fs', ['exists', 'read', 'readv', 'write', 'writev', 'opendir', 'watch', 'watchFile', 'openAsBlob'])
  closed(fs.promises, 'fs.promises', ['open', 'opendir', 'watch'])
  const { WebAssembly } = globalThis as unknown as { WebAssembly: object }
  closed(WebAssembly, 'WebAssembly', ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming'])
  closed(crypto, 'crypto', ['generateKeyPair', 'generateKey', 'generatePrime', 'checkPrime'])
  unrepeatable(crypto, 'crypto', ['generateKeyPairSync', 'generateKeySync', 'generatePrimeSync', 'createECDH'])
  unrepeatable(Object.getPrototypeOf(crypto.webcrypto.subtle), 'crypto.subtle', ['generateKey'])
  unrepeatable(process, 'process', ['cpuUsage', 'resourceUsage'])
  installFinalization()
}

function installFinalization(): void {
  globalThis.FinalizationRegistry = new Proxy(real.FinalizationRegistry, {
    construct(target, args, newTarget) {
      caller()?.host.unsupported('FinalizationRegistry: when it calls back depends on the garbage collector')
      return Reflect.construct(target, args, newTarget)
    },
  })
}
