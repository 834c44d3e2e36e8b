/** The cmsgpack module. */
import { library, several, single } from './arguments.ts'
import { pack } from './cmsgpack-pack.ts'
import { unpack, unpackLimit, unpackOne } from './cmsgpack-unpack.ts'

export const cmsgpackLibrary = library({
  pack: single(pack),
  unpack: several(unpack),
  unpack_one: several(unpackOne),
  unpack_limit: several(unpackLimit),
  _NAME: 'cmsgpack',
  _VERSION: 'lua-cmsgpack 0.4.0',
  _COPYRIGHT: 'Copyright (C) 2012, Salvatore Sanfilippo',
  _DESCRIPTION: 'MessagePack C implementation for Lua',
})
