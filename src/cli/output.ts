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
 * If the reader has closed the pipe, as in `onceproof … | head`, the program stops, as other
 * programs do on SIGPIPE. If standard output is a file that cannot be written, a line on standard
 * error reports it, and the command continues.
 */
function onStreamError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(exitCodes.interrupted)
  if (error.code !== 'ERR_STREAM_DESTROYED')
    reportUnwritten('standard output', `not writable (${error.code ?? error.message}); free some space`)
}
