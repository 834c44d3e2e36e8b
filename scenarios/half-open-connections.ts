import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  always: drawFault('half-open'),
  faults: ['half-open', 'duplicate-delivery', 'redelivery'],
  maxFaults: 3,
}

export default defineScenario({
  id: 'half-open-connections',
  story:
    'A NAT or a firewall forgets the connections of a consumer to its store. Commands and replies on them are lost without a reset, ' +
    'and new connections work: a client without a timeout waits for 15 minutes.',
  shape: 'single',
  stores: ['redis', 'postgres'],
  assumptions: [
    'one server that keeps its data',
    'all copies of a message carry the same payload',
    'PostgreSQL notices within 15 s that a client is gone (tcp_keepalives_idle), unless the layer does',
  ],
  goals: ['a-command-went-nowhere'],
  recoveryCapMs: 60_000,
  runMs: 4,
  // Other consumers may take over an attempt that hangs, so some plans have only one consumer.
  plans: fc.oneof(plansOf({ ...workload, consumers: 1 }), plansOf(workload)),
})
