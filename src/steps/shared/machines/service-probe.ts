import { statSync } from 'node:fs';
import { join } from 'node:path';
import { listImageFiles, type RhcosImageNames } from '../../../artifacts/boot/images.ts';
import {
  BOOT_SCRIPT_PATH,
  bootUrl,
  imagePath,
  listIgnitionFiles,
  nodeScriptPath,
} from '../../../artifacts/shared/generator.ts';
import {
  type BootActivity,
  formatSectionHeader,
  mergeBootActivity,
  parseBootProbeOutput,
} from '../../../checks/boot/boot-activity.ts';
import { OFFER_PATTERN } from '../../../checks/boot/dhcp-log.ts';
import type { ServedFile } from '../../../checks/files.ts';
import { isLocalHost } from '../../../checks/site/site.ts';
import { listServiceHosts } from '../../../design/derived-facts.ts';
import type { ServiceHost } from '../../../design/model.ts';
import { listLocalAddresses } from '../../../host/local-machine.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { toUserError } from '../../../i18n/user-error.ts';
import { isTimeReached, SECOND } from '../../../platform/clock.ts';
import { sanitize } from '../../../platform/sanitize.ts';
import { probeHttp } from '../../../probes/http-probe.ts';
import type { StepContext } from '../../contract.ts';
import { runHostCommand } from '../hosts/host-command.ts';
import { readPowerOnTimes } from './node-facts.ts';

const words = () => catalogue().steps.boot.probe;

/** Interval between two probes of a host (ms of the clock): each probe is a login. */
const PROBE_INTERVAL = 15 * SECOND;
/** The pause after a refused login. */
const RETRY_INTERVAL = 60 * SECOND;
const MAX_BYTES = 1024 * 1024;
/** Maximum number of machines whose MAC addresses one probe queries. */
const MAX_PINGS = 64;

const AS_ROOT = `root=; [ "$(id -u)" = 0 ] || { sudo -n true 2>/dev/null && root="sudo -n"; }`;

/**
 * Builds a command that prints what DHCP and TFTP servers logged last: from the journal, or from a system log if the
 * journal has nothing of them.
 */
export function buildLogCommand(): string {
  return `LC_ALL=C; export LC_ALL\n${AS_ROOT}\n${renderLogScript('')}\nexit 0`;
}

function renderLogScript(root: string): string {
  return `last() { grep -vE '${OFFER_PATTERN}' | tail -n 2000; }
entries=$($root journalctl -q --no-pager -o short-unix -n 20000 -t dhcpd -t kea-dhcp4 -t in.tftpd -t tftpd 2>/dev/null)
if [ -n "$entries" ]; then printf '%s\\n' "$entries" | last; else
  for file in ${root}/var/log/messages ${root}/var/log/syslog; do
    $root test -r $file && $root tail -c 1048576 $file | grep -E '(dhcpd|kea-dhcp4|tftpd)' | last
  done
fi`;
}

/**
 * Builds a read-only script that prints the leases of dhcpd (RHEL, Debian) and Kea, the older of its files first; what
 * DHCP and TFTP servers logged last; the neighbour table, after one ping to each of these addresses.
 * @param root where the host's file system begins
 */
export function renderProbeScript(root = '', addresses: readonly string[] = []): string {
  const targets = addresses.slice(0, MAX_PINGS).join(' ');
  return `LC_ALL=C; export LC_ALL
${AS_ROOT}
for address in ${targets}; do
  { command -v ping && ping -n -q -c 1 -W 1 "$address" || bash -c 'echo >"/dev/udp/$0/9"' "$address"; } >/dev/null 2>&1 &
done
part() { name=$1; shift; for file; do if $root test -r "$file"; then echo "$name"; $root tail -c 262144 "$file"; echo; fi; done; }
part '${formatSectionHeader('dhcpd')}' ${root}/var/lib/dhcpd/dhcpd.leases ${root}/var/lib/dhcp/dhcpd.leases
for kea in ${root}/var/lib/kea ${root}/var/lib/kea/lib; do
  # The heading may be cut off: it is always the same.
  if $root test -r $kea/kea-leases4.csv; then
    echo '${formatSectionHeader('kea')}'
    for file in $kea/kea-leases4.csv.2 $kea/kea-leases4.csv.1 $kea/kea-leases4.csv; do
      $root test -r $file && { $root head -n 1 $file; $root tail -c 262144 $file; }
    done
  fi
done
echo '${formatSectionHeader('log')}'
${renderLogScript(root)}
echo '${formatSectionHeader('neighbours')}'
wait
# Without ping, the neighbours answer within a moment.
command -v ping >/dev/null || sleep 1
if ! ip neigh show 2>/dev/null; then echo '${formatSectionHeader('arp')}'; cat /proc/net/arp 2>/dev/null; fi
exit 0`;
}

/** Boot activity that the service hosts recorded, and the hosts that cannot be read from here, with the reason. */
interface ServiceHostActivity {
  readonly activity: BootActivity;
  readonly unavailableHostLines: readonly string[];
}

/**
 * Probes the DHCP server and the boot server, here or over SSH with the user's keys. Returns the boot activity of the
 * last probe of each. A probe runs in the background; the caller waits only for the one on this machine.
 * @param shouldWait for callers that probe once: waits for every probe
 */
