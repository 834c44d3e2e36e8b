import { Writable } from 'node:stream'
import { exitCodes } from '../contract/api/exit-codes.ts'
import { visibleLines } from '../contract/results/visible.ts'
import { reportUnwritten } from './unwritten.ts'

/**
 * The output of a command. Under --json, standard output is exactly one JSON document; lines, and
 * all output of adapters, go to standard error.
 */
export interface Output {
  readonly json: boolean
  /** A line for people; control characters other than colours are escaped. */
  line(text: string): void
  readonly colours: boolean
  /** The stream for lines and progress. */
  readonly stream: NodeJS.WriteStream
  /** Writes the document; resolves when it is written. */
  document(data: unknown): Promise<void>
}

export function openOutput(json: boolean): Output {
  const write = process.stdout.write.bind(process.stdout)
  const stream = json ? process.stderr : process.stdout
  if (json) process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write
  for (const one of [process.stdout, process.stderr]) one.on('error', onStreamError)
  return {
    json,
    stream,
    // False with NO_COLOR, on terminals without colors and for files.
    colours: stream.isTTY === true && stream.hasColors(),
    line: (text) => void stream.write(`${visibleLines(text)}\n`),
    document: (data) =>
      // `onStreamError` reports a failed write.
      new Promise((resolve) => {
        write(`${JSON.stringify(data, null, 2)}\n`, () => resolve())
      }),
  }
}

/**
 * Resolves when standard output and standard error are written. A slow reader of a pipe may not
 * have read everything yet, and the end of the process would discard the rest.
 */
export async function outputWritten(): Promise<void> {
  // Under --json, `process.stdout.write` writes to standard error. `onStreamError` reports a
  // failed write.
  for (const stream of [process.stdout, process.stderr])
    if (stream.writableLength > 0)
      await new Promise((resolve) => Writable.prototype.write.call(stream, '', 'utf8', resolve))
}

/**
 * If the reader is gone, as in `onceproof … | head`, the program stops, like other programs on
 * SIGPIPE. If output goes to a file that cannot be written, a line reports it, and the command
 * continues.
 */
function onStreamError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(exitCodes.interrupted)
  if (error.code !== 'ERR_STREAM_DESTROYED')
    reportUnwritten('standard output', `not writable (${error.code ?? error.message}); free some space`)
}
