/** What a script ends with: an operating system to start, the disk, or nothing that could be started. */
export type IpxeOutcome =
  | { readonly kind: 'boot'; readonly kernelArguments: readonly string[] }
  | { readonly kind: 'local' }
  | { readonly kind: 'reboot' }
  | { readonly kind: 'failed'; readonly why: string };

export interface IpxeMachine {
  readonly mac: string;
  readonly platform: 'efi' | 'pcbios';
  readonly address: string;
  readonly hostname: string | null;
  /** Fetches a URL from the machine's own address; null where the answer is not 200. */
  fetch(url: string): Promise<Uint8Array | null>;
  /** One line on the machine's console. */
  print(line: string): void;
  /** Waits at a menu, milliseconds of the site's clock. */
  wait(ms: number): Promise<void>;
}

/** How a command ends: go on, with whether it succeeded; or leave the script. */
type Step =
  | { readonly ok: boolean }
  | { readonly jump: string }
  | { readonly end: IpxeOutcome }
  | { readonly exit: true };

const OK: Step = { ok: true };
const FAILED: Step = { ok: false };
const MOST_STEPS = 2000;

interface Images {
  kernelArguments: string[] | null;
  initrds: number;
}

/** Runs the script at a URL as iPXE does (https://ipxe.org/scripting), with the commands that boot scripts use. */
export async function runIpxe(machine: IpxeMachine, url: string): Promise<IpxeOutcome> {
  const settings = new Map<string, string>();
  const images: Images = { kernelArguments: null, initrds: 0 };
  const step = await runScript(machine, url, settings, images, { steps: 0 });
  if ('end' in step) return step.end;
  if ('exit' in step || ('ok' in step && step.ok)) return { kind: 'local' };
  return { kind: 'failed', why: `Could not boot image: ${url}` };
}

async function runScript(
  machine: IpxeMachine,
  url: string,
  settings: Map<string, string>,
  images: Images,
  budget: { steps: number },
): Promise<Step> {
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
    if (budget.steps > MOST_STEPS) return { end: { kind: 'failed', why: 'the script does not end' } };
    const step = await runLine(line);
    if ('jump' in step) {
      const target = lines.indexOf(`:${step.jump}`);
      if (target < 0) {
        machine.print(`No such label: ${step.jump}`);
        return FAILED;
      }
      index = target;
    } else if (!('ok' in step)) return step;
    else if (!step.ok) return FAILED;
  }
  return OK;

  /** Commands joined by && and ||, from left to right; nothing behind || succeeds. */
  async function runLine(line: string): Promise<Step> {
    const words = wordsOf(line);
    let result: Step = OK;
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

  async function runCommand(words: readonly string[]): Promise<Step> {
    const [name = '', ...all] = words;
    const operands = all.filter((word) => !word.startsWith('--'));
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
        return fetchImage(name, all);
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
        if (!all.includes('--gap')) menu.items.push(operands[0] ?? '');
        return OK;
      case 'choose':
        return choose(all);
      case 'exit':
        return { exit: true };
      case 'sanboot':
        return { end: { kind: 'local' } };
      case 'reboot':
        return { end: { kind: 'reboot' } };
      case 'shell':
        return { end: { kind: 'failed', why: 'it waits at the iPXE shell' } };
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

  async function fetchImage(name: string, words: readonly string[]): Promise<Step> {
    const named = words.findIndex((word) => word === '--name' || word === '-n');
    const operands = words.filter((word, index) => !word.startsWith('-') && (named < 0 || index !== named + 1));
    const target = new URL(operands[0] ?? '', url).href;
    if ((await machine.fetch(target)) === null) return FAILED;
    if (name === 'kernel') images.kernelArguments = operands.slice(1);
    else images.initrds += 1;
    return OK;
  }

  function boot(): Step {
    if (images.kernelArguments === null) {
      machine.print('Could not boot: no kernel selected');
      return FAILED;
    }
    if (images.initrds === 0) return { end: { kind: 'failed', why: 'kernel panic: no initramfs' } };
    // A UEFI kernel finds its initramfs only by the name in its arguments.
    if (machine.platform === 'efi' && !images.kernelArguments.some((word) => word.startsWith('initrd='))) {
      return {
        end: { kind: 'failed', why: 'kernel panic: VFS: Unable to mount root fs (no initrd= argument on UEFI)' },
      };
    }
    return { end: { kind: 'boot', kernelArguments: images.kernelArguments } };
  }

  async function choose(words: readonly string[]): Promise<Step> {
    const option = (name: string) => {
      const index = words.indexOf(`--${name}`);
      return index < 0 ? null : (words[index + 1] ?? null);
    };
    const timeout = option('timeout');
    if (timeout === null) return { end: { kind: 'failed', why: 'it waits at a menu for a key' } };
    await machine.wait(Number(timeout));
    const variable = words.at(-1) ?? '';
    settings.set(variable, option('default') ?? menu.items[0] ?? '');
    return OK;
  }

  function expand(word: string): string {
    return word.replace(/\$\{([^}]*)\}/g, (_all, setting: string) => {
      const [name = '', type] = setting.split(':');
      return formatted(settingOf(name), type);
    });
  }

  function settingOf(name: string): string {
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

function formatted(value: string, type: string | undefined): string {
  if (type === 'hexhyp') return value.replaceAll(':', '-');
  if (type === 'hexraw') return value.replaceAll(':', '');
  return value;
}

/** Words of a line; a variable with blanks in its value stays one word. */
function wordsOf(line: string): string[] {
  return line.match(/"[^"]*"|(?:\$\{[^}]*\}|\S)+/g)?.map((word) => word.replace(/^"|"$/g, '')) ?? [];
}
