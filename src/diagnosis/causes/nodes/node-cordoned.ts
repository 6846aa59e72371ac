import { shell } from '../../../text/shell-word.ts';
import { cause } from '../cause.ts';

/** Somebody took a node out of scheduling, and no change of its configuration is under way that puts it back. */
export const nodeCordoned = cause(
  'node-cordoned',
  'operatorIssues',
  ({ cluster }) =>
    (cluster?.nodes ?? [])
      .filter(({ isCordoned, isChanging }) => isCordoned && !isChanging)
      .map(({ name, isReady }) => ({
        likelihood: 'likely' as const,
        subject: name,
        symptom: `${name} ${isReady ? 'Ready' : 'NotReady'},SchedulingDisabled`,
        command: shell`oc describe node ${name}`,
      })),
  true,
);
