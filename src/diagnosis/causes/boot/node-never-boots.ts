import { silent } from '../../boot/silent.ts';
import { cause } from '../cause.ts';
import { bootEvidence } from './evidence.ts';
import { reachable } from './reachable.ts';

/** A machine that was powered on asked for nothing, and nothing answers at its address. */
export const nodeNeverBoots = cause('node-never-boots', 'boot', (evidence) => {
  const { design } = evidence;
  return silent
    .judge(bootEvidence(evidence))
    .filter(({ subject }) => !reachable(evidence, subject ?? ''))
    .map(({ subject, cause: seen }) => ({
      // From an ISO with its ignition file it never asks for anything.
      likelihood: design?.services.boot.kind === 'iso' ? ('possible' as const) : ('certain' as const),
      subject: subject ?? '',
      symptom: seen,
      command: `ping -c 3 ${evidence.machines.find(({ name }) => name === subject)?.address ?? ''}`,
    }));
});
