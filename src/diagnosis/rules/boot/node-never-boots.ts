import { bootSilent } from '../../boot/silent.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';
import { bootEvidence } from './evidence.ts';
import { isReachable } from './reachability.ts';

/** A powered-on machine sent no request, and nothing answers at its address. */
export const nodeNeverBoots = diagnosticRule('node-never-boots', 'boot', (evidence) => {
  const { design } = evidence;
  return bootSilent
    .evaluate(bootEvidence(evidence))
    .filter(({ subject }) => !isReachable(evidence, subject ?? ''))
    .map(({ subject, cause: detail }) => ({
      // A machine with an ISO that contains its ignition file never sends a request.
      likelihood: design?.services.boot.kind === 'iso' ? ('possible' as const) : ('certain' as const),
      subject: subject ?? '',
      symptom: detail,
      command: `ping -c 3 ${evidence.machines.find(({ name }) => name === subject)?.address ?? ''}`,
    }));
});
