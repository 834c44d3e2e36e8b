import { exitCodes } from '../contract/api/exit-codes.ts'
import { visibleLines } from '../contract/results/visible.ts'
import { reportUnwritten } from './unwritten.ts'

/**
 * Where text goes. Under --json, standard output is exactly one JSON document: lines, and whatever
 * adapters write, go to standard error.
 */
export interface Output {
  readonly json: boolean
  /** Lines for a person; colours are the only control characters that get through. */
  line(text: string): void
  readonly colours: boolean
  /** Where lines and progress go. */
  readonly stream: NodeJS.WriteStream
  /** The document; resolves when it is written. */
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
    // False in the eyes of NO_COLOR, dumb terminals and files.
    colours: stream.isTTY === true && stream.hasColors(),
    line: (text) => void stream.write(`${visibleLines(text)}\n`),
    document: (data) =>
      // What cannot be written is reported by `onStreamError`.
      new Promise((resolve) => {
        write(`${JSON.stringify(data, null, 2)}\n`, () => resolve())
      }),
  }
}

/**
 * The reader is gone, as in `onceproof … | head`: stop, as SIGPIPE stops other programs. If output
 * goes to a file that cannot be written, one line says so, and the command goes on.
 */
function onStreamError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(exitCodes.interrupted)
  if (error.code !== 'ERR_STREAM_DESTROYED')
    reportUnwritten('standard output', `not writable (${error.code ?? error.message}); free some space`)
}
