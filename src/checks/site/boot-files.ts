import { catalogue } from '../../i18n/catalogue.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import { type Query, type QueryVerdict, query, type SiteCheck } from './query.ts';

const words = () => catalogue().diagnosis.site.said;

/** The first script of every machine: a `goto` to a missing label stops a machine at a prompt. */
export const bootScript: SiteCheck<'ipxe-script'> = {
  code: 'ipxe-script',
  phase: 'boot-files',
  severity: 'fatal',
  listQueries: ({ boot }) => (boot === null ? [] : [queryText(boot.script, boot.script, evaluateScript)]),
};

/** The script of each node, with the files and the disk of its own role. */
export const nodeScripts: SiteCheck<'ipxe-nodes'> = {
  code: 'ipxe-nodes',
  phase: 'boot-files',
  severity: 'fatal',
  listQueries: ({ boot }) =>
    boot === null
      ? []
      : boot.scripts.map(({ node, path, holds }) =>
          queryText(`${boot.url}${path}`, node, (text) => {
            const verdict = evaluateScript(text);
            const missing = holds.filter((each) => !text.includes(each));
            if (verdict.state !== 'ok' || missing.length === 0) return verdict;
            return { state: 'failed', detail: words().missingTexts(missing) };
          }),
        ),
};

/** The TFTP server answers at all. Only this check reports a silent server, which proves nothing about its files. */
export const tftpServer: SiteCheck<'tftp-server'> = {
  code: 'tftp-server',
  phase: 'boot-files',
  severity: 'fatal',
  listQueries: ({ boot }) =>
    boot === null
      ? []
      : boot.programs
          .slice(0, 1)
          .map((path) =>
            queryTftp(boot.tftpServer, path, boot.tftpServer, ({ state, detail }) =>
              state === 'timeout' ? { state: 'failed', detail } : { state: 'ok', detail: words().answersTftp },
            ),
          ),
};

/** The first program that firmware loads over TFTP. */
export const tftpPrograms: SiteCheck<'tftp'> = {
  code: 'tftp',
  phase: 'boot-files',
  severity: 'fatal',
  listQueries: ({ boot }) =>
    boot === null
      ? []
      : boot.programs.map((path) =>
          queryTftp(boot.tftpServer, path, path, (answer) =>
            answer.state === 'timeout'
              ? { state: 'unknown', detail: words().noTftp(boot.tftpServer) }
              : evaluateProgram(path, answer),
          ),
        ),
};

function queryTftp(
  server: string,
  path: string,
  subject: string,
  evaluate: (answer: ProbeAnswer<'tftp'>) => QueryVerdict,
): Query {
  const command = `curl -s -o /dev/null -w '%{size_download}\\n' tftp://${server}/${path}`;
  return query('tftp', { server, path }, { subject, command }, evaluate);
}

/** The smallest program has 60 KB; anything shorter is truncated, or an error page. */
const MIN_BYTES = 16 * 1024;

/** Evaluates the downloaded boot program as firmware would. */
export function evaluateProgram(path: string, { state, bytes, head, detail }: ProbeAnswer<'tftp'>): QueryVerdict {
  if (bytes === null || state !== 'fetched') return { state: 'failed', detail };
  if (bytes < MIN_BYTES) return { state: 'failed', detail: words().truncated(bytes) };
  // UEFI starts PE images only (UEFI 2.10, 2.1.1).
  const isUefiProgram = !path.endsWith('.efi') || head === undefined || head === 'MZ';
  return isUefiProgram
    ? { state: 'ok', detail: words().bytes(bytes) }
    : { state: 'failed', detail: words().notUefiProgram };
}

/** The same program for firmware that boots over HTTP. */
export const httpPrograms: SiteCheck<'http-boot-program'> = {
  code: 'http-boot-program',
  phase: 'boot-files',
  severity: 'warning',
  listQueries: ({ boot }) =>
    boot === null
      ? []
      : boot.programs
          .filter((name) => name.endsWith('.efi'))
          .map((name) =>
            queryHead(`${boot.url}/boot/${name}`, name, ({ status, detail }) => ({
              state: status === 200 ? 'ok' : status === null ? 'unknown' : 'failed',
              detail,
            })),
          ),
};

