import { Console } from 'node:console'
import { expect, it } from 'vitest'
import { Lab } from '../lab.ts'

it('output of a process is recorded with its virtual time and name', async () => {
  const lab = new Lab()
  lab.start(() => {
    console.log('hello %s', 'you', { a: 1 })
    setTimeout(() => console.error('trouble'), 5)
    setTimeout(() => console.warn('careful'), 6)
    setTimeout(() => console.info('by the way'), 7)
  })
  lab.start(() => {
    process.stdout.write('written\n', () => process.stderr.write(Buffer.from('after')))
    new Console(process.stdout, process.stderr).dir({ b: 2 })
  }, 1)
  await lab.run()
  expect(lab.logs).toEqual([
    '0 consumer-1 stdout hello you { a: 1 }',
    '0 consumer-2 stdout written',
    '0 consumer-2 stdout { b: 2 }',
    '0 consumer-2 stderr after',
    '5000 consumer-1 stderr trouble',
    '6000 consumer-1 stderr careful',
    '7000 consumer-1 stdout by the way',
  ])
})
