/** The primary is lost to its replicas and Sentinels, which elect another one; consumers may reach it for longer. */
import { Redis } from 'ioredis'
import type { SentinelBench } from '../servers/sentinel-bench.ts'
import type { LiveFault, LiveTarget, Struck } from './live-fault.ts'

type Server = SentinelBench['nodes'][number]
type Bench = { readonly bench: SentinelBench } & Pick<LiveTarget, 'recorder'>

/**
 * It is killed; healing starts it again, without data, as a replica of the new primary: an operator would not wait for
 * the Sentinels, which take ten seconds to make it one.
 */
export async function killPrimary(target: Bench): Promise<Struck> {
  const { bench } = target
  const primary = await bench.primary()
  const before = await contentsOf(primary)
  await primary.machine.kill()
  return {
    sentence: `${primary.name}, the primary, is killed`,
    async heal() {
      await tellLoss(target, before, primary, 'failover')
      await primary.machine.start()
      return `${primary.name} starts again, empty, as a replica of ${await bench.demote(primary)}`
    },
  }
}

/** Replicas and Sentinels lose it; consumers still reach it, and it still takes their writes. */
export const machineCutOff: LiveFault = {
  needs: 'cut-off',
  cannot: ({ who, from }) =>
    who === 'primary' && from === 'machines' ? null : 'only a primary is cut off live, and from the other machines',
  async strike({ bench, recorder }, fault) {
    if (bench === null) return null
    const primary = await bench.primary()
    await bench.hide(primary, true)
    return {
      sentence: `${primary.name}, the primary, is cut off from all other machines, for ${fault.healAfterMs} ms; consumers still reach it`,
      async heal() {
        await tellLoss({ bench, recorder }, await contentsOf(primary), primary, 'split-brain')
        await bench.hide(primary, false)
        return `${primary.name} reaches the other machines again, and becomes a replica of ${await bench.demote(primary)}`
      },
    }
  },
}

/** Records of the old primary that the new one has not, or has otherwise. All were acknowledged: clients are done by now. */
async function tellLoss(
  { bench, recorder }: Bench,
  before: ReadonlyMap<string, string>,
  old: Server,
  cause: 'failover' | 'split-brain',
): Promise<void> {
  const primary = await bench.primary()
  if (primary === old) return
  const after = await contentsOf(primary)
  const redisKeys = [...before].flatMap(([key, value]) => (after.get(key) === value ? [] : [key]))
  if (redisKeys.length > 0)
    recorder.fact({ type: 'data-lost', node: primary.name, cause, redisKeys, acknowledged: true })
}

/** The harness's own key is nobody's record. */
async function contentsOf({ machine }: Server): Promise<Map<string, string>> {
  const client = new Redis({ host: machine.host, port: machine.port, maxRetriesPerRequest: 1 })
  client.on('error', () => {})
  try {
    const keys = (await client.keys('*')).filter((key) => key !== 'onceproof-probe')
    const dumps = await Promise.all(keys.map((key) => client.dumpBuffer(key)))
    return new Map(keys.map((key, at) => [key, dumps[at]?.toString('latin1') ?? '']))
  } finally {
    client.disconnect()
  }
}
