import { catalogue } from '../../text/catalogue.ts';
import type { Answer } from './exchange.ts';
import { type Ask, ask, type SiteCheck, type Verdict } from './question.ts';

const words = () => catalogue().diagnosis.site.said;

/** The first script of every machine, whole: a jump to nowhere stops a machine at a prompt. */
export const bootScript: SiteCheck<'ipxe-script'> = {
  code: 'ipxe-script',
  phase: 'boot-files',
  severity: 'fatal',
  asks: ({ boot }) => (boot === null ? [] : [askText(boot.script, boot.script, scriptVerdict)]),
};

/** The script of each node, with the files and the disk of its own role. */
export const nodeScripts: SiteCheck<'ipxe-nodes'> = {
  code: 'ipxe-nodes',
  phase: 'boot-files',
  severity: 'fatal',
  asks: ({ boot }) =>
    boot === null
      ? []
      : boot.scripts.map(({ node, path, holds }) =>
          askText(`${boot.url}${path}`, node, (text) => {
            const verdict = scriptVerdict(text);
            const missing = holds.filter((each) => !text.includes(each));
            if (verdict.state !== 'ok' || missing.length === 0) return verdict;
            return { state: 'failed', detail: words().scriptLacks(missing) };
          }),
        ),
};

/** The TFTP server answers at all: that it is silent is said once, and proves nothing of its files. */
export const tftpServer: SiteCheck<'tftp-server'> = {
  code: 'tftp-server',
  phase: 'boot-files',
  severity: 'fatal',
  asks: ({ boot }) =>
    boot === null
      ? []
      : boot.programs
          .slice(0, 1)
          .map((path) =>
            askTftp(boot.tftpServer, path, boot.tftpServer, ({ state, detail }) =>
              state === 'timeout' ? { state: 'failed', detail } : { state: 'ok', detail: words().answersTftp },
            ),
          ),
};

/** What firmware starts first, by TFTP. */
export const tftpPrograms: SiteCheck<'tftp'> = {
  code: 'tftp',
  phase: 'boot-files',
  severity: 'fatal',
  asks: ({ boot }) =>
    boot === null
      ? []
      : boot.programs.map((path) =>
          askTftp(boot.tftpServer, path, path, (answer) =>
            answer.state === 'timeout'
              ? { state: 'unknown', detail: words().noTftp(boot.tftpServer) }
              : programVerdict(path, answer),
          ),
        ),
};

function askTftp(server: string, path: string, subject: string, judge: (answer: Answer<'tftp'>) => Verdict): Ask {
  const command = `curl -s -o /dev/null -w '%{size_download}\\n' tftp://${server}/${path}`;
  return ask('tftp', { server, path }, { subject, command }, judge);
}

/** The shortest of them has 60 KB; what is shorter was cut off, or is a page that says why there is none. */
const LEAST_BYTES = 16 * 1024;

/** What firmware makes of the file that it was handed. */
export function programVerdict(path: string, { state, bytes, head, detail }: Answer<'tftp'>): Verdict {
  if (bytes === null || state !== 'fetched') return { state: 'failed', detail };
  if (bytes < LEAST_BYTES) return { state: 'failed', detail: words().cutOff(bytes) };
  // What UEFI starts is a PE image (UEFI 2.10, 2.1.1).
  const isProgram = !path.endsWith('.efi') || head === undefined || head === 'MZ';
  return isProgram ? { state: 'ok', detail: words().bytes(bytes) } : { state: 'failed', detail: words().noProgram };
}

/** The same for firmware that boots over HTTP. */
export const httpPrograms: SiteCheck<'http-boot-program'> = {
  code: 'http-boot-program',
  phase: 'boot-files',
  severity: 'warning',
  asks: ({ boot }) =>
    boot === null
      ? []
      : boot.programs
          .filter((name) => name.endsWith('.efi'))
          .map((name) =>
            askHead(`${boot.url}/boot/${name}`, name, ({ status, detail }) => ({
              state: status === 200 ? 'ok' : status === null ? 'unknown' : 'failed',
              detail,
            })),
          ),
};

