import assert from 'node:assert/strict'
import { addToxic, type Bench, type Case } from '../bench.ts'
import type { Line } from '../line.ts'
import { pause, timed } from '../line.ts'

/** How much later than asked for something may happen on a machine that has other things to do. */
const slackMs = 1000
/** How much earlier, since timers and clocks round. */
const roundingMs = 5

const roundTrip = (line: Line, text: string) => {
  const length = line.text.length + text.length
  line.send(text)
  return timed(line.receive(length))
}

/** Without a toxic: the shortest of three, since the machine may have had other things to do during one. */
async function quickest(line: Line, text: string): Promise<number> {
  const times: number[] = []
  for (let trip = 0; trip < 3; trip++) times.push(await roundTrip(line, text))
  return Math.min(...times)
}

/** `latencies`: at least so many milliseconds, and less than so many plus a second. */
function assertAbout(ms: number, expectedMs: number): void {
  assert.ok(ms >= expectedMs - roundingMs && ms < expectedMs + slackMs, `${ms} ms, expected ${expectedMs}`)
}

async function echoProxy(bench: Bench) {
  return bench.proxy(await bench.server())
}

/** Bytes and ends that come late, slowly, in pieces or not at all. */
export const slowCases: readonly Case[] = [
  {
    name: 'latency: a round trip takes 300 ms to 1.3 s longer for each direction; less than 300 ms without',
    cites: 'README, "latency"',
    async run(bench) {
      const proxy = await echoProxy(bench)
      const line = await bench.dial(proxy)
      assert.ok((await quickest(line, 'without')) < 300)
      await addToxic(proxy, 'latency', { latency: 300 })
      assertAbout(await roundTrip(line, 'downstream'), 300)
      await addToxic(proxy, 'latency', { latency: 300 }, { stream: 'upstream' })
      assertAbout(await roundTrip(line, 'both'), 600)
    },
  },
  {
    name: 'latency: changed and removed, on a live connection',
    cites: 'README, "Endpoints": update and remove an active toxic; link.go UpdateToxic, RemoveToxic',
    async run(bench) {
      const proxy = await echoProxy(bench)
      const line = await bench.dial(proxy)
      const toxic = await addToxic(proxy, 'latency', { latency: 5000 })
      const changed = await toxic.update({ ...toxic.toJson(), attributes: { latency: 300 } })
      assertAbout(await roundTrip(line, 'changed'), 300)
      await changed.remove()
      assert.ok((await quickest(line, 'removed')) < 300)
    },
  },
  {
    name: 'latency: what waits when it is removed arrives at once, whole and in order',
    cites: 'toxics/latency.go: don’t drop any data; link.go RemoveToxic: the buffer is emptied',
    async run(bench) {
      const proxy = await echoProxy(bench)
      const line = await bench.dial(proxy)
      const toxic = await addToxic(proxy, 'latency', { latency: 60_000 })
      for (const text of ['one ', 'two ', 'three']) {
        line.send(text)
        await pause(30)
      }
      assert.equal(line.text, '')
      const ms = await timed(Promise.all([toxic.remove(), line.receive(13)]))
      assert.ok(ms < slackMs, `${ms} ms`)
      assert.equal(line.text, 'one two three')
    },
  },
  {
    name: 'latency: delays of chunks that follow each other do not add up',
    cites: 'toxics/latency.go: the delay counts from a chunk’s timestamp; 1,024 chunks are buffered',
    async run(bench) {
      const proxy = await echoProxy(bench)
      const line = await bench.dial(proxy)
      await addToxic(proxy, 'latency', { latency: 400 })
      const startedAt = performance.now()
      for (const text of ['a', 'b', 'c', 'd', 'e']) {
        line.send(text)
        await pause(20)
      }
      assert.equal(await line.receive(5), 'abcde')
      const ms = performance.now() - startedAt
      assert.ok(ms >= 400 + 4 * 20 - roundingMs && ms < 5 * 400, `${ms} ms`)
    },
  },
  {
    name: 'latency 300 with jitter 200: round trips of 100 ms to 1.5 s, not all alike',
    cites: 'README, "latency": latency +/- jitter',
    async run(bench) {
      const proxy = await echoProxy(bench)
      const line = await bench.dial(proxy)
      await addToxic(proxy, 'latency', { latency: 300, jitter: 200 })
      const times: number[] = []
      for (let trip = 0; trip < 8; trip++) times.push(await roundTrip(line, 'x'))
      for (const ms of times) assert.ok(ms >= 100 - roundingMs && ms < 500 + slackMs, `${ms} ms`)
      assert.ok(Math.max(...times) - Math.min(...times) > 20, `${times}`)
    },
  },
  {
    name: 'bandwidth 100: 60,000 bytes take 600 ms to 1.6 s; less than 600 ms without',
    cites: 'README, "bandwidth": kilobytes per second; toxics/bandwidth.go: a kilobyte is 1,000 bytes',
    async run(bench) {
      const proxy = await echoProxy(bench)
      const line = await bench.dial(proxy)
      const text = 'x'.repeat(60_000)
      assert.ok((await quickest(line, text)) < 600)
      await addToxic(proxy, 'bandwidth', { rate: 100 })
      // A last piece of less than 100 ms may be owed when it is sent.
      const ms = await roundTrip(line, text)
      assert.ok(ms >= 500 && ms < 600 + slackMs, `${ms} ms`)
    },
  },
  {
    name: 'bandwidth 0: nothing arrives until it is removed',
    cites: 'toxics/bandwidth.go Pipe',
    async run(bench) {
      const proxy = await echoProxy(bench)
      const line = await bench.dial(proxy)
      const toxic = await addToxic(proxy, 'bandwidth', { rate: 0 })
      line.send('waits')
      await pause(400)
      assert.equal(line.text, '')
      await toxic.remove()
      assert.equal(await line.receive(5), 'waits')
    },
  },
  {
    name: 'slicer: 40 bytes come in four slices of 10, 30 ms apart; in one piece without',
    cites: 'README, "slicer": average_size in bytes, delay in microseconds; toxics/slicer.go chunk',
    async run(bench) {
      const proxy = await echoProxy(bench)
      const text = '0123456789'.repeat(4)
      const whole = await bench.dial(proxy)
      await roundTrip(whole, text)
      assert.deepEqual(whole.pieces, [40])
      await addToxic(proxy, 'slicer', { average_size: 10, size_variation: 0, delay: 30_000 })
      const line = await bench.dial(proxy)
      const ms = await roundTrip(line, text)
      assert.equal(line.text, text)
      assert.deepEqual(line.pieces, [10, 10, 10, 10])
      assertAbout(ms, 90)
    },
  },
  {
    name: 'slicer: with variation, slices of other sizes, and all bytes in order',
    cites: 'README, "slicer": size_variation',
    async run(bench) {
      const proxy = await echoProxy(bench)
      await addToxic(proxy, 'slicer', { average_size: 100, size_variation: 50, delay: 5000 })
      const line = await bench.dial(proxy)
      const text = Array.from({ length: 500 }, (_, index) => String(index)).join(' ')
      await roundTrip(line, text)
      assert.equal(line.text, text)
      assert.ok(new Set(line.pieces).size > 2, `${line.pieces}`)
    },
  },
  {
    name: 'limit_data 10: ten bytes of a connection arrive, then it is closed; all without',
    cites: 'README, "limit_data"; toxics/limit_data.go',
    async run(bench) {
      const proxy = await echoProxy(bench)
      const free = await bench.dial(proxy)
      await roundTrip(free, 'all of this arrives')
      assert.equal(free.isOpen, true)
      await addToxic(proxy, 'limit_data', { bytes: 10 })
      const line = await bench.dial(proxy)
      await roundTrip(line, '123456')
      assert.equal(line.isOpen, true)
      line.send('7890 and more')
      assert.equal(await line.ended, 'FIN')
      assert.equal(line.text, '1234567890')
      // Each connection has its own count.
      await roundTrip(await bench.dial(proxy), '123456')
    },
  },
  {
    name: 'slow_close 400: data at once, the end 400 ms to 1.4 s later; less than 400 ms without',
    cites: 'README, "slow_close"',
    async run(bench) {
      const proxy = await bench.proxy(await bench.server((socket) => socket.end('bye')))
      const quick = await bench.dial(proxy)
      assert.ok((await timed(quick.ended)) < 400)
      await addToxic(proxy, 'slow_close', { delay: 400 })
      // The delay has begun when the data arrive.
      const dialled = bench.dial(proxy)
      const ended = timed(dialled.then((line) => line.ended))
      const line = await dialled
      assert.ok((await timed(line.receive(3))) < 400)
      assertAbout(await ended, 400)
      assert.equal(await line.ended, 'FIN')
    },
  },
  {
    name: 'toxicity: 1 strikes every connection, 0 none, 0.5 some of 60',
    cites: 'README, "Toxic fields": probability of the toxic being applied to a link; toxics/toxic.go Run',
    async run(bench) {
      const proxy = await echoProxy(bench)
      const struck = async (connections: number) => {
        let count = 0
        for (let index = 0; index < connections; index++) {
          const line = await bench.dial(proxy)
          line.send('hello')
          const arrived = await Promise.race([line.ended, line.receive(5)])
          line.socket.destroy()
          if (arrived !== 'hello') count++
        }
        return count
      }
      const toxic = await addToxic(proxy, 'limit_data', { bytes: 1 }, { toxicity: 1 })
      assert.equal(await struck(20), 20)
      await toxic.update({ ...toxic.toJson(), toxicity: 0 })
      assert.equal(await struck(20), 0)
      await toxic.update({ ...toxic.toJson(), toxicity: 0.5 })
      const some = await struck(60)
      assert.ok(some > 0 && some < 60, `${some}`)
    },
  },
  {
    name: 'toxics of one direction work one after another',
    cites: 'link.go: a chain of toxics, new ones at its end',
    async run(bench) {
      const proxy = await echoProxy(bench)
      await addToxic(proxy, 'latency', { latency: 300 })
      await addToxic(proxy, 'limit_data', { bytes: 3 })
      const line = await bench.dial(proxy)
      line.send('hello')
      assertAbout(await timed(line.ended), 300)
      assert.equal(line.text, 'hel')
    },
  },
]
