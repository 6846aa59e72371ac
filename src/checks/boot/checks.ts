import { isReportOrTestRequest } from '../../host/boot-server/machine-report.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import { createCheckFactory, type Finding } from '../check.ts';

const check = createCheckFactory<BootEvidence>('boot');

/**
 * Another machine answers ARP for the address of a planned machine: connections reach whichever of the two answers
 * first.
 */
const bootAddressConflict = check('boot-address-taken', 'fatal', ({ machines }) =>
  machines.flatMap(({ name, address, mac, conflictingMac }) => {
    if (conflictingMac === null) return [];
    const { title, cause, remedy } = catalogue().diagnosis.boot['boot-address-taken'];
    return [
      {
        state: 'failed',
        subject: name,
        title: title(name, address),
        evidence: [cause(conflictingMac, mac)],
        remedy: remedy(conflictingMac, name),
      },
    ];
  }),
);

/**
 * The machine that iPXE reported does not fit the design. The boot server stopped it before anything was written to its
 * disk.
 */
const bootMachineUnfit = check('boot-machine-unfit', 'fatal', ({ machines }) =>
  machines.flatMap(({ name, problems = [] }) => {
    if (problems.length === 0) return [];
    const { title, remedy } = catalogue().diagnosis.boot['boot-machine-unfit'];
    return [
      {
        state: 'failed',
        subject: name,
        title: title(name, problems[0] ?? ''),
        evidence: problems,
        remedy: remedy(name),
      },
    ];
  }),
);

/** Some network tests failed that iPXE ran on the machine before the installation. */
const bootNetworkTestFailed = check('boot-unreached', 'fatal', ({ machines }) =>
  machines.flatMap(({ name, failedNetworkTests = [] }) => {
    if (failedNetworkTests.length === 0) return [];
    const { title, remedy } = catalogue().diagnosis.boot['boot-unreached'];
    return [
      {
        state: 'failed',
        subject: name,
        title: title(name, failedNetworkTests[0] ?? ''),
        evidence: failedNetworkTests,
        remedy,
      },
    ];
  }),
);

/**
 * A refused request is reported only this long after power-on: writing the disk and the first reboot send no requests.
 * A machine whose last request was refused does not recover on its own.
 */
const GRACE_PERIOD = 10 * MINUTE;

/**
 * The boot server refused a machine's last request, and no other followed; or the machine has an unplanned address,
 * which never gets the ignition file.
 */
const bootRequestRefused = check('boot-stuck', 'fatal', ({ machines, now }) =>
  machines.flatMap(({ name, poweredOnAt, lastRequest, refusedClient }) => {
    if (refusedClient) {
      const { title, unplannedAddress } = words()['boot-stuck'];
      return [
        {
          state: 'failed',
          subject: name,
          title: title(name, refusedClient.path),
          evidence: [unplannedAddress.cause(refusedClient.address)],
          remedy: unplannedAddress.remedy(name),
        },
      ];
    }
    if (lastRequest === null || lastRequest.status < 400) return [];
    const { path, status } = lastRequest;
    // A file that is missing does not appear on its own.
    const gracePeriod = status === 404 ? 0 : GRACE_PERIOD;
    if (poweredOnAt === null || now - poweredOnAt < gracePeriod) return [];
    const { title, cause, remedies } = catalogue().diagnosis.boot['boot-stuck'];
    const remedy = status === 404 ? remedies.missing : remedies.refused;
    return [{ state: 'failed', subject: name, title: title(name, path), evidence: [cause(path, status)], remedy }];
  }),
);

const words = () => catalogue().diagnosis.boot;

/**
 * A machine that is silent for this long after power-on is not just slow: firmware, DHCP and the boot script take 2 to
 * 4 minutes.
 */
const SILENCE_LIMIT = 10 * MINUTE;

/**
 * A machine sent no request, and an unknown MAC address requests an address: the planned MAC address is probably
 * mistyped.
 */
export const bootUnknownMac = check('boot-unknown-mac', 'fatal', (evidence) =>
  listSilentMachines(evidence).flatMap(({ machine: { name, mac }, similarMac }) => {
    if (similarMac === null) return [];
    const { title, cause, remedy } = words()['boot-unknown-mac'];
    return [
      {
        state: 'failed',
        subject: name,
        title: title(name, similarMac),
        evidence: [cause(name, mac)],
        remedy: remedy(name, similarMac),
        detectedMac: similarMac,
      },
    ];
  }),
);

