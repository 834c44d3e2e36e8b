/** Programs with a layer, in a temporary folder, run by the Python of this machine. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { loadProgram } from '../../src/exec/load-program.ts'
import { createPidPages, PidBook } from '../../src/exec/pid-book.ts'
import type { Timeouts } from '../../src/exec/program.ts'
import { pathOf } from '../needs/needs.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-exec-'))

/** The command of a program with that text. The test group needs `{ python: 'redis' }`. */
export function programOf(text: string, name = 'layer.py'): string {
  const file = path.join(fs.mkdtempSync(path.join(folder, 'p-')), name)
  fs.writeFileSync(file, text)
  return `exec:${pathOf('python')} ${file}`
}

/**
 * A layer with that body of `create(ctx)`, which defines `handle(message)`. `more`: additional
 * members of its hello.
 */
export function layerOf(create: string, more = ''): string {
  const body = create.trim().replaceAll(/^/gm, '    ')
  const head =
    'import onceproof, redis, redis.cluster, redis.sentinel, json, os, sys, time, threading, uuid, random, datetime, queue'
  const client =
    'client = "host" in ctx.redis and redis.Redis(host=ctx.redis["host"], port=ctx.redis["port"], decode_responses=True)'
  return programOf(
    `${head}\n\ndef create(ctx):\n    ${client}\n${body}\n    return handle\n\nonceproof.serve("layer", create${more})\n`,
  )
}

export const pids = new PidBook(createPidPages())

export function load(name: string, timeouts: Timeouts = { helloMs: 20_000, silenceMs: 20_000 }) {
  return loadProgram(name, pids, timeouts)
}
