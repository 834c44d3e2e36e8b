#!/usr/bin/env node
// Runs the command line from its sources: tsx compiles them, and whatever adapters and scenarios the user names.
import { register } from 'tsx/esm/api'

register()
const { main } = await import('../src/cli/main.ts')
await main(process.argv.slice(2))
