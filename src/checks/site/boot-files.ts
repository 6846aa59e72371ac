import { listImageFiles } from '../../artifacts/boot/images.ts';
import { listFirmwarePrograms } from '../../artifacts/boot/programs.ts';
import { filterIpv4, removeDuplicates } from '../../artifacts/network/addresses.ts';
import {
  BOOT_SCRIPT_PATH,
  bootUrl,
  IN_PLACE_IGNITION_PATH,
  ignitionPath,
  imagePath,
  nodeScriptPath,
  WEB_ROOT,
} from '../../artifacts/shared/generator.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import { parseMinorVersion } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import { compareScript } from './boot-scripts.ts';
import { BOOT_CLIENT_CHECK, TFTP_FILE_CHECK, WEB_FILE_CHECK } from './server-access.ts';
import {
  createSiteCheckFactory,
  querySite,
  type SiteCheckContext,
  type SiteResult,
  toSiteResult,
  type Verdict,
} from './site.ts';

const words = () => catalogue().diagnosis.site.details;
const check = createSiteCheckFactory('boot-files');

/** Checks of the files that machines boot with. */
export const BOOT_FILE_CHECKS = [
  BOOT_CLIENT_CHECK,
  WEB_FILE_CHECK,
  TFTP_FILE_CHECK,
  /** The boot server answers at all at the address that the nodes use. Only this check reports a silent server. */
  check('boot-server', 'fatal', (site) => {
    const boot = getNetworkBoot(site.design);
    if (boot === null) return [];
    return [
      queryHeaders(site, `${boot.url}${BOOT_SCRIPT_PATH}`, boot.url, ({ status, detail }) => ({
        state: status === null ? 'failed' : 'ok',
        detail,
      })),
    ];
  }),
  /** The first script of every machine: a `goto` to a missing label stops a machine at a prompt. */
  check('ipxe-script', 'fatal', (site) => {
    const boot = getNetworkBoot(site.design);
    if (boot === null) return [];
    const url = `${boot.url}${BOOT_SCRIPT_PATH}`;
    return [
      queryScript(site, url, url, (text) => {
        const verdict = evaluateIpxeScript(text);
        return verdict.state === 'ok' ? (compareScript(site, BOOT_SCRIPT_PATH, text) ?? verdict) : verdict;
      }),
    ];
  }),
  /** The script of each node, with the files and the disk of its own role. */
  check('ipxe-nodes', 'fatal', (site) => {
    const boot = getNetworkBoot(site.design);
    const nodes = boot === null ? [] : site.design.nodes.filter(({ secureBoot }) => !secureBoot);
    return nodes.map((node) =>
      queryScript(site, `${bootUrl(site.design)}${nodeScriptPath(node)}`, node.name, (text) => {
        const verdict = evaluateIpxeScript(text);
        const missingTexts = listScriptTexts(site, node).filter((scriptText) => !text.includes(scriptText));
        if (verdict.state !== 'ok') return verdict;
        const difference = compareScript(site, nodeScriptPath(node), text);
        if (missingTexts.length === 0) return difference ?? verdict;
        // The script of an installed machine loads nothing.
        return difference === null ? verdict : { state: 'failed', detail: words().missingTexts(missingTexts) };
      }),
    );
  }),
  /** The TFTP server answers at all. Only this check reports a silent server, which proves nothing about its files. */
  check('tftp-server', 'fatal', (site) => {
    const { programs, tftpServer } = getNetworkBoot(site.design) ?? NO_NETWORK_BOOT;
    return programs
      .slice(0, 1)
      .map((path) =>
        queryTftp(site, tftpServer, path, tftpServer, ({ state, detail }) =>
          state === 'timeout' ? { state: 'failed', detail } : { state: 'ok', detail: words().answersTftp },
        ),
      );
  }),
  /** The first program that firmware loads over TFTP. */
  check('tftp', 'fatal', (site) => {
    const { programs, tftpServer } = getNetworkBoot(site.design) ?? NO_NETWORK_BOOT;
    return programs.map((path) =>
      queryTftp(site, tftpServer, path, path, (answer) =>
        answer.state === 'timeout'
          ? { state: 'unknown', detail: words().noTftp(tftpServer) }
          : evaluateBootProgram(path, answer),
      ),
    );
  }),
  /** The first program that firmware loads if it boots over HTTP. */
  check('http-boot-program', 'warning', (site) => {
    const { programs, url } = getNetworkBoot(site.design) ?? NO_NETWORK_BOOT;
    return programs
      .filter((name) => name.endsWith('.efi'))
      .map((name) =>
        queryHeaders(site, `${url}/boot/${name}`, name, ({ status, detail }) => ({
          state: status === 200 ? 'ok' : status === null ? 'unknown' : 'failed',
          detail,
        })),
      );
  }),
  /**
   * Every image is served exactly as it is on this machine. A truncated copy stops a machine in the middle of its
   * installation.
   */
  check('http-artifacts', 'fatal', (site) =>
    listImageFiles(site.images).map(async (file) => {
      const url = getImageUrl(site, file);
      const result = await queryHeaders(site, url, file, (answer) => evaluateImageHead(site, file, answer));
      if (result.state !== 'ok') return result;
      const { subject, command } = result;
      return await querySite(site, 'sample', { url, file }, { subject, command }, (answer) =>
        evaluateSample(formatCopyRemedy(site, file), answer, result.evidence.join('; ')),
      );
    }),
  ),
  /** The checksum of each image here is the one that this openshift-install publishes. */
  check('rhcos-sums', 'fatal', (site) => {
    const files = listImageFiles(site.images);
    return files.map((file) => {
      const command = `sha256sum ${quoteShellArg(`${site.imagesDir}/${file}`)}; openshift-install coreos print-stream-json | grep ${file.replace(/^(?:rh|s)cos-/, '')}`;
      return querySite(site, 'images', { files }, { subject: file, command }, (answer) => {
        const state = answer.find(({ name }) => name === file)?.state ?? 'unchecked';
        const verdictStates = { ok: 'ok', missing: 'pending', wrong: 'failed', unchecked: 'unknown' } as const;
        return { state: verdictStates[state], detail: words().image[state] };
      });
    });
  }),
  /** Kernel, initramfs and root file system are from one build, which belongs to this minor version or an older one. */
  check('rhcos-build', 'fatal', (site) => {
    const files = listImageFiles(site.images);
    const builds = removeDuplicates(files.map(parseBuild));
    const subject = builds.filter((build) => build !== null).join(', ') || (files[0] ?? '');
    const command = files.map((file) => `curl -sI ${getImageUrl(site, file)}`).join('; ');
    return [Promise.resolve(toSiteResult({ subject, command }, evaluateBuilds(builds, files, site.design)))];
  }),
];

