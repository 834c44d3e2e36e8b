/** Sockets of this process that lead to a store are watched, each as its protocol wants it. */
import net from 'node:net'
import type { CreateOrder } from '../protocol.ts'
import { passGate } from './gates.ts'
import { HeldSocket } from './held-socket.ts'
import { PostgresTap } from './postgres-tap.ts'
import { RedisTap } from './redis-tap.ts'
import type { WatchedSocket } from './sent-command.ts'

type Watch = Pick<
  CreateOrder,
  'redisPorts' | 'sentinelPorts' | 'postgresPorts' | 'watchCommands' | 'keyPrefix' | 'holds'
>

/** Those that connect to these ports from now on. */
export function watchStores(watch: Watch): void {
  const connect = net.Socket.prototype.connect
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]): net.Socket {
    const port = portOf(args)
    const socket = this as WatchedSocket
    if (watch.postgresPorts.includes(port)) {
      new PostgresTap(socket, port, watch)
      return Reflect.apply(connect, this, args)
    }
    const asks = watch.holds && watch.sentinelPorts.includes(port)
    if (!asks && !watch.redisPorts.includes(port)) return Reflect.apply(connect, this, args)
    if (!watch.holds) {
      new RedisTap(socket, port, watch)
      return Reflect.apply(connect, this, args)
    }
    new HeldSocket(socket, port, asks)
    // Until it is under way: what is written meanwhile waits.
    Object.assign(this, { connecting: true })
    void passGate({ at: 'connecting', port })
      .then(() => void (this.destroyed || Reflect.apply(connect, this, args)))
      .catch((error: Error) => this.destroy(error))
    return this
  } as typeof connect
}

/** Arguments are an options object, or an array of it and a callback (as `net.connect` passes them), or a port. */
function portOf(args: unknown[]): number {
  const [first] = (Array.isArray(args[0]) ? args[0] : args) as [unknown]
  return Number(typeof first === 'object' && first !== null ? (first as { port?: unknown }).port : first)
}
