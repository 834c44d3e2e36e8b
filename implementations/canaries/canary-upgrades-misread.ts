/** Canary for rolling upgrades: the new version takes an old marker for one that has not begun. */
import { defineUpgrade } from '../../src/contract/api/upgrade.ts'
import marker from '../correct/marker-before-plain-sink.ts'
import versionTwo from './parts/marker-version-two.ts'

export default defineUpgrade({
  id: 'canary-upgrades-misread',
  about: 'A marker without a word on whether the effect was begun is one of which it was not.',
  expect: 'broken',
  hunt: { killedBy: [], scenarios: ['competing-consumers'] },
  from: marker,
  to: versionTwo,
})