function evaluateImageHead(site: SiteCheckContext, file: string, answer: ProbeAnswer<'head'>): Verdict {
  const { status, length, detail, encoding, type, location } = answer;
  const bytes = site.imageSizes[file] ?? null;
  if (status === null) return { state: 'unknown', detail };
  if (status !== 200) {
    if (location === undefined) return { state: 'failed', detail, status };
    return { state: 'failed', detail: words().redirects(status, location), status, remedy: words().noRedirect };
  }
  if (encoding !== undefined && encoding !== 'identity')
    return {
      state: 'failed',
      detail: words().compressed(encoding),
      remedy: words().noCompression(site.design.services.bastion.name),
    };
  if (type?.startsWith('text/html')) return { state: 'failed', detail: words().htmlInstead };
  if (length === null) return { state: 'ok', detail };
  if (bytes !== null && bytes !== length)
    return { state: 'failed', detail: words().otherLength(length, bytes), remedy: formatCopyRemedy(site, file) };
  return { state: length === 0 ? 'failed' : 'ok', detail: words().bytes(length) };
}

function formatCopyRemedy({ imagesDir }: SiteCheckContext, file: string): string {
  const [source, target] = [`${imagesDir}/${file}`, `${WEB_ROOT}${imagePath(file)}`].map(quoteShellArg);
  return words().copyAgain(source ?? '', target ?? '');
}

