/** Programs that hold a layer, for tests: written to a temporary folder, and run by the Python of this machine. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { loadProgram } from '../../src/exec/load-program.ts'
import { createPidPages, PidBook } from '../../src/exec/pid-book.ts'
import type { Patience } from '../../src/exec/program.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-exec-'))

/** A Python that has redis-py; null where there is none (Debian: python3-redis). */
export const python =
  ['python3', '/usr/bin/python3'].find((one) => spawnSync(one, ['-c', 'import redis']).status === 0) ?? null

export const withoutPython = 'needs Python 3 with redis-py (Debian: python3-redis)'

/** The command of a program with that text. */
export function programOf(text: string, name = 'layer.py'): string {
  const file = path.join(fs.mkdtempSync(path.join(folder, 'p-')), name)
  fs.writeFileSync(file, text)
  return `exec:${python} ${file}`
}

/** A layer with that body of `create(ctx)`, which gives a function `handle(message)`. `more`: members of its hello. */
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

export function load(name: string, patience: Patience = { helloMs: 20_000, silenceMs: 20_000 }) {
  return loadProgram(name, pids, patience)
}
