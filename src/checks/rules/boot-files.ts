import { getIgnitionName } from '../../design/choices.ts';
import { getNodeFqdn } from '../../design/derived-facts.ts';
import { formatUtc, MINUTE } from '../../platform/clock.ts';
import { formatUrlHost } from '../../platform/text.ts';
import { LIVE_SYSTEM_FETCH_ERROR, symptomsFromBootMessages } from './boot-messages.ts';
import {
  canRemoveBootstrap,
  createDiagnosticRule,
  createSymptom,
  matchLogLines,
  type Symptom,
  symptomsFromChecks,
  symptomsFromFailedChecks,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { Evidence, EvidenceLine, ObservedMachine, SiteCheckResult } from './evidence.ts';
import { listStalledLiveSystems } from './machines.ts';
import { isLiveSystemTooLarge } from './nodes.ts';

/** A file that machines boot with is not served, is empty, or points nowhere. */
export const bootFileMissing = createDiagnosticRule('boot-file-missing', 'boot', (evidence) => {
  const missingFileChecks = listFailedFileChecks(evidence).filter(({ status }) => status !== 403);
  return [
    ...symptomsFromChecks(missingFileChecks, 'certain'),
    ...listRefusedRequestSymptoms(evidence, 404),
    ...symptomsFromBootMessages(evidence, 'boot-file-missing'),
  ];
});

const BOOT_FILE_CHECK_IDS: readonly SiteCheckResult['id'][] = ['http-artifacts', 'ipxe-script', 'ipxe-nodes'];

/** Lists the failed checks of the files that machines boot with. */
function listFailedFileChecks({ checks }: Evidence): SiteCheckResult[] {
  return BOOT_FILE_CHECK_IDS.flatMap((code) => checks.filter((check) => check.id === code && check.state === 'failed'));
}

/** Lists machines whose last request was answered with this HTTP status. */
function listRefusedRequestSymptoms({ machines, design }: Evidence, status: number): Symptom[] {
  const { bastion, boot } = design?.services ?? {};
  return machines.flatMap(({ name, lastRequest, hasJoined }) => {
    if (lastRequest?.status !== status || hasJoined) return [];
    const command = `curl -sI http://${formatUrlHost(bastion?.ip[0] ?? '')}:${boot?.httpPort ?? 8080}${lastRequest.path}`;
    return [createSymptom('certain', name, `${lastRequest.path} ${status}`, command)];
  });
}

/**
 * The web server may not read an existing file (permissions, SELinux), or refuses an ignition file to an unknown
 * address.
 */
export const bootFileForbidden = createDiagnosticRule('boot-file-forbidden', 'boot', (evidence) => {
  const forbiddenFileChecks = listFailedFileChecks(evidence).filter(({ status }) => status === 403);
  return [
    ...symptomsFromChecks(forbiddenFileChecks, 'certain'),
    ...listRefusedRequestSymptoms(evidence, 403),
    ...symptomsFromBootMessages(evidence, 'boot-file-forbidden'),
  ];
});

/** Firmware requests its boot program within seconds after it has its address. */
const GRACE_PERIOD = 5 * MINUTE;

/** The TFTP server does not serve the boot program of the firmware: no machine gets further than its DHCP lease. */
export const bootProgramMissing = createDiagnosticRule('boot-program-missing', 'boot', (evidence) =>
  // A failed TFTP check from this machine does not prove that TFTP stops the machines.
  [
    ...(isStuckAtLease(evidence) ? symptomsFromFailedChecks(evidence, 'tftp', 'likely') : []),
    ...symptomsFromBootMessages(evidence, 'boot-program-missing'),
  ],
);

/**
 * Whether a machine has its lease and no machine got further. Only then does TFTP matter: firmware may get its program
 * from another server, or over HTTP.
 */
function isStuckAtLease({ machines, now }: Evidence): boolean {
  const isWaiting = machines.some(
    ({ stage, poweredOnAt }) => stage === 'lease' && now - (poweredOnAt ?? now) > GRACE_PERIOD,
  );
  return isWaiting && machines.every(({ requests }) => requests.length === 0);
}

/** A server that answered machines within this time works: a single failed probe of ours proves nothing. */
const RECENT_PERIOD = 30 * MINUTE;

/** No server answers where machines fetch their scripts, images and ignition files. */
export const bootServerUnreachable = createDiagnosticRule(
  'boot-server-silent',
  'boot',
  (evidence) => {
    const isAnswering = evidence.machines.some(
      ({ lastRequest }) => evidence.now - (lastRequest?.at ?? 0) < RECENT_PERIOD,
    );
    return [
      ...(isAnswering ? [] : symptomsFromFailedChecks(evidence, 'boot-server')),
      ...symptomsFromBootMessages(evidence, 'boot-server-silent'),
    ];
  },
  true,
);

/**
 * No TFTP server answers firmware that requests its program: a packet filter, or no server. No machine gets further
 * than its address.
 */
export const tftpServerUnreachable = createDiagnosticRule('tftp-silent', 'boot', (evidence) => [
  ...(isStuckAtLease(evidence) ? symptomsFromFailedChecks(evidence, 'tftp-server', 'likely') : []),
  ...symptomsFromBootMessages(evidence, 'tftp-silent'),
]);

/** `rhcos-418.94.202410090804-0-live-kernel-x86_64`: the build is between the name and the kind. */
const BUILD_NAME = /^(?:rh|s)cos-(\d[\w.-]*?)-(?:live|installer|metal)/;

/** Kernel, initramfs and root file system are of different builds, or not the published ones. */
export const rhcosBuildMismatch = createDiagnosticRule('rhcos-mixed', 'boot', (evidence) => {
  const { names, mismatchedNames } = evidence.images;
  const builds = new Set(names.flatMap((name) => BUILD_NAME.exec(name)?.[1] ?? []));
  const command = 'sha256sum images/*; openshift-install coreos print-stream-json | grep -E "sha256|location"';
  const buildSymptoms = builds.size > 1 ? [createMismatchSymptom(names.join(', '))] : [];
  const lines = matchLogLines(
    evidence,
    /rootfs (?:image )?(?:version )?.*(?:does not match|mismatch)|do(?:es)? not match initramfs|Found initramfs version \S+ but rootfs version|Couldn't fetch, verify, and unpack image|Unable to mount root|VFS: Cannot open root|verifying.*signature.*fail|checksum mismatch/i,
  ).filter((line) => !hasLiveSystemError(evidence, line));
  return [
    ...buildSymptoms,
    ...mismatchedNames.map((name) => createMismatchSymptom(`${name}: sha256`)),
    ...symptomsFromLines(lines.slice(-1), 'likely', command),
    ...describeStalledMachines(evidence).map((text): Symptom => createSymptom('possible', '', text, command)),
  ];

  function createMismatchSymptom(evidenceText: string): Symptom {
    return createSymptom('certain', '', evidenceText, command);
  }
});

/** Whether an earlier message of the machine has the reason: too little memory, or no answer of the web server. */
function hasLiveSystemError({ lines }: Evidence, { host }: EvidenceLine): boolean {
  return lines.some(
    (line) => line.host === host && (isLiveSystemTooLarge(line) || LIVE_SYSTEM_FETCH_ERROR.test(line.text)),
  );
}

/**
 * Describes the machines if all of them stop at their root file system: the live system then rejects a file of another
 * build, because not every disk is broken.
 */
function describeStalledMachines(evidence: Evidence): string[] {
  const stalledMachines = listStalledLiveSystems(evidence);
  const hasProgress = evidence.machines.some(({ stage, hasJoined }) => stage === 'ignition' || hasJoined);
  if (hasProgress || stalledMachines.length < 2) return [];
  return [
    `${stalledMachines[0]?.lastRequest?.path ?? ''} fetched by ${stalledMachines.map(({ name }) => name).join(', ')}, and no ignition file`,
  ];
}

/** Messages of Ignition about a file that it cannot use (coreos/ignition config/shared/errors). */
const INVALID_CONFIG =
  /config is not valid|not a config \(empty\)|error at line \d+ col \d+|unexpected end of JSON input|invalid character '.' looking for beginning of value/;

/** A machine fetched no valid ignition file: an error page or a truncated file. */
export const ignitionInvalid = createDiagnosticRule('ignition-broken', 'ignition', (evidence) => [
  ...(evidence.ignition?.unusableFiles ?? []).map(
    (text): Symptom => createSymptom('certain', '', text, 'jq -e .ignition.version *.ign'),
  ),
  ...symptomsFromLines(
    matchLogLines(evidence, INVALID_CONFIG).filter(
      ({ source, text }) => /ignition|emergency|console/i.test(source) || /fetch config/.test(text),
    ),
    'certain',
    'jq -e .ignition.version *.ign; curl -s IGNITION-URL | head -c 200',
  ),
]);

/**
 * "current time … is after …": the certificate has expired; "is before": the clock is wrong, which another rule
 * reports.
 */
const EXPIRED_CERTIFICATE = /certificate has expired(?!.*is before)/;

/** The certificates in ignition files are valid for 24 hours; machines that boot later never join. */
export const ignitionExpired = createDiagnosticRule('ignition-stale', 'ignition', (evidence) => {
  const { ignition, now } = evidence;
  if (canRemoveBootstrap(evidence)) return [];
  const command = 'openssl x509 -noout -enddate -in tls/kubelet-signer.crt; ls -l --time-style=full-iso *.ign';
  const lines = matchLogLines(evidence, EXPIRED_CERTIFICATE);
  const expiresAt = ignition?.expiresAt ?? null;
  if (expiresAt === null || expiresAt > now)
    return symptomsFromLines(lines.slice(-1), 'likely', 'date -u; ls -l --time-style=full-iso *.ign');
  const evidenceText = `bootstrap.ign: notAfter ${formatUtc(expiresAt, 'second')} UTC`;
  return [createSymptom('certain', '', evidenceText, command), ...symptomsFromLines(lines.slice(-1), 'certain')];
});

/** A single rejection may coincide with a certificate rotation. */
const MIN_REJECTIONS = 3;

/** Machines booted with ignition files of another run of openshift-install: they trust another CA. */
export const ignitionOfAnotherCluster = createDiagnosticRule('ignition-of-another-cluster', 'ignition', (evidence) => {
  const { ignition, api, design } = evidence;
  const address = design?.endpoints.apiInt[0] ?? 'API-INT';
  const command = `openssl s_client -connect ${address}:22623 -showcerts </dev/null | openssl x509 -noout -issuer -dates`;
  const fileSymptoms = (ignition?.problems ?? []).map((text): Symptom => createSymptom('certain', '', text, command));
  const serverSymptoms: Symptom[] =
    ignition?.server === 'untrusted'
      ? [
          createSymptom(
            'certain',
            '',
            `https://${formatUrlHost(address)}:22623/healthz: not signed by the authority in master.ign`,
            command,
          ),
        ]
      : [];
  const isOtherCluster = api?.code === 'cluster-wrong-ca' || api?.code === 'cluster-other-install';
  const otherClusterSymptoms: Symptom[] = isOtherCluster ? [createSymptom('likely', '', api.detail, command)] : [];
  const fetchLines = matchLogLines(evidence, /(?::22623|\/config\/(?:master|worker)).*signed by unknown authority/);
  // A kubelet gets its CA from the same file. While the CA is rotated, a single answer may be signed by the other CA.
  const joinLines = matchLogLines(
    evidence,
    /\/\/api-int\.[\w.-]+:6443\/.*signed by unknown authority/,
    MIN_REJECTIONS,
  ).filter(({ source }) => source !== 'openshift-install');
  // Lines from the log of the Machine Config Server itself. Load balancers that only probe the port send nothing or
  // close at once, and cause no such line.
  const refusalLines = matchLogLines(
    evidence,
    /TLS handshake error from \S+ remote error: tls: (?:bad certificate|unknown certificate authority)/,
    MIN_REJECTIONS,
  ).filter(({ source }) => /machine-config-server/.test(source));
  const lines = fetchLines.length > 0 ? fetchLines : joinLines;
  return [
    ...fileSymptoms,
    ...serverSymptoms,
    ...otherClusterSymptoms,
    ...symptomsFromLines(lines.slice(-1), 'likely', command),
    ...symptomsFromLines(refusalLines.slice(-1), 'possible', command),
  ];
});

/** A machine fetched the ignition file of another role: a control plane node joins as a worker, or vice versa. */
export const ignitionOfAnotherRole = createDiagnosticRule(
  'ignition-of-another-role',
  'ignition',
  ({ machines, design, ignition }) =>
    design?.topology === 'single-node'
      ? []
      : [
          ...machines
            .flatMap(listWrongIgnitionFileSymptoms)
            .map((symptom) =>
              design === null ? symptom : { ...symptom, object: getNodeFqdn(design, { name: symptom.subject }) },
            ),
          ...(ignition?.swappedRoleFiles ?? []).map(
            (text): Symptom => createSymptom('certain', '', text, 'grep -o "config/[a-z]*" *.ign'),
          ),
        ],
);

function listWrongIgnitionFileSymptoms({ name, role, requests }: ObservedMachine): Symptom[] {
  const ignitionPattern = /\/(bootstrap|master|arbiter|worker)\.ign$/;
  const request = requests.findLast(({ path, status }) => ignitionPattern.test(path) && status < 400);
  const fetchedKind = ignitionPattern.exec(request?.path ?? '')?.[1];
  const expectedKind = getIgnitionName(role);
  if (fetchedKind === undefined || fetchedKind === expectedKind) return [];
  const evidenceText = `${name} (${role}) fetched ${request?.path ?? ''}`;
  return [createSymptom('certain', name, evidenceText, 'grep -n ignition .upi-wizard/boot-requests.ndjson')];
}
