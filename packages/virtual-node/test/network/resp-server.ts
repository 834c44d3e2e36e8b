import type { Peer, Serve } from './sides.ts'

/**
 * A server with just enough RESP for clients to connect. Commands make it misbehave like the worst
 * servers: replies that never come or come late, and connections that are closed (FIN) or reset
 * (RST) instead of a reply or later. The end comes a while after all other bytes, because the
 * polling of libuv decides if a real client observes a reset or an end when data and RST arrive at
 * once. Not modeled: data types.
 */
export const respServer: Serve = () => {
  /** How often each key was requested. Some requests fail only the first time. */
  const seen = new Map<string, number>()
  /** Connections that are about to end and get no more replies. */
  const leaving = new Set<Peer>()
  return {
    received(peer, text) {
      for (const [name = '', ...args] of commandsIn(text)) {
        const times = (seen.get(args[0] ?? '') ?? 0) + 1
        const wish = name.toUpperCase() === 'GET' ? (args[0] ?? '') : ''
        if (wish !== '') seen.set(wish, times)
        const first = times === 1
        if (wish === 'hang' || (wish === 'hang-once' && first)) continue
        if (wish === 'close' || (wish === 'close-once' && first)) {
          leaving.add(peer)
          peer.after(40, () => peer.end())
        }
        if (wish === 'reset' || (wish === 'reset-once' && first)) {
          leaving.add(peer)
          peer.after(40, () => peer.reset())
        }
        if (leaving.has(peer)) continue
        if (wish === 'close-soon') peer.after(30, () => peer.end())
        if (wish === 'reset-soon') peer.after(30, () => peer.reset())
        if (wish === 'slow') peer.after(60, () => peer.write('$4\r\nslow\r\n'))
        else peer.write(replyTo(name.toUpperCase(), args))
        if (name.toUpperCase() === 'QUIT') peer.end()
      }
    },
  }
}

function replyTo(name: string, args: string[]): string {
  if (name === 'HELLO') return '-NOPROTO sorry, this protocol version is not supported.\r\n'
  if (name === 'INFO') return bulk('# Server\r\nredis_version:7.0.15\r\nloading:0\r\n')
  if (name === 'GET') return bulk(`value of ${args[0]}`)
  if (name === 'PING') return '+PONG\r\n'
  if (name === 'FAIL') return '-ERR this went wrong\r\n'
  return '+OK\r\n'
}

const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`

/** Commands as clients write them: arrays of bulk strings, complete in every segment. */
function commandsIn(text: string): string[][] {
  const commands: string[][] = []
  const lines = text.split('\r\n')
  for (let at = 0; at < lines.length - 1; ) {
    const count = Number(lines[at]!.slice(1))
    commands.push(Array.from({ length: count }, (_, index) => lines[at + 2 + 2 * index]!))
    at += 1 + 2 * count
  }
  return commands
}
