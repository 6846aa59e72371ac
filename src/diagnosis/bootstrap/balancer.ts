import { catalogue } from '../../text/catalogue.ts';
import { type PortEvidence, portsOf, type StuckEvidence } from './evidence.ts';
import { stuckRule } from './stuck.ts';

const words = () => catalogue().diagnosis.bootstrap;

/** Bootstrap and load balancer both work, but the pool lacks the bootstrap: this does not recover by itself. */
export const withoutBootstrap = stuckRule('lb-without-bootstrap', (evidence) => {
  if (!isKeptFromBootstrap(evidence)) return [];
  const { title, cause, whatToDo } = words()['lb-without-bootstrap'];
  return [{ severity: 'fatal', title, cause: cause(evidence.machine.address), whatToDo }];
});

/** No member of a pool is up. */
export const emptyPool = stuckRule('lb-pool', (evidence) =>
  asked(evidence, ['closed-at-once']).map(({ port }) => {
    const { cause, whatToDo } = words()['lb-pool'];
    return { cause: cause(port), whatToDo: whatToDo(port) };
  }),
);

/** The load balancer does not listen. */
export const refuses = stuckRule('lb-refuses', (evidence) =>
  asked(evidence, ['refused']).map(({ address, port }) => {
    const { cause, whatToDo } = words()['lb-refuses'];
    return { cause: cause(address, port), whatToDo };
  }),
);

/** Something on the way to the load balancer drops the packets. */
export const dropped = stuckRule('lb-silent', (evidence) =>
  asked(evidence, ['timeout', 'unreachable']).map(({ address, port }) => {
    const { cause, whatToDo } = words()['lb-silent'];
    return { cause: cause(address, port), whatToDo: whatToDo(port) };
  }),
);

/** The ports of the load balancer that the stage waits for, where they are in one of these states. */
function asked(evidence: StuckEvidence, states: readonly PortEvidence['state'][]): PortEvidence[] {
  const ports = evidence.stage === 'api' ? portsOf(evidence, 'api', 6443) : portsOf(evidence, 'api-int', 22623);
  return ports.filter(({ state }) => states.includes(state));
}

function isKeptFromBootstrap(evidence: StuckEvidence): boolean {
  const serves = portsOf(evidence, 'bootstrap', 6443).some(({ state }) => state === 'open');
  return serves && portsOf(evidence, 'api', 6443).every(({ state }) => state === 'closed-at-once');
}
