import { catalogue } from '../../i18n/catalogue.ts';
import { findPorts, type PortEvidence, type StuckEvidence } from './evidence.ts';
import { stuckRule } from './stuck-rule.ts';

const words = () => catalogue().diagnosis.bootstrap;

/**
 * Bootstrap and load balancer both work, but the bootstrap is missing from the pool. This does not recover on its own.
 */
export const lbWithoutBootstrap = stuckRule('lb-without-bootstrap', (evidence) => {
  if (!isBootstrapMissingFromPool(evidence)) return [];
  const { title, cause, remedy } = words()['lb-without-bootstrap'];
  return [{ severity: 'fatal', title, cause: cause(evidence.machine.address), remedy }];
});

/** No member of a pool is up: the load balancer accepts the connection and closes it. */
export const lbPoolDown = stuckRule('lb-pool', (evidence) =>
  findStagePorts(evidence, ['closed-at-once']).map(({ port }) => {
    const { cause, remedy } = words()['lb-pool'];
    return { cause: cause(port), remedy: remedy(port) };
  }),
);

/** The load balancer does not listen. */
export const lbRefuses = stuckRule('lb-refuses', (evidence) =>
  findStagePorts(evidence, ['refused']).map(({ address, port }) => {
    const { cause, remedy } = words()['lb-refuses'];
    return { cause: cause(address, port), remedy };
  }),
);

/** A firewall or router drops the packets to the load balancer. */
export const lbSilent = stuckRule('lb-silent', (evidence) =>
  findStagePorts(evidence, ['timeout', 'unreachable']).map(({ address, port }) => {
    const { cause, remedy } = words()['lb-silent'];
    return { cause: cause(address, port), remedy: remedy(port) };
  }),
);

/** Finds the load balancer ports that the current stage needs and that are in one of these states. */
function findStagePorts(evidence: StuckEvidence, states: readonly PortEvidence['state'][]): PortEvidence[] {
  const ports = evidence.stage === 'api' ? findPorts(evidence, 'api', 6443) : findPorts(evidence, 'api-int', 22623);
  return ports.filter(({ state }) => states.includes(state));
}

function isBootstrapMissingFromPool(evidence: StuckEvidence): boolean {
  const serves = findPorts(evidence, 'bootstrap', 6443).some(({ state }) => state === 'open');
  return serves && findPorts(evidence, 'api', 6443).every(({ state }) => state === 'closed-at-once');
}
