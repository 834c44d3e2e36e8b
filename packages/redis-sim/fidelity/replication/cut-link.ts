import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * A port that forwards to another port until the link is cut. Then its connections are closed, and
 * new connections are refused.
 */
export class CutLink {
  private isCut = false
  private readonly sockets = new Set<Socket>()

  private constructor(
    readonly port: number,
    private readonly listener: Server,
    target: number,
  ) {
    listener.on('connection', (near: Socket) => {
      if (this.isCut) return near.resetAndDestroy()
      const far = connect(target, '127.0.0.1')
      this.join(near, far)
      this.join(far, near)
    })
  }

  static async open(target: number): Promise<CutLink> {
    const listener = createServer()
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    return new CutLink((listener.address() as AddressInfo).port, listener, target)
  }

  cut(): void {
    this.isCut = true
    for (const socket of this.sockets) socket.resetAndDestroy()
  }

  heal(): void {
    this.isCut = false
  }

  close(): Promise<unknown> {
    for (const socket of this.sockets) socket.destroy()
    return new Promise((resolve) => this.listener.close(resolve))
  }

  private join(from: Socket, to: Socket): void {
    this.sockets.add(from)
    from.pipe(to)
    from.on('error', () => {})
    from.on('close', () => {
      this.sockets.delete(from)
      to.destroy()
    })
  }
}
