import { basename } from 'node:path';
import { SECOND } from '../../../platform/clock.ts';
import type { Lease } from '../../hosts/dhcp.ts';
import { isBootProgram } from '../../hosts/tftp.ts';
import type { MachineContext } from '../network/network.ts';
import type { MachineStage } from '../saved-world.ts';

interface BootMachine {
  readonly mac: string;
  /** Fetches a URL from the machine's own address. Null: the answer is not 200. */
  fetch(url: string): Promise<Uint8Array | null>;
  /** Prints one line on the machine's console. */
  print(line: string): void;
}

/** A machine that has loaded shim and GRUB. */
interface GrubMachine extends BootMachine {
  /** Reads a file of the TFTP server's host. Null: no such file. */
  readFile(path: string): string | null;
}

/**
 * Paths that GRUB tries on the TFTP server. GRUB of RHEL looks in its own directory, first by MAC; GRUB of Debian looks
 * in /grub.
 */
const GRUB_CONFIG_PATHS = [
  (mac: string) => `/var/lib/tftpboot/grub.cfg-01-${mac}`,
  () => '/var/lib/tftpboot/grub.cfg',
  () => '/srv/tftp/grub/grub.cfg',
];

/**
 * Runs GRUB as shim starts it, up to the kernel: reads the machine's own configuration and fetches the first kernel and
 * initramfs named there over HTTP.
 * @returns the kernel's arguments, or null with the reason on the machine's console
 */
export async function runGrub(machine: GrubMachine): Promise<string[] | null> {
  const { print } = machine;
  const text = readGrubConfiguration(machine);
  if (text === null) {
    print('GRUB: no configuration for this machine; it waits at its prompt');
    return null;
  }
  const matchCommand = (command: string) =>
    new RegExp(`^\\s*(?:if )?${command}(?:efi)? \\(http,([^)]+)\\)(\\S+)(.*)$`, 'm').exec(text);
  const [kernel, initramfs] = [matchCommand('linux'), matchCommand('initrd')];
  if (kernel === null || initramfs === null) {
    print('GRUB: error: you need to load the kernel first');
    return null;
  }
  for (const [, server, path] of [kernel, initramfs]) {
    const url = `http://${server}${path}`;
    if ((await machine.fetch(url)) !== null) continue;
    print(`GRUB: error: file \`${path}' not found (${url})`);
    return null;
  }
  return (kernel[3] ?? '')
    .replace(/; then$/, '')
    .trim()
    .split(/\s+/);
}

function readGrubConfiguration({ mac, readFile }: GrubMachine): string | null {
  for (const getPath of GRUB_CONFIG_PATHS) {
    const path = getPath(mac.replaceAll(':', '-'));
    const text = readFile(path);
    if (text === null) continue;
    if (!path.endsWith('grub.cfg')) return text;
    // The shared file names the machine's file: `if [ "$net_default_mac" = "MAC" ]; then configfile $prefix/FILE`.
    const machineFile = new RegExp(`"${mac}" \\]; then\\s+(?:#.*\\s+)?configfile \\$prefix/(\\S+)`).exec(text)?.[1];
    return machineFile === undefined ? null : readFile(path.replace(basename(path), machineFile));
  }
  return null;
}

/** Delay between two boot attempts of firmware that found nothing to start. */
export const BOOT_RETRY_DELAY = 30 * SECOND;
const UEFI_ARCHITECTURE = 7;
const BIOS_ARCHITECTURE = 0;
const ARM64_UEFI_ARCHITECTURE = 11;

function getClientArchitecture({ world, hardware }: MachineContext): number {
  if (world.design.openshift.architecture === 'aarch64') return ARM64_UEFI_ARCHITECTURE;
  return hardware.firmware === 'uefi' ? UEFI_ARCHITECTURE : BIOS_ARCHITECTURE;
}

/** Boots by PXE: DHCP names a boot program. iPXE sends its own request and gets the URL of its script. */
export async function bootFromNetwork(machine: MachineContext): Promise<MachineStage> {
  const { world, hardware, state, print, sleep } = machine;
  const architecture = getClientArchitecture(machine);
  for (;;) {
    const offer = world.hosts.dhcp.requestLease({ mac: hardware.mac, architecture, userClass: null });
    const problem = offer === null ? null : findProgramError(machine, offer);
    if (offer === null) print('PXE-E51: No DHCP or proxyDHCP offers were received');
    else if (offer.filename === null) print('PXE-E53: No boot filename received');
    else if (problem !== null) print(problem);
    else if (/shim/.test(offer.filename)) {
      state.lease = offer;
      const { name } = world.design.services.bastion;
      const readFile = (path: string) => world.hosts.readFile(name, path);
      const fetch = (url: string) => fetchOnce(machine, url);
      const grubArguments = await runGrub({ mac: hardware.mac, readFile, print, fetch });
      if (grubArguments !== null) {
        state.kernelArguments = grubArguments;
        return 'live';
      }
    } else if (/grub|pxelinux/.test(offer.filename)) print(`${offer.filename}: this machine boots with iPXE only`);
    else {
      const ipxeOffer = world.hosts.dhcp.requestLease({ mac: hardware.mac, architecture, userClass: 'iPXE' });
      if (ipxeOffer?.filename && /^https?:/.test(ipxeOffer.filename)) {
        state.lease = ipxeOffer;
        return 'ipxe';
      }
      print(`iPXE gets ${ipxeOffer?.filename ?? 'no filename'} again and starts itself in a loop`);
    }
    await sleep(BOOT_RETRY_DELAY);
  }
}

