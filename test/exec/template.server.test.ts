import net from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Child } from '../../src/exec/child.ts'
import { LoopbackBridge } from '../../src/exec/loopback-bridge.ts'
import { Template } from '../../src/exec/template.ts'

describe('a template', () => {
  it('ends a copy that comes too late', async () => {
    const input = new PassThrough()
    const bridge = await LoopbackBridge.listen()
    const child = new Child({ pid: 0, input, output: new PassThrough(), bridge, silenceMs: 100 })
    const template = await Template.listen('exec:x', child, 20)
    await expect(template.copy()).rejects.toThrow('makes none')
    const { control } = JSON.parse(String(input.read())) as { control: string }
    const late = net.connect(control)
    late.write('{"type":"process","pid":4194304}\n')
    await new Promise((resolve) => late.resume().once('end', resolve))
  })
})