/** Evaluates a compared sample. `detail` is the text about the headers, with which an `ok` verdict begins. */
function evaluateSample(copyRemedy: string, answer: ProbeAnswer<'sample'>, detail: string): Verdict {
  const { sample } = words();
  switch (answer.state) {
    case 'same':
      return { state: 'ok', detail: `${detail}; ${answer.isFullyCompared ? sample.all : sample.ranges}` };
    case 'unknown':
      return { state: 'ok', detail: `${detail}; ${sample.notCompared}` };
    case 'stalled':
      return { state: 'failed', detail: sample.stalls(answer.bytes), remedy: words().sameMtuRemedy };
    case 'other': {
      const difference = answer.path === null ? sample.other(answer.at) : sample.otherFile(answer.path);
      return { state: 'failed', detail: difference, remedy: copyRemedy };
    }
  }
}

const NO_NETWORK_BOOT = { url: '', tftpServer: '', programs: [] };

/** Returns where machines that boot from the network get their first files; null: they boot from an ISO. */
export function getNetworkBoot(design: Design) {
  const { boot, bastion, dhcp } = design.services;
  if (boot.kind !== 'ipxe') return null;
  const programs = listFirmwarePrograms(design.openshift.architecture);
  return {
    url: bootUrl(design),
    tftpServer: filterIpv4(bastion.ip)[0] ?? '',
    /** Boot programs, served by TFTP and over HTTP under /boot. */
    programs: dhcp.kind === 'none' ? [] : removeDuplicates(programs.map(({ program }) => program)),
  };
}

function getImageUrl({ design }: SiteCheckContext, file: string): string {
  return `${bootUrl(design)}${imagePath(file)}`;
}

