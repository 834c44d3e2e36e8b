import type { MessageKind } from './bus-message.ts'

/** Numbers of messages by kind, for CLUSTER INFO. */
export class Counts {
  private readonly byKind = new Map<MessageKind, number>()

  add(kind: MessageKind): void {
    this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + 1)
  }

  lines(what: 'sent' | 'received'): string {
    let total = 0
    let lines = ''
    for (const kind of order) {
      const count = this.byKind.get(kind)
      if (count === undefined) continue
      total += count
      lines += `cluster_stats_messages_${kind}_${what}:${count}\r\n`
    }
    return `${lines}cluster_stats_messages_${what}:${total}\r\n`
  }
}

/** In the order of the type numbers of real messages. */
const order: readonly MessageKind[] = [
  ...(['ping', 'pong', 'fail', 'publish', 'auth-req', 'auth-ack', 'update', 'publishshard'] as const),
]
