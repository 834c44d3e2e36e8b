/**
 * The contract of links, put to the built-in proxy, and to Toxiproxy where there is one: the one at `TOXIPROXY_URL`, or
 * `toxiproxy-server` from the path.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RunDirectory } from '../../../src/live/environment/run-directory.ts'
import type { LinkProxy } from '../../../src/live/proxy/link-proxy.ts'
import { LoopbackLink } from '../../../src/live/proxy/loopback-link.ts'
import { LoopbackProxy } from '../../../src/live/proxy/loopback-proxy.ts'
import { openProxy } from '../../../src/live/proxy/open-proxy.ts'
import type { FlowDirection } from '../../../src/run/actions.ts'
import { needs } from '../../needs/needs.ts'
import { Bench, type OpenLink } from './bench.ts'
import type { Case } from './cases/case.ts'
import { contract } from './contract.ts'

async function put({ run }: Case, openLink: OpenLink): Promise<void> {
  const sentinels = new Bench(openLink)
  await run(sentinels).finally(() => sentinels.end())
}

describe('a link through the built-in proxy', () => {
  const proxy = new LoopbackProxy()
  afterAll(() => proxy.close())
  it.each(contract)('$name', (one) => put(one, (name, to) => proxy.openLink(name, to)))
})

needs({ toxiproxy: true }).describe('a link through Toxiproxy', () => {
  let proxy: LinkProxy
  let directory: RunDirectory
  beforeAll(async () => {
    directory = new RunDirectory()
    proxy = await openProxy(process.env.TOXIPROXY_URL ?? 'toxiproxy', directory)
  })
  afterAll(async () => {
    await proxy.close()
    directory.close()
  })
  it.each(contract)('$name', (one) => put(one, (name, to) => proxy.openLink(name, to)))
})

const other = (direction: FlowDirection): FlowDirection => (direction === 'to-node' ? 'to-process' : 'to-node')

class NeverBlocks extends LoopbackLink {
  override block = async () => true
  override unblock = async () => true
}

class NeverSlows extends LoopbackLink {
  override slow = async () => {}
}

class NeverResets extends LoopbackLink {
  override resetNext = async () => async () => {}
}

class SwapsDirections extends LoopbackLink {
  override block(direction: FlowDirection): Promise<boolean> {
    return super.block(other(direction))
  }
  override unblock(direction: FlowDirection): Promise<boolean> {
    return super.unblock(other(direction))
  }
  override resetNext(direction: FlowDirection): Promise<() => Promise<void>> {
    return super.resetNext(other(direction))
  }
}

describe('the contract of links', () => {
  const wrong: readonly [string, typeof LoopbackLink, (one: Case) => boolean][] = [
    ['does not block', NeverBlocks, ({ about }) => about === 'block'],
    ['is not slowed', NeverSlows, ({ about }) => about === 'slow'],
    ['does not reset', NeverResets, ({ about }) => about === 'reset'],
    ['takes one direction for the other', SwapsDirections, ({ direction }) => direction !== undefined],
  ]
  it.each(wrong)('fails a link that %s in every case about that', async (_, Wrong, isAboutThat) => {
    const openLink: OpenLink = async (_name, to) => {
      const link = new Wrong(to, () => {})
      await link.enable()
      return link
    }
    const cases = contract.filter(isAboutThat)
    expect(cases.length).toBeGreaterThan(3)
    const outcomes = await Promise.allSettled(cases.map((one) => put(one, openLink)))
    const passed = cases.filter((_case, at) => outcomes[at]!.status === 'fulfilled')
    expect(passed.map(({ name }) => name)).toEqual([])
  })
})