export async function probeServiceHosts(context: StepContext, shouldWait = false): Promise<ServiceHostActivity> {
  const probes = await Promise.all(
    listProbedHosts(context).map(async (host) => {
      const cachedProbe = context.probeCache.serviceProbes.get(host.name);
      const isDue =
        cachedProbe === undefined ||
        (!cachedProbe.isRunning && isTimeReached(context.clock, cachedProbe.nextAt, RETRY_INTERVAL));
      const pendingProbe = isDue ? probeServiceHost(context, host) : null;
      if (shouldWait || isLocalHost({ localAddresses: listLocalAddresses() }, host)) await pendingProbe;
      return { host, probe: context.probeCache.serviceProbes.get(host.name) };
    }),
  );
  return {
    activity: mergeBootActivity(probes.flatMap(({ probe }) => probe?.activity ?? [])),
    unavailableHostLines: probes.flatMap(({ host, probe }) =>
      probe?.activity || !probe?.reason ? [] : [words().unavailable(host.name, probe.reason)],
    ),
  };
}

/** Lists the hosts that observe machines while they boot: the DHCP server and, for firmware over TFTP, the bastion. */
function listProbedHosts({ design, manualActions }: StepContext): readonly ServiceHost[] {
  if (!manualActions.canLogIn) return [];
  const { dhcp, boot, bastion } = design.services;
  const names = [dhcp.server, boot.kind === 'ipxe' ? bastion.name : null];
  return listServiceHosts(design).filter(({ name }) => names.includes(name));
}

/** Lists the addresses of machines that were powered on: only these answer. */
function listPoweredOnAddresses(context: StepContext): readonly string[] {
  const powerOnTimes = readPowerOnTimes(context);
  return context.design.nodes.flatMap(({ name, ip }) => (powerOnTimes[name] === undefined ? [] : ip));
}

async function probeServiceHost(context: StepContext, host: ServiceHost): Promise<void> {
  const { clock, probeCache } = context;
  const previousProbe = probeCache.serviceProbes.get(host.name) ?? { activity: null, reason: null };
  probeCache.serviceProbes.set(host.name, { ...previousProbe, isRunning: true, nextAt: 0 });
  const output = await runHostCommand(context, host, renderProbeScript('', listPoweredOnAddresses(context))).catch(
    (error: unknown) => ({
      reason: toUserError(error).cause,
    }),
  );
  const now = clock.now();
  const result =
    'text' in output
      ? { activity: parseBootProbeOutput(sanitize(output.text, MAX_BYTES)), reason: null, nextAt: now + PROBE_INTERVAL }
      : { activity: null, reason: output.reason, nextAt: now + RETRY_INTERVAL };
  probeCache.serviceProbes.set(host.name, { ...result, isRunning: false });
}

const TIMEOUT = 3 * SECOND;

/** Requests the head of a file from the boot server, at the address that the nodes use. */
export async function probeFile(context: StepContext, path: string): Promise<ServedFile> {
  const { status, detail } = await probeHttp(
    context.resolveEndpoint,
    context.clock,
    `${bootUrl(context.design)}${path}`,
    TIMEOUT,
  );
  return { path, isPresent: status === 200, detail };
}

/**
 * Finds the files that machines will request and not get: scripts, images and, from another web server, ignition files.
 * An ignition file that is refused to this host (403) counts as served. A machine that lacks one of these files stops
 * halfway.
 */
export async function findUnservedFiles(
  context: StepContext,
  images: RhcosImageNames,
  server: 'ours' | 'other',
): Promise<readonly ServedFile[]> {
  const { design } = context;
  const scripts = design.nodes.map((node) => nodeScriptPath(node));
  const paths = design.services.boot.kind === 'ipxe' ? [BOOT_SCRIPT_PATH, ...scripts] : [];
  const probes = [
    ...paths.map((path) => probeFile(context, path)),
    ...listImageFiles(images).map((name) => probeImage(context, name)),
    ...(server === 'other' && design.topology !== 'single-node'
      ? listIgnitionFiles(design).map(({ path }) => probeIgnition(context, path))
      : []),
  ];
  return (await Promise.all(probes)).filter(({ isPresent }) => !isPresent);
}

/** Probes an image. One that is served shorter than the file here was truncated while it was copied. */
async function probeImage(context: StepContext, name: string): Promise<ServedFile> {
  const path = imagePath(name);
  const url = `${bootUrl(context.design)}${path}`;
  const { status, length, detail } = await probeHttp(context.resolveEndpoint, context.clock, url, TIMEOUT);
  const size = statSync(join(context.imagesDir, name), { throwIfNoEntry: false })?.size ?? null;
  const isSizeCorrect = size === null || length === null || size === length;
  return {
    path,
    isPresent: status === 200 && isSizeCorrect,
    detail: isSizeCorrect ? detail : catalogue().steps.prepare.otherSize(url, length, size),
  };
}

async function probeIgnition(context: StepContext, path: string): Promise<ServedFile> {
  const { status, detail } = await probeHttp(
    context.resolveEndpoint,
    context.clock,
    `${bootUrl(context.design)}${path}`,
    TIMEOUT,
  );
  return { path, isPresent: status === 403 || status === 200, detail };
}
