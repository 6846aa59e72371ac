import { catalogue } from '../../i18n/catalogue.ts';
import { findUnroutablePorts, type StuckEvidence } from './evidence.ts';
import { stuckRule } from './stuck-rule.ts';

const words = () => catalogue().diagnosis.bootstrap;

/**
 * Probes to an endpoint cannot leave this machine. With addresses of both IP families, one reachable address is enough.
 */
export const noRouteFromHere = stuckRule('no-way-from-here', ({ ports }) => {
  const addresses = [...new Set(findUnroutablePorts(ports, ({ kind }) => kind).map(({ address }) => address))];
  const [first] = addresses;
  if (first === undefined) return [];
  const { cause, remedy } = words()['no-way-from-here'];
  return [{ cause: cause(addresses.join(', ')), remedy: remedy(first) }];
});

/** On the machine that runs the bootstrap, one of the two ports is open and the other is not. */
export const bootstrapHalfOpen = stuckRule('bootstrap-half', (evidence) => {
  const { open, closed } = getMachinePorts(evidence);
  if (!open || !closed) return [];
  const { name, address } = evidence.machine;
  const { cause, remedy } = words()['bootstrap-half'];
  return [{ cause: cause(`${name}:${open.port}`, `${name}:${closed.port}`), remedy: remedy(address) }];
});

/** No port of the machine that runs the bootstrap is open. */
export const bootstrapSilent = stuckRule('bootstrap-silent', (evidence) => {
  const { isProbed, open, closed } = getMachinePorts(evidence);
  if (!isProbed || (open && closed)) return [];
  const { cause, remedy } = words()['bootstrap-silent'];
  return [{ cause: cause(evidence.machine.name), remedy: remedy(evidence.machine.address) }];
});

function getMachinePorts({ ports, machine }: StuckEvidence) {
  const own = ports.filter(({ host, state }) => host === machine.name && state !== 'unsent');
  return {
    isProbed: own.length > 0,
    open: own.find(({ state }) => state === 'open'),
    closed: own.find(({ state }) => state !== 'open'),
  };
}
