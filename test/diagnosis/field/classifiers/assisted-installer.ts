import type { EvidenceTexts } from './index.ts';

/**
 * Signatures of assisted-installer's triage that read log files, with their files. Source:
 * tools/triage/add_triage_signature.py in https://github.com/openshift-assisted/assisted-installer-deployment, commit
 * 02ca70712934. Left out: those that read events and inventories of its service, which platform none lacks. Left out,
 * too: those that list facts for the reader. A pasted text counts as each file.
 */
const SIGNATURES: readonly (readonly [name: string, file: RegExp, pattern: RegExp])[] = [
  [
    'ApiExpiredCertificate',
    /bootstrap\/containers\/bootstrap-control-plane\/kube-apiserver\.log$/,
    /x509: certificate has expired or is not yet valid/,
  ],
  [
    'ApiInvalidCertificate',
    /assisted-installer-controller[^/]*\.logs$/,
    /time=".*" level=error msg=".*x509: certificate is valid.* not /,
  ],
  ['ReleasePullError', /journal\.logs$|journals\/release-image\.log$/, /release-image-download\.sh\[.+\]: Pull failed/],
  [
    'CoreOSInstallerError',
    /coreos-installer[^/]*\.logs?$|installer\.logs$/,
    /coreos-installer install .* Error exit status/,
  ],
  [
    'NetworksMtuMismatch',
    /namespaces\/openshift-sdn\/pods\/sdn-[^/]+\/.*\.log$/,
    /Failed to start sdn: interface MTU \(\d+\) is too small/,
  ],
  [
    'DualStackBadRoute',
    /control-plane\/[^/]+\/containers\/ovnkube-node-[^/]*\.log$/,
    /^F.*failed to get default gateway interface$/m,
  ],
  ['DualstackrDNSBug', /bootstrap\/containers\/kube-apiserver-[^/]*\.log$/, /must match public address family/],
  [
    'MachineConfigDaemonErrorExtracting',
    /journals\/machine-config-daemon-firstboot\.log$/,
    /must be empty, pass --confirm to overwrite contents of directory$/m,
  ],
  ['ErrorCreatingReadWriteLayer', /namespaces\/[^/]+\/core\/pods\.yaml$/, /error creating read-write layer with ID/],
  ['MissingOSTreePivot', /control-plane\/[^/]+\/rpm-ostree\/status$/, /^(?![\s\S]*pivot:\/\/)/],
];

const PASTED = 'pasted.txt';

/** Names the first signature whose pattern is in one of its files; null: none. */
export function matchAssistedSignature(texts: EvidenceTexts): string | null {
  const found = SIGNATURES.find(([, file, pattern]) =>
    Object.entries(texts).some(([path, text]) => (path === PASTED || file.test(path)) && pattern.test(text)),
  );
  // A text has no status of rpm-ostree, in which something could be missing.
  return found === undefined || (PASTED in texts && found[0] === 'MissingOSTreePivot') ? null : found[0];
}
