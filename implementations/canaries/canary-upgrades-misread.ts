/** Canary for rolling upgrades: the next version takes a marker of the version before for one that was never begun. */
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
