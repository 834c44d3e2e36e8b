/**
 * Child processes of the bench. Each measures one thing, with a separate heap and separately
 * compiled code.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compiledChild } from './compiled.ts'
import { plainEnvironment } from './plain-environment.ts'

/** The answer of a child: its result, or the error that ended it, with the error's name. */
export type Reply<T> = { readonly value: T } | { readonly error: string; readonly name: string }

export interface Child<Ask, Answer> {
  ask(question: Ask): Promise<Answer>
  close(): Promise<void>
}

/**
 * An error of a child process. `kind`: the name of the error that the child threw, or another word,
 * such as `Exit` if the child ended.
 */
export class ChildError extends Error {
  override readonly name = 'ChildError'
  constructor(
    message: string,
    readonly kind: string,
  ) {
    super(message)
  }
}

export interface ChildOptions {
  /** Flags of Node. */
  readonly flags?: readonly string[]
  /**
   * If true, the child loads sources of a checkout with tsx. Otherwise it runs compiled, without
   * the flags of the bench's Node.
   */
  readonly loadsSources?: boolean
  /** The child's working folder. */
  readonly folder?: string
}

/** Starts `bench/<file>` as a child process. */
export async function startChild<Ask, Answer>(
  file: string,
  args: readonly string[],
  { flags = [], folder = process.cwd(), loadsSources = false }: ChildOptions = {},
): Promise<Child<Ask, Answer>> {
  const script = loadsSources ? fileURLToPath(new URL(file, import.meta.url)) : await compiledChild(file)
  const child = fork(script, args, {
    cwd: folder,
    env: plainEnvironment(),
    execArgv: [...(loadsSources ? process.execArgv : []), ...flags],
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const ask = (question: Ask) =>
    new Promise<Answer>((resolve, reject) => {
      const gone = (code: number | null) =>
        reject(new ChildError(`${file} ${args.join(' ')} ended with ${code}`, 'Exit'))
      if (!child.connected) return gone(child.exitCode)
      child.once('exit', gone)
      child.once('message', (reply: Reply<Answer>) => {
        child.off('exit', gone)
        if ('error' in reply) reject(new ChildError(reply.error, reply.name))
        else resolve(reply.value)
      })
      child.send(question as object)
    })
  const close = () => {
    if (child.connected) child.disconnect()
    return ended
  }
  return { ask, close }
}

/** The child's side: answers questions one by one, until the parent disconnects. */
export function answerParent<Ask, Answer>(
  answer: (question: Ask) => Promise<Answer>,
  close: () => Promise<void>,
): void {
  process.on('message', (question: Ask) => {
    answer(question).then(
      (value) => process.send!({ value } satisfies Reply<Answer>),
      (error: Error) => process.send!({ error: error.message, name: error.name } satisfies Reply<Answer>),
    )
  })
  process.once('disconnect', () => void close().finally(() => process.exit()))
}
