import { formatUrlHost } from '../../../platform/url-host.ts';
import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';

/** A single one may coincide with a certificate rotation. */
const MIN_OCCURRENCES = 3;

/** Machines booted with ignition files of another run of openshift-install: they trust another authority. */
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
  // A kubelet has its authority from the same file. During a rotation of authorities, a single answer may be of the
  // other one.
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
