import { type Clue, cause } from '../cause.ts';
import type { MachineSeen } from '../evidence.ts';

const FILES: Readonly<Record<string, string>> = { bootstrap: 'bootstrap', 'control-plane': 'master' };

/** A machine fetched the ignition file of another role: a control plane node joins as a worker, or the other way round. */
export const ignitionOfAnotherRole = cause('ignition-of-another-role', 'ignition', ({ machines, design, ignition }) =>
  design?.topology === 'single-node'
    ? []
    : [
        ...machines.flatMap(wrongFile),
        ...(ignition?.otherRole ?? []).map(
          (symptom): Clue => ({
            likelihood: 'certain',
            subject: '',
            symptom,
            command: 'grep -o "config/[a-z]*" *.ign',
          }),
        ),
      ],
);

function wrongFile({ name, role, requests }: MachineSeen): Clue[] {
  const isFile = /\/(bootstrap|master|worker)\.ign$/;
  const fetched = requests.findLast(({ path, status }) => isFile.test(path) && status < 400);
  const got = isFile.exec(fetched?.path ?? '')?.[1];
  const wanted = FILES[role] ?? 'worker';
  if (got === undefined || got === wanted) return [];
  const symptom = `${name} (${role}) fetched ${fetched?.path ?? ''}`;
  return [
    { likelihood: 'certain', subject: name, symptom, command: 'grep -n ignition .upi-wizard/boot-requests.ndjson' },
  ];
}
