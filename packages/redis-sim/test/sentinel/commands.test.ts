/**
 * The replies are compared with those of redis-sentinel 7.0.15 in fidelity/sentinel. This file
 * tests how the replies depend on the state of the deployment.
 */
import { describe, expect, it } from 'vitest'
import { ClientByHand } from '../server-by-hand.ts'
import { Deployment } from './deployment.ts'

/** The fields of a flat reply, by name. */
function fields(reply: string): Record<string, string> {
  const words = [...reply.matchAll(/\$\d+\r\n(.*?)\r\n/g)].map(([, word]) => word!)
  return Object.fromEntries(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1]!]] : [])))
}

describe('a client of a Sentinel', () => {
  it('receives every event on a channel of its type', () => {
    const deployment = Deployment.settled()
    const client = new ClientByHand(deployment.sentinel(0))
    client.run('psubscribe *')
    deployment.servers[0]!.die()
    deployment.untilPrimaryIs(promotedBy(deployment))
    const heard = [...client.taken().matchAll(/pmessage\r\n\$1\r\n\*\r\n\$\d+\r\n(\S+)\r\n\$\d+\r\n(.*)\r\n/g)]
    const reported = deployment.heard.filter(({ by }) => by === '10.0.1.1')
    expect(heard.map(([, type, message]) => `${type} ${message}`)).toEqual(
      reported.map(({ type, message }) => `${type} ${message}`),
    )
    expect(reported.length).toBeGreaterThan(5)
  })

  it('receives the address of the new primary after the promotion, even before the other replicas follow it', () => {
    const deployment = Deployment.settled()
    deployment.servers[0]!.die()
    deployment.untilHeard('+promoted-slave')
    const leader = deployment.sentinels.findIndex(({ host }) => host === deployment.heardOf('+promoted-slave')[0]!.by)
    const promoted = / ([\d.]+) 6379 @/.exec(deployment.events('+promoted-slave')[0]!)![1]!
    expect(deployment.ask(leader, 'sentinel get-master-addr-by-name mymaster')).toContain(promoted)
    expect(fields(deployment.ask(leader, 'sentinel master mymaster'))).toMatchObject({
      ip: '10.0.0.1',
      flags: 's_down,o_down,master,disconnected,failover_in_progress',
      'failover-state': 'reconf_slaves',
    })
  })

  it('receives the INFO of the servers unchanged', () => {
    const deployment = Deployment.settled()
    const said = [...deployment.ask(0, 'sentinel info-cache mymaster').matchAll(/# Server\r\n[\s\S]*?# Keyspace\r\n/g)]
    expect(said.map(([text]) => /role:(\w+)\r\n/.exec(text)![1])).toEqual(['master', 'slave', 'slave'])
    for (const [text] of said)
      expect(text).toMatch(/^# Server\r\nredis_version:7\.0\.15\r\n[\s\S]*\r\nrun_id:[0-9a-f]{40}\r\n/)
  })

  it('receives an INFO of the Sentinel with the mode sentinel', () => {
    const deployment = Deployment.settled()
    const info = deployment.ask(0, 'info')
    expect(info).toContain('redis_mode:sentinel\r\n')
    expect(info).not.toMatch(/standalone|# Replication|# Keyspace/)
    expect(info).toContain('master0:name=mymaster,status=ok,address=10.0.0.1:6379,slaves=2,sentinels=3\r\n')
  })

  it('must send the password if there is one', () => {
    const deployment = Deployment.settled({ config: { requirepass: 'secret' } })
    const client = new ClientByHand(deployment.sentinel(0))
    expect(client.run('sentinel masters')).toBe('-NOAUTH Authentication required.\r\n')
    expect(client.run('auth secret')).toBe('+OK\r\n')
    expect(client.run('sentinel masters')).toMatch(/^\*1\r\n/)
    expect(fields(deployment.ask(1, 'ping'))).toEqual({})
    expect(deployment.sentinel(0).primaries.get('mymaster')!.sentinels.size).toBe(2)
  })

  it('can reset a Sentinel, which then discovers all instances again', () => {
    const deployment = Deployment.settled()
    expect(deployment.ask(0, 'sentinel reset my*')).toBe(':1\r\n')
    expect(deployment.events('+reset-master', 0)).toEqual(['master mymaster 10.0.0.1 6379'])
    expect(fields(deployment.ask(0, 'sentinel master mymaster'))).toMatchObject({
      'num-slaves': '0',
      'num-other-sentinels': '0',
    })
    deployment.lab.pass(12_000)
    expect(fields(deployment.ask(0, 'sentinel master mymaster'))).toMatchObject({
      'num-slaves': '2',
      'num-other-sentinels': '2',
    })
  })

  it('can change the settings of a failover', () => {
    const deployment = Deployment.settled({ monitor: { quorum: 3 } })
    deployment.sentinels[2]!.die()
    deployment.lab.pass(3000)
    expect(deployment.ask(0, 'sentinel ckquorum mymaster')).toMatch(
      /^-NOQUORUM 2 usable Sentinels\. Not enough .* quorum for this master\r\n$/,
    )
    deployment.servers[0]!.die()
    deployment.lab.pass(5000)
    expect(deployment.events('+odown')).toEqual([])
    for (const at of [0, 1]) expect(deployment.ask(at, 'sentinel set mymaster quorum 2')).toBe('+OK\r\n')
    deployment.untilHeard('+switch-master')
    expect(deployment.events('+set')).toEqual(Array(2).fill('master mymaster 10.0.0.1 6379 quorum 2'))
  })

  it('receives no events of a Sentinel after its shutdown', () => {
    const deployment = Deployment.settled()
    const sentinel = deployment.sentinel(0)
    deployment.sentinels[0]!.die()
    deployment.heard.length = 0
    deployment.lab.pass(5000)
    expect(deployment.heard.filter(({ by }) => by === '10.0.1.1')).toEqual([])
    expect(sentinel.connections.size).toBe(0)
  })
})

function promotedBy(deployment: Deployment): string {
  deployment.untilHeard('+promoted-slave')
  return / ([\d.]+) 6379 @/.exec(deployment.events('+promoted-slave')[0]!)![1]!
}
