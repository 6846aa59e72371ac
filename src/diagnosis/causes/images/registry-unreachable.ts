import { shell } from '../../../text/shell-word.ts';
import { stoppedBootstrap } from '../boot/installation-stopped.ts';
import { type Clue, cause, clueOfLines } from '../cause.ts';
import { registryOf, unansweredPulls } from './lines.ts';

/** A registry does not answer nodes: they cannot pull images. */
export const registryUnreachable = cause('registry-unreachable', 'installation', (evidence) => {
  const lines = unansweredPulls(evidence).slice(-1);
  const registry = lines.map(({ text }) => registryOf(text)).find((each) => each !== null) ?? 'quay.io';
  const pods = (evidence.cluster?.operators ?? []).filter(({ wait }) => wait?.code === 'image-pull' && !wait.isNormal);
  const operators = pods.map(
    ({ name, message }): Clue => ({
      likelihood: 'possible',
      subject: name,
      symptom: message,
      command: shell`oc get clusteroperator ${name} -o yaml`,
    }),
  );
  const silent = stoppedBootstrap(evidence).map(({ name, address }): Clue => {
    const symptom = `${name} ${address} started from its disk; port 6443 is closed`;
    return {
      likelihood: 'possible',
      subject: name,
      symptom,
      command: `ssh core@${address} journalctl -b -u release-image -n 20`,
    };
  });
  return [...clueOfLines(lines, 'likely', `curl -sI https://${registry}/v2/`), ...operators, ...silent];
});
