import { connectionReset } from './connection-reset.ts'
import { crash } from './crash.ts'
import { duplicateDelivery } from './duplicate-delivery.ts'
import { effectFailsAfter } from './effect-fails-after.ts'
import { effectFailsBefore } from './effect-fails-before.ts'
import type { Fault } from './fault.ts'
import { lostAcknowledgement } from './lost-acknowledgement.ts'
import { lostReply } from './lost-reply.ts'
import { lostRequest } from './lost-request.ts'
import { partition } from './partition.ts'
import { pause } from './pause.ts'
import { redelivery } from './redelivery.ts'
import { slowEffect } from './slow-effect.ts'
import { slowLink } from './slow-link.ts'

/** The catalogue, by kind. Add a fault: write its file, name it here. */
export const faults: ReadonlyMap<string, Fault> = new Map(
  [
    crash,
    pause,
    partition,
    slowLink,
    lostReply,
    lostRequest,
    connectionReset,
    duplicateDelivery,
    redelivery,
    lostAcknowledgement,
    slowEffect,
    effectFailsBefore,
    effectFailsAfter,
  ].map((fault) => [fault.kind, fault]),
)
