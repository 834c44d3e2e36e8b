/** Starts real nodes of a Cluster. */

import fs from 'node:fs'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { LiveCluster } from '../../../src/live/cluster/live-cluster.ts'
import { threeShards } from '../../sim/three-shards.ts'
import { describeLive } from '../lab.ts'

const redis = { ...threeShards, downAfterMs: 400 }

describeLive('the nodes of a Cluster', (lab) => {
  let cluster: LiveCluster | null = null
  afterAll(() => cluster?.close())

  it('miss no node during a slow start, and later miss one as configured, even after a restart', async () => {
    const binary = path.join(lab.directory.folder, 'slow-to-start')
    // While all wait for a slow node, another one that has its data is paused for longer than the
    // time-out.
    const stopped = '(sleep 1.5; kill -STOP $$; sleep 2; kill -CONT $$) & exec redis-server "$@"'
    const script = ['#!/bin/sh', 'case "$1" in', `*redis-2a*) ${stopped} ;;`, '*redis-3b*) sleep 4 ;;', 'esac']
    fs.writeFileSync(binary, [...script, 'exec redis-server "$@"'].join('\n'), { mode: 0o755 })
    cluster = await LiveCluster.start(binary, lab.directory, redis)
    expect((await cluster.named('redis-2a').info('replication')).get('role')).toBe('master')
    const node = cluster.named('redis-1a')
    const timeout = () => node.call('CONFIG', 'GET', 'cluster-node-timeout')
    expect(await timeout()).toEqual(['cluster-node-timeout', '400'])
    await node.kill()
    await node.startEmpty()
    expect(await timeout()).toEqual(['cluster-node-timeout', '400'])
  })
})