/**
 * A machine sent no request. With an ISO that contains its ignition file it never sends one: then this is a warning.
 */
export const bootSilent = check('boot-silent', 'fatal', (evidence) =>
  listSilentMachines(evidence).flatMap(({ machine: { name, mac, requestExpectedSince, isCorrected }, similarMac }) => {
    if (isCorrected) {
      const { title, cause, remedy } = words()['boot-silent'].corrected;
      return [{ state: 'failed', subject: name, title: title(name), evidence: [cause(mac)], remedy: remedy(name) }];
    }
    const waitTime = requestExpectedSince === null ? 0 : evidence.now - requestExpectedSince;
    if (similarMac !== null || waitTime < SILENCE_LIMIT || evidence.isRequestLogComplete === false) return [];
    const { title, cause, remedy } = words()['boot-silent'][evidence.boot];
    return [
      {
        state: 'failed',
        severity: evidence.boot === 'iso' ? 'warning' : 'fatal',
        subject: name,
        title: title(name),
        evidence: [cause(Math.floor(waitTime / MINUTE))],
        remedy: remedy(name, mac),
      },
    ];
  }),
);

/** Whether a finding is the machine that, by the diagnosis, never boots: it also has the MAC address to compare. */
export function isSilentMachineReported({ code, subject }: Finding, findings: readonly Finding[]): boolean {
  const [name] = subject?.split('.') ?? [];
  return (
    code === 'node-never-boots' &&
    findings.some((finding) => finding.code === bootSilent.id && finding.subject === name)
  );
}

/** Lists powered-on machines without any request, each with the unknown MAC address that may be its own. */
function listSilentMachines({ machines, unknownMacs, now }: BootEvidence) {
  const silentMachines = machines.filter(({ stage, poweredOnAt }) => stage === 'off' && poweredOnAt !== null);
  return silentMachines.map((machine) => {
    const hasWaitedLong = !machine.isCorrected && now - (machine.poweredOnAt ?? now) >= SILENCE_LIMIT / 2;
    return { machine, similarMac: hasWaitedLong ? findClosestMac(machine, unknownMacs, silentMachines) : null };
  });
}

/**
 * Finds the unknown MAC address most like a planned one: a typing error changes few digits. With one silent machine,
 * any unknown address matches; with more, it matches only the machine that it is most like.
 */
function findClosestMac(
  { mac }: BootMachineEvidence,
  unknownMacs: readonly string[],
  silentMachines: readonly BootMachineEvidence[],
): string | null {
  const candidates = unknownMacs
    .map((similarMac) => ({ similarMac, distance: countDifferingDigits(mac, similarMac) }))
    .filter(({ similarMac, distance: ownDistance }) =>
      silentMachines.every((silentMachine) => countDifferingDigits(silentMachine.mac, similarMac) >= ownDistance),
    )
    .sort((a, b) => a.distance - b.distance);
  const closestCandidate = candidates[0];
  if (!closestCandidate) return null;
  return closestCandidate.distance <= 3 || silentMachines.length === 1 ? closestCandidate.similarMac : null;
}

function countDifferingDigits(a: string, b: string): number {
  return [...a].filter((digit, index) => digit !== b[index]).length;
}

/**
 * Minutes from a stage to the next one: `usual`, and `late`, from which on it is reported. The root file system has
 * about a gigabyte, and firmware tries its other boot devices first.
 */
const NEXT_STAGE_MINUTES = {
  lease: { usual: 1, late: 15 },
  script: { usual: 1, late: 10 },
  kernel: { usual: 2, late: 10 },
  rootfs: { usual: 3, late: 10 },
} as const;

type StallableStage = keyof typeof NEXT_STAGE_MINUTES;

/**
 * A machine reached a stage, no request was refused, and the next stage did not follow: the first missing stage shows
 * why.
 */