/** Returns the console message if firmware cannot fetch or start the program that DHCP names, or null. */
function findProgramError({ world }: MachineContext, { address, filename, nextServer }: Lease): string | null {
  if (filename === null || /^https?:/.test(filename)) return null;
  if (nextServer === null) return 'PXE-E11: ARP timeout (no next-server)';
  const bytes = world.hosts.fetchByTftp(nextServer, filename, address);
  if (bytes === 'silent') return 'PXE-E32: TFTP open timeout';
  if (bytes === null) return 'PXE-T01: File not found';
  return isBootProgram(filename, bytes) ? null : 'PXE-E79: NBP is too short or damaged';
}

/** Fetches once, as a boot program does, and prints an error on the console. */
export async function fetchOnce({ getNetwork, print }: MachineContext, url: string): Promise<Uint8Array | null> {
  const result = await getNetwork().fetch(url);
  if (result.problem === null) return result.body;
  const { problem, status } = result;
  const statusText = status === 404 ? 'No such file or directory (https://ipxe.org/2d0c618e)' : `HTTP ${status}`;
  print(`${url}... ${status === null ? problem : statusText}`);
  return null;
}

/** Result of a script: an operating system to boot, the disk, a reboot, or a failure. */
type IpxeOutcome =
  | { readonly kind: 'boot'; readonly kernelArguments: readonly string[] }
  | { readonly kind: 'local' }
  | { readonly kind: 'reboot' }
  | { readonly kind: 'failed'; readonly reason: string };

export interface IpxeMachine extends BootMachine {
  readonly platform: 'efi' | 'pcbios';
  readonly address: string;
  readonly hostname: string | null;
  /** Waits at a menu, ms of the site's clock. */
  wait(ms: number): Promise<void>;
}

/** Result of a command: continue (with its success), jump to a label, or end with an outcome. */
type CommandResult = { readonly isSuccess: boolean } | { readonly jump: string } | { readonly outcome: IpxeOutcome };

const SUCCESS: CommandResult = { isSuccess: true };
const FAILURE: CommandResult = { isSuccess: false };
const createFailure = (reason: string): CommandResult => ({ outcome: { kind: 'failed', reason } });
const MAX_STEPS = 2000;

/** State that the scripts of a boot share. */
interface ScriptState {
  readonly settings: Map<string, string>;
  kernelArguments: string[] | null;
  initrdCount: number;
  stepCount: number;
}

/** Runs the script at a URL as iPXE does (https://ipxe.org/scripting), with the commands that boot scripts use. */
export async function runIpxe(machine: IpxeMachine, url: string): Promise<IpxeOutcome> {
  const state: ScriptState = { settings: new Map(), kernelArguments: null, initrdCount: 0, stepCount: 0 };
  const result = await runScript(machine, url, state);
  if ('outcome' in result) return result.outcome;
  if ('isSuccess' in result && result.isSuccess) return { kind: 'local' };
  return { kind: 'failed', reason: `Could not boot image: ${url}` };
}

