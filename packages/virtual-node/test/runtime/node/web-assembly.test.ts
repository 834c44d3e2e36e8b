import { expect, it } from 'vitest'
import { Lab } from '../../lab.ts'
import { expectAlike, inVirtualNode, type Program } from '../both.ts'

/** `(module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))` */
const adds = [
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 7, 1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f, 3, 2, 1, 0],
  ...[7, 7, 1, 3, 0x61, 0x64, 0x64, 0, 0, 0x0a, 9, 1, 7, 0, 0x20, 0, 0x20, 1, 0x6a, 0x0b],
]
/** `(module (import "a" "b" (func)))` */
const imports = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 2, 7, 1, 1, 0x61, 1, 0x62, 0, 0]

interface Instance {
  readonly exports: { add(a: number, b: number): number }
}
interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => Instance
  compile(...args: unknown[]): Promise<object>
  instantiate(bytes: Uint8Array, imports?: unknown): Promise<{ instance: Instance }>
  instantiate(module: unknown, imports?: unknown): Promise<Instance>
}
const { WebAssembly } = globalThis as unknown as { WebAssembly: Wasm }

const bytes = (numbers: number[]) => Uint8Array.from(numbers)

it('WebAssembly compiles and instantiates like Node', async () => {
  const program: Program = async (log, over) => {
    const module = await WebAssembly.compile(bytes(adds))
    log(String(module instanceof WebAssembly.Module))
    const own = await WebAssembly.instantiate(module)
    log(`${own instanceof WebAssembly.Instance} ${own.exports.add(2, 3)}`)
    const both = await WebAssembly.instantiate(bytes(adds), {})
    log(`${Object.keys(both)} ${both.instance.exports.add(4, 5)}`)
    const changing = bytes(adds)
    const compiling = WebAssembly.compile(changing)
    changing.fill(0)
    log(String((await compiling) instanceof WebAssembly.Module))
    over()
  }
  expect(await expectAlike(program)).toEqual(['true', 'true 5', 'module,instance 9', 'true'])
})

it('WebAssembly rejects with the errors of Node', async () => {
  const program: Program = async (log, over) => {
    const tries: (() => Promise<unknown>)[] = [
      () => WebAssembly.compile(),
      () => WebAssembly.compile(bytes([1, 2, 3, 4])),
      () => WebAssembly.instantiate(bytes([1, 2, 3, 4])),
      () => WebAssembly.instantiate('text'),
      () => WebAssembly.instantiate(bytes(adds), 5),
      () => WebAssembly.instantiate(bytes(imports)),
      () => WebAssembly.instantiate(bytes(imports), { a: { b: 5 } }),
      () => WebAssembly.instantiate(new WebAssembly.Module(bytes(imports)), {}),
    ]
    for (const attempt of tries) await attempt().catch((error: Error) => log(`${error.name}: ${error.message}`))
    over()
  }
  expect(await expectAlike(program)).toHaveLength(8)
})

it('WebAssembly answers in a separate turn', async () => {
  const program: Program = (log, over) => {
    void WebAssembly.compile(bytes(adds)).then(() => {
      log('compiled')
      over()
    })
    void Promise.resolve().then(() => log('microtask'))
    process.nextTick(() => log('tick'))
  }
  expect(await expectAlike(program)).toEqual(['tick', 'microtask', 'compiled'])
})

it('WebAssembly answers in the order of the calls, which Node leaves to its threads', async () => {
  const lines = await inVirtualNode((log, over) => {
    void WebAssembly.compile(bytes(adds)).then(() => log('compiled'))
    void WebAssembly.instantiate(bytes(adds)).then(() => {
      log('both')
      over()
    })
  })
  expect(lines).toEqual(['compiled', 'both'])
})

it('WebAssembly instantiates a compiled module without a separate turn on every Node, as Node 22 does', async () => {
  const lines = await inVirtualNode((log, over) => {
    const module = new WebAssembly.Module(bytes(adds))
    setImmediate(over)
    void WebAssembly.instantiate(module).then(() => log('instantiated'))
    void Promise.resolve().then(() => log('microtask'))
  })
  expect(lines).toEqual(['instantiated', 'microtask'])
})

it('WebAssembly refuses a stream by name', async () => {
  const lab = new Lab()
  lab.start(() => {
    const { compileStreaming } = WebAssembly as unknown as { compileStreaming(): Promise<unknown> }
    void Promise.resolve()
      .then(() => compileStreaming())
      .catch(() => {})
  })
  await lab.run()
  expect(lab.unsupportedThings).toEqual(['WebAssembly.compileStreaming, which leaves the simulation'])
})
