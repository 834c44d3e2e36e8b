/**
 * Checks the contract of links for the built-in proxy, and for Toxiproxy if there is one: the one
 * at `TOXIPROXY_URL`, or `toxiproxy-server` from the path.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RunDirectory } from '../../../src/live/environment/run-directory.ts'
import type { LinkProxy } from '../../../src/live/proxy/link-proxy.ts'
import { LoopbackLink } from '../../../src/live/proxy/loopback-link.ts'
import { LoopbackProxy } from '../../../src/live/proxy/loopback-proxy.ts'
import { openProxy } from '../../../src/live/proxy/open-proxy.ts'
import { Toxiproxy } from '../../../src/live/proxy/toxiproxy.ts'
import { needs } from '../../needs/needs.ts'
import { Bench, type OpenLink } from './bench.ts'
import type { Case } from './cases/case.ts'
import { contract, wholeContract } from './contract.ts'
import { type Sabotage, sabotages } from './sabotage.ts'
import { spoiled } from './spoiled-toxiproxy.ts'

async function put({ run }: Case, openLink: OpenLink): Promise<void> {
  const bench = new Bench(openLink)
  await run(bench).finally(() => bench.end())
}

describe('a link through the built-in proxy', () => {
  const proxy = new LoopbackProxy()
  afterAll(() => proxy.close())
  it.each(wholeContract)('$name', (one) => put(one, (name, to) => proxy.openLink(name, to)))
})

/** The names of the cases that a sabotaged link passes although they should detect it. */
async function passedBy({ sees }: Sabotage, cases: readonly Case[], openLink: OpenLink): Promise<string[]> {
  const seeing = cases.filter(sees)
  expect(seeing).not.toEqual([])
  const outcomes = await Promise.allSettled(seeing.map((one) => put(one, openLink)))
  return seeing.filter((_, at) => outcomes[at]!.status === 'fulfilled').map(({ name }) => name)
}

describe('the contract', () => {
  const ours = sabotages.flatMap((one) => (one.ours === undefined ? [] : { ...one, Wrong: one.ours }))
  it.concurrent.each(ours)('fails a link of the built-in proxy that $title', async ({ Wrong, ...one }) => {
    const open: LoopbackLink[] = []
    const passed = await passedBy(one, wholeContract, async (_name, to) => {
      const link = new Wrong(to, () => {})
      open.push(link)
      await link.enable()
      return link
    })
    // Not the sabotaged `disable`.
    for (const link of open) await LoopbackLink.prototype.disable.call(link)
    expect(passed).toEqual([])
  })
})

needs({ toxiproxy: true }).describe('with Toxiproxy', () => {
  let proxy: LinkProxy
  let url: string
  let directory: RunDirectory
  beforeAll(async () => {
    directory = new RunDirectory()
    proxy = await openProxy(process.env.TOXIPROXY_URL ?? 'toxiproxy', directory)
    url = (proxy as Toxiproxy).url
  })
  afterAll(async () => {
    await proxy.close()
    directory.close()
  })

  it.each(contract)('a link through Toxiproxy: $name', (one) => put(one, (name, to) => proxy.openLink(name, to)))

  const theirs = sabotages.flatMap((one) => (one.toxiproxy === undefined ? [] : { ...one, spoil: one.toxiproxy }))
  it.concurrent.each(theirs)('the contract fails a link of Toxiproxy that $title', async ({ spoil, ...one }) => {
    const wrong = await spoiled(url, spoil)
    const links = new Toxiproxy(wrong.url, { about: '' })
    const passed = await passedBy(one, contract, (name, to) => links.openLink(name, to))
    await wrong.close()
    expect(passed).toEqual([])
  })
})
