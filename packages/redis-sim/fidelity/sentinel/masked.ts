import type { Plain } from './test-bed.ts'

/**
 * Fields of SENTINEL MASTER and similar commands, and of HELLO, whose values depend on the machine
 * or the time.
 */
const volatile = new Set([
  ...[
    'name',
    'ip',
    'port',
    'runid',
    'link-pending-commands',
    'last-ping-sent',
    'last-ok-ping-reply',
    'last-ping-reply',
  ],
  ...[
    'info-refresh',
    'role-reported-time',
    'master-host',
    'master-port',
    'slave-repl-offset',
    'last-hello-message',
    'id',
  ],
  ...['master-link-down-time', 'master-link-status'],
])

/**
 * Removes the parts of a reply that differ between two machines. The names and the number of fields
 * remain.
 */
export function masked(reply: Plain): Plain {
  if (typeof reply === 'string') return maskedText(reply)
  if (!Array.isArray(reply)) return reply
  const items = reply as readonly Plain[]
  return items.map((item, at) => {
    const field = items[at - 1]
    const isValue = at % 2 === 1 && typeof field === 'string' && volatile.has(field)
    return isValue ? '…' : masked(item)
  })
}

function maskedText(text: string): string {
  return text
    .replace(/\b[0-9a-f]{40}\b/g, '…id…')
    .replace(/^(?:127\.0\.0\.1|10\.0\.\d\.\d)$/, '…host…')
    .replace(/address=[\d.]+:\d+/g, 'address=…')
    .replace(/^\d{4,5}$/, '…number…')
}
