import { shellCommand } from '../../../platform/shell-quoting.ts';
import { listStalledBootstraps } from '../boot/stalled-machines.ts';
import { diagnosticRule, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';
import { findUnansweredPulls, parseRegistry } from './pull-lines.ts';

/** A registry does not answer the nodes: they cannot pull images. */
export const registryUnreachable = diagnosticRule('registry-unreachable', 'installation', (evidence) => {
  const lines = findUnansweredPulls(evidence).slice(-1);
  const registry = lines.map(({ text }) => parseRegistry(text)).find((each) => each !== null) ?? 'quay.io';
  const pods = (evidence.cluster?.operators ?? []).filter(({ wait }) => wait?.code === 'image-pull' && !wait.isNormal);
  const operators = pods.map(
    ({ name, message }): Symptom => ({
      likelihood: 'possible',
      subject: name,
      symptom: message,
      command: shellCommand`oc get clusteroperator ${name} -o yaml`,
    }),
  );
  const silent = listStalledBootstraps(evidence).map(({ name, address }): Symptom => {
    const symptom = `${name} ${address} started from its disk; port 6443 is closed`;
    return {
      likelihood: 'possible',
      subject: name,
      symptom,
      command: `ssh core@${address} journalctl -b -u release-image -n 20`,
    };
  });
  return [...symptomsFromLines(lines, 'likely', `curl -sI https://${registry}/v2/`), ...operators, ...silent];
});
