import { LoadError } from 'virtual-node/runtime'
import { expect, it } from 'vitest'
import { onceproofHere } from '../cli/run-here.ts'
import { needs } from '../needs/needs.ts'
import { play } from '../sim/world-lab.ts'
import { layerOf, load, programOf } from './programs.ts'

const impatient = { helloMs: 3_000, silenceMs: 1_500 }

async function failure(work: Promise<unknown>): Promise<LoadError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(LoadError)
  const { message } = error as LoadError
  expect(message).toMatch(/^exec:/)
  expect(message).not.toContain('\n')
  return error as LoadError
}

const failsToLoad = (text: string) => failure(load(programOf(text), impatient))
const hello = (members: string) => `print('{"type":"hello","id":"x","clocks":"virtual",${members}}', flush=True)\n`

needs({ python: 'redis' }).describe('a program that cannot be used', () => {
  it('is reported if it does not exist', async () => {
    expect((await failure(load('exec:/no/such/program', impatient))).remedy).toMatch(/cannot be started .*ENOENT/)
    expect((await failure(load('exec:', impatient))).remedy).toMatch(/^no program given/)
    expect((await failure(load(`exec:python3 'layer.py`, impatient))).remedy).toMatch(/^no program given/)
    expect((await failure(load(`exec:""`, impatient))).remedy).toMatch(/^no program given/)
    expect((await failure(load(`exec:${import.meta.filename}/x`, impatient))).remedy).toMatch(
      /cannot be started .*ENOTDIR/,
    )
  })

  it('is reported if it exits at start', async () => {
    const error = await failsToLoad('import sys\nsys.exit("there is no config")')
    expect(error.kind).toBe('unusable')
    expect(error.remedy).toBe('it ended with exit code 1 before it sent hello; it wrote: there is no config')
  })

  it('is reported if it prints garbage', async () => {
    const error = await failsToLoad('print("Starting up!", flush=True)\nimport time\ntime.sleep(60)')
    expect(error.remedy).toBe('its first line is "Starting up!" instead of hello')
  })

  it('is reported if it never sends hello', async () => {
    const error = await failsToLoad('import time\ntime.sleep(60)')
    expect(error.remedy).toBe('it sent no hello within 3 s')
  })

  it('is reported if it speaks another protocol', async () => {
    const error = await failsToLoad(`${hello('"protocol":0')}import time\ntime.sleep(60)`)
    expect(error.kind).toBe('unusable')
    expect(error.remedy).toMatch(/^it uses protocol 0, but this onceproof 1; use the client library/)
  })

  it('is reported if it declares impossible properties', async () => {
    const error = await failsToLoad(`${hello('"protocol":1,"sinks":["bank"]')}import time\ntime.sleep(60)`)
    expect(error.remedy).toMatch(/`sinks` of the implementation x has an unknown bank/)
    expect((await failsToLoad(`${hello('"protocol":1').replace('virtual', 'mine')}input()`)).remedy).toMatch(/clocks/)
  })

  it('is reported if it imports redis before onceproof', async () => {
    const error = await failsToLoad('import redis\nimport onceproof')
    expect(error.remedy).toMatch(/import onceproof before redis/)
  })
})

