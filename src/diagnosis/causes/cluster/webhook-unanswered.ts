import { shell } from '../../../text/shell-word.ts';
import { type Clue, cause, clueOfLines, isInstalled, told, unwellFor } from '../cause.ts';

const LIST = 'oc get validatingwebhookconfigurations,mutatingwebhookconfigurations';

/** What is written passes an admission webhook that does not answer: the API refuses all of it. */
export const webhookUnanswered = cause(
  'webhook-unanswered',
  'operatorIssues',
  (evidence) => {
    const said = (evidence.cluster?.operators ?? []).flatMap(({ name, message }): Clue[] => {
      const hook = /failed calling webhook\W+([\w.-]+)/.exec(message)?.[1];
      if (hook === undefined) return [];
      return [{ likelihood: 'certain', subject: hook, symptom: `${name}: ${message}`, command: LIST }];
    });
    const unserved = isInstalled(evidence) ? unwellFor(evidence, 'Webhook', 0) : [];
    const without = unserved.map(({ name, message }): Clue => {
      const command = shell`oc get validatingwebhookconfiguration,mutatingwebhookconfiguration ${name} -o yaml`;
      return { likelihood: 'likely', subject: name, symptom: `${name}: ${message}`, command };
    });
    const lines = told(evidence, /failed calling webhook/);
    return [...said, ...without, ...clueOfLines(lines.slice(-1), 'likely', LIST)];
  },
  true,
);
