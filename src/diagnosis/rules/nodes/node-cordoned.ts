import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';

/** A node is cordoned, and no configuration update is under way that will uncordon it. */
export const nodeCordoned = diagnosticRule(
  'node-cordoned',
  'operatorIssues',
  ({ cluster }) =>
    (cluster?.nodes ?? [])
      .filter(({ isCordoned, isUpdating }) => isCordoned && !isUpdating)
      .map(({ name, isReady }) => ({
        likelihood: 'likely' as const,
        subject: name,
        symptom: `${name} ${isReady ? 'Ready' : 'NotReady'},SchedulingDisabled`,
        command: shellCommand`oc describe node ${name}`,
      })),
  true,
);
