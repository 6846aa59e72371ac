import { formatUrlHost } from '../../platform/text.ts';
import {
  canRemoveBootstrap,
  diagnosticRule,
  matchLogLines,
  type Symptom,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { ObservedMachine } from './evidence.ts';

/** "current time … is after …": the certificate has expired; "is before": the clock is wrong, which is another rule. */
const EXPIRED = /certificate has expired(?!.*is before)/;

/** The certificates in ignition files are valid for 24 hours; machines that boot later never join. */
export const ignitionExpired = diagnosticRule('ignition-stale', 'ignition', (evidence) => {
  const { ignition, now } = evidence;
  if (canRemoveBootstrap(evidence)) return [];
  const command = 'openssl x509 -noout -enddate -in tls/kubelet-signer.crt; ls -l --time-style=full-iso *.ign';
  const lines = matchLogLines(evidence, EXPIRED);
  const end = ignition?.expiresAt ?? null;
  if (end === null || end > now)
    return symptomsFromLines(lines.slice(-1), 'likely', 'date -u; ls -l --time-style=full-iso *.ign');
  const symptom = `bootstrap.ign: notAfter ${new Date(end).toISOString()}`;
  return [{ likelihood: 'certain', subject: '', symptom, command }, ...symptomsFromLines(lines.slice(-1), 'certain')];
});

/** A single one may coincide with a certificate rotation. */
const MIN_OCCURRENCES = 3;

/** Machines booted with ignition files of another run of openshift-install: they trust another CA. */
export const ignitionOfAnotherCluster = diagnosticRule('ignition-of-another-cluster', 'ignition', (evidence) => {
  const { ignition, api, design } = evidence;
  const address = design?.endpoints.apiInt[0] ?? 'API-INT';
  const command = `openssl s_client -connect ${address}:22623 -showcerts </dev/null | openssl x509 -noout -issuer -dates`;
  const files = (ignition?.problems ?? []).map(
    (symptom): Symptom => ({ likelihood: 'certain', subject: '', symptom, command }),
  );
  const server: Symptom[] =
    ignition?.server === 'untrusted'
      ? [
          {
            likelihood: 'certain',
            subject: '',
            symptom: `https://${formatUrlHost(address)}:22623/healthz: not signed by the authority in master.ign`,
            command,
          },
        ]
      : [];
  const isOther = api?.code === 'cluster-wrong-ca' || api?.code === 'cluster-other-install';
  const other: Symptom[] = isOther ? [{ likelihood: 'likely', subject: '', symptom: api.line, command }] : [];
  const fetching = matchLogLines(evidence, /(?::22623|\/config\/(?:master|worker)).*signed by unknown authority/);
  // A kubelet gets its CA from the same file. While the CA is rotated, a single answer may be signed by the other CA.
  const joining = matchLogLines(
    evidence,
    /\/\/api-int\.[\w.-]+:6443\/.*signed by unknown authority/,
    MIN_OCCURRENCES,
  ).filter(({ source }) => source !== 'openshift-install');
  // The log of the machine config server itself. Load balancers that only probe send nothing, or close at once.
  const refusing = matchLogLines(
    evidence,
    /TLS handshake error from \S+ remote error: tls: (?:bad certificate|unknown certificate authority)/,
    MIN_OCCURRENCES,
  ).filter(({ source }) => /machine-config-server/.test(source));
  const lines = fetching.length > 0 ? fetching : joining;
  return [
    ...files,
    ...server,
    ...other,
    ...symptomsFromLines(lines.slice(-1), 'likely', command),
    ...symptomsFromLines(refusing.slice(-1), 'possible', command),
  ];
});

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
          ...(ignition?.swappedRoles ?? []).map(
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
