import type { ListenFailure } from './transport.ts'

/** Errors with Node's own texts and fields, as its `net` and `dns` build them. */

const errorNumbers: Record<string, number> = {
  EPIPE: -32,
  EADDRINUSE: -98,
  EADDRNOTAVAIL: -99,
  ECONNRESET: -104,
  ENOBUFS: -105,
  ETIMEDOUT: -110,
  ECONNREFUSED: -111,
  EHOSTUNREACH: -113,
}

/** `read ECONNRESET`. */
export function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${syscall} ${code}`), { errno: errorNumbers[code], code, syscall })
}

/** `connect ECONNREFUSED 10.0.0.1:6379`. */
export function connectError(code: string, address: string, port: number): Error {
  const error = new Error(`connect ${code} ${address}:${port}`)
  return Object.assign(error, { errno: errorNumbers[code], code, syscall: 'connect', address, port })
}

const listenTexts: Readonly<Record<ListenFailure, string>> = {
  EADDRINUSE: 'address already in use',
  EADDRNOTAVAIL: 'address not available',
}

/** `listen EADDRINUSE: address already in use 127.0.0.1:3000`. */
export function listenError(code: ListenFailure, address: string, port: number): Error {
  const error = new Error(`listen ${code}: ${listenTexts[code]} ${address}${port > 0 ? `:${port}` : ''}`)
  return Object.assign(error, {
    code,
    errno: errorNumbers[code],
    syscall: 'listen',
    address,
    ...(port > 0 ? { port } : {}),
  })
}

/** `getaddrinfo ENOTFOUND nobody`. */
export function lookupError(hostname: string): Error {
  const error = new Error(`getaddrinfo ENOTFOUND ${hostname}`)
  return Object.assign(error, { errno: -3008, code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname })
}

const texts = {
  ERR_SOCKET_CLOSED: 'Socket is closed',
  ERR_SOCKET_CLOSED_BEFORE_CONNECTION: 'Socket closed before the connection was established',
  ERR_MISSING_ARGS: 'The "options" or "port" or "path" argument must be specified',
} as const

/** An error of Node's JavaScript part, identified by its `code`. */
export function nodeError(code: keyof typeof texts): Error {
  const error = code === 'ERR_MISSING_ARGS' ? new TypeError(texts[code]) : new Error(texts[code])
  return Object.assign(error, { code })
}

export function badPortError(port: unknown): Error {
  if (typeof port !== 'number' && typeof port !== 'string') {
    const error = new TypeError(
      `The "options.port" property must be one of type number or string. Received ${typeof port}`,
    )
    return Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' })
  }
  const shown = typeof port === 'string' ? `type string ('${port}')` : `type number (${port})`
  const error = new RangeError(`Port should be >= 0 and < 65536. Received ${shown}.`)
  return Object.assign(error, { code: 'ERR_SOCKET_BAD_PORT' })
}
