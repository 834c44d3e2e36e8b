import { describe, expect, it } from 'vitest'
import { processHello } from '../../src/sentinel/hello.ts'
import { ClientByHand } from '../server-by-hand.ts'
import { Deployment } from './deployment.ts'

const stranger = 'c'.repeat(40)

function hello(
  changes: Partial<Record<'host' | 'port' | 'id' | 'epoch' | 'name' | 'primary' | 'configEpoch', string | number>>,
) {
  const said = {
    host: '10.0.1.9',
    port: 26379,
    id: stranger,
    epoch: 0,
    name: 'mymaster',
    primary: '10.0.0.1',
    configEpoch: 0,
  }
  const { host, port, id, epoch, name, primary, configEpoch } = { ...said, ...changes }
  return `${host},${port},${id},${epoch},${name},${primary},6379,${configEpoch}`
}

describe('a hello', () => {
  it('is sent every two seconds through every server and to every Sentinel', () => {
    const deployment = Deployment.settled()
    const listener = new ClientByHand(deployment.server(1))
    listener.run('subscribe __sentinel__:hello')
    deployment.lab.pass(20_000)
    const heard = listener.taken().match(/10\.0\.1\.\d,26379,[0-9a-f]{40},0,mymaster,10\.0\.0\.1,6379,0/g)!
    const fromFirst = heard.filter((one) => one.startsWith('10.0.1.1,'))
    // Each hello arrives twice: through the primary, whose PUBLISH is replicated, and through this
    // replica.
    expect(fromFirst.length).toBeGreaterThanOrEqual(18)
    expect(fromFirst.length).toBeLessThanOrEqual(21)
    expect(fromFirst[0]).toContain(deployment.sentinel(0).id)
  })

  it('makes a Sentinel known to others, but not to itself', () => {
    const deployment = new Deployment({ sentinels: 1 })
    deployment.lab.pass(10_000)
    expect(deployment.events('+sentinel')).toEqual([])
    processHello(deployment.sentinel(0), hello({}))
    expect(deployment.events('+sentinel')).toEqual([`sentinel ${stranger} 10.0.1.9 26379 @ mymaster 10.0.0.1 6379`])
  })

  it.each([
    ['of another primary', hello({ name: 'other' })],
    ['with too few words', hello({}).split(',').slice(1).join(',')],
    ['with too many words', `${hello({})},x`],
    ['without words', ''],
  ])('%s is ignored', (_what, message) => {
    const deployment = Deployment.settled({ sentinels: 1 })
    processHello(deployment.sentinel(0), message)
    expect(deployment.heard).toEqual([])
  })

  it('with a newer configuration changes the primary, but not with an older or equal one', () => {
    const deployment = Deployment.settled({ sentinels: 1 })
    const sentinel = deployment.sentinel(0)
    processHello(sentinel, hello({ primary: '10.0.0.3', configEpoch: 4 }))
    expect(deployment.primaries()).toEqual(['10.0.0.3'])
    expect([...sentinel.primaries.get('mymaster')!.replicas.keys()].sort()).toEqual(['10.0.0.1:6379', '10.0.0.2:6379'])
    processHello(sentinel, hello({ primary: '10.0.0.2', configEpoch: 4 }))
    processHello(sentinel, hello({ primary: '10.0.0.2', configEpoch: 3 }))
    expect(deployment.primaries()).toEqual(['10.0.0.3'])
  })

  it('with a later epoch is accepted', () => {
    const deployment = Deployment.settled({ sentinels: 1 })
    processHello(deployment.sentinel(0), hello({ epoch: 9 }))
    expect(deployment.events('+new-epoch')).toEqual(['9'])
    processHello(deployment.sentinel(0), hello({ epoch: 8 }))
    expect(deployment.sentinel(0).epoch).toBe(9)
  })

  it('from a new address moves a Sentinel, and with a new id at a known address replaces a Sentinel', () => {
    const deployment = Deployment.settled({ sentinels: 1 })
    const others = () => [...deployment.sentinel(0).primaries.get('mymaster')!.sentinels.values()]
    processHello(deployment.sentinel(0), hello({}))
    processHello(deployment.sentinel(0), hello({ host: '10.0.1.8' }))
    expect(deployment.events('+sentinel-address-switch')).toEqual([
      `master mymaster 10.0.0.1 6379 ip 10.0.1.8 port 26379 for ${stranger}`,
    ])
    processHello(deployment.sentinel(0), hello({ host: '10.0.1.8', id: 'd'.repeat(40) }))
    expect(deployment.events('+sentinel-invalid-addr')).toHaveLength(1)
    expect(others().map(({ name, address }) => [name, address.host])).toEqual([['d'.repeat(40), '10.0.1.8']])
  })
})

describe('Sentinels that monitor two primaries', () => {
  it('share one link to each other', () => {
    const both = ['mymaster', 'other'].map((name) => ({ name, host: '10.0.0.1', port: 6379, quorum: 2 }))
    const deployment = Deployment.settled({ sentinels: 2, config: { monitors: both } })
    const [first, second] = [...deployment.sentinel(0).primaries.values()].map(
      ({ sentinels }) => [...sentinels.values()][0]!,
    )
    expect(first!.link).toBe(second!.link)
    expect(first!.link.users).toBe(2)
    expect(deployment.ask(0, 'sentinel remove other')).toBe('+OK\r\n')
    expect(first!.link.users).toBe(1)
    deployment.lab.pass(10_000)
    expect(deployment.events('+sdown')).toEqual([])
  })
})
