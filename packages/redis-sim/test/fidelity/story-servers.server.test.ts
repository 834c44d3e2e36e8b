/**
 * If a real server of a story ends by itself, the comparison fails instead of reporting a
 * difference.
 */
import fs from 'node:fs'
import path from 'node:path'
import { ServerGone } from 'test-servers'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../../test/cli/run-cli.ts'
import { needs, pathOf } from '../../../../test/needs/needs.ts'
import { compareClusters } from '../../fidelity/cluster/compare.ts'
import { compareStories } from '../../fidelity/replication/compare-stories.ts'
import type { Play } from '../../fidelity/replication/test-bed.ts'
import { compareSentinels } from '../../fidelity/sentinel/compare.ts'
import { sentinelStories } from '../../fidelity/sentinel/stories.ts'

/** A redis-server that is killed two seconds after its start. */
function shortLived(): string {
  const file = path.join(temporaryFolder(), 'redis-server')
  fs.writeFileSync(file, `#!/bin/sh\n(sleep 2; kill -9 $$) &\nexec '${pathOf('redis')}' "$@"\n`, { mode: 0o755 })
  return file
}

needs({ redis: '7.0' }).describe('a server that a story loses', () => {
  it('ends the comparison of replication, of a Cluster or of Sentinels if the server ended by itself', async () => {
    const waits = async (play: Play) => {
      await play.testBed.start('first')
      await play.testBed.sleep(3000)
      play.note('still there', play.testBed.kind)
    }
    const dying = shortLived()
    await expect(compareStories(dying, [{ name: 'waits', report: waits }])).rejects.toThrow(
      new ServerGone('the real server first ended by itself (SIGKILL)'),
    )
    await expect(compareClusters(dying)).rejects.toThrow(ServerGone)
    await expect(compareSentinels(dying, sentinelStories.slice(0, 1))).rejects.toThrow(ServerGone)
  }, 120_000)

  it('does not end the comparison if the story killed the server', async () => {
    const kills = async (play: Play) => {
      await play.testBed.start('first')
      await play.testBed.kill('first')
      await play.testBed.again('first', 'kept')
    }
    expect(await compareStories(pathOf('redis'), [{ name: 'kills', report: kills }])).toMatchObject({ differences: [] })
  }, 60_000)
})
