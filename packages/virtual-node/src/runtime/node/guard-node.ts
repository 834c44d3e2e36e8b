/** Guards the modules that Node loads at its start, and the objects that exist without a module. */
// `node:assert` must be loaded before the guards, because it keeps functions of `fs` for its
// messages.
import 'node:assert'
import asyncHooks from 'node:async_hooks'
import buffer from 'node:buffer'
import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import dgram from 'node:dgram'
import diagnosticsChannel from 'node:diagnostics_channel'
import dns from 'node:dns'
import fs from 'node:fs'
import Module from 'node:module'
import net from 'node:net'
import os from 'node:os'
import perfHooks from 'node:perf_hooks'
import timers from 'node:timers'
import tls from 'node:tls'
import tty from 'node:tty'
import util from 'node:util'
import v8 from 'node:v8'
import vm from 'node:vm'
import workerThreads from 'node:worker_threads'
import zlib from 'node:zlib'
import { apiOfObjects } from './api-of-objects.ts'
import { guard, guardModule } from './guard.ts'

const loaded: Readonly<Record<string, object>> = {
  async_hooks: asyncHooks,
  buffer,
  child_process: childProcess,
  console,
  crypto,
  dgram,
  diagnostics_channel: diagnosticsChannel,
  dns,
  'dns/promises': dns.promises,
  fs,
  'fs/promises': fs.promises,
  module: Module,
  net,
  os,
  perf_hooks: perfHooks,
  timers,
  'timers/promises': timers.promises,
  tls,
  tty,
  util,
  v8,
  vm,
  worker_threads: workerThreads,
  zlib,
}

/** Objects by their names in the table; undefined if this Node does not have them. */
export function objects(): Readonly<Record<string, object | undefined>> {
  const { Navigator } = globalThis as { Navigator?: { prototype: object } }
  return {
    process,
    globalThis,
    Atomics,
    Date,
    Intl,
    Math,
    WebAssembly: (globalThis as unknown as { WebAssembly: object }).WebAssembly,
    'Performance.prototype': Object.getPrototypeOf(perfHooks.performance) as object,
    'Navigator.prototype': Navigator?.prototype,
    'SubtleCrypto.prototype': Object.getPrototypeOf(crypto.webcrypto.subtle) as object,
    'Blob.prototype': Blob.prototype,
    'Event.prototype': Event.prototype,
    'WeakRef.prototype': WeakRef.prototype,
    'dns.Resolver.prototype': dns.Resolver.prototype,
    'dns.promises.Resolver.prototype': dns.promises.Resolver.prototype,
    'net.Server.prototype': net.Server.prototype,
    'tls.Server.prototype': tls.Server.prototype,
    'child_process.ChildProcess.prototype': childProcess.ChildProcess.prototype,
    'async_hooks.AsyncResource.prototype': asyncHooks.AsyncResource.prototype,
    'diagnostics_channel.Channel.prototype': diagnosticsChannel.Channel.prototype,
    'vm.Script.prototype': vm.Script.prototype,
    'crypto.DiffieHellmanGroup.prototype': (crypto as unknown as { DiffieHellmanGroup: { prototype: object } })
      .DiffieHellmanGroup.prototype,
  }
}

export function guardNode(): void {
  for (const [name, module] of Object.entries(loaded)) guardModule(name, module)
  for (const [name, object] of Object.entries(objects()))
    if (object !== undefined && apiOfObjects[name] !== undefined) guard(object, name, apiOfObjects[name])
}
