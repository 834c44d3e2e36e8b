/**
 * Watches the sockets of this process that lead to a store, with a parser for the store's protocol.
 */
import net from 'node:net'
import type { CreateOrder } from '../host/protocol.ts'
import { passGate } from './gates.ts'
import { HeldPostgres } from './held-postgres.ts'
import { HeldSocket } from './held-socket.ts'
import { PostgresTap } from './postgres-tap.ts'
import { RedisTap } from './redis-tap.ts'
import type { WatchedSocket } from './sent-command.ts'

type Watch = Pick<
  CreateOrder,
  'redisPorts' | 'portsReported' | 'sentinelPorts' | 'postgresPorts' | 'watchCommands' | 'keyPrefix' | 'holds'
>

/** Watches sockets that connect to these ports from now on. */
export function watchStores(watch: Watch): void {
  const connect = net.Socket.prototype.connect
  const own = new Map(watch.portsReported)
  net.Socket.prototype.connect = function (this: net.Socket, ...given: unknown[]): net.Socket {
    const reported = portOf(given)
    const port = own.get(reported) ?? reported
    const args = port === reported ? given : withPort(given, port)
    const socket = this as WatchedSocket
    const asks = watch.holds && watch.sentinelPorts.includes(port)
    const isPostgres = watch.postgresPorts.includes(port)
    if (!asks && !isPostgres && !watch.redisPorts.includes(port)) return Reflect.apply(connect, this, args)
    if (!watch.holds) {
      if (isPostgres) new PostgresTap(socket, port, watch)
      else new RedisTap(socket, port, watch)
      return Reflect.apply(connect, this, args)
    }
    const { stream } = isPostgres ? new HeldPostgres(socket, port) : new HeldSocket(socket, port, asks, own.size > 0)
    // Marks the socket as connecting until it really connects, so that Node delays writes until
    // then.
    Object.assign(this, { connecting: true })
    void passGate({ at: 'connecting', port })
      .then(({ drop }) => {
        if (drop) stream.refused()
        else if (!this.destroyed) Reflect.apply(connect, this, args)
      })
      .catch((error: Error) => this.destroy(error))
    return this
  } as typeof connect
}

/**
 * The port from the arguments of `connect`: an options object, an array of options and callback (as
 * `net.connect` passes them), or a port.
 */
function portOf(args: unknown[]): number {
  const [first] = (Array.isArray(args[0]) ? args[0] : args) as [unknown]
  return Number(typeof first === 'object' && first !== null ? (first as { port?: unknown }).port : first)
}

/**
 * Replaces the port in the arguments, because this process reaches each server through a separate
 * link.
 */
function withPort(args: unknown[], port: number): unknown[] {
  const [first, ...rest] = args
  // The symbols are copied, because `net.connect` marks its array with one.
  if (Array.isArray(first)) return [Object.assign(withPort(first, port), ownSymbols(first)), ...rest]
  return [typeof first === 'object' && first !== null ? { ...first, port } : port, ...rest]
}

const ownSymbols = (of: object): object =>
  Object.fromEntries(Object.getOwnPropertySymbols(of).map((one) => [one, (of as Record<symbol, unknown>)[one]]))
