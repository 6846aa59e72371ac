import { urlHost } from '../../../text/url-host.ts';
import { type Clue, cause, clueOfLines, told } from '../cause.ts';

/** One may fall into a change of certificates. */
const OFTEN = 3;

/** Machines booted with ignition files of another run of the installer: they trust another authority. */
export const ignitionOfAnotherCluster = cause('ignition-of-another-cluster', 'ignition', (evidence) => {
  const { ignition, api, design } = evidence;
  const address = design?.endpoints.apiInt[0] ?? 'API-INT';
  const command = `openssl s_client -connect ${address}:22623 -showcerts </dev/null | openssl x509 -noout -issuer -dates`;
  const files = (ignition?.problems ?? []).map(
    (symptom): Clue => ({ likelihood: 'certain', subject: '', symptom, command }),
  );
  const server: Clue[] =
    ignition?.server === 'untrusted'
      ? [
          {
            likelihood: 'certain',
            subject: '',
            symptom: `https://${urlHost(address)}:22623/healthz: not signed by the authority in master.ign`,
            command,
          },
        ]
      : [];
  const isOther = api?.code === 'cluster-wrong-ca' || api?.code === 'cluster-other-install';
  const other: Clue[] = isOther ? [{ likelihood: 'likely', subject: '', symptom: api.line, command }] : [];
  const fetching = told(evidence, /(?::22623|\/config\/(?:master|worker)).*signed by unknown authority/);
  // A kubelet has its authority from the same file; while authorities change, one answer may be of the other.
  const joining = told(evidence, /\/\/api-int\.[\w.-]+:6443\/.*signed by unknown authority/, OFTEN).filter(
    ({ source }) => source !== 'openshift-install',
  );
  // The machine config server's side of it: balancers that only look send nothing, or end at once.
  const refusing = told(
    evidence,
    /TLS handshake error from \S+ remote error: tls: (?:bad certificate|unknown certificate authority)/,
    OFTEN,
  ).filter(({ source }) => /machine-config-server/.test(source));
  const lines = fetching.length > 0 ? fetching : joining;
  return [
    ...files,
    ...server,
    ...other,
    ...clueOfLines(lines.slice(-1), 'likely', command),
    ...clueOfLines(refusing.slice(-1), 'possible', command),
  ];
});