/** Every image, as long as it is here. One that was cut off in copying stops a machine in the middle of its installation. */
export const images: SiteCheck<'http-artifacts'> = {
  code: 'http-artifacts',
  phase: 'boot-files',
  severity: 'fatal',
  asks: ({ images: all }) =>
    all.map(({ url, bytes }) =>
      askHead(url, nameOf(url), ({ status, length, detail }) => {
        if (status === null) return { state: 'unknown', detail };
        if (status !== 200) return { state: 'failed', detail, status };
        if (length === null) return { state: 'ok', detail };
        if (bytes !== null && bytes !== length) return { state: 'failed', detail: words().otherLength(length, bytes) };
        return { state: length === 0 ? 'failed' : 'ok', detail: words().bytes(length) };
      }),
    ),
};

/** Ignition files exist, and are for their nodes only: this machine is refused. */
export const ignition: SiteCheck<'ignition-served'> = {
  code: 'ignition-served',
  phase: 'ignition',
  severity: 'fatal',
  asks: ({ ignition: files }) =>
    files.map(({ url }) =>
      askHead(url, nameOf(url), ({ status, detail }) => {
        if (status === null) return { state: 'unknown', detail };
        if (status === 404) return { state: 'pending', detail };
        return { state: status === 403 || status === 200 ? 'ok' : 'failed', detail };
      }),
    ),
};

/** The commands of iPXE (https://ipxe.org/cmd), as scripts use them. */
const COMMANDS = new Set(
  `autoboot boot chain choose clear colour console cpair cpuid dhcp echo exit form gdbstub goto help ibstat ifclose ifconf iflinkwait
   ifopen ifstat imgargs imgdecrypt imgexec imgextract imgfetch imgfree imgload imgmem imgselect imgsha1sum imgsha256sum imgsingle imgstat
   imgtrust imgverify initrd inc iseq isset item iwlist iwstat kernel login lotest md5sum menu module neighbour nslookup nstat ntp params
   param pciscan ping poweroff present profstat prompt pxebs read reboot route sanboot sanhook sanunhook set sha1sum sha256sum shell show
   shim sleep startpxe stoppxe sync time usbscan vcreate vdestroy`.split(/\s+/),
);

function commandsOf(text: string): string[] {
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !/^[#:]/.test(line))
      .flatMap((line) => line.split(/\s(?:&&|\|\|)(?:\s|$)/))
      .flatMap((command) => command.trim().split(/\s+/)[0] || [])
      // What a variable holds nobody knows before.
      .filter((command) => !command.includes('${'))
  );
}

/** A script that iPXE can run to its end: its mark in the first bytes, each label once, each jump to a label that is there. */
export function scriptVerdict(text: string): Verdict {
  if (!text.startsWith('#!ipxe')) return { state: 'failed', detail: words().noScript };
  const unknown = commandsOf(text).filter((command) => !COMMANDS.has(command));
  if (unknown.length > 0) return { state: 'failed', detail: words().noCommand([...new Set(unknown)]) };
  const labels = [...text.matchAll(/^\s*:(\S+)/gm)].map(([, label]) => label ?? '');
  const twice = labels.filter((label, index) => labels.indexOf(label) !== index);
  const jumps = [...text.matchAll(/\bgoto\s+([\w-]+)/g)].map(([, label]) => label ?? '');
  const nowhere = jumps.filter((label) => !labels.includes(label));
  if (twice.length > 0) return { state: 'failed', detail: words().labelTwice(twice) };
  if (nowhere.length > 0) return { state: 'failed', detail: words().noLabel(nowhere) };
  return { state: 'ok', detail: words().bytes(text.length) };
}

function askText(url: string, subject: string, judge: (text: string) => Verdict): Ask {
  return ask('text', { url }, { subject, command: `curl -s ${url}` }, ({ status, text, detail }) => {
    if (text !== null) return judge(text);
    if (status === null) return { state: 'unknown', detail };
    return { state: 'failed', detail, ...(status === 200 ? {} : { status }) };
  });
}

function askHead(url: string, subject: string, judge: (answer: Answer<'head'>) => Verdict): Ask {
  return ask('head', { url }, { subject, command: `curl -sI ${url}` }, judge);
}

function nameOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** The boot server answers at all, at the address that the nodes use: that it does not is said once. */
export const bootServer: SiteCheck<'boot-server'> = {
  code: 'boot-server',
  phase: 'boot-files',
  severity: 'fatal',
  asks: ({ boot }) =>
    boot === null
      ? []
      : [
          askHead(boot.script, boot.url, ({ status, detail }) => ({
            state: status === null ? 'failed' : 'ok',
            detail,
          })),
        ],
};
