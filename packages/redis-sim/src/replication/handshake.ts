import type { RedisConfig } from '../config.ts'
import { encodeCommand } from '../resp/encode-command.ts'

/** The primary's reply to PSYNC. */
export type PsyncAnswer =
  | { readonly kind: 'full'; readonly id: string; readonly offset: number }
  | { readonly kind: 'continue'; readonly id: string | undefined }

export type HandshakeStep = 'wait' | 'refused' | PsyncAnswer

/**
 * The handshake of a replica with its primary: PING, then REPLCONF, then PSYNC. `hear` receives
 * each line of the primary. Source: syncWithMaster of Redis 7.0.
 */
export class Handshake {
  /** The requests that the next lines answer. */
  private awaited: ('ping' | 'auth' | 'replconf' | 'psync')[] = ['ping']

  constructor(
    private readonly config: RedisConfig,
    private readonly write: (bytes: string) => void,
    private readonly historyId: string,
    private readonly offset: number,
  ) {
    this.write(encodeCommand(['PING']))
  }

  hear(line: string): HandshakeStep {
    const asked = this.awaited[0]!
    // While the primary prepares its reply to PSYNC, it sends empty lines as keep-alives.
    if (asked === 'psync') return line === '' ? 'wait' : readPsyncAnswer(line)
    this.awaited.shift()
    if (asked === 'ping') {
      if (!/^(\+|-NOAUTH|-NOPERM|-ERR operation not permitted)/.test(line)) return 'refused'
      this.introduce()
    } else if (asked === 'auth' && line.startsWith('-')) return 'refused'
    if (this.awaited.length === 0) {
      this.awaited = ['psync']
      this.write(encodeCommand(['PSYNC', this.historyId, String(this.offset)]))
    }
    return 'wait'
  }

  private introduce(): void {
    const { masterauth, port, replicaAnnounceIp, replicaAnnouncePort } = this.config
    const say = (what: 'auth' | 'replconf', ...words: string[]) => {
      this.awaited.push(what)
      this.write(encodeCommand(words))
    }
    if (masterauth !== '') say('auth', 'AUTH', masterauth)
    say('replconf', 'REPLCONF', 'listening-port', String(replicaAnnouncePort === 0 ? port : replicaAnnouncePort))
    if (replicaAnnounceIp !== '') say('replconf', 'REPLCONF', 'ip-address', replicaAnnounceIp)
    say('replconf', 'REPLCONF', 'capa', 'eof', 'capa', 'psync2')
  }
}

function readPsyncAnswer(line: string): HandshakeStep {
  const full = /^\+FULLRESYNC (.{40}) (-?\d+)/.exec(line)
  if (full !== null) return { kind: 'full', id: full[1]!, offset: Number(full[2]) }
  if (!line.startsWith('+CONTINUE')) return 'refused'
  return { kind: 'continue', id: /^\+CONTINUE (.{40})$/.exec(line)?.[1] }
}
