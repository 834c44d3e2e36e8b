/** Numbers and labels commands as they are sent by a consumer's process. */
import type net from 'node:net'
import { keyOfCommand } from '../../run/command-key.ts'
import { CommandLabels } from '../../run/command-labels.ts'
import { Limits } from '../../run/limits.ts'
import { noteExchange } from './exchanges.ts'
import { noteLimit } from './limits.ts'

export type WriteDone = (error?: Error | null) => void
interface Chunk {
  readonly chunk: Buffer | string
  readonly encoding: BufferEncoding
}
export interface WatchedSocket extends net.Socket {
  /** The handle of the operating system; null once the socket is closed. */
  _handle: object | null
  _writeGeneric(many: boolean, data: unknown, encoding: BufferEncoding, done: WriteDone): void
  /** Node's internal method that is called on all traffic (the same in Node 20, 22 and 24). */
  _unrefTimer(): void
}

export interface Sent {
  readonly label: string | null
  readonly command: number
  readonly text: string
  readonly args: readonly string[]
  /** Called once the reply has arrived; null before the command was sent. */
  answered: (() => void) | null
}

const labels = new CommandLabels()
let commands = 0
let connections = 0

export const nextConnection = (): number => ++connections
export const nextCommand = (): number => ++commands

export function noteCommand(args: readonly string[]): Sent {
  const label = labels.of(args)
  const command = label === null ? 0 : nextCommand()
  if (label !== null) limits.noteCommand(args)
  return { label, command, text: textOf(args, label), args, answered: null }
}

export function noteLeaving(
  sent: Pick<Sent, 'label' | 'command' | 'answered'>,
  port: number,
  connection: number,
): void {
  const { label, command } = sent
  sent.answered = noteExchange({ port, connection, ...(label === null ? {} : { command }) })
}

/** The first key of the command, if it has one. */
export function namedBy(args: readonly string[]): { readonly redisKey?: string } {
  const redisKey = keyOfCommand(args)
  return redisKey === undefined ? {} : { redisKey }
}

/** The bytes of a write in Node, corked or not. */
export function writtenBytes(many: boolean, data: unknown, encoding: BufferEncoding): Buffer {
  return many ? Buffer.concat((data as Chunk[]).map(bytesOf)) : bytesOf({ chunk: data as Buffer, encoding })
}

/** Finds time limits in commands and statements, and reports each. */
class ReportedLimits extends Limits {
  override note(ms: number): void {
    noteLimit(ms)
  }
}
export const limits = new ReportedLimits(0)

const bytesOf = ({ chunk, encoding }: Chunk): Buffer =>
  typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk

/** The command as text, with the name of a script instead of its body or SHA-1. */
function textOf(args: readonly string[], label: string | null): string {
  const [name = '', ...rest] = label?.startsWith('EVALSHA ') ? [label, ...args.slice(2)] : args
  const words = [name, ...rest.map((word) => (word.length > 60 ? `${word.slice(0, 59)}…` : word))]
  return words.slice(0, 12).join(' ')
}
