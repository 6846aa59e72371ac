import { catalogue } from '../../text/catalogue.ts';
import { type StuckEvidence, withoutWay } from './evidence.ts';
import { stuckRule } from './stuck.ts';

const words = () => catalogue().diagnosis.bootstrap;

/** Nothing leaves this machine for those that it asks; of endpoints with addresses of both families, one is enough. */
export const noWay = stuckRule('no-way-from-here', ({ ports }) => {
  const addresses = [...new Set(withoutWay(ports, ({ kind }) => kind).map(({ address }) => address))];
  const [first] = addresses;
  if (first === undefined) return [];
  const { cause, whatToDo } = words()['no-way-from-here'];
  return [{ cause: cause(addresses.join(', ')), whatToDo: whatToDo(first) }];
});

/** One of the two ports of the machine that runs the bootstrap is open, and the other is not. */
export const half = stuckRule('bootstrap-half', (evidence) => {
  const { open, closed } = ownPorts(evidence);
  if (!open || !closed) return [];
  const { name, address } = evidence.machine;
  const { cause, whatToDo } = words()['bootstrap-half'];
  return [{ cause: cause(`${name}:${open.port}`, `${name}:${closed.port}`), whatToDo: whatToDo(address) }];
});

/** The machine that runs the bootstrap serves nothing. */
export const silent = stuckRule('bootstrap-silent', (evidence) => {
  const { isAsked, open, closed } = ownPorts(evidence);
  if (!isAsked || (open && closed)) return [];
  const { cause, whatToDo } = words()['bootstrap-silent'];
  return [{ cause: cause(evidence.machine.name), whatToDo: whatToDo(evidence.machine.address) }];
});

function ownPorts({ ports, machine }: StuckEvidence) {
  const own = ports.filter(({ host, state }) => host === machine.name && state !== 'unsent');
  return {
    isAsked: own.length > 0,
    open: own.find(({ state }) => state === 'open'),
    closed: own.find(({ state }) => state !== 'open'),
  };
}
