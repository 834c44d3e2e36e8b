/** Rules for texts in which a server tells figures of its own among others: INFO, CLIENT LIST. */
import type { Rule } from './rules.ts'

/** Of clients: addresses, memory, and seconds that may just have passed. */
const ofClients = new Set([
  ...['addr', 'laddr', 'fd', 'age', 'idle', 'qbuf', 'qbuf-free', 'argv-mem', 'multi-mem', 'rbs', 'rbp', 'obl', 'oll'],
  ...['omem', 'tot-mem'],
])

/** Of the server: its machine, its memory, its names, its age, and what other connections did. */
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
 * One line for each client; of a server with more clients those count that the other one has too.
 */
export const sameClients: Rule = (real, simulated) => {
  if (real.sign !== simulated.sign || real.text === null || simulated.text === null) return false
  // RESP3 tells in front that it is text.
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

/** Real Redis tells the same of a server, in the same sections; only figures of its own differ. */
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

/** The average lifetime of keys falls with time, and commands take some. */
function withoutTimes(text: string): string {
  return text.replace(/,avg_ttl=\d+$|,usec=\d+,usec_per_call=[\d.]+/, '')
}
