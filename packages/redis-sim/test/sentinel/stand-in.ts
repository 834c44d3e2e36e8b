/** A server that does not replicate. A test sets what the server reports about replication. */

import type { Lab, LabMachine } from '../../fidelity/sentinel/lab.ts'
import type { Command, Handler } from '../../src/command.ts'
import { ErrorReply, OK } from '../../src/resp/reply.ts'
import { RedisServer } from '../../src/server.ts'

export class StandIn extends RedisServer {
  follows: { host: string; port: number } | null = null
  offset = 1000
  priority = 100
  linkDownSeconds = 0
  refusesSlaveOf = false
  readonly slaveOfs: string[] = []

  constructor(
    private readonly machine: LabMachine,
    follows: string | null,
  ) {
    super(machine, {})
    this.follows = follows === null ? null : { host: follows, port: 6379 }
  }

  override findCommand(name: string): Command | undefined {
    const command = super.findCommand(name)
    const own = this.handlers[name.toLowerCase()]
    if (command === undefined || own === undefined)
      return command?.fullName === 'config' ? withRewrite(command) : command
    return { ...command, execute: own }
  }

  private readonly handlers: { readonly [name: string]: Handler } = {
    info: () => this.describe(),
    slaveof: (_session, [, host, port]) => {
      this.slaveOfs.push(`${host} ${port}`)
      if (this.refusesSlaveOf) return new ErrorReply('ERR refused')
      this.follows = host === 'NO' ? null : { host: host!, port: Number(port) }
      return OK
    },
  }

  private describe(): string {
    const { follows, machine } = this
    const lines = ['# Server', `run_id:${this.runId}`, '# Replication', `role:${follows === null ? 'master' : 'slave'}`]
    if (follows !== null) {
      const isUp = this.linkDownSeconds === 0 && machine.lab.machines.get(follows.host)?.server != null
      lines.push(
        `master_host:${follows.host}`,
        `master_port:${follows.port}`,
        `master_link_status:${isUp ? 'up' : 'down'}`,
      )
      if (!isUp) lines.push(`master_link_down_since_seconds:${Math.max(1, this.linkDownSeconds)}`)
      lines.push(`slave_repl_offset:${this.offset}`, `slave_priority:${this.priority}`, 'replica_announced:1')
    }
    followersOf(machine.lab, machine.host).forEach((host, at) => {
      lines.push(`slave${at}:ip=${host},port=6379,state=online,offset=1000,lag=0`)
    })
    return `${lines.join('\r\n')}\r\n`
  }
}

function followersOf(lab: Lab, host: string): string[] {
  return [...lab.machines.values()].flatMap(({ server, host: own }) =>
    server instanceof StandIn && server.follows?.host === host ? [own] : [],
  )
}

/** Makes CONFIG REWRITE succeed, although the server has no configuration file. */
function withRewrite(config: Command): Command {
  const rewrite: Command = { ...config.subcommands!.get('rewrite')!, execute: () => OK }
  return { ...config, subcommands: new Map([...config.subcommands!, ['rewrite', rewrite]]) }
}
