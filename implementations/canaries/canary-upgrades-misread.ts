/**
 * Canary for rolling upgrades: the new version mistakes an old marker for one whose effect has not
 * begun.
 */
import { defineUpgrade } from '../../src/contract/api/upgrade.ts'
import marker from '../correct/marker-before-plain-sink.ts'
import versionTwo from './parts/marker-version-two.ts'

export default defineUpgrade({
  id: 'canary-upgrades-misread',
  about: 'Reads a marker of the old version, which does not record begins, as one without a begin.',
  expect: 'broken',
  hunt: { killedBy: [], scenarios: ['competing-consumers'] },
  from: marker,
  to: versionTwo,
})
