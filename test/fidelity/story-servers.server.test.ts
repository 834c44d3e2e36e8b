/** A real server of a story that ends by itself: what the story comes to then is no difference. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { ServerGone } from 'test-servers'
import { describe, expect, it } from 'vitest'
import { compareClusters } from '../../fidelity/cluster/compare.ts'
import { compareStories } from '../../fidelity/replication/compare-stories.ts'
import type { Play } from '../../fidelity/replication/test-bed.ts'
import { compareSentinels } from '../../fidelity/sentinel/compare.ts'
import { sentinelStories } from '../../fidelity/sentinel/stories.ts'
import { StoryServers } from '../../fidelity/story-servers.ts'
import { temporaryFolder } from '../cli/run-cli.ts'
import { needs, pathOf } from '../needs/needs.ts'

/** A redis-server that is killed two seconds after its start. */
function shortLived(): string {
  const file = path.join(temporaryFolder(), 'redis-server')
  fs.writeFileSync(file, `#!/bin/sh\n(sleep 2; kill -9 $$) &\nexec '${pathOf('redis')}' "$@"\n`, { mode: 0o755 })
  return file
}

describe('a server at the end of its story', () => {
  /** A process that stands in for it. */
  async function watched() {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    const servers = new StoryServers()
    servers.watch('first', child)
    await new Promise((resolve) => child.once('spawn', resolve))
    return { child, servers }
  }

  it('is not gone: the story ended it, or its end did, also where it stood still', async () => {
    for (const before of ['runs', 'stands still', 'killed by its story'] as const) {
      const { child, servers } = await watched()
      if (before === 'stands still') child.kill('SIGSTOP')
      if (before === 'killed by its story') await servers.kill(child)
      await servers.end(child)
      servers.checkNoneIsGone()
    }
  })

  it('is gone where it died just before, and nobody was told yet', async () => {
    const { child, servers } = await watched()
    process.kill(child.pid!, 'SIGKILL')
    await servers.end(child)
    expect(() => servers.checkNoneIsGone()).toThrow(
      new ServerGone('the real server first of a story ended by itself (SIGKILL)'),
    )
  })
})

needs({ redis: '7.0' }).describe('a server that a story loses', () => {
  it('ends the comparison by name, and is no difference, with replicas, in a Cluster and beside Sentinels', async () => {
    const waits = async (play: Play) => {
      await play.testBed.start('first')
      await play.testBed.sleep(3000)
      play.note('still there', play.testBed.kind)
    }
    const dying = shortLived()
    await expect(compareStories(dying, [{ name: 'waits', tell: waits }])).rejects.toThrow(
      new ServerGone('the real server first of a story ended by itself (SIGKILL)'),
    )
    await expect(compareClusters(dying)).rejects.toThrow(ServerGone)
    await expect(compareSentinels(dying, sentinelStories.slice(0, 1))).rejects.toThrow(ServerGone)
  }, 120_000)

  it('and one that the story itself kills does not', async () => {
    const kills = async (play: Play) => {
      await play.testBed.start('first')
      await play.testBed.kill('first')
      await play.testBed.again('first', 'kept')
    }
    expect(await compareStories(pathOf('redis'), [{ name: 'kills', tell: kills }])).toMatchObject({ differences: [] })
  }, 60_000)
})
