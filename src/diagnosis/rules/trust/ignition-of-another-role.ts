import { diagnosticRule, type Symptom } from '../diagnostic-rule.ts';
import type { ObservedMachine } from '../evidence.ts';

const IGNITION_FILES: Readonly<Record<string, string>> = { bootstrap: 'bootstrap', 'control-plane': 'master' };

/** A machine fetched the ignition file of another role: a control plane node joins as a worker, or vice versa. */
export const ignitionOfAnotherRole = diagnosticRule(
  'ignition-of-another-role',
  'ignition',
  ({ machines, design, ignition }) =>
    design?.topology === 'single-node'
      ? []
      : [
          ...machines.flatMap(findWrongFile),
          ...(ignition?.otherRole ?? []).map(
            (symptom): Symptom => ({
              likelihood: 'certain',
              subject: '',
              symptom,
              command: 'grep -o "config/[a-z]*" *.ign',
            }),
          ),
        ],
);

function findWrongFile({ name, role, requests }: ObservedMachine): Symptom[] {
  const isFile = /\/(bootstrap|master|worker)\.ign$/;
  const fetched = requests.findLast(({ path, status }) => isFile.test(path) && status < 400);
  const got = isFile.exec(fetched?.path ?? '')?.[1];
  const wanted = IGNITION_FILES[role] ?? 'worker';
  if (got === undefined || got === wanted) return [];
  const symptom = `${name} (${role}) fetched ${fetched?.path ?? ''}`;
  return [
    { likelihood: 'certain', subject: name, symptom, command: 'grep -n ignition .upi-wizard/boot-requests.ndjson' },
  ];
}
