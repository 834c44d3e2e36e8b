/** Rules for texts that contain server-specific figures among others: INFO, CLIENT LIST. */
import type { Rule } from './rules.ts'

/** Fields of clients that may differ: addresses, memory, and ages that may have just increased. */
const ofClients = new Set([
  ...['addr', 'laddr', 'fd', 'age', 'idle', 'qbuf', 'qbuf-free', 'argv-mem', 'multi-mem', 'rbs', 'rbp', 'obl', 'oll'],
  ...['omem', 'tot-mem'],
])

/**
 * Fields of the server that may differ: machine, memory, ids, uptime, and the activity of other
 * connections.
 */
const ofServer = new Set([
  ...['os', 'process_id', 'run_id', 'tcp_port', 'server_time_usec', 'uptime_in_seconds', 'uptime_in_days'],
  ...['connected_clients', 'used_memory', 'used_memory_human', 'rdb_changes_since_last_save', 'rdb_last_save_time'],
  ...[
    'total_connections_received',
    'total_commands_processed',
    'used_cpu_sys',
    'used_cpu_user',
    'master_replid',
    'master_repl_offset',
  ],
  ...['redis_git_sha1', 'redis_git_dirty', 'rejected_connections', 'lru_clock', 'expired_keys'],
])

type Fields = ReadonlyMap<string, string>

/**
 * One line for each client. Every simulated line must equal the real one of the same id; real Redis
 * may have more clients.
 */
export const sameClients: Rule = (real, simulated) => {
  if (real.sign !== simulated.sign || real.text === null || simulated.text === null) return false
  // RESP3 prefixes the text with its format.
  const lines = (text: string) =>
    text
      .replace(/^txt:/, '')
      .split('\n')
      .filter((line) => line !== '')
  const read = (line: string): Fields => new Map(line.split(' ').map((word) => word.split('=') as [string, string]))
  const others = new Map(lines(real.text).map((line) => [read(line).get('id'), read(line)]))
  return lines(simulated.text)
    .map(read)
    .every((fields) => {
      const other = others.get(fields.get('id'))
      return other !== undefined && sameFields([...other.keys()], other, fields, ofClients)
    })
}

/**
 * The sections and fields must be the same as on real Redis; the server-specific values may differ.
 */
export const sameInfo: Rule = (real, simulated) => {
  if (real.sign !== simulated.sign || real.text === null || simulated.text === null) return false
  const read = (text: string): Fields =>
    new Map(
      text
        .split('\r\n')
        .filter((line) => line !== '')
        .map((line) => (line.startsWith('#') ? [line, ''] : (line.split(/:(.*)/s) as [string, string]))),
    )
  const fields = read(simulated.text)
  return sameFields([...fields.keys()], read(real.text), fields, ofServer)
}

function sameFields(names: readonly string[], real: Fields, simulated: Fields, own: ReadonlySet<string>): boolean {
  return names.every((name) => {
    const [one, other] = [real.get(name), simulated.get(name)]
    if (one === undefined || other === undefined) return false
    return own.has(name) || withoutTimes(one) === withoutTimes(other)
  })
}

/**
 * Removes the average TTL of keys, which decreases with time, and the durations of commands, which
 * are 0 in the simulation.
 */
function withoutTimes(text: string): string {
  return text.replace(/,avg_ttl=\d+$|,usec=\d+,usec_per_call=[\d.]+/, '')
}
