/**
 * Connections of the harness itself to real servers. Unlike a layer's, they may be opened while a
 * run is in progress in the same thread: a run that waits for the thread pool frees the event loop,
 * and the harness continues its own work.
 */
import { Socket } from 'node:net'

const own = new WeakSet<Socket>()

export function connectOwn(host: string, port: number): Socket {
  const socket = new Socket()
  own.add(socket)
  return socket.connect(port, host)
}

export const isOwn = (socket: Socket): boolean => own.has(socket)
