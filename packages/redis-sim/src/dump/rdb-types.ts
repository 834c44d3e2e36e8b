/** The type byte of a value in an RDB file. Source: rdb.h of Redis 7.0. */
export const types = {
  string: '\x00',
  list: '\x01',
  set: '\x02',
  zset: '\x03',
  hash: '\x04',
  zset2: '\x05',
  listZiplist: '\x0a',
  setIntset: '\x0b',
  zsetZiplist: '\x0c',
  hashZiplist: '\x0d',
  listQuicklist: '\x0e',
  streamListpacks: '\x0f',
  hashListpack: '\x10',
  zsetListpack: '\x11',
  listQuicklist2: '\x12',
  streamListpacks2: '\x13',
  /** Function libraries. */
  function2: '\xf5',
} as const
