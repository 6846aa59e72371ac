/** Result of a script: an operating system to boot, the disk, a reboot, or a failure. */
export type IpxeOutcome =
  | { readonly kind: 'boot'; readonly kernelArguments: readonly string[] }
  | { readonly kind: 'local' }
  | { readonly kind: 'reboot' }
  | { readonly kind: 'failed'; readonly reason: string };

export interface IpxeMachine {
  readonly mac: string;
  readonly platform: 'efi' | 'pcbios';
  readonly address: string;
  readonly hostname: string | null;
  /** Fetches a URL from the machine's own address. Null: the answer is not 200. */
  fetch(url: string): Promise<Uint8Array | null>;
  /** Prints one line on the machine's console. */
  print(line: string): void;
  /** Waits at a menu, ms of the site's clock. */
  wait(ms: number): Promise<void>;
}

/** Result of a command: continue (with its success), jump to a label, end with an outcome, or exit the script. */
type CommandResult =
  | { readonly ok: boolean }
  | { readonly jump: string }
  | { readonly end: IpxeOutcome }
  | { readonly exit: true };

const OK: CommandResult = { ok: true };
const FAILED: CommandResult = { ok: false };
const MAX_STEPS = 2000;

interface LoadedImages {
  kernelArguments: string[] | null;
  initrds: number;
}

/** Runs the script at a URL as iPXE does (https://ipxe.org/scripting), with the commands that boot scripts use. */
export async function runIpxe(machine: IpxeMachine, url: string): Promise<IpxeOutcome> {
  const settings = new Map<string, string>();
  const images: LoadedImages = { kernelArguments: null, initrds: 0 };
  const result = await runScript(machine, url, settings, images, { steps: 0 });
  if ('end' in result) return result.end;
  if ('exit' in result || ('ok' in result && result.ok)) return { kind: 'local' };
  return { kind: 'failed', reason: `Could not boot image: ${url}` };
}