const bootStalled = check('boot-halted', 'warning', ({ machines, now, boot, isRequestLogComplete = true }) =>
  boot === 'iso' || !isRequestLogComplete
    ? []
    : machines.flatMap(
        ({ name, stage, requestExpectedSince, poweredOnAt, lastRequest, refusedClient, problems = [] }) => {
          // Another check reports a machine that the boot server stopped.
          if (problems.length > 0 || refusedClient) return [];
          const since = lastRequest?.at ?? requestExpectedSince;
          if (!isStallable(stage) || poweredOnAt === null || since === null) return [];
          // Another check reports a refused request.
          if ((lastRequest?.status ?? 0) >= 400) return [];
          const { usual, late } = NEXT_STAGE_MINUTES[stage];
          const waitedMinutes = Math.floor((now - since) / MINUTE);
          if (waitedMinutes < late) return [];
          const { title, cause, remedy } = catalogue().diagnosis.boot['boot-halted'];
          return [
            {
              state: 'failed',
              subject: name,
              title: title(name, stage),
              evidence: [cause(stage, waitedMinutes, usual)],
              remedy: remedy[stage](name),
            },
          ];
        },
      ),
);

function isStallable(stage: BootMachineEvidence['stage']): stage is StallableStage {
  return stage in NEXT_STAGE_MINUTES;
}

/** The checks that explain why machines do not boot. */
export const BOOT_CHECKS = [
  bootAddressConflict,
  bootMachineUnfit,
  bootNetworkTestFailed,
  bootUnknownMac,
  bootSilent,
  bootRequestRefused,
  bootStalled,
];

/** The stages of a machine from power-on to the cluster, in order. */
export const BOOT_STAGES = ['off', 'lease', 'script', 'kernel', 'rootfs', 'ignition', 'ready'] as const;
export type BootStage = (typeof BOOT_STAGES)[number];

/** Evidence about one machine. Times in ms of the clock. */
export interface BootMachineEvidence {
  readonly name: string;
  readonly address: string;
  readonly mac: string;
  readonly stage: BootStage;
  readonly poweredOnAt: number | null;
  /** Time from which a request is expected from it; null while it is not due for power-on. */
  readonly requestExpectedSince: number | null;
  /** MAC address of another machine that answers ARP at its address; null if none is visible. */
  readonly conflictingMac: string | null;
  /** Whether the design has another MAC or IP address for it than the last generated files. Default: false. */
  readonly isCorrected?: boolean;
  /** Why the boot server stopped it, in words. Default: it did not. */
  readonly problems?: readonly string[];
  /** Failed network tests of its iPXE, in words. Default: none. */
  readonly failedNetworkTests?: readonly string[];
  readonly lastRequest: { readonly path: string; readonly status: number; readonly at: number } | null;
  /** The unplanned address that was refused the ignition file after its last request, if it can be this machine. */
  readonly refusedClient?: { readonly address: string; readonly path: string } | null;
}

/** Evidence from the boot server and the DHCP server about machines that should boot. */
export interface BootEvidence {
  readonly now: number;
  /** How the machines boot. Over the network, all of them send requests. */
  readonly boot: 'ipxe' | 'iso';
  readonly machines: readonly BootMachineEvidence[];
  /** MAC addresses that requested an address and are in none of our files. */
  readonly unknownMacs: readonly string[];
  /** False if the log of the web server cannot be read: then a missing request proves nothing. Default: true. */
  readonly isRequestLogComplete?: boolean;
}

/** Derives the furthest stage that a machine's requests prove. */
export function deriveBootStage(
  requests: readonly { readonly path: string; readonly status: number }[],
  hasLease: boolean,
): BootStage {
  let stage: BootStage = hasLease ? 'lease' : 'off';
  for (const { path, status } of requests) {
    if (status >= 400) continue;
    const requestStage = parseRequestStage(path);
    if (requestStage !== null && BOOT_STAGES.indexOf(requestStage) > BOOT_STAGES.indexOf(stage)) stage = requestStage;
  }
  return stage;
}

/** Parses the stage that a request to the boot server proves; null if it proves none. */
export function parseRequestStage(path: string): BootStage | null {
  if (isReportOrTestRequest(path)) return null;
  if (path.startsWith('/ignition/')) return 'ignition';
  if (path.startsWith('/images/')) return /rootfs|metal/.test(path) ? 'rootfs' : 'kernel';
  // The console of a machine that boots from the ISO fetches the script.
  return /\.ipxe(?:\?|$)/.test(path) || path.startsWith('/iso/') ? 'script' : null;
}
