/**
 * The real functions of Node, taken before `install()` replaces them: for virtual functions outside
 * of processes, and for the harness itself.
 */
import crypto from 'node:crypto'
import dns from 'node:dns'
import net from 'node:net'
import os from 'node:os'
import tls from 'node:tls'

export const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  queueMicrotask: globalThis.queueMicrotask,
  nextTick: process.nextTick,
  Date: globalThis.Date,
  mathRandom: Math.random,
  hrtime: process.hrtime,
  uptime: process.uptime,
  pid: process.pid,
  hostname: os.hostname,
  abortTimeout: AbortSignal.timeout,
  randomUUID: crypto.randomUUID,
  randomBytes: crypto.randomBytes,
  randomFillSync: crypto.randomFillSync,
  randomFill: crypto.randomFill,
  randomInt: crypto.randomInt,
  createHash: crypto.createHash,
  hash: crypto.hash,
  connect: net.connect,
  createConnection: net.createConnection,
  Socket: net.Socket,
  tlsConnect: tls.connect,
  lookup: dns.lookup,
  promisedLookup: dns.promises.lookup,
  FinalizationRegistry: globalThis.FinalizationRegistry,
} as const
