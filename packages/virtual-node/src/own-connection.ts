/**
 * Connections of the harness's own to real servers. They may be opened while a run is under way in
 * the same thread, which a layer's may not: a run that waits for the thread pool lets go of the
 * event loop, and the harness goes on with what it does.
 */
import { Socket } from 'node:net'

const own = new WeakSet<Socket>()

export function connectOwn(host: string, port: number): Socket {
  const socket = new Socket()
  own.add(socket)
  return socket.connect(port, host)
}

export const isOwn = (socket: Socket): boolean => own.has(socket)
