/**
 * Standard streams of a process, independent of the harness's own. Output and error go to the
 * world's log. Input has ended.
 */
import fs from 'node:fs'
import { Readable, Writable } from 'node:stream'
import type { VirtualProcess } from '../process.ts'
import { probed } from './probes.ts'
import { refuse } from './refuse.ts'
import { replaceFunction, replaceValue } from './replace.ts'

type Name = 'stdout' | 'stderr'

function log(process: VirtualProcess, name: Name, text: string): void {
  if (process.state !== 'ended') process.host.log(process, name, text.replace(/\n$/, ''))
}

class StandardStream extends Writable {
  readonly fd: number
  readonly isTTY = false
  readonly _isStdio = true

  constructor(process: VirtualProcess, name: Name) {
    super({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        log(process, name, chunk.toString())
        done()
      },
    })
    this.fd = name === 'stdout' ? 1 : 2
  }
}

class StandardInput extends Readable {
  readonly fd = 0

  override _read(): void {
    this.push(null)
  }
}

const names = { 1: 'stdout', 2: 'stderr' } as const

type Written = (error: Error | null, written: number, what: unknown) => void

/** Loggers write to descriptors 1 and 2. Other descriptors are files. */
function writeTo(process: VirtualProcess, path: string, descriptor: unknown, what: unknown, rest: unknown[]): number {
  const name = names[descriptor as 1 | 2]
  if (name === undefined) refuse(path)
  const encoding = rest.find((one) => typeof one === 'string') as BufferEncoding | undefined
  const [offset = 0, length] = rest.filter((one) => typeof one === 'number')
  const bytes = typeof what === 'string' ? Buffer.from(what, encoding) : viewOf(what as NodeJS.ArrayBufferView)
  const part =
    typeof what === 'string' ? bytes : bytes.subarray(offset, length === undefined ? undefined : offset + length)
  log(process, name, part.toString())
  return part.length
}

const viewOf = ({ buffer, byteOffset, byteLength }: NodeJS.ArrayBufferView) =>
  Buffer.from(buffer, byteOffset, byteLength)

export function installStandardStreams(): void {
  for (const name of Object.values(names))
    replaceValue(process, name, (virtual) => (virtual.own[name] ??= new StandardStream(virtual, name)))
  replaceValue(process, 'stdin', ({ own }) => {
    probed('process.stdin')
    return (own.stdin ??= new StandardInput())
  })
  replaceFunction(fs, 'writeSync', (virtual, descriptor: unknown, what: unknown, ...rest: unknown[]) =>
    writeTo(virtual, 'fs.writeSync', descriptor, what, rest),
  )
  replaceFunction(fs, 'write', (virtual, descriptor: unknown, what: unknown, ...rest: unknown[]) => {
    const done = rest.pop() as Written
    const written = writeTo(virtual, 'fs.write', descriptor, what, rest)
    virtual.callBack(() => done(null, written, what))
  })
}