/** Every image is served with its full length. A truncated copy stops a machine in the middle of its installation. */
export const servedImages: SiteCheck<'http-artifacts'> = {
  code: 'http-artifacts',
  phase: 'boot-files',
  severity: 'fatal',
  listQueries: ({ images: expected }) =>
    expected.map(({ url, bytes }) =>
      queryHead(url, getFileName(url), ({ status, length, detail }) => {
        if (status === null) return { state: 'unknown', detail };
        if (status !== 200) return { state: 'failed', detail, status };
        if (length === null) return { state: 'ok', detail };
        if (bytes !== null && bytes !== length) return { state: 'failed', detail: words().otherLength(length, bytes) };
        return { state: length === 0 ? 'failed' : 'ok', detail: words().bytes(length) };
      }),
    ),
};

/** Ignition files exist and are served to their nodes only: the server refuses this machine. */
export const servedIgnition: SiteCheck<'ignition-served'> = {
  code: 'ignition-served',
  phase: 'ignition',
  severity: 'fatal',
  listQueries: ({ ignition: files }) =>
    files.map(({ url }) =>
      queryHead(url, getFileName(url), ({ status, detail }) => {
        if (status === null) return { state: 'unknown', detail };
        if (status === 404) return { state: 'pending', detail };
        return { state: status === 403 || status === 200 ? 'ok' : 'failed', detail };
      }),
    ),
};

/** The commands of iPXE (https://ipxe.org/cmd) as scripts use them. */
const IPXE_COMMANDS = new Set(
  `autoboot boot chain choose clear colour console cpair cpuid dhcp echo exit form gdbstub goto help ibstat ifclose ifconf iflinkwait
   ifopen ifstat imgargs imgdecrypt imgexec imgextract imgfetch imgfree imgload imgmem imgselect imgsha1sum imgsha256sum imgsingle imgstat
   imgtrust imgverify initrd inc iseq isset item iwlist iwstat kernel login lotest md5sum menu module neighbour nslookup nstat ntp params
   param pciscan ping poweroff present profstat prompt pxebs read reboot route sanboot sanhook sanunhook set sha1sum sha256sum shell show
   shim sleep startpxe stoppxe sync time usbscan vcreate vdestroy`.split(/\s+/),
);

function parseCommands(text: string): string[] {
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !/^[#:]/.test(line))
      .flatMap((line) => line.split(/\s(?:&&|\|\|)(?:\s|$)/))
      .flatMap((command) => command.trim().split(/\s+/)[0] || [])
      // The value of a variable is unknown here.
      .filter((command) => !command.includes('${'))
  );
}

/**
 * Checks that iPXE can run a script to its end: signature in the first bytes, each label once, each `goto` to an
 * existing label.
 */
export function evaluateScript(text: string): QueryVerdict {
  if (!text.startsWith('#!ipxe')) return { state: 'failed', detail: words().notIpxeScript };
  const unknown = parseCommands(text).filter((command) => !IPXE_COMMANDS.has(command));
  if (unknown.length > 0) return { state: 'failed', detail: words().unknownCommands([...new Set(unknown)]) };
  const labels = [...text.matchAll(/^\s*:(\S+)/gm)].map(([, label]) => label ?? '');
  const duplicates = labels.filter((label, index) => labels.indexOf(label) !== index);
  const jumps = [...text.matchAll(/\bgoto\s+([\w-]+)/g)].map(([, label]) => label ?? '');
  const missing = jumps.filter((label) => !labels.includes(label));
  if (duplicates.length > 0) return { state: 'failed', detail: words().duplicateLabels(duplicates) };
  if (missing.length > 0) return { state: 'failed', detail: words().missingLabels(missing) };
  return { state: 'ok', detail: words().bytes(text.length) };
}

function queryText(url: string, subject: string, evaluate: (text: string) => QueryVerdict): Query {
  return query('text', { url }, { subject, command: `curl -s ${url}` }, ({ status, text, detail }) => {
    if (text !== null) return evaluate(text);
    if (status === null) return { state: 'unknown', detail };
    return { state: 'failed', detail, ...(status === 200 ? {} : { status }) };
  });
}

function queryHead(url: string, subject: string, evaluate: (answer: ProbeAnswer<'head'>) => QueryVerdict): Query {
  return query('head', { url }, { subject, command: `curl -sI ${url}` }, evaluate);
}

function getFileName(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** The boot server answers at all at the address that the nodes use. Only this check reports a silent server. */
export const bootServer: SiteCheck<'boot-server'> = {
  code: 'boot-server',
  phase: 'boot-files',
  severity: 'fatal',
  listQueries: ({ boot }) =>
    boot === null
      ? []
      : [
          queryHead(boot.script, boot.url, ({ status, detail }) => ({
            state: status === null ? 'failed' : 'ok',
            detail,
          })),
        ],
};
