import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { needs } from '../needs/needs.ts'
import { play } from '../sim/world-lab.ts'
import { load } from './programs.ts'

const folders = fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-go-'))

/** Builds and loads a layer of this folder. */
function built(source: string) {
  const file = path.join(fs.mkdtempSync(path.join(folders, 'built-')), 'layer')
  const made = spawnSync('go', ['build', '-o', file, '.'], { cwd: source, encoding: 'utf8' })
  expect(made.stderr).toBe('')
  return load(`exec:${file}`)
}

const client = fileURLToPath(new URL('../../clients/go', import.meta.url))

/** A layer whose handler has that body. `more`: its additional imports. */
function layerOf(handle: string, ...more: string[]) {
  const folder = fs.mkdtempSync(path.join(folders, 'source-'))
  const imports = ['onceproof', ...more].map((name) => `"${name}"`).join('\n')
  fs.writeFileSync(
    path.join(folder, 'go.mod'),
    `module layer\ngo 1.19\nrequire onceproof v0.0.0\nreplace onceproof => ${client}\n`,
  )
  fs.writeFileSync(
    path.join(folder, 'main.go'),
    `package main\nimport (\n${imports}\n)\nfunc main() {\nonceproof.Serve(onceproof.Hello{"id": "layer"},
func(ctx *onceproof.Context) (onceproof.Handler, error) {
return func(message onceproof.Message) (onceproof.Outcome, error) {\n${handle}\n}, nil\n})\n}\n`,
  )
  return built(folder)
}

const marker = fileURLToPath(new URL('../../implementations/exec/go-marker', import.meta.url))

needs({ go: true }).describe('a layer in Go', () => {
  it('is the same in ten runs with a crash, and answers with the result of the sink', async () => {
    const layer = await built(marker)
    const crash = { kind: 'crash', when: { at: 'effect-unsent', consumer: 0, nth: 1 }, healAfterMs: 10 } as const
    const messages = ['a', 'b', 'a'].map((key, at) => ({ key, payload: { key }, publishAtMs: at }))
    const runs = []
    for (let time = 0; time < 10; time++)
      runs.push(await play(layer, { consumers: 2, messages, faults: [crash], seed: 3 }))
    for (const run of runs) expect(run.historyDigest).toBe(runs[0]!.historyDigest)
    const [run] = runs
    expect(run!.executed.length).toBeGreaterThan(3)
    expect(run!.of('process-ended')).toHaveLength(1)
    expect(run!.of('answered').map(({ outcome }) => outcome)).toContainEqual({
      status: 'done',
      result: expect.objectContaining({ effectId: 'effect-1' }),
    })
  })

  it('is notified of a broken connection, and reconnects', async () => {
    const layer = await built(marker)
    const lost = { kind: 'lost-request', when: { at: 'command-unexecuted', consumer: 0, nth: 1 } } as const
    const run = await play(layer, { faults: [lost] })
    expect(run.of('threw')[0]!.error).toMatch(/connection reset by peer/)
    expect(run.of('effect-applied')).toHaveLength(1)
  })

  it('gets a message again no earlier than requested, to a fraction of a millisecond', async () => {
    const layer = await layerOf(`return onceproof.RetryAfter("later", 1900*time.Microsecond), nil`, 'time')
    const [answered] = (await play(layer, { maxAttempts: 2 })).of('answered')
    expect(answered!.outcome).toEqual({ status: 'retry', afterMs: 2 })
  })

  it('wakes a reader whose connection is closed, like the net package', async () => {
    const layer = await layerOf(
      `conn, err := onceproof.Dial("tcp", ctx.Address())
       if err != nil { return nil, err }
       var failed error
       onceproof.Go(func() { _, failed = conn.Read(make([]byte, 1)) })
       onceproof.Sleep(time.Second)
       conn.Close()
       onceproof.Sleep(time.Second)
       _, again := conn.Write([]byte("x"))
       return onceproof.Done([]bool{errors.Is(failed, net.ErrClosed), errors.Is(again, net.ErrClosed)}), nil`,
      'errors',
      'net',
      'time',
    )
    const run = await play(layer, { visibilityMs: 60_000 })
    expect(run.of('answered')[0]!.outcome).toEqual({ status: 'done', result: [true, true] })
  })

  it.each([
    ['select', 'select { case <-make(chan int): case <-time.After(time.Hour): }'],
    ['sleep', 'time.Sleep(time.Hour)'],
    ['chan receive', '<-time.After(time.Hour)'],
  ])('is unknown if it waits in %s of the standard library, by name and line', async (state, waits) => {
    const layer = await layerOf(`${waits}\nreturn onceproof.Done(nil), nil`, 'time')
    await expect(play(layer)).rejects.toMatchObject({
      kind: 'not-simulated',
      remedy: expect.stringContaining(
        `consumer-1 uses a wait that the harness does not know of (${state} at main.go:10): wait by Sleep, Dial`,
      ),
    })
  })

  it('declares that no fault changes its clock, and none does', async () => {
    const layer = await built(marker)
    expect(layer.implementation.ownClocks).toBe(true)
    const step = { kind: 'clock-step', when: { at: 'time', ms: 0 }, byMs: 1000, healAfterMs: 10 } as const
    const run = await play(layer, {
      faults: [
        { ...step, machine: 0 },
        { ...step, machine: -1 },
      ],
    })
    expect(run.of('fault-struck').map(({ sentence }) => sentence)).toEqual(['the clock of redis jumps 1 s forward'])
  })
})