/** Lists the texts that the script of a node must contain. */
function listScriptTexts({ design, images }: SiteCheckContext, { role, installDisk }: DesignNode): string[] {
  const url = bootUrl(design);
  const isSingle = design.topology === 'single-node';
  return [
    `${url}${imagePath(images.kernel)}`,
    `${url}${imagePath(images.initramfs)}`,
    `${url}${isSingle ? IN_PLACE_IGNITION_PATH : ignitionPath(role)}`,
    ...(isSingle ? [] : [installDisk.replace(/^\/dev\//, '')]),
  ];
}

function queryTftp(
  site: SiteCheckContext,
  server: string,
  path: string,
  subject: string,
  evaluate: (answer: ProbeAnswer<'tftp'>) => Verdict,
): Promise<SiteResult> {
  const command = `curl -s -o /dev/null -w '%{size_download}\\n' tftp://${server}/${path}`;
  return querySite(site, 'tftp', { server, path }, { subject, command }, evaluate);
}

/** The smallest program has 60 KB; anything shorter is truncated, or an error page. */
const MIN_PROGRAM_BYTES = 16 * 1024;

/** Evaluates the downloaded boot program as firmware would. */
export function evaluateBootProgram(path: string, { state, bytes, head, detail }: ProbeAnswer<'tftp'>): Verdict {
  if (bytes === null || state !== 'fetched') return { state: 'failed', detail };
  if (bytes < MIN_PROGRAM_BYTES) return { state: 'failed', detail: words().truncated(bytes) };
  // UEFI starts PE images only (UEFI 2.10, 2.1.1).
  const isStartable = !path.endsWith('.efi') || head === undefined || head === 'MZ';
  return isStartable
    ? { state: 'ok', detail: words().bytes(bytes) }
    : { state: 'failed', detail: words().notUefiProgram };
}

/** The commands of iPXE (https://ipxe.org/cmd) as scripts use them. */
const IPXE_COMMANDS = new Set(
  `autoboot boot chain choose clear colour console cpair cpuid dhcp echo exit form gdbstub goto help ibstat ifclose ifconf iflinkwait
   ifopen ifstat imgargs imgdecrypt imgexec imgextract imgfetch imgfree imgload imgmem imgselect imgsha1sum imgsha256sum imgsingle imgstat
   imgtrust imgverify initrd inc iseq isset item iwlist iwstat kernel login lotest md5sum menu module neighbour nslookup nstat ntp params
   param pciscan ping poweroff present profstat prompt pxebs read reboot route sanboot sanhook sanunhook set sha1sum sha256sum shell show
   shim sleep startpxe stoppxe sync time usbscan vcreate vdestroy`.split(/\s+/),
);

function parseIpxeCommands(text: string): string[] {
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !/^[#:]/.test(line))
      .flatMap((line) => line.split(/\s(?:&&|\|\|)(?:\s|$)/))
      .flatMap((command) => command.trim().split(/\s+/)[0] || [])
      // The value of a variable is unknown here, so a command that contains one is skipped.
      .filter((command) => !command.includes('${'))
  );
}

/**
 * Checks that iPXE can run a script to its end: signature in the first bytes, each label once, each `goto` to an
 * existing label.
 */
export function evaluateIpxeScript(text: string): Verdict {
  if (!text.startsWith('#!ipxe')) return { state: 'failed', detail: words().notIpxeScript };
  const unknownCommands = parseIpxeCommands(text).filter((command) => !IPXE_COMMANDS.has(command));
  if (unknownCommands.length > 0)
    return { state: 'failed', detail: words().unknownCommands([...new Set(unknownCommands)]) };
  const labels = [...text.matchAll(/^\s*:(\S+)/gm)].map(([, label]) => label ?? '');
  const duplicateLabels = labels.filter((label, index) => labels.indexOf(label) !== index);
  const jumps = [...text.matchAll(/\bgoto\s+([\w-]+)/g)].map(([, label]) => label ?? '');
  const missingLabels = jumps.filter((label) => !labels.includes(label));
  if (duplicateLabels.length > 0) return { state: 'failed', detail: words().duplicateLabels(duplicateLabels) };
  if (missingLabels.length > 0) return { state: 'failed', detail: words().missingLabels(missingLabels) };
  return { state: 'ok', detail: words().bytes(text.length) };
}

function queryScript(
  site: SiteCheckContext,
  url: string,
  subject: string,
  evaluate: (text: string) => Verdict,
): Promise<SiteResult> {
  return querySite(site, 'text', { url }, { subject, command: `curl -s ${url}` }, ({ status, text, detail }) => {
    if (text !== null) return evaluate(text);
    if (status === null) return { state: 'unknown', detail };
    return { state: 'failed', detail, ...(status === 200 ? {} : { status }) };
  });
}

/** Queries the headers of a file. */
export function queryHeaders(
  site: SiteCheckContext,
  url: string,
  subject: string,
  evaluate: (answer: ProbeAnswer<'head'>) => Verdict,
): Promise<SiteResult> {
  return querySite(site, 'head', { url }, { subject, command: `curl -sI ${url}` }, evaluate);
}

function evaluateBuilds(
  [build = null, ...otherBuilds]: (string | null)[],
  files: readonly string[],
  { openshift }: Design,
): Verdict {
  const { version } = openshift;
  if (otherBuilds.length > 0) return { state: 'failed', detail: files.join(', ') };
  if (build === null) return { state: 'unknown', detail: words().unknownBuild };
  const release = parseBuildRelease(build);
  return release !== null && isNewerMinor(release, parseMinorVersion(version) ?? version)
    ? { state: 'failed', detail: words().newerBuild(build, release, version) }
    : { state: 'ok', detail: words().sameBuild(build) };
}

/**
 * Parses the build in the name of an image: 418.94.202410090804-0 in rhcos-418.94.202410090804-0-live-kernel-x86_64.
 * Null for a name without a version, as on the mirror.
 */
function parseBuild(file: string): string | null {
  return /^(?:rh|s)cos-(\d+(?:\.\d+)+-\d+)-/.exec(file)?.[1] ?? null;
}

/** Parses the minor version of a build: 4.18 of 418.94.…; null for builds with the version of RHEL (9.6.20250523-0). */
function parseBuildRelease(build: string): string | null {
  const [, major, minor] = /^([45])(\d{1,2})\.\d+\.\d{12}-/.exec(build) ?? [];
  return major === undefined || minor === undefined ? null : `${major}.${minor}`;
}

function isNewerMinor(candidate: string, reference: string): boolean {
  const [[major = 0, minor = 0], [otherMajor = 0, otherMinor = 0]] = [candidate, reference].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]];
  return major > otherMajor || (major === otherMajor && minor > otherMinor);
}