needs({ python: 'redis' }).describe('a run of a program', () => {
  const playing = async (handle: string) => play(await load(layerOf(`def handle(message):\n${handle}`), impatient))

  it('is unknown if the program never answers', async () => {
    const error = await failure(playing('    while True: pass'))
    expect(error.kind).toBe('not-simulated')
    expect(error.remedy).toMatch(/^consumer-1 got deliver and sent nothing for 1\.5 s, not even idle/)
  })

  it('is unknown if the program waits in a way that the harness does not know', async () => {
    const error = await failure(playing('    os.read(0, 1); onceproof._real_sleep(60)'))
    expect(error.kind).toBe('not-simulated')
  })

  it.each([
    ['select', 'import select; select.select([0], [], [], None)'],
    ['asyncio', 'import asyncio; asyncio.run(asyncio.sleep(1))'],
  ])('is unknown if the program waits by %s, and names it', async (_, waits) => {
    const error = await failure(playing(`    ${waits}`))
    expect(error.kind).toBe('not-simulated')
    expect(error.remedy).toMatch(/^consumer-1 uses asyncio, select, poll or epoll, which .*: use threads/)
  })

  it('fails if the program asks the sink an unknown question, or sends an unknown lock event', async () => {
    for (const said of ['"sink", id=1, ask="refund", key="k"', '"lock", key="k", what="toString"']) {
      const error = await failure(playing(`    onceproof._channel.say(${said}); return None`))
      expect(error.kind).toBe('unusable')
      expect(error.remedy).toMatch(/^consumer-1 sent a line that is not a message of the protocol/)
    }
  })

  it('fails if the program answers an unknown delivery, or one delivery twice', async () => {
    const done = 'outcome={"status": "done", "result": None}'
    for (const [said, delivery] of [
      [`"outcome", delivery=7, ${done}`, 7],
      ['"threw", delivery=0, error="x"', 0],
      [`"outcome", delivery=1, ${done}); onceproof._channel.say("outcome", delivery=1, ${done}`, 1],
    ]) {
      const error = await failure(playing(`    onceproof._channel.say(${said}); return None`))
      expect(error.kind).toBe('unusable')
      expect(error.remedy).toMatch(/^consumer-1 sent (outcome|threw) for delivery \d, which is unknown or answered/)
      expect(error.remedy).toContain(`delivery ${delivery}`)
    }
  })

  it('fails if the program writes an invalid message', async () => {
    const error = await failure(playing('    onceproof._channel._said.append("oops"); return None'))
    expect(error.kind).toBe('unusable')
    expect(error.remedy).toMatch(/^consumer-1 sent a line that is not a message of the protocol: "oops"/)
  })

  it('fails if the program writes too much', async () => {
    const error = await failure(playing('    for at in range(9000): print("x" * 1000)'))
    expect(error.kind).toBe('unusable')
    expect(error.remedy).toMatch(/^consumer-1 sent more than 4000000 characters at a time/)
  })

  it('fails if the program sends idle without a time', async () => {
    const error = await failure(playing('    onceproof._channel.say("idle", n=2); return None'))
    expect(error.kind).toBe('unusable')
    expect(error.remedy).toMatch(/^consumer-1 sent a line that is not a message of the protocol/)
  })

  it('fails if the program sends idle for another number', async () => {
    const error = await failure(playing('    onceproof._channel.say("idle", n=7, untilUs=None); return None'))
    expect(error.kind).toBe('unusable')
    expect(error.remedy).toMatch(/^consumer-1 reported idle for 7 instead of 2/)
  })

  it('fails if the program reports bytes as sent that it did not send', async () => {
    for (const said of ['"sent", connection=1, bytes=5', '"connect", connection=1, host="10.0.0.2", port=6379']) {
      const error = await failure(playing(`    onceproof._channel.say(${said}); return None`))
      expect(error.kind).toBe('unusable')
      expect(error.remedy).toMatch(/^consumer-1 reported a command that never arrived/)
    }
  })

  it('has a crash in its story and a successor if the program ends by itself', async () => {
    const run = await playing('    ctx.sink.perform(message["key"], message["payload"])\n    os._exit(3)')
    const ended = run.of('process-ended')
    expect(ended.length).toBeGreaterThan(1)
    for (const { how, error } of ended)
      expect({ how, error }).toEqual({ how: 'died', error: 'Error: the program exited' })
    expect(run.of('effect-applied').length).toBeGreaterThan(1)
  })

  it('reports a handler that throws or does not return an outcome', async () => {
    const threw = await playing('    raise ValueError("no")')
    expect(threw.of('threw')[0]!.error).toBe('ValueError: no')
    const wrong = await failure(playing('    return 7'))
    expect(wrong.remedy).toMatch(/violates its contract: handle answered 7/)
  })

  it('reports a `create` that fails', async () => {
    const failing = await failure(
      load(layerOf('raise ValueError("no config")\ndef handle(message): pass')).then((layer) => play(layer)),
    )
    expect(failing.remedy).toMatch(/`create` fails \(ValueError: no config\)/)
    const exiting = await failure(
      load(layerOf('sys.exit("no config")\ndef handle(message): pass')).then((layer) => play(layer)),
    )
    expect(exiting.remedy).toMatch(/`create` fails \(SystemExit: no config\)/)
  })
})

needs({ python: 'redis' }).describe('an unusable program on the command line', () => {
  it('is reported in one line, with exit code 2', async () => {
    const name = programOf('print("hi", flush=True)')
    const args = ['run', '--impl', name, '--scenario', 'lost-reply', '--quiet']
    expect(await onceproofHere(args)).toEqual({
      code: 2,
      stdout: '',
      stderr: `onceproof: ${name}: its first line is "hi" instead of hello\n`,
    })
  })
})