async function runScript(
  machine: IpxeMachine,
  url: string,
  settings: Map<string, string>,
  images: LoadedImages,
  budget: { steps: number },
): Promise<CommandResult> {
  const bytes = await machine.fetch(url);
  if (bytes === null) return FAILED;
  const text = Buffer.from(bytes).toString('utf8');
  if (!text.startsWith('#!ipxe')) {
    machine.print(`${url}... Exec format error (https://ipxe.org/2e008081)`);
    return FAILED;
  }
  const lines = text.split('\n').map((line) => line.trim());
  let menu: { items: string[] } = { items: [] };
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line === '' || line.startsWith('#') || line.startsWith(':')) continue;
    budget.steps += 1;
    if (budget.steps > MAX_STEPS) return { end: { kind: 'failed', reason: 'the script does not end' } };
    const result = await runLine(line);
    if ('jump' in result) {
      const target = lines.indexOf(`:${result.jump}`);
      if (target < 0) {
        machine.print(`No such label: ${result.jump}`);
        return FAILED;
      }
      index = target;
    } else if (!('ok' in result)) return result;
    else if (!result.ok) return FAILED;
  }
  return OK;

  /** Runs commands joined by && and ||, from left to right. An empty command after || succeeds. */
  async function runLine(line: string): Promise<CommandResult> {
    const words = splitWords(line);
    let result: CommandResult = OK;
    let command: string[] = [];
    let operator = ';';
    const runOne = async () => {
      const isDue: boolean = operator === ';' || ('ok' in result && result.ok === (operator === '&&'));
      if (isDue) result = command.length === 0 ? OK : await runCommand(command.map(expand));
    };
    for (const word of [...words, ';']) {
      if (word !== '&&' && word !== '||' && word !== ';') {
        command.push(word);
        continue;
      }
      await runOne();
      if (!('ok' in result)) return result;
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
        return OK;
      case 'clear':
        settings.delete(operands[0] ?? '');
        return OK;
      case 'isset':
        return { ok: (operands[0] ?? '') !== '' };
      case 'iseq':
        return { ok: operands[0] === operands[1] };
      case 'goto':
        return { jump: operands[0] ?? '' };
      case 'chain':
        return runScript(machine, new URL(operands[0] ?? '', url).href, settings, images, budget);
      case 'kernel':
      case 'initrd':
      case 'imgfetch':
      case 'module':
        return fetchImage(name, parameters);
      case 'imgfree':
        images.kernelArguments = null;
        images.initrds = 0;
        return OK;
      case 'imgargs':
        images.kernelArguments = operands.slice(1);
        return OK;
      case 'boot':
        return boot();
      case 'menu':
        menu = { items: [] };
        return OK;
      case 'item':
        if (!parameters.includes('--gap')) menu.items.push(operands[0] ?? '');
        return OK;
      case 'choose':
        return choose(parameters);
      case 'exit':
        return { exit: true };
      case 'sanboot':
        return { end: { kind: 'local' } };
      case 'reboot':
        return { end: { kind: 'reboot' } };
      case 'shell':
        return { end: { kind: 'failed', reason: 'it waits at the iPXE shell' } };
      case 'echo':
        machine.print(operands.join(' '));
        return OK;
      case 'sleep':
        await machine.wait(Number(operands[0]) * 1000 || 0);
        return OK;
      case 'dhcp':
      case 'ifopen':
      case 'ifconf':
      case 'console':
      case 'cpair':
      case 'colour':
      case 'imgstat':
      case 'prompt':
        return OK;
      default:
        machine.print(`${name}: command not found`);
        return FAILED;
    }
  }

  async function fetchImage(name: string, words: readonly string[]): Promise<CommandResult> {
    const nameIndex = words.findIndex((word) => word === '--name' || word === '-n');
    const operands = words.filter((word, index) => !word.startsWith('-') && (nameIndex < 0 || index !== nameIndex + 1));
    const target = new URL(operands[0] ?? '', url).href;
    if ((await machine.fetch(target)) === null) return FAILED;
    if (name === 'kernel') images.kernelArguments = operands.slice(1);
    else images.initrds += 1;
    return OK;
  }

  function boot(): CommandResult {
    if (images.kernelArguments === null) {
      machine.print('Could not boot: no kernel selected');
      return FAILED;
    }
    if (images.initrds === 0) return { end: { kind: 'failed', reason: 'kernel panic: no initramfs' } };
    // A UEFI kernel finds its initramfs only by the name in its arguments.
    if (machine.platform === 'efi' && !images.kernelArguments.some((word) => word.startsWith('initrd='))) {
      return {
        end: { kind: 'failed', reason: 'kernel panic: VFS: Unable to mount root fs (no initrd= argument on UEFI)' },
      };
    }
    return { end: { kind: 'boot', kernelArguments: images.kernelArguments } };
  }

  async function choose(words: readonly string[]): Promise<CommandResult> {
    const option = (name: string) => {
      const index = words.indexOf(`--${name}`);
      return index < 0 ? null : (words[index + 1] ?? null);
    };
    const timeout = option('timeout');
    if (timeout === null) return { end: { kind: 'failed', reason: 'it waits at a menu for a key' } };
    await machine.wait(Number(timeout));
    const variable = words.at(-1) ?? '';
    settings.set(variable, option('default') ?? menu.items[0] ?? '');
    return OK;
  }

  function expand(word: string): string {
    return word.replace(/\$\{([^}]*)\}/g, (_all, setting: string) => {
      const [name = '', type] = setting.split(':');
      return formatSetting(getSetting(name), type);
    });
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
      case 'buildarch':
        return 'x86_64';
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
function splitWords(line: string): string[] {
  return line.match(/"[^"]*"|(?:\$\{[^}]*\}|\S)+/g)?.map((word) => word.replace(/^"|"$/g, '')) ?? [];
}
