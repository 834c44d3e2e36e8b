/**
 * What Node really offers, taken before `install()` replaces any of it: what virtual things
 * delegate to outside of processes, and what the harness itself uses where it must be real.
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
