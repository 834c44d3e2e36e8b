import type { Identity } from '../../src/fleet/identity.ts'

export const fakeIdentity: Identity = { version: '0.0.0', sources: 'abc', nodeMajor: 20 }
