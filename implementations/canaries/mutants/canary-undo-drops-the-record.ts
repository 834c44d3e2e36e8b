import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-undo-drops-the-record',
  about: 'Deletes the record, with its fence, when it releases the key.',
  breaks: '`fenced` sinks',
  patches: [
    {
      file: 'lua/abandon.lua',
      find: "redis.call('HSET', KEYS[1], 'state', 'free', 'owner', '', 'fence', string.format('%.0f', highest), 'nonce', '',\n  'deadline', '0')\nredis.call('PEXPIRE', KEYS[1], math.max(ARGV[4], redis.call('PTTL', KEYS[1])))",
      replace: "redis.call('DEL', KEYS[1])",
    },
  ],
  hunt: {
    killedBy: ['clock-step'],
    scenarios: ['fences-after-loss'],
    sink: 'fenced',
  },
})
