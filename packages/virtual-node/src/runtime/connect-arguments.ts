import { badPortError, nodeError } from './socket-errors.ts'

export interface ConnectOptions {
  readonly host: string
  readonly port: number
  readonly path?: string
  readonly lookup?: unknown
  readonly family?: unknown
  readonly hints?: unknown
}

/**
 * The arguments of `net.connect` and `socket.connect`, as `net` reads them: (options), (port),
 * (port, host) or (path), each with an optional callback at the end; or one array that `net` has
 * normalized before.
 */
export function connectArguments(args: readonly unknown[]): {
  options: Record<string, unknown>
  done: (() => void) | null
} {
  const [list] = args
  const [first, second] = (args = Array.isArray(list) ? list : args)
  const last = args.at(-1)
  const done = typeof last === 'function' ? (last as () => void) : null
  if (typeof first === 'object' && first !== null) return { options: first as Record<string, unknown>, done }
  if (typeof first === 'string' && !(Number(first) >= 0)) return { options: { path: first }, done }
  return { options: typeof second === 'string' ? { port: first, host: second } : { port: first }, done }
}

/** @throws as `net` does for a missing or invalid port */
export function checkedOptions(options: Record<string, unknown>): ConnectOptions {
  const { port, path, host, ...others } = options
  if (typeof path === 'string' && path !== '') return { ...others, host: '', port: 0, path }
  if (port === undefined) throw nodeError('ERR_MISSING_ARGS')
  const number =
    typeof port === 'number' || (typeof port === 'string' && port.trim() !== '') ? Number(port) : Number.NaN
  if (number >>> 0 !== number || number > 0xffff) throw badPortError(port)
  return { ...others, host: typeof host === 'string' && host !== '' ? host : 'localhost', port: number }
}
