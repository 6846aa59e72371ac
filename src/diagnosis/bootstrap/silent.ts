import { catalogue } from '../../text/catalogue.ts';
import type { StuckEvidence } from './evidence.ts';
import { stuckRule } from './stuck.ts';

const words = () => catalogue().diagnosis.bootstrap;

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
  const { open, closed } = ownPorts(evidence);
  if (open && closed) return [];
  const { cause, whatToDo } = words()['bootstrap-silent'];
  return [{ cause: cause(evidence.machine.name), whatToDo: whatToDo(evidence.machine.address) }];
});

function ownPorts({ ports, machine }: StuckEvidence) {
  const own = ports.filter(({ host }) => host === machine.name);
  return { open: own.find(({ state }) => state === 'open'), closed: own.find(({ state }) => state !== 'open') };
}