async function runScript(machine: IpxeMachine, url: string, state: ScriptState): Promise<CommandResult> {
  const { settings } = state;
  const bytes = await machine.fetch(url);
  if (bytes === null) return FAILURE;
  const text = Buffer.from(bytes).toString('utf8');
  if (!text.startsWith('#!ipxe')) {
    machine.print(`${url}... Exec format error (https://ipxe.org/2e008081)`);
    return FAILURE;
  }
  const lines = text.split('\n').map((line) => line.trim());
  let menuItems: string[] = [];
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line === '' || line.startsWith('#') || line.startsWith(':')) continue;
    state.stepCount += 1;
    if (state.stepCount > MAX_STEPS) return createFailure('the script does not end');
    const result = await runLine(line);
    if ('jump' in result) {
      const target = lines.indexOf(`:${result.jump}`);
      if (target < 0) {
        machine.print(`No such label: ${result.jump}`);
        return FAILURE;
      }
      index = target;
    } else if (!('isSuccess' in result)) return result;
    else if (!result.isSuccess) return FAILURE;
  }
  return SUCCESS;

  /** Runs commands joined by && and ||, from left to right. An empty command after || succeeds. */
  async function runLine(line: string): Promise<CommandResult> {
    const words = splitLine(line);
    let result: CommandResult = SUCCESS;
    let command: string[] = [];
    let operator = ';';
    const runCommandIfDue = async () => {
      const isDue: boolean = operator === ';' || ('isSuccess' in result && result.isSuccess === (operator === '&&'));
      if (isDue) result = command.length === 0 ? SUCCESS : await runCommand(command.map(expandSettings));
    };
    for (const word of [...words, ';']) {
      if (word !== '&&' && word !== '||' && word !== ';') {
        command.push(word);
        continue;
      }
      await runCommandIfDue();
      if (!('isSuccess' in result)) return result;
      command = [];
      operator = word;
    }
    return result;
  }

  async function runCommand(words: readonly string[]): Promise<CommandResult> {
    const [name = '', ...parameters] = words;
    const operands = parameters.filter((word) => !word.startsWith('--'));
    switch (name) {
      case 'set':
        settings.set(operands[0] ?? '', operands.slice(1).join(' '));
        return SUCCESS;
      case 'isset':
        return { isSuccess: (operands[0] ?? '') !== '' };
      case 'iseq':
        return { isSuccess: operands[0] === operands[1] };
      case 'goto':
        return { jump: operands[0] ?? '' };
      case 'chain':
        return runScript(machine, new URL(operands[0] ?? '', url).href, state);
      case 'clear':
        settings.delete(operands[0] ?? '');
        return SUCCESS;
      case 'imgfetch': {
        const response = await machine.fetch(new URL(operands.at(-1) ?? '', url).href);
        return { isSuccess: response !== null };
      }
      // The processor of a simulated machine has no features that can be read.
      case 'cpuid':
        return FAILURE;
      case 'kernel':
      case 'initrd':
        return fetchImage(name, parameters);
      case 'imgfree':
        state.kernelArguments = null;
        state.initrdCount = 0;
        return SUCCESS;
      case 'boot':
        return bootKernel();
      case 'menu':
        menuItems = [];
        return SUCCESS;
      case 'item':
        if (!parameters.includes('--gap')) menuItems.push(operands[0] ?? '');
        return SUCCESS;
      case 'choose':
        return chooseMenuItem(parameters);
      case 'exit':
      case 'sanboot':
        return { outcome: { kind: 'local' } };
      case 'reboot':
        return { outcome: { kind: 'reboot' } };
      case 'shell':
        return createFailure('it waits at the iPXE shell');
      case 'echo':
        machine.print(operands.join(' '));
        return SUCCESS;
      default:
        machine.print(`${name}: command not found`);
        return FAILURE;
    }
  }

  async function fetchImage(name: string, words: readonly string[]): Promise<CommandResult> {
    const nameIndex = words.findIndex((word) => word === '--name' || word === '-n');
    const operands = words.filter((word, index) => !word.startsWith('-') && (nameIndex < 0 || index !== nameIndex + 1));
    const target = new URL(operands[0] ?? '', url).href;
    if ((await machine.fetch(target)) === null) return FAILURE;
    if (name === 'kernel') state.kernelArguments = operands.slice(1);
    else state.initrdCount += 1;
    return SUCCESS;
  }

  function bootKernel(): CommandResult {
    if (state.kernelArguments === null) {
      machine.print('Could not boot: no kernel selected');
      return FAILURE;
    }
    if (state.initrdCount === 0) return createFailure('kernel panic: no initramfs');
    // A UEFI kernel finds its initramfs only by the name in its arguments.
    const canFindInitramfs =
      machine.platform !== 'efi' || state.kernelArguments.some((word) => word.startsWith('initrd='));
    if (!canFindInitramfs)
      return createFailure('kernel panic: VFS: Unable to mount root fs (no initrd= argument on UEFI)');
    return { outcome: { kind: 'boot', kernelArguments: state.kernelArguments } };
  }

  async function chooseMenuItem(words: readonly string[]): Promise<CommandResult> {
    const getOption = (name: string) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined);
    const timeout = getOption('--timeout');
    if (timeout === undefined) return createFailure('it waits at a menu for a key');
    await machine.wait(Number(timeout));
    settings.set(words.at(-1) ?? '', getOption('--default') ?? menuItems[0] ?? '');
    return SUCCESS;
  }

  function expandSettings(word: string): string {
    // The name of a setting can contain another setting, so the expansion repeats until nothing changes.
    const expandedWord = word.replace(/\$\{([^${}]*)\}/g, (_all, setting: string) => {
      const [name = '', type] = setting.split(':');
      return formatSetting(getSetting(name), type);
    });
    return expandedWord === word ? word : expandSettings(expandedWord);
  }

  function getSetting(name: string): string {
    switch (name.replace(/^net\d*\//, '')) {
      case 'mac':
        return machine.mac;
      case 'ip':
        return machine.address;
      case 'hostname':
        return machine.hostname ?? '';
      case 'platform':
        return machine.platform;
      default:
        return settings.get(name) ?? '';
    }
  }
}

function formatSetting(value: string, type: string | undefined): string {
  if (type === 'hexhyp') return value.replaceAll(':', '-');
  if (type === 'hexraw') return value.replaceAll(':', '');
  return value;
}

/** Splits a line into words. A variable with blanks in its value stays one word. */
function splitLine(line: string): string[] {
  return line.match(/"[^"]*"|(?:\$\{[^}]*\}|\S)+/g)?.map((word) => word.replace(/^"|"$/g, '')) ?? [];
}
